"""The arguments of a chart in the short form, and checks that they fit together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anabranch_tool import ToolError
from tools.chart_columns import Column, find

__all__ = [
    "AGGREGATES",
    "COMPUTED",
    "GRAINS",
    "LAYERS",
    "MARKS",
    "NOT_ADDED_UP",
    "PALETTES",
    "SCALES",
    "SORTS",
    "STACKS",
    "Asked",
    "Used",
    "check",
    "one",
    "used_columns",
]

NOT_ADDED_UP = ("mean", "median", "min", "max")
"""Aggregates whose results mean nothing when they are added up."""
MARKS = (
    "bar",
    "line",
    "area",
    "point",
    "arc",
    "boxplot",
    "rect",
    "histogram",
    "density",
    "text",
    "tick",
    "rule",
)
AGGREGATES = ("none", "sum", "mean", "median", "min", "max", "count")
SCALES = ("linear", "log", "sqrt", "symlog")
COMPUTED = ("boxplot", "histogram", "density")
SORTS = ("auto", "none", "x", "-x", "y", "-y")
STACKS = ("auto", "none", "stacked", "normalize")
ORIENTATIONS = ("auto", "vertical", "horizontal")
LAYERS = ("line", "point", "bar", "area", "tick")
GRAINS = ("none", "hour", "day", "week", "month", "quarter", "year")
PALETTES = (
    "house",
    "safe",
    "bright",
    "soft",
    "dark",
    "blue",
    "green",
    "orange",
    "purple",
    "grey",
    "viridis",
    "diverging",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments of the short form."""

    mark: str
    x: str | None = None
    y: str | None = None
    color: str | None = None
    facet: str | None = None
    row: str | None = None
    column: str | None = None
    size: str | None = None
    text: str | None = None
    series: Sequence[str] = ()
    layers: Sequence[Mapping[str, Any]] = ()
    grain: str = "none"
    aggregate: str = "none"
    sort: str = "auto"
    stack: str = "auto"
    orientation: str = "auto"
    scale: str = "linear"
    x_scale: str = "linear"
    zero: bool | None = None
    range: Sequence[float] | None = None
    format: str | None = None
    bins: int | None = None
    labels: bool | None = None
    rule_at: float | None = None
    rule_label: str | None = None
    x_title: str | None = None
    y_title: str | None = None
    palette: str | None = None


@dataclass(frozen=True, slots=True)
class Used:
    """The columns of a chart by role."""

    x: Column | None = None
    y: Column | None = None
    color: Column | None = None
    facet: Column | None = None
    row: Column | None = None
    column: Column | None = None
    size: Column | None = None
    text: Column | None = None
    flipped: bool = False
    """Whether the chart is horizontal. `x` is still the column of categories, drawn along the vertical axis."""

    def panels(self) -> list[Column]:
        """Return the columns whose values each get a panel."""
        return [c for c in (self.facet, self.row, self.column) if c is not None]


def used_columns(asked: Asked, columns: Sequence[Column]) -> Used:
    """Find the requested columns, and decide whether the chart is horizontal.

    Raises:
        ToolError: a column does not exist, or the mark cannot be drawn over these columns; the error says what to
            change.
    """
    if asked.facet and (asked.row or asked.column):
        raise ToolError("Use either `facet` (panels that wrap) or `row` and `column`, not both.")
    if asked.series and (asked.y or asked.color):
        raise ToolError(
            "`series` draws several columns on the y axis, one colour each: leave out `y` and `color`."
        )
    parts = {
        part: find(columns, getattr(asked, part), part)
        for part in ("x", "y", "color", "facet", "row", "column", "size", "text")
    }
    used = Used(**parts)
    if asked.grain != "none" and (used.x is None or used.x.kind != "time"):
        named = f"“{used.x.name}” is of type {used.x.type}" if used.x is not None else "none is named"
        raise ToolError(f"grain: needs a column of dates or times as x; {named}.")
    if used.x is not None and asked.grain != "none":
        used = _with(used, x=replace(used.x, title=f"{asked.grain} of {used.x.title}"))
    if used.x is None and not (asked.mark in ("boxplot", "rule") or (asked.mark == "arc" and used.color)):
        raise ToolError("Name the column for `x`.")
    if asked.mark == "arc" and used.x is None:
        used = _with(used, x=used.color, color=None)
    if used.size is not None and used.size.kind != "number":
        raise ToolError(f"size: “{used.size.name}” is not a column of numbers.")
    for layer in asked.layers:
        over = find(columns, layer.get("y"), "layers")
        if over is None or over.kind != "number":
            raise ToolError(f"layers: y must be a column of numbers, not “{layer.get('y')}”.")
    return _lying(asked, used)


def _with(used: Used, **changed: Any) -> Used:
    return Used(**{name: changed.get(name, getattr(used, name)) for name in Used.__slots__})


def _lying(asked: Asked, used: Used) -> Used:
    """Put the categories in x and the numbers in y, even if the chart is horizontal."""
    if asked.mark not in ("bar", "boxplot", "tick", "area"):
        if asked.orientation == "horizontal" and asked.mark not in ("histogram", "density"):
            raise ToolError(
                f"orientation: a {asked.mark} chart cannot be horizontal. Exchange x and y instead."
            )
        return used
    x, y = used.x, used.y
    lies = asked.orientation == "horizontal"
    if (
        x is not None
        and y is not None
        and x.kind == "number"
        and y.kind != "number"
        and asked.aggregate != "count"
    ):
        if asked.orientation == "vertical":
            raise ToolError(
                f"orientation: vertical needs the numbers as y. Exchange x “{x.name}” and y “{y.name}”."
            )
        return _with(used, x=y, y=x, flipped=True)
    return _with(used, flipped=lies)


def check(asked: Asked, used: Used) -> None:
    """Refuse a chart that cannot be drawn from columns of these kinds. The error says what to change.

    Raises:
        ToolError: the chart cannot be drawn.
    """
    x, y = used.x, used.y
    counted = asked.aggregate == "count"
    if asked.mark in COMPUTED and asked.aggregate != "none":
        raise ToolError(f"A {asked.mark} is computed from all rows; leave out `aggregate`.")
    if asked.mark in ("bar", "line", "area", "arc") and not counted:
        _needs_number(asked.mark, x, y)
    if asked.mark == "rect":
        if x is None or y is None:
            raise ToolError(
                "A heat map (rect) needs x and y for its cells, and a column of numbers as color."
            )
        if not counted and (used.color is None or used.color.kind != "number"):
            raise ToolError("A heat map (rect) needs a column of numbers as color, or aggregate: count.")
    if asked.mark in ("point", "text") and (y is None or "number" not in (x and x.kind, y.kind)):
        raise ToolError(
            f"A {asked.mark} chart needs numbers on one axis. Two columns of text would put points "
            "on top of each "
            "other: use mark rect with aggregate: count."
        )
    if asked.mark in ("line", "area") and x is not None and x.kind == "flag":
        raise ToolError(
            f"{'A line' if asked.mark == 'line' else 'An area'} needs ordered values on the x axis; “{x.name}” is "
            "true or false. Use mark bar."
        )
    if asked.aggregate in ("sum", "mean", "median"):
        over = used.color if asked.mark == "rect" else y
        if over is None or over.kind != "number":
            raise ToolError(
                f"aggregate: {asked.aggregate} needs a column of numbers as "
                f"{'color' if asked.mark == 'rect' else 'y'}."
            )
    if (
        asked.aggregate not in ("none", "count")
        and asked.mark != "rect"
        and y is not None
        and used.color is y
    ):
        raise ToolError(
            f"color: “{y.name}” cannot also be the color, because its values are combined ({asked.aggregate}). Name a "
            "column with categories under color, or leave it out."
        )
    _check_scales(asked, used)
    _check_stack(asked, used)


def _needs_number(mark: str, x: Column | None, y: Column | None) -> None:
    if y is None:
        raise ToolError(
            f"A {mark} needs a column of numbers as y. Name one, or set aggregate: count to count the rows."
        )
    if y.kind != "number":
        why = (
            f"“{y.name}” is text; if its values are numbers, CAST or TRY_CAST it in the SQL."
            if y.kind == "text"
            else f"“{y.name}” is of type {y.type}."
        )
        raise ToolError(
            f"A {mark} needs a column of numbers as y. {why} To count rows, set aggregate: count."
        )


def _check_scales(asked: Asked, used: Used) -> None:
    lengths = asked.mark in ("bar", "area", "histogram", "density")
    if lengths and asked.scale == "log":
        raise ToolError(
            f"scale: the length of {one(asked.mark)} starts at zero, and a log scale has no zero. "
            "Use mark point or line with the log scale, or scale: symlog."
        )
    if lengths and asked.zero is False:
        raise ToolError(
            f"zero: {one(asked.mark)} must start at zero, or its length misleads. Use mark point or line."
        )
    if asked.x_scale != "linear" and (
        used.x is None
        or used.x.kind != "number"
        or asked.mark not in ("point", "line", "text", "tick", "rule")
    ):
        raise ToolError(
            "x_scale: x must be a column of numbers, and mark must be point, line, text, tick or rule."
        )
    if asked.scale != "linear" and asked.mark in ("arc", "rect"):
        raise ToolError(f"scale: a {asked.mark} has no numeric axis.")


def one(mark: str) -> str:
    """Return a mark's name with its article."""
    return f"an {mark}" if mark == "area" else f"a {mark}"


def _check_stack(asked: Asked, used: Used) -> None:
    if asked.mark == "arc" and asked.aggregate in NOT_ADDED_UP:
        raise ToolError(
            f"The slices of a pie add up to a whole, but {asked.aggregate} values do not. Use mark bar."
        )
    if asked.stack in ("stacked", "normalize"):
        if asked.mark not in ("bar", "area"):
            raise ToolError("stack: only bars and areas can be stacked.")
        if used.color is None and not asked.series:
            raise ToolError("stack: name the column of the parts as color.")
        if asked.aggregate in NOT_ADDED_UP:
            raise ToolError(
                f"stack: stacked parts add up to a total, but {asked.aggregate} values do not. Use stack: none."
            )
