"""Renderers of data: `table`, `chart` and `json`."""

import re
from collections.abc import Mapping

from engine.rendering.plans import ChartPlan, JsonPlan, RenderPlan, TablePlan
from engine.rendering.renderer import Found, RenderContext, Renderer
from engine.rendering.renderer_values import decoded, file_ref, optional_file, words
from engine.rendering.rows import CannotShow, table_rows
from engine.rendering.safety import chart_danger
from events.json_value import JSON, JSONObject

__all__ = ["CHART", "JSON_TEXT", "TABLE", "make_table"]

_PLAIN = re.compile(r"[^.\[\]\\\"']+")
"""Matches column names that a chart's specification can contain without escaping."""


def make_table(values: JSONObject, around: RenderContext) -> RenderPlan:
    """Make the plan for showing a table."""
    file = optional_file(values, around)
    columns, rows = table_rows(values.get("rows"), values.get("columns"))
    if file is None and rows is None:
        raise CannotShow("a table needs a file or rows, but neither is given", keys=sorted(around.files))
    return TablePlan(
        title=words(values, "title"),
        file=file,
        columns=columns,
        rows=rows if file is None else None,
        sql=words(values, "sql"),
        shown_to_model=values.get("shown_to_model"),
    )


def _as_table(found: Found) -> Mapping[str, JSON] | None:
    if found.is_table:
        return {"file": found.file}
    return {"rows": found.rows} if found.rows else None


TABLE = Renderer(
    name="table",
    title="Table",
    results_as="as tables",
    sign=("table", "Shows a table"),
    plan=TablePlan,
    make=make_table,
    keys=frozenset({"file", "rows", "columns", "sql", "shown_to_model"}),
    needs=("file", "rows"),
    fitting=_as_table,
)


def _chart(values: JSONObject, around: RenderContext) -> RenderPlan:
    spec = decoded(values.get("spec"))
    if not isinstance(spec, dict):
        raise CannotShow("the chart's spec must be an object: a Vega-Lite specification")
    data, file = values.get("data"), None
    if isinstance(data, str):
        file = file_ref(data, around)
    elif values.get("file") is not None:
        file = optional_file(values, around)
    rows: tuple[JSONObject, ...] | None = None
    if data is not None and not isinstance(data, str):
        columns, found = table_rows(data, None)
        rows = tuple(dict(zip(columns or (), row, strict=True)) for row in found or ())
    danger = chart_danger(spec, list(rows) if rows else None)
    if danger:
        raise CannotShow(danger)
    row_count = values.get("row_count")
    return ChartPlan(
        title=words(values, "title"),
        spec=spec,
        data=rows,
        file=file,
        sql=words(values, "sql"),
        row_count=row_count if isinstance(row_count, int) and not isinstance(row_count, bool) else None,
    )


def _as_chart(found: Found) -> Mapping[str, JSON] | None:
    if found.spec:
        return {"spec": found.spec}
    # If there is a table file, the rows are only a sample of it, and a chart of a sample would mislead.
    spec = _bars(found.first) if found.rows and not found.is_table else None
    return {"spec": spec, "data": found.rows} if spec else None


def _bars(rows: tuple[JSON, ...]) -> JSONObject | None:
    """Return a bar chart of the first numeric column by the first column that is not numeric; None if there is no such
    column.
    """
    objects = [row for row in rows if isinstance(row, dict)]
    columns = [name for name in (objects[0] if objects else {}) if _PLAIN.fullmatch(name)]
    numbers = [name for name in columns if all(_is_number(row.get(name)) for row in objects)]
    along = next((name for name in columns if name not in numbers), None)
    if len(objects) < 2 or along is None or not numbers:
        return None
    x, y = (name.replace("$", "$$") for name in (along, numbers[0]))
    return {
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {"field": x, "type": "nominal", "sort": None},
            "y": {"field": y, "type": "quantitative"},
        },
    }


def _is_number(value: JSON) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


CHART = Renderer(
    name="chart",
    title="Chart",
    results_as="as charts",
    sign=("bar_chart", "Shows a chart"),
    plan=ChartPlan,
    make=_chart,
    keys=frozenset({"spec", "data", "file", "sql", "row_count"}),
    needs=("spec",),
    fitting=_as_chart,
)


def _json(values: JSONObject, _around: RenderContext) -> RenderPlan:
    title = words(values, "title")
    return (
        JsonPlan(title=title, source="value", value=values["value"])
        if "value" in values
        else JsonPlan(title=title)
    )


JSON_TEXT = Renderer(
    name="json",
    title="JSON",
    results_as="as JSON",
    plan=JsonPlan,
    make=_json,
    keys=frozenset({"value"}),
    fitting=lambda _: {},
)
