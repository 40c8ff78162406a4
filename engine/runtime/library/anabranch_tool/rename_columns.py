"""Copies a table file and renames some of its columns; all other bytes of a text file stay the same."""

import csv
import io
import re
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pyarrow.parquet as pq

from anabranch_tool.byte_encodings import guess_encoding
from anabranch_tool.csv_dialect import find_dialect
from anabranch_tool.csv_encoding import as_plain
from anabranch_tool.excel_errors import sheet_part
from anabranch_tool.read_excel import header_cells, sheets
from anabranch_tool.table_shape import column_names

__all__ = ["rename"]

_MARK = b"\xef\xbb\xbf"
_CELL = rb"<((?:\w+:)?)c\b([^>]*?)(?:/>|>.*?</(?:\w+:)?c>)"
_SHEET_BYTES = 1 << 30


def rename(workspace: Path, path: str, target: str, names: Mapping[str, str]) -> dict[str, Any]:
    """Copy the file `path` to `target` with `names`: column in the file → its name in the copy.

    Raises:
        ValueError: the header cannot be changed; the text is the end of a sentence about the file.
    """
    file, copy = workspace / path, workspace / target
    ending = file.suffix.lower()
    if ending in (".parquet", ".pq"):
        _parquet(file, copy, names)
    elif ending in (".xlsx", ".xlsm"):
        _workbook(file, copy, names)
    elif ending in (".csv", ".tsv", ".tab", ".psv", ".txt"):
        _text(file, copy, names, workspace)
    else:
        raise ValueError(f"columns of {ending or 'such'} files cannot be matched: rename them in the file")
    return {}


def _parquet(file: Path, copy: Path, names: Mapping[str, str]) -> None:
    source = pq.ParquetFile(file)
    _require(names, source.schema_arrow.names)
    schema = source.schema_arrow
    for at, name in enumerate(schema.names):
        schema = schema.set(at, schema.field(at).with_name(names.get(name, name)))
    with pq.ParquetWriter(copy, schema) as writer:
        for batch in source.iter_batches():
            writer.write_batch(batch.rename_columns(schema.names).cast(schema))


def _text(file: Path, copy: Path, names: Mapping[str, str], folder: Path) -> None:
    """Write the header with the new names, and copy all lines before and after it unchanged."""
    plain = as_plain(file, folder)
    dialect = find_dialect(plain.file, "\t" if file.suffix.lower() in (".tsv", ".tab") else None)
    with file.open("rb") as source:
        mark = _MARK if source.read(3) == _MARK else b""
        source.seek(len(mark))
        encoding = "utf-8" if mark or plain.file == file else guess_encoding(file)
        lines = [source.readline() for _ in range(dialect.skipped)]
        start, cells = _header(lines, encoding, dialect)
        called, _ = column_names(cells, len(cells))
        _require(names, called)
        made = io.StringIO()
        writer = csv.writer(made, delimiter=dialect.delimiter, quotechar=dialect.quote, lineterminator="")
        writer.writerow([names.get(name, cell) for name, cell in zip(called, cells, strict=True)])
        last = lines[-1]
        end = last[len(last.rstrip(b"\r\n")) :]
        with copy.open("wb") as written:
            written.write(mark + b"".join(lines[:start]) + made.getvalue().encode(encoding) + end)
            shutil.copyfileobj(source, written, 1 << 20)


def _header(lines: Sequence[bytes], encoding: str, dialect: Any) -> tuple[int, list[str]]:
    """Return the line at which the header begins, and its cells."""
    for start in range(len(lines) - 1, -1, -1):  # a name may contain a line end
        text = b"".join(lines[start:]).decode(encoding, "replace")
        rows = list(
            csv.reader(io.StringIO(text, newline=""), delimiter=dialect.delimiter, quotechar=dialect.quote)
        )
        if len(rows) == 1 and text.count(dialect.quote) % 2 == 0:
            return start, rows[0]
    raise ValueError("its header was not found: rename the columns in the file")


def _require(names: Mapping[str, str], present: Sequence[str]) -> None:
    for name in names:
        if list(present).count(name) != 1:
            raise ValueError(
                f"its header does not contain {name} exactly once: rename the columns in the file"
            )


def _workbook(file: Path, copy: Path, names: Mapping[str, str]) -> None:
    """Write the new names into the header cells of each sheet that has all of the columns."""
    changed: dict[str, bytes] = {}
    with zipfile.ZipFile(file) as packed:
        for sheet in sheets(file):
            cells = header_cells(file, sheet.name)
            part = sheet_part(packed, sheet.name)
            if part is None or not names.keys() <= cells.keys():
                continue
            if packed.getinfo(part).file_size > _SHEET_BYTES:
                raise ValueError(f"the sheet {sheet.name} is too large: rename the columns in the file")
            xml = packed.read(part)
            for name, wanted in names.items():
                xml = _named_cell(xml, cells[name], wanted)
            changed[part] = xml
        if not changed:
            raise ValueError(
                f"no sheet has all of the columns {', '.join(names)}: rename the columns in the file"
            )
        with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as written:
            for item in packed.infolist():
                with written.open(item.filename, "w") as target, packed.open(item) as source:
                    if item.filename in changed:
                        target.write(changed[item.filename])
                    else:
                        shutil.copyfileobj(source, target, 1 << 20)


def _named_cell(xml: bytes, place: str, name: str) -> bytes:
    """Put a text into the cell at `place`, such as `C1`."""
    for cell in re.finditer(_CELL, xml, re.DOTALL):
        prefix, given = cell[1], cell[2]
        if re.search(rb'\sr="' + place.encode() + rb'"', given):
            kept = re.sub(rb'\st="[^"]*"', b"", given)
            text = escape(name).encode()
            made = b'<%bc%b t="inlineStr"><%bis><%bt xml:space="preserve">%b</%bt></%bis></%bc>'
            return (
                xml[: cell.start()]
                + made % (prefix, kept, prefix, prefix, text, prefix, prefix, prefix)
                + xml[cell.end() :]
            )
    raise ValueError(f"the cell {place} of its header was not found: rename the columns in the file")
