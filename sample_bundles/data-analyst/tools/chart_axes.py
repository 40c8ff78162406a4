"""Makes the channels of a chart: types, sort orders, scales and formats of its axes, colours and tooltips."""

from collections.abc import Sequence
from typing import Any

from anabranch_tool import ToolError
from anabranch_tool.codes import is_code
from anabranch_tool.natural_order import natural_order
from tools.chart_asked import Asked
from tools.chart_columns import Column
from tools.chart_data import Rows

__all__ = ["along", "axis_of_numbers", "category", "colour", "tooltip"]

_MANY_COLOURS = 8
_ROOM = 84
"""The number of characters of labels that fit side by side below a chart."""
_TICKS = {"year": "year", "yearquarter": {"interval": "month", "step": 3}, "yearmonth": "month"}


def values_of(rows: Rows, column: Column) -> list[Any]:
    """Return the distinct values of a column, in the order of the rows."""
    return list(
        dict.fromkeys(row.get(column.field) for row in rows.values if row.get(column.field) is not None)
    )


def ordered(rows: Rows, asked: Asked, column: Column) -> list[Any]:
    """Return the values of a category in the order in which they are drawn."""
    found = values_of(rows, column)
    if asked.sort in ("y", "-y") and rows.used.y is not None and column is rows.used.x:
        sums: dict[Any, float] = dict.fromkeys(found, 0.0)
        for row in rows.values:
            sums[row[column.field]] += float(row.get(rows.used.y.field) or 0)
        return sorted(found, key=lambda value: sums[value], reverse=asked.sort == "-y")
    natural = natural_order(found)
    if asked.sort in ("x", "-x") and column is rows.used.x:
        listed = natural or sorted(found, key=str)
        return listed[::-1] if asked.sort == "-x" else listed
    return found if asked.sort == "none" or natural is None else natural


def category(rows: Rows, asked: Asked, column: Column, *, labels: bool = True) -> dict[str, Any]:
    """Return a channel for a column of categories, in their order."""
    listed = ordered(rows, asked, column)
    channel: dict[str, Any] = {
        "field": column.field,
        "type": "nominal",
        "title": column.title,
        "sort": listed,
    }
    if labels and not rows.used.flipped and sum(len(str(v)) + 2 for v in listed) > _ROOM:
        channel["axis"] = {"labelAngle": -40, "labelOverlap": len(listed) > 50}
    if column.kind == "time":
        unit = time_unit(values_of(rows, column))
        channel |= {"type": "ordinal", "timeUnit": unit} if unit else {"type": "ordinal"}
    return channel


def along(rows: Rows, asked: Asked, column: Column) -> dict[str, Any]:
    """Return the channel for x: a continuous axis of times or numbers if the mark allows this, else categories."""
    bars = asked.mark in ("bar", "rect", "boxplot")
    continuous = column.kind in ("number", "time") and not (bars and column.kind == "number")
    grouped = rows.used.color is not None and asked.stack in ("auto", "none")
    if bars and column.kind == "time":
        unit = time_unit(values_of(rows, column))
        continuous = asked.mark == "bar" and unit is not None and not grouped
    if not continuous:
        return category(rows, asked, column)
    if asked.sort not in ("auto", "x"):
        raise ToolError(
            f"sort: “{column.title}” runs along an axis of "
            f"{'time' if column.kind == 'time' else 'numbers'}, which has its own order."
        )
    if column.kind == "time":
        channel: dict[str, Any] = {"field": column.field, "type": "temporal", "title": column.title}
        unit = time_unit(values_of(rows, column))
        if bars:
            channel["timeUnit"] = unit
        if unit in _TICKS and len(values_of(rows, column)) <= 24:
            channel["axis"] = {"tickCount": _TICKS[unit]}
        return channel
    return axis_of_numbers(
        column, asked.x_scale, asked.zero if asked.mark not in ("line", "area") else False, None
    )


def axis_of_numbers(column: Column, scale: str, zero: bool | None, form: str | None) -> dict[str, Any]:
    """Return a channel for an axis of numbers."""
    channel: dict[str, Any] = {"field": column.field, "type": "quantitative", "title": column.title}
    kind: dict[str, Any] = {} if scale == "linear" else {"type": scale}
    if zero is not None and scale != "log":
        kind["zero"] = zero
    if kind:
        channel["scale"] = kind
    if form is None and is_code(column.name):
        form = "d"
    if form:
        channel["axis"] = {"format": form}
    return channel


def colour(rows: Rows, asked: Asked, column: Column) -> dict[str, Any]:
    """Return the channel for colour: shades for a column of numbers (points or cells), else a colour for each value."""
    shades = (
        column.kind == "number"
        and asked.mark in ("point", "rect", "text", "tick")
        and not is_code(column.name)
    )
    if shades:
        return {"field": column.field, "type": "quantitative", "title": column.title}
    if column.kind == "time" and asked.mark in ("point", "tick"):
        return {"field": column.field, "type": "temporal", "title": column.title}
    listed = ordered(rows, asked, column)
    channel: dict[str, Any] = {
        "field": column.field,
        "type": "nominal",
        "title": column.title,
        "sort": listed,
    }
    if len(listed) > _MANY_COLOURS:
        channel["scale"] = {"scheme": "tableau20"}
    if column.kind == "time":
        channel |= {"type": "ordinal", "timeUnit": time_unit(listed) or "yearmonthdatehoursminutesseconds"}
    return channel


def tooltip(
    columns: Sequence[Column | None], form: str | None, measure: Column | None
) -> list[dict[str, Any]]:
    """Return the tooltip's channels: the values shown when the pointer is over a mark."""
    told: dict[str, dict[str, Any]] = {}
    for column in columns:
        if column is None:
            continue
        kind = {"number": "quantitative", "time": "temporal"}.get(column.kind, "nominal")
        told[column.field] = {"field": column.field, "type": kind, "title": column.title}
        if column.kind == "time":
            told[column.field]["format"] = "%Y-%m-%d" if column.type == "DATE" else "%Y-%m-%d %H:%M"
        elif column is measure and form:
            told[column.field]["format"] = form
        elif column.kind == "number" and is_code(column.name):
            told[column.field]["format"] = "d"
    return list(told.values())


_UNITS = (
    ("year", "-01-01T00:00:00"),
    ("yearmonth", "-01T00:00:00"),
    ("yearmonthdate", "T00:00:00"),
    ("yearmonthdatehours", ":00:00"),
)


def time_unit(values: Sequence[Any]) -> str | None:
    """Return the unit of time, such as a month, if every value is the start of such a unit; otherwise None. A bar can
    then be as wide as the unit.
    """
    texts = [str(value) for value in values]
    found = next(
        (unit for unit, ending in _UNITS if texts and all(text.endswith(ending) for text in texts)), None
    )
    if (
        found == "yearmonth"
        and len(texts) > 1
        and all(text[5:7] in ("01", "04", "07", "10") for text in texts)
    ):
        return "yearquarter"
    return found
