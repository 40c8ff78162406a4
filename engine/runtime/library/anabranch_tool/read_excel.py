"""Reads workbooks as tables: each sheet that is not empty, with its header, and its cells as text or typed columns."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from python_calamine import CalamineWorkbook, SheetVisibleEnum

from anabranch_tool.excel_errors import column_letters, error_cells
from anabranch_tool.header_rows import header_of
from anabranch_tool.raw_tables import RawTable
from anabranch_tool.table_blocks import GrowingShape, block_note
from anabranch_tool.table_shape import column_names, filled_cells, is_footer, quoted, total_note

__all__ = ["Sheet", "header_cells", "opens", "raw_sheet", "sheets"]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet that has cells."""

    name: str
    alone: bool
    """Whether the sheet is the only sheet with cells in the workbook."""


def sheets(file: Path) -> list[Sheet]:
    """Return the sheets of `file` with at least a header and a row; none if it is not a readable workbook."""
    try:
        workbook = CalamineWorkbook.from_path(str(file))
        full = [name for name in workbook.sheet_names if len(_full(_cells(workbook, name))) > 1]
    except Exception:
        # calamine raises many types of errors, including Rust panics; a file that is not a workbook has no sheets
        return []
    return [Sheet(name, len(full) == 1) for name in full]


def opens(file: Path) -> bool:
    """Return whether `file` is a workbook at all."""
    try:
        CalamineWorkbook.from_path(str(file))
    except Exception:
        return False
    return True


def raw_sheet(connection: duckdb.DuckDBPyConnection, file: Path, sheet: str) -> RawTable:
    """Return the rows of one sheet; numbers, dates and booleans keep their type if all cells of the column have this
    type, else they become text.
    """
    workbook = CalamineWorkbook.from_path(str(file))
    rows = _cells(workbook, sheet)
    full = _full(rows)
    found, heads, joined = header_of(full)
    notes = [
        *_hidden(workbook, sheet),
        *_titles(full[: found.first - (found.row is not None) - bool(joined)]),
        *joined,
    ]
    losses: list[str] = []
    rows, full = _first_table(rows, full, heads, found.first, _top(workbook, sheet)[0], losses)
    body = _body(rows, full, found.first, losses)
    width = max((len(row) for row in full), default=0)
    names, assumed = column_names(heads, width)
    if found.row is None:
        assumed = ["There is no header; columns are numbered."]
    elif body and (total := total_note(body[-1])):
        losses.append(total)
    merged = _fill_merged(workbook, sheet, rows, body)
    if merged:
        notes.append(
            f"Cells that are merged over several rows give their value to each of these rows: {_named(merged, names)}."
        )
    losses += _errors(file, workbook, sheet, rows, body, names)
    columns = _columns(names, heads, body)
    left_out = {f"The header has no name for {name}." for name in names if name not in columns}
    notes += [note for note in assumed if note not in left_out]
    described = _loaded(connection, columns)
    return RawTable("raw_rows", described, sheet=sheet, notes=notes, losses=losses)


def _columns(
    names: Sequence[str], heads: Sequence[Any], body: Sequence[Sequence[Any]]
) -> dict[str, pa.Array]:
    """Return the columns that have a name in the header or a value."""
    columns: dict[str, pa.Array] = {}
    for index, name in enumerate(names):
        cells = [row[index] if index < len(row) else None for row in body]
        cells = [None if isinstance(cell, str) and not cell.strip() else cell for cell in cells]
        is_named = index < len(heads) and heads[index] not in ("", None)
        if is_named or any(cell is not None for cell in cells):
            columns[name] = _column(cells)
    return columns


def _loaded(connection: duckdb.DuckDBPyConnection, columns: Mapping[str, pa.Array]) -> list[tuple[str, str]]:
    """Load columns into the table `raw_rows`; return their names and types."""
    connection.register("anabranch_sheet", pa.table(dict(columns)))
    connection.execute("CREATE OR REPLACE TEMP TABLE raw_rows AS SELECT * FROM anabranch_sheet")
    connection.unregister("anabranch_sheet")
    return [(name, kind) for name, kind, *_ in connection.execute("DESCRIBE raw_rows").fetchall()]


def header_cells(file: Path, sheet: str) -> dict[str, str]:
    """Return a map from each column of a sheet to the cell with the column's name, such as `C1`; empty if no single row
    contains all names.
    """
    workbook = CalamineWorkbook.from_path(str(file))
    rows = _cells(workbook, sheet)
    full = _full(rows)
    found, heads, joined = header_of(full)
    if found.row is None or joined:
        return {}
    top, left = _top(workbook, sheet)
    row = top + next(at for at, cells in enumerate(rows) if cells is full[found.row]) + 1
    names, _ = column_names(heads, len(heads))
    return {name: f"{column_letters(left + at)}{row}" for at, name in enumerate(names)}


def _cells(workbook: CalamineWorkbook, name: str) -> list[list[Any]]:
    return workbook.get_sheet_by_name(name).to_python(skip_empty_area=True)


def _full(rows: Sequence[list[Any]]) -> list[list[Any]]:
    return [row for row in rows if any(cell not in ("", None) for cell in row)]


def _first_table(
    rows: list[list[Any]],
    full: list[list[Any]],
    heads: Sequence[Any],
    first: int,
    top: int,
    losses: list[str],
) -> tuple[list[list[Any]], list[list[Any]]]:
    """Return all rows, and the rows with values, that come before the header of another table below this one."""
    place = {id(row): at for at, row in enumerate(rows)}
    apart = None
    shape = GrowingShape([str(cell) for cell in heads])
    for at in range(first + 1, len(full)):
        row = full[at]
        if place[id(row)] > place[id(full[at - 1])] + 1:
            apart = at
        if apart is None:
            continue
        if shape.ends_before(row, full[first:apart]):
            losses.append(block_note(top + place[id(full[apart])] + 1, row, "row"))
            return rows[: place[id(full[apart])]], full[:apart]
        apart = apart if len(filled_cells(row)) == 1 else None
    return rows, full


def _top(workbook: CalamineWorkbook, sheet: str) -> tuple[int, int]:
    """Return the row and the column of the first cell with a value."""
    return workbook.get_sheet_by_name(sheet).start or (0, 0)


def _body(
    rows: Sequence[list[Any]], full: Sequence[list[Any]], first: int, losses: list[str]
) -> list[list[Any]]:
    """Return the rows below the header, without remarks below the table."""
    body = list(full[first:])
    width = max((len(row) for row in full), default=0)
    remarks: list[str] = []
    while body and first + len(body) > 1:
        at = next(index for index in range(len(rows) - 1, -1, -1) if rows[index] is body[-1])
        after_blank = at > 0 and all(cell in ("", None) for cell in rows[at - 1])
        if not is_footer(body[-1], after_blank, width):
            break
        remarks.append(str(body.pop()[0]))
    if remarks:
        one = len(remarks) == 1
        losses.append(
            f"{len(remarks)} row{'' if one else 's'} below the table {'is' if one else 'are'} left out: "
            f"“{quoted(remarks[-1])}”."
        )
    return body


def _hidden(workbook: CalamineWorkbook, sheet: str) -> list[str]:
    shown = next(
        (one.visible for one in workbook.sheets_metadata if one.name == sheet), SheetVisibleEnum.Visible
    )
    return [] if shown == SheetVisibleEnum.Visible else ["The sheet is hidden in the workbook."]


def _named(columns: Mapping[int, int], names: Sequence[str]) -> str:
    return ", ".join(
        f"{names[at]} ({count:,} cell{'' if count == 1 else 's'} filled)" for at, count in columns.items()
    )


def _fill_merged(
    workbook: CalamineWorkbook, sheet: str, rows: Sequence[list[Any]], body: Sequence[list[Any]]
) -> dict[int, int]:
    """Copy the value of a cell that spans several rows into each of them; return how many cells of each column were
    filled.
    """
    page = workbook.get_sheet_by_name(sheet)
    top, left = _top(workbook, sheet)
    inside = {id(row) for row in body}
    filled: dict[int, int] = {}
    for (first, column), (last, end) in page.merged_cell_ranges or ():
        at = column - left
        own = rows[first - top] if 0 <= first - top < len(rows) else []
        if column != end or id(own) not in inside or not 0 <= at < len(own) or own[at] in ("", None):
            continue
        for row in rows[first - top + 1 : last - top + 1]:
            if id(row) in inside and at < len(row) and row[at] in ("", None):
                row[at] = own[at]
                filled[at] = filled.get(at, 0) + 1
    return filled


def _errors(
    file: Path,
    workbook: CalamineWorkbook,
    sheet: str,
    rows: Sequence[list[Any]],
    body: Sequence[list[Any]],
    names: Sequence[str],
) -> list[str]:
    """Return a sentence for each column with error cells in the table's rows, because calamine returns these cells as
    empty.
    """
    top, left = _top(workbook, sheet)
    inside = {id(row) for row in body}
    found: dict[int, list[str]] = {}
    for (row, column), text in sorted(error_cells(file, sheet).items()):
        if 0 <= row - top < len(rows) and id(rows[row - top]) in inside and 0 <= column - left < len(names):
            found.setdefault(column - left, []).append(text)
    told = []
    for at, texts in sorted(found.items()):
        filled = len(texts) + sum(at < len(row) and row[at] not in ("", None) for row in body)
        listed = ", ".join(f'"{quoted(text, 40)}"' for text in dict.fromkeys(texts[:1000]))
        verb = "is an error and is" if len(texts) == 1 else "are errors and are"
        told.append(f"{names[at]}: {len(texts):,} of {filled:,} values {verb} left out: {listed}.")
    return told


def _titles(rows: Sequence[Sequence[Any]]) -> list[str]:
    if not rows:
        return []
    shown = ", ".join(
        f"“{quoted(' '.join(str(_text(c)) for c in row if c not in ('', None)), 60)}”" for row in rows[:3]
    )
    one = len(rows) == 1
    return [
        f"{len(rows)} row{'' if one else 's'} above the header {'is' if one else 'are'} left out: {shown}."
    ]


def _column(cells: list[Any]) -> pa.Array:
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds and kinds <= {int, float}:
        numbers = [None if cell is None else float(cell) for cell in cells]
        if all(number is None or (number.is_integer() and abs(number) < 2**63) for number in numbers):
            return pa.array([None if number is None else int(number) for number in numbers], pa.int64())
        return pa.array(numbers, pa.float64())
    if kinds == {bool}:
        return pa.array(cells, pa.bool_())
    if kinds == {dt.date}:
        return pa.array(cells, pa.date32())
    if kinds and kinds <= {dt.date, dt.datetime}:
        moments = [_moment(cell) for cell in cells]
        if all(moment is None or moment.time() == dt.time() for moment in moments):
            return pa.array([None if moment is None else moment.date() for moment in moments], pa.date32())
        return pa.array(moments, pa.timestamp("us"))
    return pa.array([_text(cell) for cell in cells], pa.string())


def _moment(cell: dt.date | None) -> dt.datetime | None:
    if cell is None or isinstance(cell, dt.datetime):
        return cell
    return dt.datetime(cell.year, cell.month, cell.day)  # noqa: DTZ001  # a workbook's dates have no zone


def _text(cell: Any) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()
