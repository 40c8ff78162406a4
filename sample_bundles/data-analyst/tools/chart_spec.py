"""Makes the Vega-Lite specification of a chart in the short form. The data is sent separately."""

from collections.abc import Mapping
from typing import Any

from anabranch_tool import ToolError
from anabranch_tool.natural_order import natural_order
from tools.chart_asked import COMPUTED, NOT_ADDED_UP, Asked
from tools.chart_axes import along, axis_of_numbers, category, colour, tooltip, values_of
from tools.chart_columns import Column
from tools.chart_data import Rows
from tools.chart_labels import labels, reference_line
from tools.chart_look import choose_colours, choose_range, choose_titles
from tools.chart_shapes import computed_layers

__all__ = ["short_spec"]

_HEIGHT = 320
_LINE = 15
"""Height in pixels for the name of a horizontal bar."""
_MOST_LINES = 120
_MOST_BELOW = 50
"""The maximum number of names below an axis; if there are more, only some of them are drawn."""
_FLIPPED = {"x": "y", "y": "x", "x2": "y2", "y2": "x2", "xOffset": "yOffset", "yOffset": "xOffset"}


def short_spec(rows: Rows, asked: Asked) -> dict[str, Any]:
    """Return the specification that draws `rows.values`.

    Raises:
        ToolError: the request does not fit these values.
    """
    layers = computed_layers(rows, asked) if asked.mark in COMPUTED else _drawn(rows, asked)
    layers += reference_line(asked, rows)
    choose_range(layers, rows, asked)
    choose_colours(layers, asked)
    if rows.used.flipped:
        layers = [_lying(layer) for layer in layers]
    choose_titles(layers, asked)
    unit = layers[0] if len(layers) == 1 else {"layer": layers}
    if asked.mark == "bar":
        _say_which_names(rows)
    return _in_panels(rows, asked, unit)


def _lying(layer: Mapping[str, Any]) -> dict[str, Any]:
    encoding = {
        _FLIPPED.get(name, name): dict(item)
        for name, item in layer.get("encoding", {}).items()
        if name != "tooltip"
    }
    if "tooltip" in layer.get("encoding", {}):
        encoding["tooltip"] = layer["encoding"]["tooltip"]
    mark = layer["mark"]
    if mark["type"] == "text" and "dy" in mark:
        mark = {key: item for key, item in mark.items() if key not in ("dy", "baseline")} | {
            "dx": 4,
            "align": "left",
        }
    return {**layer, "mark": mark, "encoding": encoding}


def _measure(rows: Rows, asked: Asked) -> dict[str, Any]:
    y = rows.used.y
    assert y is not None
    if y.kind != "number":
        return along(rows, asked, y) | {"title": y.title}
    zero = asked.zero
    if zero is None and asked.mark in ("point", "tick", "text", "rule"):
        zero = False
    if asked.mark == "line" and asked.scale == "linear":
        low, high = _ends(rows, y)
        if zero is None and low > 0.5 * high and not _has_lengths(asked):
            zero = False
        if zero is False and low > 0:
            rows.cut = f"The axis of {y.title} does not start at 0."
            rows.notes.append(rows.cut)
    channel = axis_of_numbers(y, asked.scale, zero, asked.format)
    if asked.mark in ("bar", "area"):
        stacked = stacks(rows, asked)
        channel["stack"] = ("normalize" if asked.stack == "normalize" else "zero") if stacked else None
        if asked.stack == "normalize":
            channel["axis"] = {"format": ".0%"}
            channel["title"] = f"share of {y.title}"
    return channel


def stacks(rows: Rows, asked: Asked) -> bool:
    """Return whether parts are stacked. By default, only areas are, and only if their values can be added up."""
    if asked.stack != "auto" or asked.mark == "bar":
        return asked.stack in ("stacked", "normalize")
    y = rows.used.y
    below = y is not None and any((row.get(y.field) or 0) < 0 for row in rows.values)
    return asked.aggregate not in NOT_ADDED_UP and not below


def _ends(rows: Rows, y: Column) -> tuple[float, float]:
    """Return the smallest and largest distance of the values from 0; both are 0 if values lie on both sides of 0."""
    found = [float(row[y.field]) for row in rows.values if row.get(y.field) is not None]
    if not found or min(found) * max(found) <= 0:
        return 0.0, 0.0
    return min(map(abs, found)), max(map(abs, found))


def _has_lengths(asked: Asked) -> bool:
    """Return whether a layer over the line has bars or areas, whose lengths mislead if the axis does not start at 0."""
    return any(layer.get("mark") in ("bar", "area") for layer in asked.layers)


def _drawn(rows: Rows, asked: Asked) -> list[dict[str, Any]]:
    if asked.mark == "arc":
        return _slices(rows, asked)
    if asked.mark == "rule":
        return [_rule_marks(rows, asked)]
    used = rows.used
    encoding: dict[str, Any] = {}
    if used.x is not None:
        if (
            asked.mark in ("line", "area")
            and used.x.kind == "text"
            and natural_order(values_of(rows, used.x)) is None
        ):
            raise ToolError(
                f"{'A line' if asked.mark == 'line' else 'An area'} needs ordered values on the x axis; the values "
                f"of “{used.x.title}” have none. Use mark bar or point."
            )
        encoding["x"] = along(rows, asked, used.x)
        if asked.mark in ("point", "text", "tick") and encoding["x"]["type"] == "quantitative":
            encoding["x"].setdefault("scale", {}).setdefault("zero", bool(asked.zero))
    if asked.mark == "rect" and used.y is not None:
        encoding["y"] = category(rows, asked, used.y, labels=False)
    elif used.y is not None:
        encoding["y"] = _measure(rows, asked)
    base = {name: dict(encoding[name]) for name in ("x", "y") if name in encoding}
    if "timeUnit" in base.get("x", {}) and base["x"]["type"] == "temporal":
        base["x"]["bandPosition"] = 0.5  # in the middle of the bar of the month or other unit
    if used.color is not None:
        encoding["color"] = colour(rows, asked, used.color)
        if (
            asked.mark == "bar"
            and asked.stack in ("none", "auto")
            and used.color is not used.x
            and used.color.field != (used.x and used.x.field)
        ):
            offset = {"field": used.color.field, "sort": encoding["color"].get("sort")}
            encoding["xOffset"] = base["xOffset"] = offset
    if used.size is not None:
        encoding["size"] = {"field": used.size.field, "type": "quantitative", "title": used.size.title}
    if asked.mark == "text":
        written = used.text or used.y
        kind = "quantitative" if written.kind == "number" else "nominal"
        encoding["text"] = {"field": written.field, "type": kind} | (
            {"format": asked.format} if asked.format else {}
        )
    told = [used.x, used.y, used.color, *used.panels(), used.size, used.text]
    encoding["tooltip"] = tooltip(told, asked.format, used.color if asked.mark == "rect" else used.y)
    layers = [{"mark": _mark(rows, asked), "encoding": encoding}]
    return [*layers, *_more(rows, asked, layers[0], base), *labels(rows, asked, layers[0], base)]


def _mark(rows: Rows, asked: Asked) -> dict[str, Any]:
    mark: dict[str, Any] = {"type": asked.mark}
    if asked.mark == "point":
        mark |= {"filled": True, "opacity": 0.75 if len(rows.values) < 500 else 0.45}
    elif asked.mark == "line" and len(rows.values) <= 200:
        mark["point"] = True
    elif asked.mark == "area":
        mark |= {"line": True, "fillOpacity": 0.75 if stacks(rows, asked) else 0.35}
    elif asked.mark == "text":
        mark["fontSize"] = 12
    return mark


def _slices(rows: Rows, asked: Asked) -> list[dict[str, Any]]:
    x, y = rows.used.x, rows.used.y
    assert x is not None
    assert y is not None
    theta = {"field": y.field, "type": "quantitative", "stack": "zero"}
    colours = colour(rows, asked, x)
    order = {"order": {"field": y.field, "sort": "descending"}}
    told = tooltip([x, y, *rows.used.panels()], asked.format, y)
    radius = 120 if not rows.used.panels() else 70
    layers = [
        {
            "mark": {"type": "arc", "outerRadius": radius},
            "encoding": {"theta": theta, "color": colours, "tooltip": told} | order,
        }
    ]
    if asked.labels:
        text = {"field": y.field, "type": "quantitative"} | ({"format": asked.format} if asked.format else {})
        detail = {"field": x.field, "type": "nominal"}
        layers.append(
            {
                "mark": {"type": "text", "radius": radius + 18},
                "encoding": {"theta": theta, "text": text, "detail": detail} | order,
            }
        )
    return layers


def _rule_marks(rows: Rows, asked: Asked) -> dict[str, Any]:
    used = rows.used
    if (used.x is None) == (used.y is None):
        raise ToolError(
            "A rule is drawn across the chart at each value: name x for vertical lines, or y for horizontal lines."
        )
    name, column = ("x", used.x) if used.x is not None else ("y", used.y)
    channel = (
        along(rows, asked, column)
        if column.kind != "number"
        else axis_of_numbers(column, asked.scale, bool(asked.zero), asked.format)
    )
    encoding = {name: channel, "tooltip": tooltip([column, used.color], asked.format, column)}
    if used.color is not None:
        encoding["color"] = colour(rows, asked, used.color)
    return {"mark": {"type": "rule"}, "encoding": encoding}


def _more(rows: Rows, asked: Asked, first: dict[str, Any], base: dict[str, Any]) -> list[dict[str, Any]]:
    """Return layers of further marks over the same x, each with its own colour and name."""
    more = []
    for layer, column in zip(asked.layers, rows.layers, strict=False):
        up = axis_of_numbers(column, asked.scale, asked.zero, asked.format) | {
            "title": first["encoding"]["y"]["title"]
        }
        encoding = {
            "x": base["x"],
            "y": up,
            "color": {"datum": column.title},
            "tooltip": tooltip([rows.used.x, column], asked.format, column),
        }
        mark = {"type": layer.get("mark", "line")}
        more.append(
            {"mark": mark | ({"point": True} if mark["type"] == "line" else {}), "encoding": encoding}
        )
    if more and "color" not in first["encoding"] and rows.used.y is not None:
        first["encoding"]["color"] = {"datum": rows.used.y.title}
        names = ", ".join(dict.fromkeys([rows.used.y.title, *(c.title for c in rows.layers)]))
        for layer in (first, *more):
            layer["encoding"]["y"] = {**layer["encoding"]["y"], "title": names}
    return more


def _height(rows: Rows) -> int:
    """Return a height that leaves one line for the name of each horizontal bar."""
    x = rows.used.x
    lying = rows.used.flipped and x is not None and x.kind in ("text", "flag")
    names = len(values_of(rows, x)) if lying and x is not None else 0
    return max(_HEIGHT, _LINE * names) if names <= _MOST_LINES else _HEIGHT


def _say_which_names(rows: Rows) -> None:
    """Add a note if an axis has no room for all its names."""
    x = rows.used.x
    names = len(values_of(rows, x)) if x is not None and x.kind in ("text", "flag") else 0
    if names > (_MOST_LINES if rows.used.flipped else _MOST_BELOW):
        more = (
            ""
            if rows.used.flipped or names > _MOST_LINES
            else " Horizontal bars (orientation: horizontal) have room for all."
        )
        rows.notes.append(f"The axis of {x.title} has no room for all {names:,} names.{more}" if x else "")


def _in_panels(rows: Rows, asked: Asked, unit: dict[str, Any]) -> dict[str, Any]:
    used = rows.used
    if not used.panels():
        return {"width": "container", "height": _height(rows), **unit}

    def panel(column: Column) -> dict[str, Any]:
        return {
            key: item for key, item in category(rows, asked, column, labels=False).items() if key != "axis"
        }

    across = used.column or used.facet
    count = len(values_of(rows, across)) if across is not None else 1
    columns = min(3, count) if used.facet is not None else count
    inner = {
        "width": max(70, 600 // max(1, columns) - 40),
        "height": max(90, 220 - 20 * (columns > 2)),
        **unit,
    }
    if used.facet is not None:
        return {"facet": panel(used.facet), "columns": columns, "spec": inner}
    sides = {
        side: panel(column)
        for side, column in (("row", used.row), ("column", used.column))
        if column is not None
    }
    return {"facet": sides, "spec": inner}
