"""Makes the layers for computed marks: boxes, bins and curves."""

from typing import Any

from tools.chart_asked import Asked
from tools.chart_axes import axis_of_numbers, category, colour, tooltip
from tools.chart_columns import Column
from tools.chart_data import Rows

__all__ = ["computed_layers"]


def computed_layers(rows: Rows, asked: Asked) -> list[dict[str, Any]]:
    return {"boxplot": _boxes, "histogram": _bins, "density": _curves}[asked.mark](rows, asked)


def _boxes(rows: Rows, asked: Asked) -> list[dict[str, Any]]:
    used = rows.used
    y = used.y if used.y is not None else used.x
    x = used.x if used.y is not None else None
    across, paint = _places(rows, asked, x)

    def up(name: str) -> dict[str, Any]:
        column = Column(name, "DOUBLE", name, y.title, "number")
        return axis_of_numbers(column, asked.scale, bool(asked.zero), asked.format)

    names = ("lower whisker", "lower quartile", "median", "upper quartile", "upper whisker", "rows")
    stats = [Column(n, "DOUBLE", n, n, "number") for n in names]
    end = {"tooltip": tooltip([x, used.color, *used.panels(), *stats], asked.format, None)}
    box_mark = {"type": "bar", "height" if used.flipped else "width": {"band": 0.6}}
    median = box_mark | {"fill": None, "stroke": "#FFFFFF", "strokeWidth": 2}
    outlier = Column("outlier", "DOUBLE", "outlier", y.title, "number")
    told = {"tooltip": tooltip([x, used.color, outlier], asked.format, None)}

    def layer(value: str, mark: dict[str, Any], encoding: dict[str, Any]) -> dict[str, Any]:
        there = [{"filter": f"isValid(datum['{value}'])"}]
        return {"transform": there, "mark": mark, "encoding": across | encoding}

    def span(low: str, high: str) -> dict[str, Any]:
        return end | {"y": up(low), "y2": {"field": high}}

    return [
        layer("median", {"type": "rule"}, paint | span("lower whisker", "upper whisker")),
        layer("median", box_mark, paint | span("lower quartile", "upper quartile")),
        layer("median", median, span("median", "median")),
        layer("outlier", {"type": "point", "filled": False, "size": 18}, paint | {"y": up("outlier")} | told),
    ]


def _places(rows: Rows, asked: Asked, x: Column | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the channels that place boxes side by side, and the channel for their colour."""
    color = rows.used.color
    across: dict[str, Any] = {} if x is None else {"x": category(rows, asked, x)}
    if color is None:
        return across, {}
    paint = {"color": colour(rows, asked, color)}
    if x is None:
        across["x"] = category(rows, asked, color)
    elif color.field != x.field:
        across["xOffset"] = {"field": color.field, "sort": paint["color"].get("sort")}
    return across, paint


def _bins(rows: Rows, asked: Asked) -> list[dict[str, Any]]:
    x, color = rows.used.x, rows.used.color
    first = rows.values[0]
    step = first["to"] - first["from"]
    encoding: dict[str, Any] = {
        "x": {
            "field": "from",
            "type": "quantitative",
            "title": x.title,
            "bin": {"binned": True, "step": step},
        }
        | ({"axis": {"format": asked.format}} if asked.format else {}),
        "x2": {"field": "to"},
        "y": {
            "field": "rows",
            "type": "quantitative",
            "title": "number of rows",
            "stack": "normalize" if asked.stack == "normalize" else "zero",
        },
        "tooltip": tooltip(
            [Column(n, "DOUBLE", n, n, "number") for n in ("from", "to", "rows")]
            + [color, *rows.used.panels()],
            None,
            None,
        ),
    }
    if color is not None:
        encoding["color"] = colour(rows, asked, color)
    return [{"mark": {"type": "bar"}, "encoding": encoding}]


def _curves(rows: Rows, asked: Asked) -> list[dict[str, Any]]:
    x, color = rows.used.x, rows.used.color
    encoding: dict[str, Any] = {
        "x": {
            "field": "value",
            "type": "quantitative",
            "title": x.title,
            "scale": {"zero": False, "nice": False},
        },
        "y": {"field": "density", "type": "quantitative", "title": "density", "stack": None},
        "tooltip": tooltip(
            [
                Column("value", "DOUBLE", "value", x.title, "number"),
                Column("density", "DOUBLE", "density", "density", "number"),
                color,
            ],
            None,
            None,
        ),
    }
    if color is not None:
        encoding["color"] = colour(rows, asked, color)
    return [{"mark": {"type": "area", "line": True, "fillOpacity": 0.3}, "encoding": encoding}]
