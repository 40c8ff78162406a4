"""Which chart a table gets that has none of its own: columns for it, and its Vega-Lite specification. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.views.results import Series

__all__ = ["Axes", "choose_axes", "is_name", "is_number", "series_spec"]

_NUMBER = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|FLOAT|DOUBLE|DECIMAL")
_DATE = ("DATE", "TIMESTAMP")
_NAME = re.compile(r"(?i)(year|(^|_)(id|code|zip|hour|week))(_|$)")


@dataclass(frozen=True, slots=True)
class Axes:
    """The columns that can stand along each axis; the first of each is the choice."""

    x: tuple[str, ...]
    y: tuple[str, ...]


def is_number(kind: str) -> bool:
    """Whether a DuckDB type holds numbers."""
    return _NUMBER.match(kind) is not None


def is_name(column: str) -> bool:
    """Whether a column's numbers are names, such as years and codes: they get no thousands separators and no sum."""
    return _NAME.search(column) is not None


def choose_axes(columns: Sequence[tuple[str, str]], rows: int) -> Axes | None:
    """Return what can be drawn of columns, given as name and type; None where no chart would tell anything."""
    values = [name for name, kind in columns if is_number(kind) and not is_name(name)]
    if rows < 2 or len(columns) < 2 or not values:
        return None
    ranked = sorted(columns, key=lambda column: _rank(*column))
    along = [
        name for name, kind in ranked if not kind.startswith(("STRUCT", "MAP", "BLOB")) and "[]" not in kind
    ]
    usual = [name for name in values if name != along[0]]
    return Axes(tuple(along), (*usual, *(name for name in values if name not in usual))) if usual else None


def _rank(name: str, kind: str) -> int:
    """Dates first, then names, then numbers that are names, then other numbers."""
    if kind.startswith(_DATE):
        return 0
    if not is_number(kind):
        return 1
    return 2 if is_name(name) else 3


def series_spec(series: Series, x: str, y: str, kind: str) -> dict[str, Any]:
    """Return the specification that draws `series`; `kind` is the type of `x`."""
    title = f"sum of {y}" if series.summed else y
    dated, number = kind.startswith(_DATE), is_number(kind) and not is_name(x)
    along: dict[str, Any] = {"field": "x", "title": x}
    if dated:
        along["type"] = "temporal"
    elif number:
        along |= {"type": "quantitative", "scale": {"zero": False}}
    else:
        along |= {"type": "nominal", "sort": None}
    mark: dict[str, Any] = {"type": "line" if dated else "point" if number else "bar"}
    if dated and len(series.points) <= 60:
        mark["point"] = True
    up: dict[str, Any] = {"field": "y", "type": "quantitative", "title": title}
    told = [{name: channel[name] for name in ("field", "type", "title")} for channel in (along, up)]
    return {
        "mark": mark,
        "data": {"values": [{"x": point[0], "y": point[1]} for point in series.points]},
        "encoding": {"x": along, "y": up, "tooltip": told},
    }
