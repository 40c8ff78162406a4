"""Makes a report page. Its numbers are read from named results, so the model never types them."""

import difflib
import re
from pathlib import Path
from typing import Any

from anabranch_tool import ToolError
from anabranch_tool.cells import plain_cell
from anabranch_tool.tables import OpenTables, open_tables

_MOST_ROWS = 500
_MOST_BARS = 50
_YEARS = range(1500, 2301)
_PLAIN = re.compile(r"(?i)(^|_|\b)(id|ids|code|zip|plz|year|jahr|no|nr|number)$")
"""Columns whose numbers are codes or years, which are written without thousands separators."""


def run(
    workspace: Path,
    title: str,
    summary: str = "",
    figures: list[dict[str, Any]] | None = None,
    bars: dict[str, Any] | None = None,
    table: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Build the page's data from the named results.

    Raises:
        ToolError: there is no such result, column or row; the message lists the existing ones.
    """
    opened = open_tables(workspace)
    try:
        page = {
            "title": title,
            "summary": [part.strip() for part in summary.split("\n\n") if part.strip()],
            "figures": [_figure(opened, figure) for figure in figures or ()],
            "bars": _bars(opened, bars) if bars else [],
            "table": _table(opened, table) if table else None,
        }
    finally:
        opened.close()
    told = [{"label": figure["label"], "value": figure["shown"]} for figure in page["figures"]]
    rows = len(page["table"]["rows"]) if page["table"] else 0
    return {"title": title, "figures": told, "bars": len(page["bars"]), "rows": rows, "_page": page}


def _figure(opened: OpenTables, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return one figure: the value in the row that `where` selects, or in the only row."""
    column = _column(opened, wanted["result"], wanted["column"])
    names, rows = _rows(opened, wanted["result"])
    where = {
        _column(opened, wanted["result"], key): str(value)
        for key, value in (wanted.get("where") or {}).items()
    }
    kept = [
        row
        for row in rows
        if all(str(plain_cell(row[names.index(key)])) == value for key, value in where.items())
    ]
    if len(kept) != 1:
        raise ToolError(
            f"The figure “{wanted['label']}” needs one row of {wanted['result']}, but {len(kept)} match. "
            'Name the row with `where`, such as {"region": "North"}.'
        )
    value = plain_cell(kept[0][names.index(column)])
    return {"label": wanted["label"], "value": value, "shown": _shown(value, column)}


def _bars(opened: OpenTables, wanted: dict[str, Any]) -> list[dict[str, Any]]:
    labels = _column(opened, wanted["result"], wanted["labels"])
    values = _column(opened, wanted["result"], wanted["values"])
    names, rows = _rows(opened, wanted["result"])
    if len(rows) > _MOST_BARS:
        raise ToolError(
            f"{wanted['result']} has {len(rows):,} rows; at most {_MOST_BARS} bars are drawn. Use fewer rows."
        )
    made = []
    for row in rows:
        value = plain_cell(row[names.index(values)])
        if not isinstance(value, int | float):
            raise ToolError(
                f"The column {values} of {wanted['result']} contains {value!r}, which is not a number."
            )
        label = plain_cell(row[names.index(labels)])
        made.append({"label": _shown(label, labels), "value": value, "shown": _shown(value, values)})
    return made


def _table(opened: OpenTables, wanted: dict[str, Any]) -> dict[str, Any]:
    chosen = [_column(opened, wanted["result"], name) for name in wanted.get("columns") or ()]
    names, rows = _rows(opened, wanted["result"])
    if len(rows) > _MOST_ROWS:
        raise ToolError(
            f"{wanted['result']} has {len(rows):,} rows; a report shows at most {_MOST_ROWS}. Use fewer rows."
        )
    columns = chosen or names
    cells = [[plain_cell(row[names.index(column)]) for column in columns] for row in rows]
    numbers = [any(isinstance(row[n], int | float) for row in cells) for n in range(len(columns))]
    shown = [[_shown(cell, column) for cell, column in zip(row, columns, strict=True)] for row in cells]
    return {"columns": columns, "rows": shown, "numbers": numbers}


def _rows(opened: OpenTables, result: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    found = opened.connection.execute(f'SELECT * FROM "{_known(opened, result)}" LIMIT {_MOST_ROWS + 1}')
    return [column[0] for column in found.description or ()], found.fetchall()


def _known(opened: OpenTables, result: str) -> str:
    by_name = {name.lower(): name for name in opened.files}
    if result.lower() in by_name:
        return by_name[result.lower()]
    near = difflib.get_close_matches(result, opened.files, 3)
    there = ", ".join(near or sorted(opened.files)[:20]) or "none yet; make one with query first"
    raise ToolError(f"There is no result “{result}”. Available results: {there}.")


def _column(opened: OpenTables, result: str, column: str) -> str:
    table = _known(opened, result)
    names = [row[0] for row in opened.connection.execute(f'DESCRIBE "{table}"').fetchall()]
    for name in names:
        if name.lower() == column.lower():
            return str(name)
    raise ToolError(f"{result} has no column “{column}”. Its columns are: {', '.join(names)}.")


def _shown(value: Any, column: str) -> str:
    """Return a value as text: years and codes unchanged, other numbers with thousands separators."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if _PLAIN.search(column) or (value in _YEARS and re.search(r"(?i)year|jahr|season", column)):
        return f"{value:.15g}"
    if isinstance(value, int) or float(value).is_integer():
        return f"{value:,.0f}"
    digits = 2 if abs(value) >= 1 else 4
    return f"{value:,.{digits}f}"
