"""Takes small samples of large text files, in whole lines: the beginning, and pieces from the whole file."""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, cast

__all__ = ["Sampled", "first_lines", "sampled_file"]

_HEAD = 2 << 20
_PIECES = 24
_PIECE = 64 << 10
_LONGEST = 1 << 20
"""The maximum number of bytes of a line that are compared."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """A sample file that replaces a large file."""

    file: Path
    line_bytes: float
    """The average number of bytes per line in the original."""


def sampled_file(file: Path, folder: Path) -> Sampled:
    """Copy the beginning of `file` and pieces of the rest to a file in `folder`. A small file is copied whole.

    Only the beginning of a compressed file is read.
    """
    name = file.name.removesuffix(".gz")
    target = folder / f"sampled-{name}"
    size = file.stat().st_size
    with _opened(file) as source:
        head = source.read(_HEAD)
        whole = len(head) < _HEAD
        lines = [head if whole else head[: head.rfind(b"\n") + 1] or head]
        if not whole and not file.name.endswith(".gz"):
            lines += _pieces(source, size)
    target.write_bytes(b"".join(lines))
    read = sum(map(len, lines))
    count = max(1, sum(part.count(b"\n") for part in lines))
    packed = size / max(_unpacked(file, read, whole), 1.0) if file.name.endswith(".gz") else 1.0
    return Sampled(target, read / count * packed)


def _pieces(source: IO[bytes], size: int) -> Iterator[bytes]:
    for number in range(1, _PIECES + 1):
        at = max(_HEAD, size * number // _PIECES - _PIECE)
        source.seek(at)
        piece = source.read(_PIECE)
        begin, end = piece.find(b"\n") + 1, piece.rfind(b"\n") + 1
        if 0 < begin < end:
            yield piece[begin:end]


def _unpacked(file: Path, read: int, whole: bool) -> float:
    """Return the approximate size of a compressed file's content: the number of bytes that were read if the `whole`
    file was read, else an estimate.
    """
    return float(read) if whole else file.stat().st_size * 4.0


def first_lines(file: Path, count: int) -> list[bytes]:
    """Return the first `count` lines of a text file, which contain its header."""
    with _opened(file) as source:
        return [line[:_LONGEST] for line in islice(source, count)]


def _opened(file: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(file)) if file.name.endswith(".gz") else file.open("rb")
