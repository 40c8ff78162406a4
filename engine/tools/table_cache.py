"""Typed tables on disk, keyed by their inputs: `<data>/cache/tables/<key>/` with Parquet files and facts.

Everything here can be recomputed, so a damaged entry is simply dropped. Entries appear only when complete: a tool
process writes an entry into a temporary folder, and the complete entry is moved here. Damage is detected: each Parquet
file is hashed when it is first used, and again as soon as its size, times or inode have changed.
"""

import json
import shutil
import stat
import time
from collections.abc import Mapping, Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from engine.secrets.scrubber import Scrubber
from events.canonical import canonical_json
from events.late_dataclass import dataclass

__all__ = ["Entry", "TableCache", "key_of"]

_ENTRY = "entry.json"
_TICK_NS = 100_000_000
"""Within this number of nanoseconds after a change, a file can change again without a change of its times. During this
time the file is hashed at each use.
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """The tables in one file's content."""

    key: str
    folder: Path
    kind: str
    tables: tuple[Mapping[str, Any], ...]
    """The tables, each with `sheet`, `rows`, `columns`, `notes`, `losses` and `parquet` (the file's name). The table of
    a link has no `parquet` but a `select`, which reads its rows in place.
    """
    unread: str | None = None
    """The reason why the file, or a part of it, is not a table."""

    @property
    def sheets(self) -> list[str | None]:
        """Return the sheets or tables in the file."""
        return [table["sheet"] for table in self.tables]

    def parquet(self, table: Mapping[str, Any]) -> Path:
        """Return the file with the rows of one of the tables."""
        return self.folder / str(table["parquet"])


def key_of(*parts: object) -> str:
    """Return the cache key for `parts`, which are JSON values."""
    return sha256(canonical_json(list(parts)).encode()).hexdigest()


class TableCache:
    """The cache's entries, by key. Thread-safe."""

    def __init__(self, root: Path, scrubber: Scrubber) -> None:
        self._root = root
        self._scrubber = scrubber
        self._lock = Lock()
        self._checked: dict[Path, tuple[int, int, int, int]] = {}

    def entry(self, key: str) -> Entry | None:
        """Return an entry whose files have not changed since they were written; drop a damaged entry."""
        folder = self._root / key
        content = self._load(folder / _ENTRY)
        if content is None:
            return None
        try:
            entry = Entry(key, folder, content["kind"], tuple(content["tables"]), content["unread"])
            whole = all(
                "select" in table or self._is_whole(entry.parquet(table), table) for table in entry.tables
            )
        except (KeyError, TypeError):
            whole = False
        if not whole:
            shutil.rmtree(folder, ignore_errors=True)
            return None
        return entry

    def adopt(self, made: Path, key: str, told: Mapping[str, str]) -> Entry | str | None:
        """Move the folder `made` into the cache as the entry `key`, and return the entry.

        Returns None if the folder is not complete. If the file could not be read now but a retry may succeed, returns
        the reason.

        `told` maps texts that contain the path of `made` to their replacements, so that stored facts stay true after
        the move.
        """
        try:
            content = json.loads((made / _ENTRY).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        content = self._scrubber.json(_replaced(content, told))
        if not content.pop("final"):
            return str(content["unread"])
        self._write(made / _ENTRY, content)
        target = self._root / key
        with self._lock:
            self._root.mkdir(parents=True, exist_ok=True)
            if target.exists():  # damaged, or written by another thread meanwhile
                target.rename(aside := self._root / f"old-{uuid4().hex}")
                shutil.rmtree(aside, ignore_errors=True)
            shutil.move(made, target)
        return self.entry(key)

    def load(self, name: str) -> Any | None:
        """Return the JSON that was stored under `name`; None if it does not exist or is damaged."""
        return self._load(self._root / f"{name}.json")

    def keep(self, name: str, content: Any) -> None:
        """Store JSON under `name`, without secrets."""
        file = self._root / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        self._write(file, self._scrubber.json(content))

    def clear(self) -> None:
        """Drop all entries."""
        shutil.rmtree(self._root, ignore_errors=True)

    def _write(self, file: Path, content: Any) -> None:
        text = canonical_json(content)
        fresh = file.with_name(f"{file.name}.{uuid4().hex}")
        fresh.write_text(f"{sha256(text.encode()).hexdigest()}\n{text}", "utf-8")
        fresh.replace(file)

    def _load(self, file: Path) -> Any | None:
        try:
            digest, _, text = file.read_text("utf-8").partition("\n")
        except (OSError, ValueError):
            return None
        return json.loads(text) if sha256(text.encode()).hexdigest() == digest else None

    def _is_whole(self, file: Path, table: Mapping[str, Any]) -> bool:
        """Return whether a Parquet file is as it was written; links are not followed."""
        try:
            now, seen = time.time_ns(), file.lstat()
            if seen.st_size != table["size"] or not stat.S_ISREG(seen.st_mode):
                return False
            mark = (seen.st_dev, seen.st_ino, seen.st_mtime_ns, seen.st_ctime_ns)
            if self._checked.get(file) == mark:
                return True
            with file.open("rb") as stream:
                whole = bool(file_digest(stream, "sha256").hexdigest() == table["sha256"])
        except OSError:
            return False
        if whole and max(seen.st_mtime_ns, seen.st_ctime_ns) < now - _TICK_NS:
            self._checked[file] = mark
        return whole


def _replaced(value: Any, told: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for text, other in told.items():
            value = value.replace(text, other)
        return value
    if isinstance(value, Mapping):
        return {name: _replaced(inner, told) for name, inner in value.items()}
    if isinstance(value, Sequence):
        return [_replaced(inner, told) for inner in value]
    return value
