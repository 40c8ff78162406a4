"""A mark outside the data folder that records the end of a log, so that a replaced or rewritten log is detected.

A mark is written after each checkpoint, and is never ahead of what is durable in the database. So a log that ends
before its mark, or has a different event at the mark's position, is not the original log.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from events.canonical import canonical_json
from events.late_dataclass import dataclass
from events.merkle import Frontier
from events.signed_notes import Checkpoint, signed

__all__ = ["Anchor", "AnchorFile", "Known", "Mark", "name_of"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A position that a log has reached."""

    log_id: str
    """The hash of the log's first event."""
    position: int
    hash: str
    """The hash of the event at `position`, in hex."""
    frontier: Frontier
    """The Merkle tree over the hashes of all events up to `position`."""
    note: str = ""
    """The signed checkpoint."""
    written_at: str = ""


@dataclass(frozen=True, slots=True)
class Known:
    """The facts about a log from the marks outside its folder."""

    mine: Mark | None = None
    """The mark of this log at this location."""
    other: Mark | None = None
    """The mark of a different log that was at this location before."""
    elsewhere: Mark | None = None
    """A mark of this log for a folder that no longer exists, for example because the log was moved."""
    problem: str | None = None
    """The reason why the mark of this location cannot be read, in words."""


class Anchor(Protocol):
    """Stores the marks of logs."""

    def read(self, log_id: str | None) -> Known:
        """Return what the marks say about a log. `log_id`: the hash of its first event; None for an empty log."""
        ...

    def write(self, mark: Mark) -> None:
        """Replace the previous mark with `mark`, completely or not at all. If a power loss damages the mark, opening
        the log reports that.

        Raises:
            OSError: the mark cannot be written.
        """
        ...

    def forget(self) -> None:
        """Set the marks of this folder aside, because its log no longer exists and a new one begins."""
        ...


def name_of(log_id: str) -> str:
    """Return the public name of a log."""
    return f"anabranch/{log_id[:32]}"


_ENDINGS = (".json", ".gone")
"""The suffixes of marks, and of marks that were set aside because their log was gone."""


class AnchorFile:
    """The marks of the logs in `home`. Each mark is a file in the folder `marks`, named after the location and the
    log."""

    def __init__(self, marks: Path, home: Path, key: Callable[[], bytes]) -> None:
        """`key` returns the private key (32 bytes, Ed25519), which is created on first use."""
        self._marks, self._home, self._key = marks, os.path.realpath(home), key
        self._place = sha256(os.fsencode(self._home)).hexdigest()[:32]

    def read(self, log_id: str | None) -> Known:
        """See `Anchor.read`."""
        try:
            named = [path for path in self._marks.glob(f"{self._place}-*") if path.suffix in _ENDINGS]
            found = [(path, _read(path)) for path in named]
        except OSError as error:
            return Known(problem=str(error.strerror or error))
        here = [(path, read[1]) for path, read in found if read is not None]
        mine = _newest(mark for _, mark in here if mark.log_id == log_id)
        if mine is not None:
            return Known(mine)
        bad = next((path.name for path, read in found if read is None and path.suffix == ".json"), None)
        other = _newest(mark for path, mark in here if path.suffix == ".json")
        problem = f"{self._marks / bad} is damaged or cannot be read" if bad is not None else None
        return Known(None, other, self._elsewhere(log_id) if log_id else None, problem)

    def _elsewhere(self, log_id: str) -> Mark | None:
        named = (path for path in self._marks.glob(f"*-{log_id[:16]}.*") if path.suffix in _ENDINGS)
        found = (_read(path) for path in named)
        return _newest(
            mark for place, mark in filter(None, found) if mark.log_id == log_id and not _exists(place)
        )

    def write(self, mark: Mark) -> None:
        """See `Anchor.write`."""
        checkpoint = Checkpoint(name_of(mark.log_id), mark.position, mark.frontier.root())
        document: dict[str, object] = {
            "path": self._home,
            "log": mark.log_id,
            "position": mark.position,
            "hash": mark.hash,
            "tree": mark.frontier.to_hex(),
            "checkpoint": signed(checkpoint, self._key()),
            "written_at": datetime.now(UTC).isoformat(timespec="microseconds"),
        }
        document["sum"] = _sum(document)
        self._marks.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = self._marks / f"{self._place}-{mark.log_id[:16]}.json"
        fresh = file.with_suffix(f".{os.getpid()}.new")
        descriptor = os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            json.dump(document, opened, ensure_ascii=False, indent=1)
        try:
            fresh.replace(file)
        except OSError:
            fresh.unlink(missing_ok=True)
            raise
        file.with_suffix(".gone").unlink(missing_ok=True)

    def forget(self) -> None:
        """See `Anchor.forget`. The files stay in the folder, with another suffix."""
        for path in self._marks.glob(f"{self._place}-*.json"):
            with suppress(OSError):
                path.replace(path.with_suffix(".gone"))


def _newest(marks: Iterable[Mark]) -> Mark | None:
    return max(marks, key=lambda mark: mark.written_at, default=None)


def _exists(place: str) -> bool:
    try:
        return Path(place).exists()
    except OSError:  # the folder exists but cannot be accessed
        return True


def _sum(document: Mapping[str, object]) -> str:
    return sha256(canonical_json({k: v for k, v in document.items() if k != "sum"}).encode()).hexdigest()


def _read(path: Path) -> tuple[str, Mark] | None:
    """Return the folder and the mark in a file; None if it cannot be read or was changed after it was written."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["sum"] != _sum(document):
            return None
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
