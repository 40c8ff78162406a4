"""Describes a chart in words: its title, its marks and rows, its ranges."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from anabranch_tool.codes import is_code, one_value
from tools.chart_asked import Asked
from tools.chart_columns import Column
from tools.chart_data import Rows
from tools.select import Result

__all__ = ["honest_line", "said_of", "said_of_spec", "title_of"]


def title_of(rows: Rows, asked: Asked) -> str:
    used = rows.used
    if asked.mark in ("histogram", "density"):
        return f"{'Distribution' if asked.mark == 'density' else 'Histogram'} of {used.x.title}"
    over = used.color if asked.mark == "rect" else used.y
    what = ", ".join(asked.series) if rows.folded else over.title if over is not None else ""
    by = [used.x] + (
        [used.y] if asked.mark == "rect" else [used.color] if used.color and not rows.folded else []
    )
    along = " and ".join(dict.fromkeys(c.title for c in by if c is not None))
    said = f"{what} by {along}" if what and along else what or along
    return said[:1].upper() + said[1:]


def _count(rows: Rows, asked: Asked) -> int:
    if asked.mark == "boxplot":
        return sum("median" in row for row in rows.values)
    if asked.mark == "density":
        return len({tuple(v for k, v in row.items() if k not in ("value", "density")) for row in rows.values})
    if asked.mark in ("line", "area"):
        return sum(row.get(rows.used.y.field) is not None for row in rows.values)
    return len(rows.values) * (1 + len(rows.layers))


def honest_line(rows: Rows, asked: Asked) -> str:
    """Return a sentence with the number of marks and rows, and what each mark shows."""
    used, count = rows.used, _count(rows, asked)
    said = f"{count:,} mark{'s' * (count != 1)} from {rows.total:,} row{'s' * (rows.total != 1)}."
    groups = [c.title for c in (used.color, *used.panels()) if c is not None and c.kind != "number"]
    of = "".join(
        f" of {one_value(title)}"
        for title in dict.fromkeys(groups)
        if used.x is None or title != used.x.title
    )
    if asked.mark == "histogram":
        return f"{said} Each mark is the number of rows in one bin of {used.x.title}{of}."
    if asked.mark == "density":
        return f"{said} Each mark is the curve{of or f' of {used.x.title}'}."
    if asked.mark == "boxplot":
        over = f" for {one_value(used.x.title)}" if used.x is not None else ""
        return f"{said} Each mark is the box of {used.y.title}{over}{of}."
    if rows.measured:
        over = [c.title for c in ((used.x, used.y) if asked.mark == "rect" else (used.x,)) if c is not None]
        return f"{said} Each mark is the {rows.measured} for {' and '.join(map(one_value, over))}{of}."
    if asked.mark in ("bar", "line", "area", "arc") and used.x is not None:
        return f"{said} Each mark is {one_value(used.x.title)}{of}."
    if asked.mark == "rect" and used.x is not None and used.y is not None:
        return f"{said} Each mark is {one_value(used.x.title)} and {one_value(used.y.title)}{of}."
    return f"{said} Each mark is one row."


def said_of(rows: Rows, asked: Asked) -> str:
    used = rows.used
    parts = [
        f"{asked.mark} chart{' (horizontal)' if used.flipped else ''}: {title_of(rows, asked)}. "
        f"{honest_line(rows, asked)}"
    ]
    if asked.mark in ("bar", "area", "histogram") and used.color is not None:
        grouped = asked.mark == "bar" and asked.stack in ("auto", "none")
        parts.append(
            "Side by side."
            if grouped
            else "Overlapping."
            if asked.stack == "none"
            else "Shares of each whole."
            if asked.stack == "normalize"
            else "Stacked."
        )
    parts.append(rows.cut)
    for column in dict.fromkeys([used.x, used.y, used.color, *rows.layers]):
        if column is not None:
            parts.append(_range(rows, column))
    if asked.mark == "boxplot":
        parts.append(" ".join(_box_words(rows, row) for row in rows.values[:6] if "median" in row))
    return " ".join(part for part in parts if part)


def _box_words(rows: Rows, row: Mapping[str, Any]) -> str:
    of = ", ".join(
        str(row[c.field])
        for c in (rows.used.x, rows.used.color, *rows.used.panels())
        if c is not None and c.field in row
    )
    quartiles = f"{_number(row['lower quartile'])} to {_number(row['upper quartile'])}"
    return f"{of + ': ' if of else ''}median {_number(row['median'])} ({quartiles})."


def _range(rows: Rows, column: Column) -> str:
    found = [row[column.field] for row in rows.values if row.get(column.field) is not None]
    if not found:
        return ""
    if column.kind == "number":
        low, high = min(rows.values, key=_key(column, 1)), max(rows.values, key=_key(column, -1))
        ends = [f"{_named(column.name, row[column.field])}{_at(rows, row, column)}" for row in (low, high)]
        return f"{column.title}: {' to '.join(ends)}."
    if column.kind == "time":
        return f"{column.title}: {min(found)[:10]} to {max(found)[:10]}."
    distinct = list(dict.fromkeys(map(str, found)))
    more = f" and {len(distinct) - 5:,} more" if len(distinct) > 5 else ""
    return f"{column.title}: {', '.join(distinct[:5])}{more}."


def _key(column: Column, sign: int) -> Any:
    return lambda row: row[column.field] if row.get(column.field) is not None else sign * float("inf")


def _at(rows: Rows, row: Mapping[str, Any], column: Column) -> str:
    x = rows.used.x
    if x is None or x is column or x.kind == "number" or x.field not in row:
        return ""
    value = str(row[x.field])
    return f" ({value[:10] if x.kind == 'time' else value[:30]})"


def _number(value: float) -> str:
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
    )


def _named(column: str, value: float) -> str:
    """Return a value of a column as text; years and codes get no thousands separators."""
    return str(value) if isinstance(value, int) and is_code(column) else _number(value)


def said_of_spec(result: Result, values: Sequence[Mapping[str, Any]], spec: Mapping[str, Any]) -> str:
    marks = sorted(set(re.findall(r"'mark': (?:\{[^}]*'type': )?'(\w+)'", str(spec))))
    said = [f"Vega-Lite chart ({', '.join(marks)}) over {len(values):,} of {result.rows:,} rows."]
    for name in values[0] if values else ():
        found = [row[name] for row in values if row.get(name) is not None]
        if found and all(isinstance(v, int | float) and not isinstance(v, bool) for v in found):
            said.append(f"{name}: {_named(name, min(found))} to {_named(name, max(found))}.")
        elif found:
            distinct = list(dict.fromkeys(str(v).removesuffix("T00:00:00") for v in found))
            said.append(
                f"{name}: "
                f"{', '.join(distinct[:4])}{f' and {len(distinct) - 4:,} more' if len(distinct) > 4 else ''}."
            )
    return " ".join(said)
