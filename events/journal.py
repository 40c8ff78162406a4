"""The journal: acknowledged events since the database's last checkpoint, in a small file of its own.

A damaged write-ahead log can make DuckDB drop committed rows without a word, and a hash chain inside the same file
cannot see a lost tail. So each batch is appended here first, framed and synced, and the two are compared at open.

    file    = frame*                first frame: the start, `{"position", "hash"}` of the last event that the database
                                    held durably when this journal began; then one frame for each batch: JSON rows
    frame   = length u32 | crc32 u32 of the body | body      little-endian
"""

import json
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path

from events.codec import GENESIS, Row, row_from_json, row_to_json

__all__ = ["Journal", "JournalContent", "read_journal"]

_HEAD = struct.Struct("<II")
_LARGEST = 1 << 30


@dataclass(frozen=True, slots=True)
class JournalContent:
    """What could be read of a journal."""

    start_position: int
    start_hash: str
    rows: tuple[Row, ...]
    """In order of position; those of damaged frames are absent."""
    damaged_bytes: int = 0
    """Bytes that are no whole frame: a torn last write, or damage."""


def read_journal(path: Path) -> JournalContent | None:
    """Return what `path` holds; None where there is no such file or not even its start can be read."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    bodies, damaged = _frames(data)
    if not bodies:
        return None
    try:
        start = json.loads(bodies[0])
        position, start_hash = int(start["position"]), str(start["hash"])
    except (ValueError, TypeError, KeyError):
        return None
    rows = tuple(row_from_json(line) for body in bodies[1:] for line in body.decode().split("\n"))
    return JournalContent(position, start_hash, rows, damaged)


def _frames(data: bytes) -> tuple[list[bytes], int]:
    """Return the bodies of all whole frames; after damage the next whole frame is searched for."""
    bodies: list[bytes] = []
    at = damaged = 0
    while at < len(data):
        body = _frame_at(data, at)
        if body is None:
            damaged += 1
            at += 1
            continue
        bodies.append(body)
        at += _HEAD.size + len(body)
    return bodies, damaged


def _frame_at(data: bytes, at: int) -> bytes | None:
    if at + _HEAD.size > len(data):
        return None
    length, crc = _HEAD.unpack_from(data, at)
    if not 0 < length <= min(_LARGEST, len(data) - at - _HEAD.size):
        return None
    body = data[at + _HEAD.size : at + _HEAD.size + length]
    return body if zlib.crc32(body) == crc else None


class Journal:
    """An open journal. One writer."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def restart(self, position: int, head_hash: str = GENESIS) -> None:
        """Begin anew after the event at `position`, which the database holds durably. Atomic."""
        fresh = self._path.with_suffix(".new")
        start = json.dumps({"position": position, "hash": head_hash}).encode()
        descriptor = os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND, 0o600)
        try:
            _write(descriptor, _framed(start))
            os.fsync(descriptor)
            fresh.replace(self._path)
        except BaseException:
            os.close(descriptor)
            raise
        self.close()
        self._file = descriptor
        _sync_folder(self._path.parent)

    def append(self, rows: list[Row]) -> None:
        """Write one batch and return when it is on disk. A batch that was not wholly written is cut off again."""
        assert self._file is not None
        size = os.fstat(self._file).st_size
        try:
            _write(self._file, _framed("\n".join(map(row_to_json, rows)).encode()))
            os.fdatasync(self._file)
        except OSError:
            os.ftruncate(self._file, size)
            raise

    def size(self) -> int:
        """Bytes so far."""
        return os.fstat(self._file).st_size if self._file is not None else 0

    def close(self) -> None:
        """Close the file; nothing is buffered."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _framed(body: bytes) -> bytes:
    return _HEAD.pack(len(body), zlib.crc32(body)) + body


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
