"""A second copy of the log, compressed, in files of its own: it brings back a database that cannot be opened.

folder  = file*                 named for the first position in it; the next one is begun at 16 MiB
file    = frame*                length u32 | crc32 u32 of the body | body: zlib over the JSON rows, a line each
"""

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from events.row import Row, row_from_json, row_to_json

__all__ = ["KEPT", "KeptEvents", "KeptJournal"]

KEPT = "kept-journal"
"""The folder's name, beside the database."""

_HEAD = struct.Struct("<II")
_FILE_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class KeptEvents:
    """What could be read of the copy."""

    rows: tuple[Row, ...]
    damaged_bytes: int


class KeptJournal:
    """The copy in `folder`. One writer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._last: int | None = None

    def last(self) -> int:
        """Return the last position that is kept; 0 for none."""
        if self._last is None:
            self._last = max(
                (row.position for path in self._files()[-1:] for row in _rows(path)[0]), default=0
            )
        return self._last

    def extend(self, rows: Sequence[Row]) -> None:
        """Add rows that follow on the last one, durably.

        Raises:
            OSError: the disk refused; what was added of them is cut off again.
        """
        body = zlib.compress("\n".join(map(row_to_json, rows)).encode(), 6)
        files = self._files()
        path = files[-1] if files else None
        if path is None or path.stat().st_size >= _FILE_BYTES:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            path = self._folder / f"{rows[0].position:012d}.rows"
        descriptor = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            whole = _whole(path)
            os.ftruncate(descriptor, whole)  # what a crash left of a frame
            os.lseek(descriptor, whole, os.SEEK_SET)
            try:
                _write(descriptor, _HEAD.pack(len(body), zlib.crc32(body)) + body)
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, whole)
                raise
        finally:
            os.close(descriptor)
        self._last = rows[-1].position

    def read(self) -> KeptEvents:
        """Return every row that can be read, and how many bytes could not be."""
        rows, damaged = list[Row](), 0
        for path in self._files():
            found, bad = _rows(path)
            rows += found
            damaged += bad
        return KeptEvents(tuple(rows), damaged)

    def size(self) -> int:
        """Return the bytes that the copy takes."""
        return sum(path.stat().st_size for path in self._files())

    def forget(self) -> None:
        """Remove the copy."""
        for path in self._files():
            path.unlink(missing_ok=True)
        with suppress(OSError):
            self._folder.rmdir()
        self._last = 0

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.rows"))


def _frames(data: bytes) -> Iterator[tuple[int, bytes | None]]:
    """Yield where each frame ends and its body; None in place of the body for a byte that is in no whole frame."""
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


def _whole(path: Path) -> int:
    """Where the last whole frame ends."""
    return max((end for end, body in _frames(path.read_bytes()) if body is not None), default=0)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
