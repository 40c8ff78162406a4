"""The edited chart: arguments of the `chart` tool, and which of them each chart type uses. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from events.json_value import JSON, JSONObject
from ui.widgets.cards.chart_options import takes
from ui.widgets.cards.choice import Axes, choose_axes, is_number

__all__ = [
    "Draft",
    "Editing",
    "arguments_of",
    "draft_of",
    "fitting",
    "kind_of_column",
    "of_type",
    "over_rows",
    "rows_share_marks",
    "starting_draft",
]

_OF_NUMBERS = ("histogram", "density")
"""Types that show the distribution of the numbers in one column."""
_FORMER = "former x"
"""The option that stores the previous x column while a type in `_OF_NUMBERS` shows another column on x."""
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


@dataclass(frozen=True, slots=True)
class Draft:
    """The chart to draw: its rows and its options."""

    args: JSONObject
    """Arguments of the `chart` tool, without its rows."""
    sql: str | None = None
    table: str | None = None
    """The table or result whose rows are drawn; None if `sql` returns the rows."""
    aside: JSONObject = field(default_factory=dict, compare=False)
    """Choices that the type does not use; they are kept for other types."""

    @property
    def mark(self) -> str:
        """The type of the chart."""
        return str(self.args["mark"])

    def get(self, name: str) -> JSON:
        """Return an argument, or its default."""
        return self.args.get(name, _DEFAULTS.get(name))

    def given(self, **changes: JSON) -> "Draft":
        """Return the draft with other arguments; arguments that the chart type does not use are set aside."""
        args = {**self.aside, **self.args, **changes}
        mark = str(args["mark"])
        given: JSONObject = {
            name: value for name, value in args.items() if value is not None and value != _DEFAULTS.get(name)
        }
        kept = {name: value for name, value in given.items() if name == "mark" or takes(mark, name)}
        return replace(self, args=kept, aside={n: value for n, value in given.items() if n not in kept})

    @property
    def statement(self) -> str:
        """The SELECT that returns the chart's rows."""
        return (
            self.sql
            if self.sql is not None
            else f'SELECT * FROM "{(self.table or "").replace(chr(34), chr(34) * 2)}"'
        )


def draft_of(args: Mapping[str, JSON]) -> Draft | None:
    """Return a draft that starts with a chart's arguments; None for a complete Vega-Lite specification."""
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
    """Return a first chart for these columns, given as name and type."""
    kinds = dict(columns)
    if axes is None:
        first = columns[0][0] if columns else None
        args: JSONObject = {"mark": "bar", "aggregate": "count", **({"x": first} if first else {})}
        return Draft(args, sql, table)
    x, y = axes.x[0], next((name for name in axes.y if name != axes.x[0]), None)
    kind = kind_of_column(kinds[x])
    mark = "line" if kind == "time" else "point" if kind == "number" else "bar"
    return Draft({"mark": mark, "x": x, **({"y": y} if y else {"aggregate": "count"})}, sql, table)


def of_type(draft: Draft, mark: str, columns: Sequence[tuple[str, str]]) -> Draft:
    """Return the draft as another type of chart, given the columns of its rows as name and type.

    Histograms and densities need numbers on x: if x has none, they use the column of y. The old x returns when another
    type of chart is chosen.
    """
    numbers = [name for name, kind in columns if kind_of_column(kind) == "number"]
    x, y = draft.get("x"), draft.get("y") or draft.aside.get("y")
    if mark in _OF_NUMBERS and draft.mark not in _OF_NUMBERS and x not in numbers and y in numbers:
        changed = draft.given(mark=mark, x=y)
        return replace(changed, aside={**changed.aside, _FORMER: x})
    if mark not in _OF_NUMBERS and _FORMER in draft.aside:
        back = draft.aside[_FORMER]
        return fitting(draft.given(**{"mark": mark, "x": back, _FORMER: None}), columns)
    return fitting(draft.given(mark=mark), columns)


def fitting(draft: Draft, columns: Sequence[tuple[str, str]]) -> Draft:
    """Return the draft without the options that do not suit the column on the x axis. `columns` contains the name and
    type of each column.
    """
    kind = kind_of_column(dict(columns).get(str(draft.get("x")), ""))
    unfit = {"grain": kind != "time", "x_scale": kind != "number", "sort": kind == "time"}
    return draft.given(**{name: None for name, is_unfit in unfit.items() if is_unfit and name in draft.args})


def over_rows(draft: Draft, rows: Draft, columns: Sequence[tuple[str, str]]) -> Draft:
    """Return `draft` with the rows of the draft `rows`; `columns` contains the name and type of each of their columns.

    Columns that these rows do not have are removed, or chosen again if the chart needs them. If the rows are a whole
    table, values are combined, by month if x is a time, so that the chart can be drawn at once.
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
    return fitting(made, columns)


def _listed(value: JSON) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []


def kind_of_column(kind: str) -> str:
    """Return the kind of a DuckDB type for a chart: number, time or text."""
    if is_number(kind):
        return "number"
    return "time" if kind == "DATE" or kind.startswith("TIMESTAMP") else "text"


def arguments_of(draft: Draft) -> JSONObject:
    """Return the arguments of the call that draws the draft."""
    rows: JSONObject = {"sql": draft.sql} if draft.sql is not None else {"table": draft.table}
    return rows | draft.given().args


_SHARE = re.compile(r"rows share one mark|are too many for a")


def rows_share_marks(problem: str) -> bool:
    """Return whether a chart was refused because several rows would share one mark."""
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
        """Whether there are changes to save."""
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
