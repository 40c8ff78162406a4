"""Converts a text file to UTF-8 lines: detects its encoding, compression and line endings before any row is read.

Every byte is examined before a row is read, in pieces, so that a file of any size takes little memory.
"""

import codecs
import gzip
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from anabranch_tool.byte_encodings import guess_encoding

__all__ = ["Plain", "as_plain"]

_PIECE = 4 << 20
_LOOKED_AT = 64 << 10
"""The number of bytes that are examined together. This many bytes fit into the processor's cache."""
_FEW_BROKEN = 10
"""A file counts as UTF-8 if it has at least this many times as many valid characters as broken characters."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_OTHERS = (
    (b"PK\x03\x04", "a ZIP archive or a workbook (.xlsx)"),
    (b"\xd0\xcf\x11\xe0", "an old workbook (.xls)"),
    (b"SQLite format 3\0", "a SQLite database (.sqlite)"),
    (b"PAR1", "a Parquet file (.parquet)"),
    (b"ARROW1", "an Arrow file (.arrow)"),
    (b"\x1f\x8b", "a gzip file (.gz)"),
    (b"%PDF-", "a PDF (.pdf)"),
    (b"\x89PNG\r\n", "a picture (.png)"),
)
"""The first bytes of other kinds of files."""
_JSON = re.compile(rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*"(\\.|[^"\\])*"\s*:')


@dataclass(frozen=True, slots=True)
class Plain:
    """A file of UTF-8 text without a byte order mark."""

    file: Path
    newline: str
    """The line end, `\\n` or `\\r\\n`, if all lines have the same, else empty."""
    notes: tuple[str, ...] = ()
    """The assumptions that were made about the file."""
    losses: tuple[str, ...] = ()
    """The parts of the file that could not be read."""
    blank: bool = True
    """Whether there may be blank lines between other lines."""


@dataclass(slots=True)
class _Counts:
    """The kinds of bytes in a file."""

    line_feeds: int = 0
    returns: int = 0
    both: int = 0
    valid: int = 0
    broken: int = 0
    blank: bool = False

    @property
    def newline(self) -> str:
        """The line end that all lines have; empty if they differ."""
        if not self.returns:
            return "\n"
        return "\r\n" if self.line_feeds == self.returns == self.both else ""


def as_plain(file: Path, folder: Path) -> Plain:
    """Return `file` as UTF-8: the file itself if it is UTF-8 already, else a copy in `folder`.

    Raises:
        ValueError: the file is compressed and damaged, or is not a text.
    """
    packed = file.suffix.lower() == ".gz"
    source = _unpacked(file, folder) if packed else file
    with source.open("rb") as stream:
        head = stream.read(4096)
    mark, encoding = next(((mark, name) for mark, name in _MARKS if head.startswith(mark)), (b"", None))
    _refuse_other(head)
    encoding = encoding or _wide(head)
    notes: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    counts = None
    if encoding is None or encoding == "utf-8":
        counts = _counted(source)
        encoding = "utf-8" if counts.valid >= _FEW_BROKEN * counts.broken else guess_encoding(source)
        if encoding == "utf-8" and counts.broken:
            losses = (f"{counts.broken:,} bytes are not valid UTF-8 and are shown as \ufffd.",)
        if encoding == "utf-8" and not mark and not counts.broken:
            return Plain(source, counts.newline, blank=counts.blank)
    if encoding != "utf-8":
        named = encoding.removesuffix("-le").removesuffix("-be")
        guessed = "" if named in ("utf-16", "utf-32") else ", guessed from its letters"
        notes = (f"Read as {named}{guessed}.",)
    target = folder / "utf8.csv"
    _rewrite(source, target, encoding, len(mark))
    counts = counts or _counted(target)
    return Plain(target, counts.newline, notes, losses, counts.blank)


def _refuse_other(head: bytes) -> None:
    """Refuse a file of a different kind than its name says.

    Raises:
        ValueError: the file is of a different kind; the text names it.
    """
    kind = next((kind for mark, kind in _OTHERS if head.startswith(mark)), None)
    if kind is not None:
        raise ValueError(f"it is not a text file but {kind}: rename it so that its name has the right ending")
    if _JSON.match(head):
        raise ValueError(
            "it is JSON: rename it so that its name ends in .json (or .ndjson, if each line is one record)"
        )


def _wide(head: bytes) -> str | None:
    """Return the kind of UTF-16 for a text without a byte order mark in which every other byte is zero.

    Raises:
        ValueError: there are zeros in other places, so it is not a text.
    """
    if b"\0" not in head:
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    if odd > len(head) * 0.3 and even < odd / 10:
        return "utf-16-le"
    if even > len(head) * 0.3 and odd < even / 10:
        return "utf-16-be"
    if head.count(0) > len(head) * 0.05:
        raise ValueError("it is not a text file: it contains binary data")
    return None


def _unpacked(file: Path, folder: Path) -> Path:
    target = folder / "unpacked.csv"
    try:
        with gzip.open(file, "rb") as packed, target.open("wb") as plain:
            for piece in _pieces(packed):
                plain.write(piece)
    except (EOFError, gzip.BadGzipFile, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(f"it is not a complete gzip file: {error}") from None
    except Exception as error:
        if type(error).__module__ != "zlib":
            raise
        raise ValueError(f"it is a damaged gzip file: {error}") from None
    return target


def _pieces(stream: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while piece := stream.read(_PIECE):
        yield piece


def _counted(file: Path) -> _Counts:
    counts = _Counts()
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    last = b""
    with file.open("rb", buffering=0) as stream:
        while piece := stream.read(_LOOKED_AT):
            if b"\r" in piece or last.endswith(b"\r"):
                counts.line_feeds += piece.count(b"\n")
                counts.returns += piece.count(b"\r")
                counts.both += piece.count(b"\r\n") + (last.endswith(b"\r") and piece.startswith(b"\n"))
            else:  # counting takes as long as reading, and it only matters whether there is a line feed
                counts.line_feeds += b"\n" in piece
            counts.blank = counts.blank or _has_blank_line(last + piece)
            last = (last + piece)[-2:]
            pending = bool(decoder.getstate()[0])
            if piece.isascii() and not pending:
                continue
            text = decoder.decode(piece)
            broken = max(0, text.count("\ufffd") - piece.count("\ufffd".encode()))
            counts.broken += broken
            # each character beyond ASCII takes two bytes or more
            counts.valid += max(0, (len(piece) - len(text)) // 2)
    return counts


def _has_blank_line(text: bytes) -> bool:
    ends = np.frombuffer(text, np.uint8) == ord("\n")  # three times as fast as searching for two line feeds
    return bool((ends[1:] & ends[:-1]).any()) or (b"\r" in text and b"\n\r\n" in text)


def _rewrite(source: Path, target: Path, encoding: str, skipped: int) -> None:
    with source.open("rb") as stream:
        stream.seek(skipped)
        reader = io.TextIOWrapper(stream, encoding, errors="replace", newline="")
        with target.open("w", encoding="utf-8", newline="") as written:
            while piece := reader.read(_PIECE):
                written.write(piece)
