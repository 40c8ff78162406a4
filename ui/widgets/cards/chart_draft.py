"""The edited chart: arguments of the `chart` tool, and which of them each chart type uses. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from events.canonical import JSON, JSONObject
from ui.widgets.cards.choice import Axes, choose_axes, is_number

__all__ = [
    "FORMATS",
    "GRAINS",
    "PALETTES",
    "TYPES",
    "Draft",
    "Editing",
    "Kind",
    "arguments_of",
    "draft_of",
    "kind_of_column",
    "over_rows",
    "rows_share_marks",
    "starting_draft",
    "takes",
    "title_of_format",
]

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
"""d3's format → what a number looks like in it."""
Kind = str
_SPECIAL = ("sql", "table", "spec", "name")
_COLUMNS = ("x", "y", "color", "facet", "row", "column", "size", "text")
"""The arguments that name a column."""
_DEFAULTS: Mapping[str, JSON] = {
    "grain": "none",
    "aggregate": "none",
    "sort": "auto",
    "stack": "auto",
    "zero": "auto",
    "labels": "auto",
    "orientation": "auto",
    "scale": "linear",
    "x_scale": "linear",
    "palette": "house",
    "format": "",
    "rule_label": "",
}
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
"""Mark → the arguments that mean something for it."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The chart to draw: its rows, and its options."""

    args: JSONObject
    """Of the `chart` tool, without its rows."""
    sql: str | None = None
    table: str | None = None
    """The rows: one of the two."""

    @property
    def mark(self) -> str:
        """The type of the chart."""
        return str(self.args["mark"])

    def get(self, name: str) -> JSON:
        """Return an argument, or its default."""
        return self.args.get(name, _DEFAULTS.get(name))

    def given(self, **changes: JSON) -> "Draft":
        """Return the draft with other arguments, without those that the chart type does not use."""
        args = {**self.args, **changes}
        mark = str(args["mark"])
        kept: JSONObject = {
            name: value
            for name, value in args.items()
            if value is not None and value != _DEFAULTS.get(name) and (name == "mark" or takes(mark, name))
        }
        return replace(self, args=kept)

    @property
    def statement(self) -> str:
        """The SELECT that gives its rows."""
        return (
            self.sql
            if self.sql is not None
            else f'SELECT * FROM "{(self.table or "").replace(chr(34), chr(34) * 2)}"'
        )


def takes(mark: str, name: str) -> bool:
    """Return whether an argument means something for a type of chart."""
    return name in _TAKES.get(mark, frozenset())


def draft_of(args: Mapping[str, JSON]) -> Draft | None:
    """Return the draft that begins with a chart's own arguments; None for a whole specification, which has none."""
    if not isinstance(args.get("mark"), str):
        return None
    sql, table = args.get("sql"), args.get("table")
    draft = Draft(
        {name: value for name, value in args.items() if name not in _SPECIAL},
        sql if isinstance(sql, str) else None,
        table if isinstance(table, str) and not isinstance(sql, str) else None,
    )
    return draft if draft.sql is not None or draft.table is not None else None


def starting_draft(
    columns: Sequence[tuple[str, str]], axes: Axes | None, *, sql: str | None = None, table: str | None = None
) -> Draft:
    """Return a first chart of columns, given as name and type."""
    kinds = dict(columns)
    if axes is None:
        first = columns[0][0] if columns else None
        args: JSONObject = {"mark": "bar", "aggregate": "count", **({"x": first} if first else {})}
        return Draft(args, sql, table)
    x, y = axes.x[0], next((name for name in axes.y if name != axes.x[0]), None)
    kind = kind_of_column(kinds[x])
    mark = "line" if kind == "time" else "point" if kind == "number" else "bar"
    return Draft({"mark": mark, "x": x, **({"y": y} if y else {"aggregate": "count"})}, sql, table)


def over_rows(draft: Draft, rows: Draft, columns: Sequence[tuple[str, str]]) -> Draft:
    """Return a draft over the rows of another one, given their columns as name and type.

    Columns that these rows lack are left out, or chosen anew where the chart needs them. Many rows of a time are
    added up by month, so that the first thing to see is a chart.
    """
    kinds = dict(columns)
    named = {part: draft.get(part) for part in _COLUMNS}
    args = {
        name: value for name, value in draft.args.items() if name not in _COLUMNS or str(named[name]) in kinds
    }
    series: list[JSON] = [one for one in _listed(draft.get("series")) if one in kinds]
    args = {name: value for name, value in args.items() if name not in ("series", "layers")}
    first = starting_draft(columns, choose_axes(columns, 2)).args
    for part in ("x", "y"):
        if draft.get(part) and part not in args and part in first:
            args[part] = first[part]
    made = Draft({**args, **({"series": series} if series else {})}, rows.sql, rows.table)
    if rows.table is not None and kind_of_column(kinds.get(str(args.get("x")), "")) == "time":
        made = made.given(
            grain="month", aggregate=made.get("aggregate") if made.get("aggregate") != "none" else "sum"
        )
    elif (
        rows.table is not None
        and made.mark in ("bar", "line", "area", "arc")
        and made.get("aggregate") == "none"
    ):
        made = made.given(aggregate="sum" if made.get("y") else "count")
    return made.given()


def _listed(value: JSON) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def kind_of_column(kind: str) -> Kind:
    """Return the kind of a DuckDB type for a chart: number, time or text."""
    if is_number(kind):
        return "number"
    return "time" if kind == "DATE" or kind.startswith("TIMESTAMP") else "text"


def arguments_of(draft: Draft) -> JSONObject:
    """Return the call's arguments that draw it."""
    rows: JSONObject = {"sql": draft.sql} if draft.sql is not None else {"table": draft.table}
    return rows | draft.given().args


def title_of_format(form: JSON) -> str:
    """Return an example of a number in one of the usual formats, else the format itself."""
    text = str(form or "")
    return FORMATS.get(text, text)


_SHARE = re.compile(r"rows share one mark|are too many for a")


def rows_share_marks(problem: str) -> bool:
    """Return whether a chart was refused because several rows are one mark."""
    return _SHARE.search(problem) is not None


@dataclass(frozen=True, slots=True)
class Editing:
    """A draft with its earlier states, so that changes can be undone."""

    start: Draft
    draft: Draft
    past: tuple[Draft, ...] = ()
    future: tuple[Draft, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Whether there is anything to save."""
        return self.draft != self.start

    def to(self, draft: Draft) -> "Editing":
        """Return the state after a change."""
        if draft == self.draft:
            return self
        return replace(self, draft=draft, past=(*self.past, self.draft)[-100:], future=())

    def undone(self) -> "Editing":
        """Return the state before the last change."""
        if not self.past:
            return self
        return replace(self, draft=self.past[-1], past=self.past[:-1], future=(self.draft, *self.future))

    def redone(self) -> "Editing":
        """Return the state after the change that was undone last."""
        if not self.future:
            return self
        return replace(self, draft=self.future[0], past=(*self.past, self.draft), future=self.future[1:])
