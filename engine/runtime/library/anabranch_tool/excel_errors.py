"""Reads the error cells of a workbook (`#DIV/0!`, `#REF!`) from the file, because the workbook reader returns them
empty."""

import re
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

from anabranch_tool.old_errors import binary_errors, document_errors

__all__ = ["column_letters", "error_cells", "sheet_part"]

_PIECE = 1 << 20
_OVERLAP = 4096
_CELL = re.compile(
    rb'<(?:\w+:)?c\b(?=[^>]*\st="e")[^>]*\sr="([A-Z]{1,3})(\d+)"[^>]*>(.*?)</(?:\w+:)?c>', re.DOTALL
)
_SHOWN = re.compile(rb"<(?:\w+:)?v>([^<]*)</")
_MOST = 100_000
_LARGEST_PART = 16 << 20
"""The maximum size, in bytes, of the workbook's list of sheets."""


def error_cells(file: Path, sheet: str) -> dict[tuple[int, int], str]:
    """Return the errors in a sheet by row and column, counted from 0; empty if the file format is not known."""
    found: dict[tuple[int, int], str] = {}
    if not zipfile.is_zipfile(file):
        return binary_errors(file, sheet)
    try:
        with zipfile.ZipFile(file) as packed:
            if "content.xml" in packed.namelist():
                return document_errors(packed, sheet)
            part = sheet_part(packed, sheet)
            if part is None:
                return {}
            for column, row, inner in _cells(packed, part):
                shown = _SHOWN.search(inner)
                found[int(row) - 1, _index(column)] = unescape(shown[1].decode()) if shown else "#ERROR!"
                if len(found) >= _MOST:
                    break
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, UnicodeDecodeError, NotImplementedError):
        return {}
    return found


def sheet_part(packed: zipfile.ZipFile, sheet: str) -> str | None:
    """Return the name of the part of the file that contains a sheet's cells."""
    for name in ("xl/workbook.xml", "xl/_rels/workbook.xml.rels"):
        if packed.getinfo(name).file_size > _LARGEST_PART:
            return None
    book = ElementTree.fromstring(packed.read("xl/workbook.xml"))  # noqa: S314 -- expat bounds entities
    links = ElementTree.fromstring(packed.read("xl/_rels/workbook.xml.rels"))  # noqa: S314 -- see above
    targets = {link.get("Id"): link.get("Target", "") for link in links}
    for one in book.iter():
        if one.tag.endswith("}sheet") and one.get("name") == sheet:
            link = next((value for name, value in one.items() if name.endswith("}id")), None)
            target = targets.get(link, "")
            path = (
                PurePosixPath(target.lstrip("/")) if target.startswith("/") else PurePosixPath("xl") / target
            )
            return str(path) if target else None
    return None


def _cells(packed: zipfile.ZipFile, part: str) -> Iterator[tuple[str, bytes, bytes]]:
    """Read a sheet's XML in pieces, so that a long sheet takes little memory."""
    with packed.open(part) as stream:
        left = b""
        while piece := stream.read(_PIECE):
            text = left + piece
            end = 0
            if b't="e"' in text:
                for cell in _CELL.finditer(text):
                    yield cell[1].decode(), cell[2], cell[3]
                    end = cell.end()
            left = text[max(end, len(text) - _OVERLAP) :]


def column_letters(column: int) -> str:
    """Return the letters of a column, counted from 0: `A`, `B`, … `AA`."""
    found = ""
    while column >= 0:
        column, last = divmod(column, 26)
        found, column = chr(65 + last) + found, column - 1
    return found


def _index(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1
