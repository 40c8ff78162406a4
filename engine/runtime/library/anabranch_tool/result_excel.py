"""Writes a result as an Excel workbook: dates and numbers keep their type, and text never becomes a formula."""

import datetime as dt
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import xlsxwriter

from anabranch_tool import progress
from anabranch_tool.cells import plain_cell

__all__ = ["MOST_ROWS", "write_workbook"]

MOST_ROWS = 1_048_575
"""The maximum number of rows in a sheet, below its header."""
_MOST_COLUMNS = 16_384
_LONGEST = 32_767
"""The maximum number of characters in a cell."""
_EXACT = 2**53
_FIRST_YEAR = 1900
_BATCH = 10_000
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "remove_timezone": True,
}


def write_workbook(
    columns: Sequence[str],
    total: int,
    fetch: Callable[[int], list[tuple[Any, ...]]],
    target: Path,
    sheet: str,
) -> None:
    """Write `total` rows to the file `target` in constant memory; `fetch(n)` returns the next n rows.

    Raises:
        ValueError: a sheet cannot contain so many rows or columns; the text says which, and what to use instead.
    """
    if total > MOST_ROWS or len(columns) > _MOST_COLUMNS:
        raise ValueError(
            f"An Excel sheet holds {MOST_ROWS:,} rows and {_MOST_COLUMNS:,} columns; this result has {total:,} and "
            f"{len(columns):,}. Use CSV or Parquet, or reduce it with SQL."
        )
    with xlsxwriter.Workbook(str(target), _OPTIONS) as workbook:
        page = workbook.add_worksheet(sheet[:31])
        bold = workbook.add_format({"bold": True})
        day = workbook.add_format({"num_format": "yyyy-mm-dd"})
        moment = workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        page.freeze_panes(1, 0)
        for column, name in enumerate(columns):
            page.set_column(column, column, min(40, max(10, len(name) + 2)))
            page.write_string(0, column, name[:_LONGEST], bold)
        at = 0
        while rows := fetch(_BATCH):
            for row in rows:
                at += 1
                for column, cell in enumerate(row):
                    _write(page, at, column, cell, day, moment)
            progress(at / total if total else 1.0, f"{at:,} of {total:,} rows")


def _write(page: Any, row: int, column: int, cell: Any, day: Any, moment: Any) -> None:
    if cell is None:
        return
    if isinstance(cell, bool):
        page.write_boolean(row, column, cell)
    elif isinstance(cell, dt.datetime) and cell.year >= _FIRST_YEAR:
        page.write_datetime(row, column, cell, moment)
    elif isinstance(cell, dt.date) and not isinstance(cell, dt.datetime) and cell.year >= _FIRST_YEAR:
        page.write_datetime(row, column, cell, day)
    elif isinstance(cell, int | float | Decimal) and math.isfinite(cell) and -_EXACT <= cell <= _EXACT:
        page.write_number(row, column, cell)
    else:  # numbers that a workbook would round are written as texts
        plain = cell if isinstance(cell, int | Decimal) else plain_cell(cell)
        page.write_string(row, column, "" if plain is None else str(plain)[:_LONGEST])
