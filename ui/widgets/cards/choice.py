"""Chooses a chart for a table without one: its columns, its Vega-Lite specification, its texts. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.rendering.column_codes import is_code, is_coordinate, one_value
from engine.views.results import Series
from ui.words import count

__all__ = [
    "COMBINE",
    "Axes",
    "Chosen",
    "choose_axes",
    "honest_line",
    "is_name",
    "is_number",
    "measure_of",
    "series_spec",
    "shared_line",
]

_NUMBER = re.compile(r"(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL(\(.*\))?)")
_DATE = ("DATE", "TIMESTAMP")
_UNDRAWN = ("STRUCT", "MAP", "BLOB", "INTERVAL", "UNION", "BIT")

COMBINE = {
    "Not combined": None,
    "Point per row": None,
    "Sum": "sum",
    "Mean": "mean",
    "Median": "median",
    "Lowest": "min",
    "Highest": "max",
    "Count": "count",
}
"""The reader's choices for how the rows of one mark are combined."""
_SAID = {
    "sum": "sum of",
    "mean": "mean of",
    "median": "median of",
    "min": "lowest",
    "max": "highest",
}
_MANY_COLOURS = 8
_ROOM = 84
"""How many characters of labels fit side by side below a chart."""


@dataclass(frozen=True, slots=True)
class Axes:
    """The columns that can be on each axis or divide the marks. The first column of x and of y is preselected."""

    x: tuple[str, ...]
    y: tuple[str, ...]
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """The reader's choices for a chart."""

    x: str
    y: str
    kind: str
    """The type of `x`."""
    color: str | None = None
    panel: str | None = None
    combine: str | None = None
    points: bool = False
    """Whether each row is a point, even if several are at the same place."""

    @property
    def each_row(self) -> bool:
        """Whether every row is drawn as a point: because the reader chose this, or because both axes have numbers."""
        return self.points or (self.combine is None and is_number(self.kind) and not is_name(self.x))


def is_number(kind: str) -> bool:
    """Whether a DuckDB type is numeric."""
    return _NUMBER.fullmatch(kind) is not None


def is_name(column: str) -> bool:
    """Whether a column's numbers are really names, such as years and codes: no thousands separators, no sum."""
    return is_code(column) or is_coordinate(column)


def choose_axes(columns: Sequence[tuple[str, str]], rows: int) -> Axes | None:
    """Return the possible axes for columns, given as name and type; None if no chart would be useful."""
    values = [name for name, kind in columns if is_number(kind) and not is_name(name)]
    if rows < 2 or len(columns) < 2 or not values:
        return None
    ranked = sorted(columns, key=lambda column: _rank(*column))
    along = [name for name, kind in ranked if not kind.startswith(_UNDRAWN) and not kind.endswith("]")]
    usual = [name for name in values if name != along[0]]
    groups = tuple(
        name for name, kind in ranked if name in along and not kind.startswith(_DATE) and name not in values
    )
    return (
        Axes(tuple(along), (*usual, *(name for name in values if name not in usual)), groups)
        if usual
        else None
    )


def _rank(name: str, kind: str) -> int:
    """Return the rank of a column: dates come first, then names, numbers that serve as names, and other numbers."""
    if kind.startswith(_DATE):
        return 0
    if not is_number(kind):
        return 1
    return 2 if is_name(name) else 3


def measure_of(chosen: Chosen) -> str:
    """The measure on the axis of numbers, in words."""
    if chosen.combine == "count":
        return "number of rows"
    return f"{_SAID[chosen.combine]} {chosen.y}" if chosen.combine else chosen.y


def series_spec(series: Series, chosen: Chosen) -> dict[str, Any]:
    """Return the specification that draws `series`, its data included."""
    dated = chosen.kind.startswith(_DATE)
    number = is_number(chosen.kind) and not is_name(chosen.x)
    points = chosen.each_row
    mark: dict[str, Any] = {"type": _mark(chosen)}
    if points:
        mark |= {"filled": True, "opacity": 0.75 if len(series.points) < 500 else 0.45}
    elif mark["type"] == "line" and len(series.points) <= 200:
        mark["point"] = True
    up: dict[str, Any] = {"field": "y", "type": "quantitative", "title": measure_of(chosen)}
    if points or is_cut(series, chosen):
        up["scale"] = {"zero": False}
    encoding: dict[str, Any] = {"x": _along(series, chosen, dated, number), "y": up}
    told = [_told(encoding["x"], dated), _told(up, False)]
    if chosen.color is not None:
        encoding["color"] = _category("color", chosen.color, series.orders[1])
        if len(series.orders[1]) > _MANY_COLOURS:
            encoding["color"]["scale"] = {"scheme": "tableau20"}
        told.append(_told(encoding["color"], False))
        if mark["type"] == "bar" and chosen.color != chosen.x:
            encoding["xOffset"] = {"field": "color", "sort": list(series.orders[1])}
    if mark["type"] == "bar":
        up["stack"] = None
    values = [dict(zip(("x", "y", "color", "panel"), point, strict=True)) for point in series.points]
    unit = {"mark": mark, "encoding": encoding | {"tooltip": told}}
    data = {"data": {"values": values}}
    if chosen.panel is None:
        return {**data, **unit}
    panel = _category("panel", chosen.panel, series.orders[2])
    columns = max(1, min(3, len(series.orders[2])))
    return {
        **data,
        "facet": panel,
        "columns": columns,
        "spec": {"width": 600 // columns - 40, "height": 180, **unit},
    }


def is_cut(series: Series, chosen: Chosen) -> bool:
    """Whether a line chart's axis leaves out 0 because the line would otherwise look flat."""
    values = [point[1] for point in series.points if isinstance(point[1], int | float)]
    if _mark(chosen) != "line" or not values:
        return False
    low, high = min(values, key=abs), max(values, key=abs)
    return min(values) * max(values) > 0 and abs(low) > 0.5 * abs(high)


def _mark(chosen: Chosen) -> str:
    number = is_number(chosen.kind) and not is_name(chosen.x)
    return "point" if chosen.each_row else "line" if chosen.kind.startswith(_DATE) or number else "bar"


def _along(series: Series, chosen: Chosen, dated: bool, number: bool) -> dict[str, Any]:
    if dated:
        return {"field": "x", "title": chosen.x, "type": "temporal"}
    if number:
        return {"field": "x", "title": chosen.x, "type": "quantitative", "scale": {"zero": False}}
    along = _category("x", chosen.x, series.orders[0])
    if sum(len(str(value)) + 2 for value in series.orders[0]) > _ROOM:
        along["axis"] = {"labelAngle": -40, "labelOverlap": len(series.orders[0]) > 50}
    return along


def _category(field: str, title: str, order: Sequence[Any]) -> dict[str, Any]:
    return {"field": field, "title": title, "type": "nominal", "sort": list(order)}


def _told(channel: dict[str, Any], dated: bool) -> dict[str, Any]:
    told = {name: channel[name] for name in ("field", "type", "title")}
    return told | ({"format": "%Y-%m-%d %H:%M"} if dated else {})


def shared_line(series: Series) -> str | None:
    """Return the sentence about rows that share marks; None if each row has its own mark, or if rows are combined."""
    if series.points or series.shared < 2 or series.combined:
        return None
    return (
        f"No chart yet: up to {series.shared:,} rows would share one mark. "
        "Choose a colour, panels, or how to combine the rows."
    )


def honest_line(series: Series, chosen: Chosen) -> str:
    """Return sentences with the number of marks and rows, the meaning of a mark, and what is left out."""
    drawn = len(series.points)
    said = [f"{count(drawn, 'mark')} from {count(series.rows, 'row')}."]
    parts = [name for name in (chosen.color, chosen.panel) if name is not None and name != chosen.x]
    of = "".join(f" of {one_value(name)}" for name in dict.fromkeys(parts))
    if series.combined:
        said.append(f"Each mark is the {measure_of(chosen)} for {one_value(chosen.x)}{of}.")
    elif chosen.each_row:
        said.append("Each mark is one row.")
    else:
        said.append(f"Each mark is {one_value(chosen.x)}{of}.")
    if is_cut(series, chosen):
        said.append(f"The axis of {measure_of(chosen)} does not start at 0.")
    if series.marks > drawn:
        kind = "points, chosen at random" if "one row" in said[1] else "marks: the first ones"
        said.append(f"Shows {drawn:,} of {series.marks:,} {kind}.")
    if series.empty:
        verb = "is" if series.empty == 1 else "are"
        said.append(f"{count(series.empty, 'row')} without {chosen.x} or {chosen.y} {verb} not drawn.")
    return " ".join(said)
