"""The chart theme: one Vega-Lite configuration for the page, for pictures and for exports."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

__all__ = ["NUMBERS", "Theme", "chart_config", "standalone"]

Theme: TypeAlias = Literal["light", "dark"]

NUMBERS = ",.12~r"
"""The number format of tables and prose: thousands separators, no SI prefixes, no exponents."""

_WIDTH, _HEIGHT = 640, 320
_FONT = "Source Sans, Liberation Sans, DejaVu Sans, sans-serif"


def _shades(listed: str) -> Sequence[str]:
    return tuple(listed.split())


_COLOURS: Mapping[Theme, Mapping[str, str]] = {
    "light": {"ground": "#FFFFFF", "ink": "#182224", "second": "#56666A", "line": "#DCE3E4"},
    "dark": {"ground": "#1A2225", "ink": "#E3EAEB", "second": "#9DABAF", "line": "#2B363A"},
}
_CATEGORIES: Mapping[Theme, Sequence[str]] = {
    "light": ["#0B7A88", "#D08A1D", "#6A5ACD", "#C8553D", "#6B8E23", "#3F88C5", "#A64D79", "#7D8A8E"],
    "dark": ["#55BECB", "#E5AE55", "#A99BF0", "#E8907B", "#A9C76B", "#7FB5E6", "#D48FB3", "#98A5A9"],
}
_SEQUENCE: Mapping[Theme, Sequence[str]] = {
    "light": _shades("#E9F5F6 #CDE8EA #A9D7DB #80C3C9 #57AEB6 #3097A1 #167F8A #0B6873 #08515A #053A41"),
    "dark": _shades("#0E3238 #10444C #145862 #1A6D79 #238491 #339BA8 #4CB2BF #71C7D1 #9FDCE2 #D2F0F3"),
}
_DIVERGING: Mapping[Theme, Sequence[str]] = {
    "light": _shades("#7A2E1C #A8452C #C8553D #E19A86 #F3D5CB #CDE8EA #80C3C9 #3097A1 #0B6873 #053A41"),
    "dark": _shades("#F3C3B6 #E8907B #C8553D #8E4332 #4A2A23 #16383D #1A6D79 #339BA8 #71C7D1 #D2F0F3"),
}


def chart_config(theme: Theme) -> dict[str, Any]:
    """Return the Vega-Lite `config` of a theme: colours, fonts, axes and the format of numbers."""
    colour = _COLOURS[theme]
    first, sequence = _CATEGORIES[theme][0], list(_SEQUENCE[theme])
    text = {"labelColor": colour["second"], "titleColor": colour["second"], "labelFontSize": 11}
    return {
        "font": _FONT,
        "numberFormat": NUMBERS,
        "normalizedNumberFormat": ".0%",
        "view": {"stroke": None},
        "mark": {"color": first},
        "text": {"color": colour["second"], "fontSize": 11},
        "rule": {"color": colour["second"]},
        "range": {
            "category": list(_CATEGORIES[theme]),
            "ramp": sequence,
            "heatmap": sequence,
            "ordinal": sequence,
            "diverging": list(_DIVERGING[theme]),
        },
        "axis": text
        | {
            "domain": False,
            "ticks": False,
            "grid": False,
            "gridColor": colour["line"],
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "labelPadding": 6,
        },
        "axisQuantitative": {"grid": True},
        "axisX": {"labelAngle": 0, "labelOverlap": True},
        "legend": text | {"titleFontSize": 11, "titleFontWeight": "normal", "symbolType": "circle"},
        "header": text | {"titleFontSize": 11, "titleFontWeight": "normal", "labelColor": colour["ink"]},
        "title": {"color": colour["ink"], "fontSize": 14, "fontWeight": 600, "anchor": "start"},
    }


def standalone(
    spec: Mapping[str, Any], rows: Sequence[Mapping[str, Any]] | None, theme: Theme
) -> dict[str, Any]:
    """Return a self-contained copy of `spec`, with its data, the theme's style and background, and a size in pixels."""
    made: dict[str, Any] = {**spec}
    if rows is not None:
        made["data"] = {"values": list(rows)}
    own = made.get("config")
    made["config"] = chart_config(theme) | (own if isinstance(own, dict) else {})
    made.setdefault("background", _COLOURS[theme]["ground"])
    made.setdefault("padding", 12)
    if made.get("width") == "container" or (_is_unit(made) and "width" not in made):
        made["width"] = _WIDTH
    if made.get("height") == "container" or (_is_unit(made) and "height" not in made):
        made["height"] = _HEIGHT
    return made


def _is_unit(spec: Mapping[str, Any]) -> bool:
    return "mark" in spec or "layer" in spec
