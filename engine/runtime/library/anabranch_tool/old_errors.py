"""Reads the error cells of workbooks that are not Office Open XML: OpenDocument (.ods) and the old binary format
(.xls)."""

import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

__all__ = ["binary_errors", "document_errors"]

_MOST = 100_000
_LARGEST = 256 << 20
"""The maximum size of a workbook in bytes: the whole file is loaded into memory."""
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_KIND = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}value-type"
_CODES = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
_CONTAINER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SHEET, _FORMULA, _ERROR, _END = 0x85, 0x06, 0x0205, 0x0A
_LAST_SECTOR = 0xFFFFFFFA


def document_errors(packed: zipfile.ZipFile, sheet: str) -> dict[tuple[int, int], str]:
    """Return the errors in a sheet of an OpenDocument workbook by row and column, counted from 0."""
    found: dict[tuple[int, int], str] = {}
    inside, row, column = False, 0, 0
    with packed.open("content.xml") as stream:
        for event, part in ElementTree.iterparse(stream, ("start", "end")):  # noqa: S314 -- expat bounds entities
            if part.tag == f"{_OFFICE}table":
                inside = event == "start" and part.get(f"{_OFFICE}name") == sheet
            elif inside and event == "end" and part.tag == f"{_OFFICE}table-row":
                row, column = row + int(part.get(f"{_OFFICE}number-rows-repeated", "1")), 0
                part.clear()
            elif (
                inside
                and event == "end"
                and part.tag in (f"{_OFFICE}table-cell", f"{_OFFICE}covered-table-cell")
            ):
                if part.get(_KIND) == "error" and len(found) < _MOST:
                    found[row, column] = "".join(part.itertext()).strip() or "#ERROR!"
                column += int(part.get(f"{_OFFICE}number-columns-repeated", "1"))
    return found


def binary_errors(file: Path, sheet: str) -> dict[tuple[int, int], str]:
    """Return the errors in a sheet of an .xls workbook by row and column, counted from 0."""
    if file.stat().st_size > _LARGEST:
        return {}
    data = file.read_bytes()
    if not data.startswith(_CONTAINER):
        return {}
    try:
        book = _stream(data)
        start = next((at for at, name in _sheets(book) if name == sheet), None)
        return {} if start is None else dict(_errors(book, start))
    except (struct.error, IndexError, UnicodeDecodeError):
        return {}


def _stream(data: bytes) -> bytes:
    """Return the workbook stream in an OLE container; empty if the stream does not consist of whole sectors."""
    size = 1 << struct.unpack_from("<H", data, 30)[0]
    sectors = list(struct.unpack_from("<109I", data, 76))
    more, left = struct.unpack_from("<II", data, 68)
    while more < _LAST_SECTOR and left:
        listed = struct.unpack_from(f"<{size // 4}I", data, (more + 1) * size)
        sectors, more, left = sectors + list(listed[:-1]), listed[-1], left - 1
    table = [
        entry
        for one in sectors
        if one < _LAST_SECTOR
        for entry in struct.unpack_from(f"<{size // 4}I", data, (one + 1) * size)
    ]

    def chain(at: int) -> bytes:
        parts: list[bytes] = []
        while at < _LAST_SECTOR and len(parts) <= len(table):
            parts.append(data[(at + 1) * size : (at + 2) * size])
            at = table[at]
        return b"".join(parts)

    folder = chain(struct.unpack_from("<I", data, 48)[0])
    for at in range(0, len(folder) - 127, 128):
        length = struct.unpack_from("<H", folder, at + 64)[0]
        if folder[at : at + max(length - 2, 0)].decode("utf-16-le") in ("Workbook", "Book"):
            first, total = struct.unpack_from("<II", folder, at + 116)
            return chain(first)[:total] if total >= struct.unpack_from("<I", data, 56)[0] else b""
    return b""


def _records(book: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """Yield the records from the offset `at` to the end of the part of the workbook that begins there."""
    while at + 4 <= len(book):
        kind, length = struct.unpack_from("<HH", book, at)
        yield kind, book[at + 4 : at + 4 + length]
        if kind == _END:
            return
        at += 4 + length


def _sheets(book: bytes) -> Iterator[tuple[int, str]]:
    for kind, body in _records(book, 0):
        if kind == _SHEET:
            wide = body[7] & 1
            name = body[8 : 8 + body[6] * (1 + wide)]
            yield struct.unpack_from("<I", body)[0], name.decode("utf-16-le" if wide else "latin-1")


def _errors(book: bytes, start: int) -> Iterator[tuple[tuple[int, int], str]]:
    for count, (kind, body) in enumerate(_records(book, start)):
        code = None
        if kind == _ERROR and body[7]:
            code = body[6]
        elif kind == _FORMULA and body[12:14] == b"\xff\xff" and body[6] == 2:
            code = body[8]
        if code is not None and count < _MOST * 100:
            yield struct.unpack_from("<HH", body), _CODES.get(code, "#ERROR!")
