"""Charts: a chart's own card, the chart of a query's result, and one that the reader puts together from columns."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from engine.errors import AnabranchError
from engine.rendering.plans import ChartPlan
from engine.rendering.safety import chart_danger
from engine.rendering.tooltips import without_pictures
from engine.views.chat import CallView
from engine.views.results import ResultPage, TableSource
from events.canonical import JSONObject
from ui.kept import Kept
from ui.shared import app
from ui.widgets.cards.card import choose_face, file_name, heading, show_foot
from ui.widgets.cards.choice import Axes, is_name, is_number, series_spec
from ui.widgets.cards.downloads import downloads
from ui.widgets.cards.grid import grid, paged_grid
from ui.widgets.cards.sql import sql_face
from ui.widgets.failure import failure
from ui.widgets.files import page_of, series_of, source_of
from ui.widgets.parts import fragment
from ui.widgets.show_as import show_as
from ui.words import escape

__all__ = ["chart_card", "draw_chart", "draw_series", "drawn_rows"]

_HEIGHT = 320
_DRAWN_AS_SHAPES = 2_000
"""Points up to which a chart is made of shapes, so that it is also taken along as SVG; more are painted."""
_MOST_ROWS = 5_000
"""Of a file's, that go to the browser; and of their cells:"""
_MOST_CELLS = 100_000


@fragment
def chart_card(chat_id: str, call: CallView, plan: ChartPlan, key: str) -> None:
    """Draw it."""
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center"):
            st.html(heading(plan.title or "Chart", ""), width="stretch")
            rows = _rows(plan) if plan.file is None else []
            faces = [*(["Data"] if rows or plan.file else []), "Chart", *(["SQL"] if plan.sql else [])]
            face = choose_face(faces, key, first="Chart")
            show_as(chat_id, call, key)
            source = source_of(chat_id, plan.file) if plan.file is not None else None
            if face == "Chart" or source is not None:
                downloads(plan.title or "chart", key, source=source, chart=face == "Chart")
        with st.container(key=f"cardbody-{face.lower()}-{key}"):
            if face == "SQL" and plan.sql:
                sql_face(chat_id, call, plan.sql, key)
            elif face == "Data" and source is not None:
                _all_rows(source, key)
            elif face == "Data":
                import pandas as pd  # noqa: PLC0415 - see `frame_of`

                grid(pd.DataFrame(rows), key)
            else:
                draw_chart(plan, key, chat_id)
        show_foot(chat_id, call, key)


def _rows(plan: ChartPlan) -> list[JSONObject]:
    """The rows that a chart draws, where its plan holds them."""
    given = plan.spec.get("data")
    values = plan.data or (given.get("values") if isinstance(given, dict) else None)
    whole = isinstance(values, list | tuple) and all(isinstance(row, dict) for row in values)
    return list(values) if whole and values else []  # type: ignore[arg-type] # each was just looked at


def _all_rows(source: TableSource, key: str) -> None:
    try:
        paged_grid(source, page_of(source).total, key)
    except AnabranchError as error:
        _unread(error)


def _unread(error: AnabranchError) -> None:
    failure(
        "This chart's file cannot be read as a table.", f"{error.message} Run its tool again to make it anew."
    )


def drawn_rows(page: ResultPage) -> list[JSONObject]:
    """Return the rows of a file that a chart draws: as many as a browser draws without trouble."""
    names = [name for name, _ in page.columns]
    most = max(1, _MOST_CELLS // max(1, len(names)))
    return [dict(zip(names, row, strict=True)) for row in page.rows[:most]]


_first = Kept[ResultPage](20)


def _first_rows(source: TableSource) -> ResultPage:
    page, engine = page_of(source), app()  # which also says where the file is gone
    if page.total <= len(page.rows):
        return page
    return _first.get(engine, source, lambda: engine.results.page(source, _MOST_ROWS))


def draw_chart(plan: ChartPlan, key: str, chat_id: str) -> None:
    """Draw a plan's own specification; a plan that came with an imported chat is looked through here too."""
    rows, left = list(plan.data) if plan.data is not None else None, ""
    if plan.file is not None:
        try:
            page = _first_rows(source_of(chat_id, plan.file))
        except AnabranchError as error:
            _unread(error)
            return
        rows = drawn_rows(page)
        if len(rows) < page.total:
            left = f"The first {len(rows):,} of {page.total:,} rows of {file_name(plan.file)} are drawn."
    danger = chart_danger(plan.spec, rows)  # type: ignore[arg-type] # a list of objects is JSON
    if danger:
        failure("This chart is not drawn.", f"It would fetch from outside: {danger}.")
        return
    spec: dict[str, Any] = dict(plan.spec)
    if plan.title:
        spec.pop("title", None)
    if rows is not None:
        spec["data"] = {"values": rows}
    _draw(spec, plan.title or "Chart", key)
    if left:
        st.html(f'<p class="ab-empty">{escape(left)}</p>')


def draw_series(source: TableSource, columns: Sequence[tuple[str, str]], axes: Axes, key: str) -> None:
    """Draw two columns of a table that has no chart of its own; the reader chooses which."""
    kinds = dict(columns)
    with st.container(key=f"axes-{key}", horizontal=True, vertical_alignment="center"):
        x = st.selectbox("Horizontal", axes.x, key=f"x-{key}", width=200)
        fitting = [name for name in axes.y if name != x]
        y = st.selectbox("Vertical", fitting, key=f"y-{key}", width=200)
    if y is None:
        st.html('<p class="ab-empty">No other column has numbers. Choose another one along.</p>')
        return
    points = is_number(kinds[x]) and not is_name(x)
    try:
        series = series_of(source, x, y, not points)
    except AnabranchError as error:
        failure("This chart cannot be drawn.", error.message)
        return
    _draw(series_spec(series, x, y, kinds[x]), f"{y} by {x}", f"{key}-{x}-{y}")
    told = []
    if series.summed:
        told.append(f"{y} is added up for each {x}.")
    if series.every > 1:
        told.append(f"Every {series.every}th of {series.rows:,} rows is drawn.")
    if series.more:
        told.append(f"The first {len(series.points):,} values of {x} are drawn.")
    if told:
        st.html(f'<p class="ab-empty">{escape(" ".join(told))}</p>')


def _draw(spec: dict[str, Any], title: str, key: str) -> None:
    spec = without_pictures(spec)
    given = spec.get("config")
    values = spec["data"].get("values") if isinstance(spec.get("data"), dict) else None
    shapes = not isinstance(values, list) or len(values) <= _DRAWN_AS_SHAPES
    drawn = spec | {
        "background": "transparent",
        "config": {"axisX": {"labelAngle": 0, "labelOverlap": True}}
        | (given if isinstance(given, dict) else {}),
        "usermeta": {"embedOptions": {"renderer": "svg" if shapes else "canvas", "actions": False}},
    }
    st.vega_lite_chart(spec=drawn, width="stretch", height=_HEIGHT, key=f"chart-{key}", alt=title)
