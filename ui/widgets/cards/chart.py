"""Charts: a chart's own card, the chart of a query's result, and one that the reader puts together from columns."""

from collections.abc import Sequence
from typing import Any, Literal

import streamlit as st

from engine.errors import AnabranchError
from engine.rendering.charts.theme import Theme, chart_config
from engine.rendering.plans import ChartPlan
from engine.rendering.rows import MOST_DRAWN, drawn_rows
from engine.rendering.safety import chart_danger
from engine.rendering.tooltips import without_pictures
from engine.views.chat import CallView
from engine.views.results import ResultPage, TableSource
from events.canonical import JSONObject
from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.cards.card import choose_face, file_name, heading, show_foot
from ui.widgets.cards.choice import (
    COMBINE,
    Axes,
    Chosen,
    honest_line,
    measure_of,
    series_spec,
    shared_line,
)
from ui.widgets.cards.downloads import downloads
from ui.widgets.cards.grid import grid, paged_grid
from ui.widgets.cards.sql import sql_face
from ui.widgets.failure import failure
from ui.widgets.files import colour_for, page_of, series_of, source_of
from ui.widgets.parts import fragment
from ui.widgets.show_as import show_as
from ui.words import escape

__all__ = ["chart_card", "draw_chart", "draw_series", "rows_of_chart"]

_HEIGHT = 320
_DRAWN_AS_SHAPES = 2_000
"""Points up to which the browser draws a chart as SVG; more are painted on a canvas."""


@fragment
def chart_card(chat_id: str, call: CallView, plan: ChartPlan, key: str) -> None:
    """Draw it."""
    with st.container(key=f"card-{key}"):
        head = st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center")
        with head:
            st.html(heading(plan.title or "Chart", ""), width="stretch")
            rows = _rows(plan) if plan.file is None else []
            faces = [*(["Data"] if rows or plan.file else []), "Chart", *(["SQL"] if plan.sql else [])]
            face = choose_face(faces, key, first="Chart")
            show_as(chat_id, call, key)
        source = source_of(chat_id, plan.file) if plan.file is not None else None
        drawn = None
        with st.container(key=f"cardbody-{face.lower()}-{key}"):
            if face == "SQL" and plan.sql:
                sql_face(chat_id, call, plan.sql, key)
            elif face == "Data" and source is not None:
                _all_rows(source, key)
            elif face == "Data":
                import pandas as pd  # noqa: PLC0415 - see `frame_of`

                grid(pd.DataFrame(rows), key)
            else:
                drawn = draw_chart(plan, key, chat_id)
        with head:
            downloads(plan.title or "chart", key, source=source, chart=drawn)
        show_foot(chat_id, call, key)


def _rows(plan: ChartPlan) -> list[JSONObject]:
    """The rows that a chart draws, where its plan holds them."""
    given = plan.spec.get("data")
    values = plan.data or (given.get("values") if isinstance(given, dict) else None)
    whole = isinstance(values, list | tuple) and all(isinstance(row, dict) for row in values)
    return list(values) if whole and values else []  # type: ignore[arg-type] # each was just looked at


def rows_of_chart(plan: ChartPlan, chat_id: str) -> list[JSONObject]:
    """Return the rows that a chart draws, out of its plan or its file.

    Raises:
        AnabranchError: the file cannot be read as a table, or is no longer stored.
    """
    if plan.file is None:
        return _rows(plan)
    page = _first_rows(source_of(chat_id, plan.file))
    return drawn_rows([name for name, _ in page.columns], page.rows)


def _all_rows(source: TableSource, key: str) -> None:
    try:
        paged_grid(source, page_of(source).total, key)
    except AnabranchError as error:
        _unread(error)


def _unread(error: AnabranchError) -> None:
    failure(
        "This chart's file cannot be read as a table.", f"{error.message} Run its tool again to make it anew."
    )


_first = OwnerCache[ResultPage](20)


def _first_rows(source: TableSource) -> ResultPage:
    page, engine = page_of(source), app()  # which also says where the file is gone
    if page.total <= len(page.rows):
        return page
    return _first.get(engine, source, lambda: engine.results.page(source, MOST_DRAWN))


def draw_chart(plan: ChartPlan, key: str, chat_id: str) -> dict[str, Any] | None:
    """Draw a plan's own specification; a plan that came with an imported chat is looked through here too.

    Returns the specification with its data, for pictures of it; None if nothing is drawn.
    """
    rows, left = list(plan.data) if plan.data is not None else None, ""
    if plan.file is not None:
        try:
            page = _first_rows(source_of(chat_id, plan.file))
        except AnabranchError as error:
            _unread(error)
            return None
        rows = drawn_rows([name for name, _ in page.columns], page.rows)
        if len(rows) < page.total:
            left = f"The first {len(rows):,} of {page.total:,} rows of {file_name(plan.file)} are drawn."
    danger = chart_danger(plan.spec, rows)  # type: ignore[arg-type] # a list of objects is JSON
    if danger:
        failure("This chart is not drawn.", f"It would fetch from outside: {danger}.")
        return None
    spec: dict[str, Any] = dict(plan.spec)
    if rows is not None:
        spec["data"] = {"values": rows}
    titled = dict(spec)
    if plan.title:
        spec.pop("title", None)
    _draw(spec, plan.title or "Chart", key)
    said = [*plan.notes, *([left] if left else [])]
    if said:
        _say(said)
    return titled


def draw_series(
    source: TableSource, columns: Sequence[tuple[str, str]], axes: Axes, key: str
) -> dict[str, Any] | None:
    """Draw columns of a table that has no chart of its own; the reader chooses which, and how rows are combined.

    Returns the specification with its data, for pictures of it; None if nothing is drawn.
    """
    chosen = _choose(source, dict(columns), axes, key)
    if chosen is None:
        st.html('<p class="ab-empty">No other column has numbers. Choose another one along.</p>')
        return None
    try:
        series = series_of(
            source,
            chosen.x,
            chosen.y,
            color=chosen.color,
            panel=chosen.panel,
            combine=chosen.combine,
            each=chosen.each_row,
        )
    except AnabranchError as error:
        failure("This chart cannot be drawn.", error.message)
        return None
    shared = shared_line(series)
    if shared is not None:
        st.html(f'<p class="ab-warning">{escape(shared)}</p>')
        return None
    if not series.points:
        st.html(
            f'<p class="ab-empty">No row has a value for both {escape(chosen.x)} and {escape(chosen.y)}.</p>'
        )
        return None
    parted = f"{chosen.color}-{chosen.panel}-{chosen.combine}-{chosen.points}"
    title = f"{measure_of(chosen)} by {chosen.x}"
    spec = series_spec(series, chosen)
    _draw(spec, title, f"{key}-{chosen.x}-{chosen.y}-{parted}")
    _say([honest_line(series, chosen)])
    return spec


def _choose(source: TableSource, kinds: dict[str, str], axes: Axes, key: str) -> Chosen | None:
    with st.container(key=f"axes-{key}", horizontal=True, vertical_alignment="bottom"):
        x = st.selectbox("Horizontal", axes.x, key=f"x-{key}", width=135)
        fitting = [name for name in axes.y if name != x]
        y = st.selectbox("Vertical", fitting, key=f"y-{key}", width=135)
        if y is None:
            return None
        groups = [name for name in axes.groups if name != x]
        names = ["None", *groups]
        suggested = _suggested(source, x, groups)
        at = names.index(suggested) if suggested in names else 0
        # a key for each x: what was suggested for one column says nothing about another
        color = st.selectbox("Colour", names, index=at, key=f"color-{key}-{x}", width=120)
        panel = st.selectbox("Panels", names, key=f"panel-{key}-{x}", width=120)
        combine = st.selectbox("Combine", list(COMBINE), key=f"combine-{key}-{x}", width=110)
    return Chosen(
        x=x,
        y=y,
        kind=kinds[x],
        color=color if color != "None" else None,
        panel=panel if panel != "None" else None,
        combine=COMBINE[combine],
        points=combine == "As points",
    )


def _suggested(source: TableSource, x: str, groups: Sequence[str]) -> str | None:
    try:
        return colour_for(source, x, groups)
    except AnabranchError:
        return None  # what is wrong with the file is said when the chart is drawn


def _say(sentences: Sequence[str]) -> None:
    """The honest line below a chart."""
    st.html(f'<p class="ab-empty">{escape(" ".join(sentences))}</p>')


def _draw(spec: dict[str, Any], title: str, key: str) -> None:
    spec = without_pictures(spec)
    given = spec.get("config")
    values = spec["data"].get("values") if isinstance(spec.get("data"), dict) else None
    shapes = not isinstance(values, list) or len(values) <= _DRAWN_AS_SHAPES
    theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
    drawn = spec | {
        "background": "transparent",
        "config": chart_config(theme) | (given if isinstance(given, dict) else {}),
        "usermeta": {"embedOptions": {"renderer": "svg" if shapes else "canvas", "actions": False}},
    }
    unit = "mark" in spec or "layer" in spec
    height: int | Literal["content"] = _HEIGHT if unit else "content"
    st.vega_lite_chart(spec=drawn, width="stretch", height=height, theme=None, key=f"chart-{key}", alt=title)
