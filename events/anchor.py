"""How far a log was known to reach, kept outside its folder: who replaces or rewrites the folder alone is found.

A mark is written when the log comes to rest. It never runs ahead of what the database holds durably, so that a log
that ends before its mark, or holds another event there, is not the log that was left.
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from events.merkle import Frontier
from events.notes import Checkpoint, signed

__all__ = ["Anchor", "AnchorFile", "Mark", "name_of"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A place that a log has reached."""

    log_id: str
    """The hash of the log's first event."""
    position: int
    hash: str
    """Of the event at `position`, in hex."""
    frontier: Frontier
    """The tree over the hashes up to there."""
    note: str = ""
    """The signed checkpoint."""
    written_at: str = ""


class Anchor(Protocol):
    """Where marks are kept."""

    def read(self, log_id: str | None) -> Mark | None:
        """Return the mark of the log in this place, or of the one that was moved here; None where there is none."""
        ...

    def write(self, mark: Mark) -> None:
        """Keep `mark` in place of the one before, durably."""
        ...

    def forget(self) -> None:
        """Set the mark aside: its log is gone, and another is begun in its place."""
        ...


def name_of(log_id: str) -> str:
    """Return the name by which a log is known to others."""
    return f"anabranch/{log_id[:32]}"


class AnchorFile:
    """The mark of the log in `home`, as a file in the folder `marks`."""

    def __init__(self, marks: Path, home: Path, key: Callable[[], bytes]) -> None:
        """`key` gives the private key (32 bytes, Ed25519), which is made when it is first asked for."""
        self._marks, self._home, self._key = marks, str(home.absolute()), key
        self._file = marks / f"{sha256(os.fsencode(self._home)).hexdigest()[:32]}.json"

    def read(self, log_id: str | None) -> Mark | None:
        """See `Anchor.read`. A log that stands nowhere else any more was moved, and brings its mark along."""
        found = _read(self._file)
        if found is not None or log_id is None:
            return found[1] if found else None
        for path in sorted(self._marks.glob("*.json")):
            other = _read(path)
            if other is not None and other[1].log_id == log_id and not Path(other[0]).exists():
                return other[1]
        return None

    def write(self, mark: Mark) -> None:
        """See `Anchor.write`."""
        checkpoint = Checkpoint(name_of(mark.log_id), mark.position, mark.frontier.root())
        document = {
            "path": self._home,
            "log": mark.log_id,
            "position": mark.position,
            "hash": mark.hash,
            "tree": mark.frontier.to_hex(),
            "checkpoint": signed(checkpoint, self._key()),
            "written_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        self._marks.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self._file.with_suffix(f".{os.getpid()}.new")
        descriptor = os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(document, file, ensure_ascii=False, indent=1)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._file)

    def forget(self) -> None:
        """See `Anchor.forget`. The file stays beside, with another ending."""
        with suppress(FileNotFoundError):
            self._file.replace(self._file.with_suffix(".gone"))


def _read(path: Path) -> tuple[str, Mark] | None:
    """The folder and the mark that a file names; None where there is none or it cannot be read."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        frontier = Frontier.from_hex(int(document["position"]), document["tree"])
        return str(document["path"]), Mark(
            log_id=str(document["log"]),
            position=frontier.size,
            hash=str(document["hash"]),
            frontier=frontier,
            note=str(document["checkpoint"]),
            written_at=str(document["written_at"]),
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None
