"""A second, compressed copy of the log in separate files. A database that cannot be opened is restored from it.

folder  = file*                 named after its first position; at 4 MiB the next file begins
file    = frame*                length u32 | crc32 u32 of the body | body: zlib over the JSON rows, a line each
"""

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from events.late_dataclass import dataclass
from events.stored_row import Row, row_from_json, row_to_json

__all__ = ["KeptEvents", "KeptJournal"]

_HEAD = struct.Struct("<II")
_FILE_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class KeptEvents:
    """The readable part of the copy."""

    rows: tuple[Row, ...]
    damaged_bytes: int
    unreadable: tuple[str, ...] = ()
    """Files that the system cannot read, each with the reason."""


class KeptJournal:
    """The copy in `folder`. It may have only one writer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._end: tuple[Row | None, int] | None = None
        """The last row, and where the last complete frame of the last file ends."""

    def last(self) -> Row | None:
        """Return the last stored event; None if there is none."""
        return self._found_end()[0]

    def _found_end(self) -> tuple[Row | None, int]:
        if self._end is None:
            self._end = (None, 0)
            for path in reversed(self._files()):  # skip files without any readable row
                try:
                    last, end = _end(path)
                except OSError:
                    continue
                if last is not None:
                    self._end = (last, end if path == self._files()[-1] else 0)
                    break
        return self._end

    def says_nothing(self) -> bool:
        """Return whether the copy has files, but none with a readable event."""
        return self.last() is None and any(path.stat().st_size for path in self._files())

    def is_whole(self) -> bool:
        """Whether every event from the first to the last can be read."""
        found = self.read()
        positions = [row.position for row in found.rows]
        return (
            not found.damaged_bytes
            and not found.unreadable
            and positions == list(range(1, len(positions) + 1))
        )

    def extend(self, rows: Sequence[Row]) -> None:
        """Add rows that follow the last one.

        Raises:
            OSError: a write to the disk failed; partly added rows are cut off again.
        """
        body = zlib.compress("\n".join(map(row_to_json, rows)).encode(), 6)
        whole, files = self._found_end()[1], self._files()
        path = files[-1] if files else None
        if path is None or not 0 < whole < _FILE_BYTES:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            path, whole = self._folder / f"{rows[0].position:012d}.rows", 0
        descriptor = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            os.ftruncate(descriptor, whole)  # remove an incomplete frame that a crash left
            os.lseek(descriptor, whole, os.SEEK_SET)
            # not synced: the events are in the database, and parts that a power loss removes are written again
            try:
                _write(descriptor, _HEAD.pack(len(body), zlib.crc32(body)) + body)
            except OSError:
                os.ftruncate(descriptor, whole)
                raise
        finally:
            os.close(descriptor)
        self._end = (rows[-1], whole + _HEAD.size + len(body))

    def read(self) -> KeptEvents:
        """Return every readable row, and the number of unreadable bytes."""
        rows, damaged, unreadable = list[Row](), 0, list[str]()
        for path in self._files():
            try:
                found, bad = _rows(path)
            except OSError as error:
                unreadable.append(f"{path}: {error.strerror}")
                continue
            rows += found
            damaged += bad
        return KeptEvents(tuple(rows), damaged, tuple(unreadable))

    def size(self) -> int:
        """Return the copy's size in bytes, including copies that were set aside."""
        return sum(path.stat().st_size for path in self._folder.parent.glob(f"{self._folder.name}*/*.rows"))

    def beside(self) -> "KeptJournal":
        """Return an empty copy that can replace this one; see `become`."""
        fresh = KeptJournal(self._folder.with_suffix(".new"))
        fresh.forget()
        return fresh

    def become(self, fresh: "KeptJournal") -> None:
        """Replace this copy with the one written `beside` it."""
        old = self._folder.with_suffix(".old")
        KeptJournal(old).forget()
        if self._folder.exists():
            self._folder.rename(old)
        fresh._folder.rename(self._folder)
        KeptJournal(old).forget()
        self._end = None

    def forget(self) -> None:
        """Remove the copy."""
        for path in self._files():
            path.unlink(missing_ok=True)
        with suppress(OSError):
            self._folder.rmdir()
        self._end = None

    def set_aside(self) -> None:
        """Begin the copy of another log; the old copy is kept next to it under another name."""
        if self._files():
            number = next(n for n in count(1) if not self._folder.with_suffix(f".set-aside-{n}").exists())
            self._folder.rename(self._folder.with_suffix(f".set-aside-{number}"))
        self._end = None

    def _files(self) -> list[Path]:
        return sorted(path for path in self._folder.glob("*.rows") if path.is_file())


def _frames(data: bytes) -> Iterator[tuple[int, bytes | None]]:
    """Yield the end and the body of each frame; for a byte that is in no complete frame, None in place of the body."""
    at = 0
    while at < len(data):
        body = None
        if at + _HEAD.size <= len(data):
            length, crc = _HEAD.unpack_from(data, at)
            piece = data[at + _HEAD.size : at + _HEAD.size + length]
            body = piece if length and len(piece) == length and zlib.crc32(piece) == crc else None
        at += 1 if body is None else _HEAD.size + len(body)
        yield at, body


def _rows(path: Path) -> tuple[list[Row], int]:
    rows, damaged = list[Row](), 0
    for _, body in _frames(path.read_bytes()):
        if body is None:
            damaged += 1
            continue
        try:
            rows += [row_from_json(line) for line in zlib.decompress(body).decode().split("\n")]
        except (zlib.error, ValueError, TypeError, IndexError):
            damaged += len(body)
    return rows, damaged


def _end(path: Path) -> tuple[Row | None, int]:
    """Return the last row of a file, and where its last complete frame ends."""
    ends = [(end, body) for end, body in _frames(path.read_bytes()) if body is not None]
    if not ends:
        return None, 0
    end, body = ends[-1]
    try:
        return row_from_json(zlib.decompress(body).decode().rsplit("\n", 1)[-1]), end
    except (zlib.error, ValueError, TypeError, IndexError):
        return None, end


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
