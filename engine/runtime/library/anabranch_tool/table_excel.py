"""Workbooks as tables: each sheet that holds something, its header found, its cells as texts or typed columns."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from python_calamine import CalamineWorkbook

__all__ = ["Sheet", "opens", "read_sheet", "sheets"]

_HEADER_WITHIN = 20  # titles and notes may stand above a table, hardly more than this


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet with cells in it."""

    name: str
    alone: bool
    """Whether it is the only one with cells in its workbook."""


def sheets(file: Path) -> list[Sheet]:
    """Sheets of `file` that hold at least a header and a row; none where it is no workbook that can be read."""
    try:
        workbook = CalamineWorkbook.from_path(str(file))
        full = [name for name in workbook.sheet_names if len(_body(workbook, name)) > 1]
    except Exception:
        # calamine raises many classes, some of Rust's own; a file that is no workbook is simply no table
        return []
    return [Sheet(name, len(full) == 1) for name in full]


def opens(file: Path) -> bool:
    """Whether `file` is a workbook at all."""
    try:
        CalamineWorkbook.from_path(str(file))
    except Exception:
        return False
    return True


def _body(workbook: CalamineWorkbook, name: str) -> list[list[Any]]:
    rows = workbook.get_sheet_by_name(name).to_python(skip_empty_area=True)
    return [row for row in rows if any(cell not in ("", None) for cell in row)]


def read_sheet(file: Path, sheet: str) -> pa.Table:
    """Read one sheet; numbers, dates and booleans keep their type where a whole column agrees, else text."""
    rows = _body(CalamineWorkbook.from_path(str(file)), sheet)
    start = _header(rows)
    heads, body = rows[start], rows[start + 1 :]
    names: list[str] = []
    columns: list[pa.Array] = []
    for index in range(len(heads)):
        cells = [row[index] if index < len(row) else None for row in body]
        cells = [None if cell == "" else cell for cell in cells]
        name = _text(heads[index]) or f"column{index + 1}"
        if heads[index] in ("", None) and all(cell is None for cell in cells):
            continue
        while name.lower() in {known.lower() for known in names}:
            name += "_1"
        names.append(name)
        columns.append(_column(cells))
    return pa.table(dict(zip(names, columns, strict=True)))


def _header(rows: list[list[Any]]) -> int:
    """The first row with as many texts as the widest row has cells, or nearly; else the first row."""
    width = max(sum(cell not in ("", None) for cell in row) for row in rows)
    for index, row in enumerate(rows[:_HEADER_WITHIN]):
        if sum(isinstance(cell, str) and cell != "" for cell in row) >= max(1, round(width * 0.8)):
            return index
    return 0


def _column(cells: list[Any]) -> pa.Array:
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds and kinds <= {int, float}:
        numbers = [None if cell is None else float(cell) for cell in cells]
        if all(number is None or number.is_integer() for number in numbers):
            return pa.array([None if number is None else int(number) for number in numbers], pa.int64())
        return pa.array(numbers, pa.float64())
    if kinds == {bool}:
        return pa.array(cells, pa.bool_())
    if kinds == {dt.date}:
        return pa.array(cells, pa.date32())
    if kinds and kinds <= {dt.date, dt.datetime}:
        moments = [_moment(cell) for cell in cells]
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
