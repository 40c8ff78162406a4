"""Errors in workbooks of the older formats are quoted as they are in .xlsx."""

import struct
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.support.ask_offline import ROOT

sys.path.insert(0, str(ROOT / "engine/runtime/library"))

from anabranch_tool.tables import profile

_CONTENT = """<?xml version="1.0" encoding="UTF-8"?><office:document-content
 xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:version="1.3"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0">
<office:body><office:spreadsheet><table:table table:name="S">{rows}</table:table></office:spreadsheet></office:body>
</office:document-content>"""


_MANIFEST = """<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.3">
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>"""


def _cell(value: Any) -> str:
    if isinstance(value, int):
        kind = f'office:value-type="float" office:value="{value}"'
        return f"<table:table-cell {kind}><text:p>{value}</text:p></table:table-cell>"
    error = (
        ' table:formula="of:=1/0" office:string-value="" calcext:value-type="error"'
        if value[:1] == "#"
        else ""
    )
    return f'<table:table-cell office:value-type="string"{error}><text:p>{value}</text:p></table:table-cell>'


def write_ods(file: Path, rows: list[list[Any]]) -> None:
    lines = "".join(f"<table:table-row>{''.join(map(_cell, row))}</table:table-row>" for row in rows)
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("META-INF/manifest.xml", _MANIFEST)
        packed.writestr("content.xml", _CONTENT.format(rows=lines))


def _record(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def write_xls(file: Path, rows: list[list[Any]]) -> None:
    """The smallest workbook of the old format: one stream in an OLE container of 512-byte sectors."""
    codes = {"#DIV/0!": 7, "#REF!": 23}
    begin = struct.pack("<HHHHII", 0x0600, 0x10, 0, 0, 0, 0)
    cells = b""
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            place = struct.pack("<HHH", y, x, 0)
            if isinstance(value, int):
                cells += _record(0x0203, place + struct.pack("<d", value))
            elif value in codes:
                cells += _record(0x0205, place + bytes([codes[value], 1]))
            else:
                cells += _record(0x0204, place + struct.pack("<HB", len(value), 0) + value.encode())
    globals_ = _record(0x0809, begin[:2] + b"\x05\x00" + begin[4:])
    start = len(globals_) + 4 + 9 + 4
    globals_ += _record(0x85, struct.pack("<IBBBB", start, 0, 0, 1, 0) + b"S") + _record(0x0A, b"")
    book = (globals_ + _record(0x0809, begin) + cells + _record(0x0A, b"")).ljust(4096, b"\0")
    free, end = 0xFFFFFFFF, 0xFFFFFFFE
    count = len(book) // 512
    table = [0xFFFFFFFD, end, *range(3, 2 + count), end]

    def entry(name: str, kind: int, child: int, first: int, size: int) -> bytes:
        text = f"{name}\0".encode("utf-16-le")
        links = struct.pack("<BBIII", kind, 1, free, free, child)
        return (
            text.ljust(64, b"\0")
            + struct.pack("<H", len(text))
            + links
            + b"\0" * 36
            + struct.pack("<IQ", first, size)
        )

    folder = entry("Root Entry", 5, 1, end, 0) + entry("Workbook", 2, free, 2, len(book))
    head = (
        bytes.fromhex("d0cf11e0a1b11ae1")
        + b"\0" * 16
        + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
        + b"\0" * 6
    )
    head += struct.pack("<IIIIIIIII", 0, 1, 1, 0, 4096, end, 0, end, 0) + struct.pack(
        "<109I", 0, *[free] * 108
    )
    sectors = struct.pack("<128I", *table, *[free] * (128 - len(table))) + folder.ljust(512, b"\0") + book
    file.write_bytes(head + sectors)


@pytest.mark.parametrize(("ending", "write"), [("ods", write_ods), ("xls", write_xls)])
def test_errors_in_workbooks_of_older_formats_are_quoted(tmp_path: Path, ending: str, write: Any) -> None:
    write(tmp_path / f"b.{ending}", [["name", "v"], ["a", 1], ["b", "#DIV/0!"], ["c", 3], ["d", "#REF!"]])
    (found,) = profile(tmp_path)["tables"]
    assert [column["type"] for column in found["columns"]] == ["VARCHAR", "BIGINT"]
    assert found["notes"] == ['v: 2 of 4 values are errors and are left out: "#DIV/0!", "#REF!".']
