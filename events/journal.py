"""The journal: acknowledged events since the database's last checkpoint, in a small separate file.

A damaged write-ahead log can make DuckDB silently drop committed rows, and a hash chain in the same file cannot show
that its end is missing. So each batch is first appended to the journal, framed and synced, and the log is compared with
the journal when it is opened.

    file    = frame*                first frame: the start, `{"position", "hash"}` of the last event that the database
                                    held durably when this journal began; then one frame for each batch: JSON rows
    frame   = length u32 | crc32 u32 of the body | body      little-endian
"""

import json
import os
import re
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

from events.durable_files import sync_folder
from events.late_dataclass import dataclass
from events.stored_row import GENESIS, Row, row_from_json, row_to_json

__all__ = ["Journal", "JournalContent", "begin_journal", "read_journal"]

_HEAD = struct.Struct("<II")
_LARGEST = 1 << 30
_LONGEST_START = 140
_ZEROS = 64
"""If the last frame is damaged and ends with this many zero bytes, space was reserved for it but never written."""


@dataclass(frozen=True, slots=True)
class JournalContent:
    """The readable part of a journal."""

    start: tuple[int, str] | None
    """Position and hash of the last event in the database when the journal began; None if unreadable."""
    rows: tuple[Row, ...]
    """The rows of complete frames, in order."""
    loose: tuple[Row, ...] = ()
    """Rows that could be read from damaged frames. They are trusted as long as the chain is intact."""
    damaged_bytes: int = 0
    """Bytes outside whole frames: an incomplete last write, or damage."""
    torn: bool = False
    """Whether the damaged bytes are the beginning of a last frame: an interrupted write that was never acknowledged."""
    mentioned: int = 0
    """The highest position that the damaged bytes contain, or must have contained."""


def read_journal(path: Path) -> JournalContent | None:
    """Return the content of `path`; None if there is no such file."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        return None
    bodies, damaged = _frames(data)
    start = _start(bodies[0]) if bodies else None
    rows = tuple(
        row_from_json(line) for body in bodies[1 if start else 0 :] for line in body.decode().split("\n")
    )
    pieces = [data[a:b] for a, b in damaged]
    torn = len(pieces) == 1 and damaged[-1][1] == len(data) and _is_cut(pieces[0])
    named = [int(number) for piece in pieces for number in _MENTIONED.findall(piece)]
    if damaged and damaged[-1][1] == len(data) and not torn and _holds_batches(pieces[-1], damaged[-1][0]):
        named.append(max([row.position for row in rows] + [start[0] if start else 0]) + 1)
    return JournalContent(
        start=start,
        rows=rows,
        loose=tuple(row for piece in pieces for row in _made_out(piece)),
        damaged_bytes=sum(map(len, pieces)),
        torn=torn,
        mentioned=max(named, default=0),
    )


_START = re.compile(rb'\{"position": \d{1,18}, "hash": "[0-9a-f]{64}"\}')
_MENTIONED = re.compile(rb'\[(\d{1,18}),"[^"\n]{1,200}",\d+,"[0-9a-f-]{36}","')
"""The bytes at the beginning of a row."""


def _start(body: bytes) -> tuple[int, str] | None:
    try:
        start = json.loads(body)
        return int(start["position"]), str(start["hash"])
    except (ValueError, TypeError, KeyError):
        return None


def _made_out(piece: bytes) -> Iterator[Row]:
    for found in _MENTIONED.finditer(piece):
        line = piece[found.start() :].split(b"\n", 1)[0]
        with suppress(ValueError, TypeError, IndexError):
            value, _ = json.JSONDecoder().raw_decode(line.decode())
            yield row_from_json(json.dumps(value))


def _is_cut(piece: bytes) -> bool:
    """Whether a damaged frame at the end is shorter than the length in its header, or ends with `_ZEROS` zero bytes."""
    short = len(piece) < _HEAD.size or _HEAD.unpack_from(piece)[0] > len(piece) - _HEAD.size
    return short or not any(piece[-_ZEROS:])


def _holds_batches(piece: bytes, at: int) -> bool:
    """Whether a damaged piece at the end, which begins at `at`, contains more than the journal's first frame."""
    if at > 0:
        return True
    start = _START.search(piece)
    return len(piece) > (start.end() if start else _LONGEST_START)


def _frames(data: bytes) -> tuple[list[bytes], list[tuple[int, int]]]:
    """Return the bodies of all complete frames, and where each damaged piece begins and ends. After damage, the search
    continues at the next complete frame.
    """
    bodies: list[bytes] = []
    damaged: list[tuple[int, int]] = []
    at = 0
    while at < len(data):
        body = _frame_at(data, at)
        if body is not None:
            bodies.append(body)
            at += _HEAD.size + len(body)
        elif damaged and damaged[-1][1] == at:
            at += 1
            damaged[-1] = (damaged[-1][0], at)
        else:
            damaged.append((at, at + 1))
            at += 1
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
    """An open journal. It may have only one writer."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def restart(self, position: int, head_hash: str = GENESIS, rows: Sequence[Row] = ()) -> None:
        """Atomically replace the journal by one with only `rows`, which follow the event at `position`; the database
        stores that event durably.
        """
        fresh = self._path.with_suffix(".new")
        start = json.dumps({"position": position, "hash": head_hash}).encode()
        descriptor = os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND, 0o600)
        try:
            _write(descriptor, _framed(start) + (_framed(_lines(rows)) if rows else b""))
            os.fsync(descriptor)
            fresh.replace(self._path)
        except BaseException:
            os.close(descriptor)
            raise
        self.close()
        self._file = descriptor
        sync_folder(self._path.parent)

    def set_aside(self) -> Path | None:
        """Save a durable copy next to the file, and return its path; None if there is no file."""
        if not self._path.exists():
            return None
        number = next(n for n in count(1) if not self._path.with_suffix(f".set-aside-{n}").exists())
        kept = self._path.with_suffix(f".set-aside-{number}")
        descriptor = os.open(kept, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            _write(descriptor, self._path.read_bytes())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return kept

    def is_open(self) -> bool:
        """Whether batches can be appended; true after the first `restart`."""
        return self._file is not None

    def is_in_place(self) -> bool:
        """Whether the open file still exists at its path: the folder may be removed while the program runs."""
        if self._file is None:
            return True
        try:
            there, ours = self._path.stat(), os.fstat(self._file)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)

    def append(self, rows: Sequence[Row]) -> None:
        """Write one batch and return when it is on disk. If writing fails, the partly written batch is removed."""
        assert self._file is not None
        size = os.fstat(self._file).st_size
        try:
            _write(self._file, _framed(_lines(rows)))
            os.fdatasync(self._file)
        except BaseException:
            os.ftruncate(self._file, size)
            raise

    def size(self) -> int:
        """The journal's size in bytes."""
        return os.fstat(self._file).st_size if self._file is not None else 0

    def close(self) -> None:
        """Close the file; nothing is buffered."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def begin_journal(path: Path, last: Row) -> None:
    """Create the journal of a log that was written in one step and ends with the event `last`."""
    journal = Journal(path)
    journal.restart(last.position, last.hash)
    journal.close()


def _lines(rows: Sequence[Row]) -> bytes:
    return "\n".join(map(row_to_json, rows)).encode()


def _framed(body: bytes) -> bytes:
    return _HEAD.pack(len(body), zlib.crc32(body)) + body


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
