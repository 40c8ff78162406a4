"""Applies a call's choices for a chart's look: axis titles, the range of numbers, colours."""

from collections.abc import Iterator
from typing import Any

from anabranch_tool import ToolError
from tools.chart_asked import PALETTES, Asked, one
from tools.chart_data import Rows, count_of_marks

__all__ = ["choose_colours", "choose_range", "choose_titles"]

_OKABE_ITO = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#7D8A8E"]
"""Colours that people with any colour vision can distinguish (Okabe and Ito, 2008), without black."""
_CATEGORIES: dict[str, list[str] | str] = {
    "safe": _OKABE_ITO,
    "bright": "category10",
    "soft": "set2",
    "dark": "dark2",
}
_SHADES = {
    "blue": "blues",
    "green": "greens",
    "orange": "oranges",
    "purple": "purples",
    "grey": "greys",
    "viridis": "viridis",
    "diverging": "redblue",
}
_ONE = {
    "safe": "#0072B2",
    "bright": "#1F77B4",
    "soft": "#66C2A5",
    "dark": "#1B9E77",
    "blue": "#3182BD",
    "green": "#31A354",
    "orange": "#E6550D",
    "purple": "#756BB1",
    "grey": "#737373",
    "viridis": "#31688E",
    "diverging": "#2166AC",
}
"""The colour of marks if no column determines their colour."""
_LENGTHS = ("bar", "area", "histogram", "density")


def choose_range(layers: list[dict[str, Any]], rows: Rows, asked: Asked) -> None:
    """Limit the axis of numbers to `asked.range`, and add a note about the marks outside the range.

    Raises:
        ToolError: the range is not valid, or it would cut marks whose length must start at 0.
    """
    if asked.range is None:
        return
    low, high = _ends(asked)
    channels = [layer["encoding"]["y"] for layer in layers if "y" in layer.get("encoding", {})]
    scaled = [channel for channel in channels if channel.get("type") == "quantitative"]
    if not scaled:
        raise ToolError(f"range: this {asked.mark} chart has no numeric y axis.")
    for channel in scaled:
        channel["scale"] = {
            **{key: item for key, item in channel.get("scale", {}).items() if key != "zero"},
            "domain": [low, high],
            "nice": False,
        }
    for layer in layers:
        if isinstance(layer["mark"], dict):
            layer["mark"]["clip"] = True
    _say_what_is_outside(rows, low, high)


def _ends(asked: Asked) -> tuple[float, float]:
    given = list(asked.range or ())
    if len(given) != 2 or not given[0] < given[1]:
        raise ToolError("range: give two numbers, the lower one first, such as [0, 100].")
    low, high = given
    if asked.mark in ("arc", "rect", "rule"):
        raise ToolError(f"range: a {asked.mark} has no numeric axis.")
    if asked.stack == "normalize":
        raise ToolError(
            "range: with stack: normalize, shares always go from 0 to 100 %. Leave out `range` or `stack`."
        )
    if asked.mark in _LENGTHS and not low <= 0 <= high:
        raise ToolError(
            f"range: the length of {one(asked.mark)} starts at 0, so the range must contain 0. Change the range, or "
            "use mark point or line."
        )
    if asked.scale == "log" and low <= 0:
        raise ToolError("range: a log scale cannot show 0 or less.")
    return float(low), float(high)


def _say_what_is_outside(rows: Rows, low: float, high: float) -> None:
    y = rows.used.y
    if y is None or not rows.values or y.field not in rows.values[0]:
        return
    outside = sum(
        1 for row in rows.values if row.get(y.field) is not None and not low <= row[y.field] <= high
    )
    if outside:
        counted = count_of_marks(rows, outside)
        rows.notes.append(
            f"{counted} outside the range {low:,g} to {high:,g}: cut off at the edge of the chart."
        )


def choose_titles(layers: list[dict[str, Any]], asked: Asked) -> None:
    """Set the requested axis titles. `x` is always the horizontal axis and `y` the vertical one, as drawn."""
    for axis, title in (("x", asked.x_title), ("y", asked.y_title)):
        if title is None:
            continue
        found = [layer["encoding"][axis] for layer in layers if axis in layer.get("encoding", {})]
        named = [channel for channel in found if "title" in channel]
        if not named:
            raise ToolError(f"{axis}_title: this {asked.mark} chart has no {axis} axis.")
        for channel in named:
            channel["title"] = title or None


def choose_colours(layers: list[dict[str, Any]], asked: Asked) -> None:
    """Draw the marks in the requested palette."""
    if asked.palette is None or asked.palette == "house":
        return
    if asked.palette not in PALETTES:
        raise ToolError(
            f"palette: “{asked.palette}” is not a palette. The palettes are: {', '.join(PALETTES)}."
        )
    channels = list(_colour_channels(layers))
    for channel in channels:
        _paint(channel, asked.palette)
    if not channels:
        for layer in layers:
            mark = layer["mark"]
            if isinstance(mark, dict) and mark["type"] not in ("text", "rule") and "fill" not in mark:
                mark["color"] = _ONE[asked.palette]


def _colour_channels(layers: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for layer in layers:
        channel = layer.get("encoding", {}).get("color")
        if isinstance(channel, dict) and ("field" in channel or "datum" in channel):
            yield channel


def _paint(channel: dict[str, Any], palette: str) -> None:
    scale = {key: item for key, item in channel.get("scale", {}).items() if key not in ("scheme", "range")}
    by_number = channel.get("type") in ("quantitative", "temporal", "ordinal")
    if palette in _CATEGORIES and not by_number:
        colours = _CATEGORIES[palette]
        channel["scale"] = scale | (
            {"scheme": colours} if isinstance(colours, str) else {"range": list(colours)}
        )
    elif palette in _SHADES:
        shades = {"scheme": _SHADES[palette]}
        # the lightest shades of a scheme look like the background
        channel["scale"] = scale | (
            shades if by_number else {"scheme": {"name": _SHADES[palette], "extent": [0.3, 1]}}
        )
    else:
        raise ToolError(
            f"palette: {palette} is for categories, but in this chart the colour shows a number or a time. "
            f"Use one of: {', '.join(_SHADES)}."
        )
