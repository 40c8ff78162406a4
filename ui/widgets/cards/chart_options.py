"""The options of the chart editor: types of charts and their options, palettes, formats of numbers. Pure."""

from collections.abc import Mapping

from events.json_value import JSON

__all__ = ["FORMATS", "GRAINS", "PALETTES", "TYPES", "takes", "title_of_format"]

TYPES: Mapping[str, tuple[str, str]] = {
    "bar": ("bar_chart", "Bar"),
    "line": ("show_chart", "Line"),
    "area": ("area_chart", "Area"),
    "point": ("scatter_plot", "Points"),
    "boxplot": ("candlestick_chart", "Boxes"),
    "rect": ("grid_on", "Heat map"),
    "arc": ("pie_chart", "Pie"),
    "histogram": ("equalizer", "Histogram"),
    "density": ("waves", "Density"),
    "tick": ("barcode", "Strip"),
    "text": ("title", "Text"),
    "rule": ("horizontal_rule", "Lines at values"),
}
"""Mark → icon and name of the type."""
GRAINS = ("none", "hour", "day", "week", "month", "quarter", "year")
PALETTES: Mapping[str, str] = {
    "house": "House colours",
    "safe": "For any colour vision",
    "bright": "Bright",
    "soft": "Soft",
    "dark": "Dark",
    "blue": "Shades of blue",
    "green": "Shades of green",
    "orange": "Shades of orange",
    "purple": "Shades of purple",
    "grey": "Shades of grey",
    "viridis": "Viridis",
    "diverging": "Blue to red",
}
FORMATS: Mapping[str, str] = {
    "": "Automatic",
    ",.0f": "1,234",
    ",.1f": "1,234.5",
    ",.2f": "1,234.50",
    ".3~s": "1.23k",
    ".0%": "12%",
    ".1%": "12.3%",
    "$,.0f": "$1,234",
    "$,.2f": "$1,234.50",
}
"""Format in d3's notation → an example of a number in this format."""
_ALL = frozenset({"title", "x_title", "y_title", "palette", "color", "format"})
_AXES = frozenset({"facet", "row", "column", "scale", "zero", "range", "rule_at", "rule_label", "labels"})
_TAKES: Mapping[str, frozenset[str]] = {
    "bar": _ALL | _AXES
    | {"x", "y", "series", "layers", "grain", "aggregate", "sort", "stack", "orientation"},
    "line": _ALL | _AXES | {"x", "y", "series", "layers", "grain", "aggregate", "sort", "x_scale"},
    "area": _ALL | _AXES | {"x", "y", "series", "layers", "grain", "aggregate", "stack", "orientation"},
    "point": _ALL | _AXES | {"x", "y", "layers", "grain", "aggregate", "sort", "size", "x_scale"},
    "boxplot": _ALL | _AXES - {"labels"} | {"x", "y", "sort", "orientation"},
    "rect": (_ALL - {"format"}) | {"x", "y", "grain", "aggregate", "facet", "labels", "format"},
    "arc": (_ALL - {"x_title", "y_title", "color"}) | {"x", "y", "aggregate", "facet", "labels"},
    "histogram": _ALL | {"x", "bins", "stack", "facet", "range"},
    "density": _ALL | {"x", "facet"},
    "tick": _ALL | _AXES - {"labels"} | {"x", "y", "sort", "orientation", "x_scale"},
    "text": _ALL | _AXES - {"labels"} | {"x", "y", "text", "x_scale"},
    "rule": _ALL | {"x", "y", "scale", "zero"},
}  # fmt: skip
"""Mark → the arguments that it uses."""


def takes(mark: str, name: str) -> bool:
    """Return whether a type of chart uses an argument."""
    return name in _TAKES.get(mark, frozenset())


def title_of_format(form: JSON) -> str:
    """Return an example of a number if the format is one of the usual ones, else the format itself."""
    text = str(form or "")
    return FORMATS.get(text, text)
