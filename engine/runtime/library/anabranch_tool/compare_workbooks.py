"""Compares two workbooks by their cells, sheet by sheet; formatting is not compared. Runs in a tool process."""

import math
from itertools import zip_longest
from pathlib import Path
from typing import Any

from python_calamine import CalamineWorkbook

from anabranch_tool.cells import plain_cell
from anabranch_tool.excel_errors import column_letters

__all__ = ["compare"]

_DIGITS = 0.5e-11
"""The relative difference up to which numbers count as equal: they agree to 12 significant digits."""
_MOST = 100


def compare(workspace: Path, before: str, after: str) -> dict[str, Any]:
    """Return the sheets of both workbooks with their status, and the first cells that changed.

    Raises:
        ValueError: one of the files is not a workbook.
    """
    was, now = _book(workspace / before), _book(workspace / after)
    names = [*was.sheet_names, *(name for name in now.sheet_names if name not in was.sheet_names)]
    sheets: list[dict[str, Any]] = []
    cells: list[dict[str, Any]] = []
    for name in names:
        if name not in now.sheet_names or name not in was.sheet_names:
            sheets.append(
                {"sheet": name, "what": "removed" if name in was.sheet_names else "added", "cells": 0}
            )
            continue
        changed = 0
        for row, (one, other) in enumerate(zip_longest(_rows(was, name), _rows(now, name), fillvalue=())):
            for column, (old, new) in enumerate(zip_longest(one, other, fillvalue="")):
                if not _same(old, new):
                    changed += 1
                    if len(cells) < _MOST:
                        place = f"{column_letters(column)}{row + 1}"
                        cells.append(
                            {"sheet": name, "cell": place, "before": plain_cell(old), "now": plain_cell(new)}
                        )
        sheets.append({"sheet": name, "what": "changed" if changed else "same", "cells": changed})
    return {"sheets": sheets, "cells": cells, "order_differs": was.sheet_names != now.sheet_names}


def _book(file: Path) -> CalamineWorkbook:
    try:
        return CalamineWorkbook.from_path(str(file))
    except Exception as error:  # calamine raises many types of errors, including Rust panics
        raise ValueError(f"it is not a workbook: {error}") from None


def _rows(book: CalamineWorkbook, name: str) -> list[list[Any]]:
    return book.get_sheet_by_name(name).to_python(skip_empty_area=False)


def _same(one: Any, other: Any) -> bool:
    one, other = ("" if cell is None else cell for cell in (one, other))
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    if numbers and not isinstance(one, bool) and not isinstance(other, bool):
        return one == other or math.isclose(one, other, rel_tol=_DIGITS, abs_tol=0.0)
    return type(one) is type(other) and one == other
