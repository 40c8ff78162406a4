"""Draws the result of one SELECT as a chart: from short arguments, or from a whole Vega-Lite specification without
data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anabranch_tool import ToolError, tables
from anabranch_tool.context import given
from anabranch_tool.result_names import name_from
from tools.chart_asked import COMPUTED, LAYERS, MARKS, Asked, Used, check, used_columns
from tools.chart_columns import Column, columns_of, quote
from tools.chart_computed import computed
from tools.chart_data import Rows
from tools.chart_rows import fetched, prepared
from tools.chart_spec import short_spec
from tools.chart_suggested import suggested
from tools.chart_whole import whole_spec
from tools.chart_words import honest_line, said_of, said_of_spec, title_of
from tools.select import Result, run_select

_LONGEST = 500
_LONGEST_TITLE = 120


def run(
    workspace: Path,
    sql: str | None = None,
    table: str | None = None,
    spec: Mapping[str, Any] | None = None,
    mark: str | None = None,
    x: str | None = None,
    y: str | None = None,
    color: str | None = None,
    facet: str | None = None,
    row: str | None = None,
    column: str | None = None,
    size: str | None = None,
    text: str | None = None,
    series: Sequence[str] = (),
    layers: Sequence[Mapping[str, Any]] = (),
    grain: str = "none",
    aggregate: str = "none",
    sort: str = "auto",
    stack: str = "auto",
    orientation: str = "auto",
    scale: str = "linear",
    x_scale: str = "linear",
    zero: bool | None = None,
    range: Sequence[float] | None = None,
    format: str | None = None,
    bins: int | None = None,
    labels: bool | None = None,
    rule_at: float | None = None,
    rule_label: str | None = None,
    x_title: str | None = None,
    y_title: str | None = None,
    palette: str | None = None,
    title: str | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """Draw the chart and return a summary for the model. Keys that begin with an underscore go only to the page."""
    told = {key: value for key, value in locals().items() if key in Asked.__slots__ and value is not None}
    statement = _statement(sql, table)
    _one_form(spec, mark, told)
    result = run_select(workspace, statement)
    try:
        chosen: list[str] = []
        if spec is None and mark is None:
            parts, note = suggested(columns_of(result.columns))
            told, chosen = told | parts, [note]
        drawn = _whole(result, spec) if spec is not None else _short(result, Asked(**told))
        notes = [*chosen, *drawn.notes, *_notes_of(result, statement)]
    finally:
        result.opened.close()
    heading = title or drawn.heading
    return {
        "chart": _name(name, heading),
        "title": heading[:_LONGEST_TITLE],
        "summary": _cut(drawn.summary, _LONGEST),
        "notes": list(dict.fromkeys(notes)),
        "_spec": drawn.spec,
        "_values": drawn.values,
        "_sql": statement,
        "_rows": result.rows if spec is not None else None,
    }


@dataclass(frozen=True, slots=True)
class _Drawn:
    spec: dict[str, Any]
    values: list[dict[str, Any]]
    notes: list[str]
    summary: str
    heading: str
    """The title if the call gives none."""


def _whole(result: Result, spec: Mapping[str, Any]) -> _Drawn:
    made, values, notes = whole_spec(result, columns_of(result.columns), dict(spec))
    summary, heading = said_of_spec(result, values, made), _own_title(made) or "Chart"
    made.pop("title", None)
    return _Drawn(made, values, notes, summary, heading)


def _short(result: Result, asked: Asked) -> _Drawn:
    rows = _rows(result, asked, columns_of(result.columns))
    made = short_spec(rows, asked)
    notes = [honest_line(rows, asked), *rows.notes]
    return _Drawn(made, rows.values, notes, said_of(rows, asked), title_of(rows, asked))


def _statement(sql: str | None, table: str | None) -> str:
    if (sql is None) == (table is None):
        raise ToolError(
            "Give either `sql`, one SELECT, or `table`, the name of a table or of an earlier result."
        )
    if sql is not None:
        return sql.strip()
    moment, _, name = (table or "").partition(".")
    if any(moment == one["name"] for one in given.get("moments", ())):
        return f"SELECT * FROM {quote(moment)}.{quote(name)}"
    return f"SELECT * FROM {quote(table or '')}"


def _one_form(spec: Mapping[str, Any] | None, mark: str | None, given: Mapping[str, Any]) -> None:
    if spec is None and mark is None and any(given.get(part) for part in ("x", "y", "color", "series")):
        raise ToolError(
            f"Give `mark` ({', '.join(MARKS)}) with x and y, or a whole Vega-Lite `spec` without data."
        )
    if spec is not None:
        defaults = {
            "series": (),
            "layers": (),
            "grain": "none",
            "aggregate": "none",
            "sort": "auto",
            "stack": "auto",
            "orientation": "auto",
            "scale": "linear",
            "x_scale": "linear",
        }
        more = [
            key
            for key, value in given.items()
            if value != defaults.get(key) and list(defaults.get(key, "-")) != value
        ]
        if more:
            raise ToolError(
                f"`spec` already describes the whole chart: leave out {', '.join(more)}, or leave out `spec`."
            )
    elif mark is not None and mark not in MARKS:
        raise ToolError(f"“{mark}” is not a mark. Marks are: {', '.join(MARKS)}.")


def _rows(result: Result, asked: Asked, columns: list[Column]) -> Rows:
    for layer in asked.layers:
        if layer.get("mark", "line") not in LAYERS:
            raise ToolError(f"layers: mark must be one of {', '.join(LAYERS)}.")
    if asked.layers and (asked.mark not in ("bar", "line", "area", "point") or asked.series or asked.color):
        raise ToolError(
            "layers: can only be drawn over a bar, line, area or point chart without color and series."
        )
    used = used_columns(asked, columns)
    if asked.mark == "boxplot" and used.y is None:
        used = Used(
            **{part: getattr(used, part) for part in Used.__slots__}
            | {"x": None, "y": used.x, "flipped": True}
        )
    if not asked.series:
        check(asked, used)
    rows = prepared(result.opened.connection, asked, used, columns, result.rows)
    if asked.series:
        check(asked, rows.used)
    if asked.mark in COMPUTED:
        computed(rows, asked)
    else:
        fetched(rows, asked)
    return rows


def _own_title(spec: Mapping[str, Any]) -> str | None:
    title = spec.get("title")
    text = title.get("text") if isinstance(title, dict) else title
    return text if isinstance(text, str) else None


def _notes_of(result: Result, statement: str) -> list[str]:
    """Return sentences about rows and values that are missing in the tables and columns that this SQL uses."""
    notes_for = getattr(tables, "notes_for", None)
    return list(notes_for(result.opened, statement)) if notes_for is not None else list(result.notes)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rsplit(" ", 1)[0] + "…"


def _name(name: str | None, title: str) -> str:
    """Return a name by which answers can refer to the chart. Charts from parallel calls get different names."""
    wanted = name_from(name) if name else f"{name_from(title)}_chart"
    beside = [call["arguments"] for call in given.get("beside", []) if call["tool"] == "data-analyst:chart"]
    taken = [wanted for arguments in beside if isinstance(arguments, dict) and _wished(arguments) == wanted]
    return f"{wanted}_{len(beside) + 1}" if taken else wanted


def _wished(arguments: Mapping[str, Any]) -> str:
    """Return the chart name that another call's arguments ask for; "" if they give neither a name nor a title."""
    name, title = arguments.get("name"), arguments.get("title")
    return name_from(str(name)) if name else f"{name_from(str(title))}_chart" if title else ""
