"""Makes the text in a chart: values at marks, names at the ends of lines, the reference line."""

import json
from itertools import pairwise
from math import floor, log10
from typing import Any

from anabranch_tool import ToolError
from tools.chart_asked import Asked
from tools.chart_data import Rows

__all__ = ["labels", "reference_line"]

_MOST_LABELS = 60
_END_LABELS = 4
_AS_LIGHT_AS_DARK = 0.21
"""The luminance of a cell at which dark and white text have the same contrast."""


def labels(rows: Rows, asked: Asked, first: dict[str, Any], base: dict[str, Any]) -> list[dict[str, Any]]:
    """Return layers with values at the marks, or with names at the ends of lines."""
    used = rows.used
    y = used.y
    if asked.mark == "line" and used.color is not None and asked.labels is not False and not used.panels():
        return _line_ends(rows, asked, first, base)
    if not asked.labels or y is None or asked.mark in ("text", "rect"):
        return _cell_labels(rows, asked, base) if asked.labels and asked.mark == "rect" else []
    if asked.stack in ("stacked", "normalize"):
        raise ToolError(
            "labels: values cannot be written on stacked parts. Use stack: none, or read them in the tooltip."
        )
    if len(rows.values) > _MOST_LABELS:
        raise ToolError(
            f"labels: {len(rows.values):,} values would cover each other; the limit is {_MOST_LABELS}."
        )
    text = {"field": y.field, "type": "quantitative", "format": asked.format or _format(rows, y.field)}
    return [{"mark": {"type": "text", "dy": -8}, "encoding": base | {"text": text}}]


def _cell_labels(rows: Rows, asked: Asked, base: dict[str, Any]) -> list[dict[str, Any]]:
    if len(rows.values) > _MOST_LABELS * 2:
        raise ToolError(
            f"labels: {len(rows.values):,} values would cover each other; the limit is {_MOST_LABELS * 2}."
        )
    field = rows.used.color.field
    text = {"field": field, "type": "quantitative", "format": asked.format or _format(rows, field)}
    value = f"datum[{json.dumps(field)}]"
    color = {
        "condition": {
            "test": f"luminance(scale('color', {value})) > {_AS_LIGHT_AS_DARK}",
            "value": "#182224",
        },
        "value": "#FFFFFF",
    }
    return [{"mark": {"type": "text"}, "encoding": base | {"text": text, "color": color}}]


def _format(rows: Rows, field: str) -> str:
    """Return a d3 format for the values: whole numbers without decimals, others with about four significant digits."""
    found = [float(row[field]) for row in rows.values if row.get(field) is not None]
    largest = max((abs(value) for value in found), default=0.0)
    if largest == 0 or all(value.is_integer() for value in found):
        return ",.0f"
    return f",.{min(8, max(0, 3 - floor(log10(largest))))}~f"


def _line_ends(rows: Rows, asked: Asked, first: dict[str, Any], base: dict[str, Any]) -> list[dict[str, Any]]:
    x, y, color = rows.used.x, rows.used.y, rows.used.color
    order = {value: at for at, value in enumerate(first["encoding"]["x"].get("sort") or ())}
    place = (lambda value: order.get(value, -1)) if order else (lambda value: value)
    ends: dict[Any, dict[str, Any]] = {}
    for row in rows.values:
        if row.get(y.field) is None or row.get(x.field) is None:
            continue
        last = ends.get(row[color.field])
        if last is None or place(row[x.field]) >= place(last[x.field]):
            ends[row[color.field]] = row
    if len(ends) < 2 or (len(ends) > _END_LABELS and not asked.labels):
        return []
    heights = sorted(row[y.field] for row in ends.values())
    found = [row[y.field] for row in rows.values if row.get(y.field) is not None]
    room = (max(found) - min(0, *found)) / 18
    if any(b - a < room for a, b in pairwise(heights)):
        return []  # names would cover each other: the legend stays
    first["encoding"]["color"]["legend"] = None
    values = [{field.field: row[field.field] for field in (x, y, color)} for row in ends.values()]
    mark = {"type": "text", "align": "left", "dx": 8}
    return [
        {
            "data": {"values": values},
            "mark": mark,
            "encoding": base | {"text": {"field": color.field, "type": "nominal"}},
        }
    ]


def reference_line(asked: Asked, rows: Rows) -> list[dict[str, Any]]:
    """Return the layers for the reference line and its label; none if no line is requested."""
    if asked.rule_at is None:
        if asked.rule_label:
            raise ToolError("rule_label: set rule_at to the value where the line is.")
        return []
    if asked.mark in ("arc", "rect"):
        raise ToolError(f"rule_at: a {asked.mark} has no axis of numbers for a line.")
    at = {"y": {"datum": asked.rule_at}}
    rule: dict[str, Any] = {
        "data": {"values": [{}]},
        "mark": {"type": "rule", "strokeDash": [5, 4]},
        "encoding": at,
    }
    if not asked.rule_label:
        return [rule]
    mark = {"type": "text", "align": "left", "baseline": "bottom", "dx": 4, "dy": -3}
    place = {"x": {"value": 12 if rows.used.flipped else 0}, "y": {"datum": asked.rule_at}}
    return [
        rule,
        {"data": {"values": [{}]}, "mark": mark, "encoding": place | {"text": {"value": asked.rule_label}}},
    ]
