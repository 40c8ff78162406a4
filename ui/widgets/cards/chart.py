"""Charts: a chart's own card, the chart of a query's result, and a chart that the reader builds from columns."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from engine.errors import AnabranchError
from engine.rendering.plans import ChartPlan
from engine.views.chart_versions import CHART, Version
from engine.views.chat import CallView
from engine.views.results import TableSource
from ui import session
from ui.widgets.cards.card import choose_face, heading, show_foot
from ui.widgets.cards.chart_editing import Edited, is_editing
from ui.widgets.cards.chart_editor import chart_editor, edit_button
from ui.widgets.cards.chart_version import version_choice
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
from ui.widgets.cards.drawn_chart import draw_chart, draw_spec, given_rows, say, unread
from ui.widgets.cards.grid import grid, paged_grid
from ui.widgets.cards.sql import sql_face
from ui.widgets.cards.table_look import CardTable
from ui.widgets.failure import failure
from ui.widgets.files import colour_for, page_of, series_of, source_of
from ui.widgets.parts import fragment
from ui.widgets.show_as import show_as
from ui.words import escape

__all__ = ["chart_card", "chosen_axes", "draw_series"]


@fragment
def chart_card(
    chat_id: str, call: CallView, plan: ChartPlan, key: str, versions: Sequence[Version] = ()
) -> None:
    """Draw the chart card; `versions` are all versions of this chart, including the given one."""
    edited = Edited(chat_id, call.call_id, key)
    with st.container(key=f"card-{key}"):
        head = st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center")
        with head:
            st.html(heading(plan.title or "Chart", ""), width="stretch")
            rows = given_rows(plan) if plan.file is None else []
            faces = [*(["Data"] if rows or plan.file else []), "Chart", *(["SQL"] if plan.sql else [])]
            version_choice(versions, call.call_id, key)
            face = choose_face(faces, key, first="Chart")
            if call.tool_id == CHART and face == "Chart":
                edit_button(edited, call.args)
            show_as(chat_id, call, key)
        source = source_of(chat_id, plan.file) if plan.file is not None else None
        drawn = None
        with st.container(key=f"cardbody-{face.lower()}-{key}"):
            if face == "SQL" and plan.sql:
                sql_face(chat_id, call, plan.sql, key)
            elif face == "Data" and source is not None:
                _all_rows(source, CardTable(chat_id, call, plan.file.path if plan.file else "", key))
            elif face == "Data":
                import pandas as pd  # noqa: PLC0415 - see `frame_of`

                grid(pd.DataFrame(rows), key)
            elif is_editing(edited):
                chart_editor(edited)
            else:
                drawn = draw_chart(plan, key, chat_id)
        with head:
            downloads(plan.title or "chart", key, source=source, chart=drawn)
        show_foot(chat_id, call, key)


def _all_rows(source: TableSource, table: CardTable) -> None:
    try:
        paged_grid(source, page_of(source).total, table)
    except AnabranchError as error:
        unread(error)


def draw_series(
    source: TableSource, columns: Sequence[tuple[str, str]], axes: Axes, key: str
) -> dict[str, Any] | None:
    """Draw a chart of a table for which no call made one; the reader chooses its columns and how rows are combined.

    Returns the specification with its data, for pictures of it; None if nothing is drawn.
    """
    chosen = _choose(source, dict(columns), axes, key)
    if chosen is None:
        st.html(
            '<p class="ab-empty">No other column has numbers. Choose another column for the horizontal axis.</p>'
        )
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
    if shared := shared_line(series):
        st.html(f'<p class="ab-warning">{escape(shared)}</p>')
        return None
    if not series.points:
        words = f"No row has a value for both {escape(chosen.x)} and {escape(chosen.y)}."
        st.html(f'<p class="ab-empty">{words}</p>')
        return None
    parted = f"{chosen.color}-{chosen.panel}-{chosen.combine}-{chosen.points}"
    title = f"{measure_of(chosen)} by {chosen.x}"
    spec = series_spec(series, chosen)
    draw_spec(spec, title, f"{key}-{chosen.x}-{chosen.y}-{parted}")
    say([honest_line(series, chosen)])
    return spec


def chosen_axes(axes: Axes, key: str) -> dict[str, str | None]:
    """Return the reader's choices for the chart of a table, as arguments of `chart`."""
    x = session.widget_value_or(f"x-{key}", axes.x[0])
    y = session.widget_value_or(f"y-{key}", next((name for name in axes.y if name != x), None))
    parts = {part: session.widget_value_or(f"{part}-{key}-{x}", "None") for part in ("color", "panel")}
    combine = COMBINE.get(session.widget_value_or(f"combine-{key}-{x}", "Not combined"))
    named = {part: None if name == "None" else name for part, name in parts.items()}
    return {"x": x, "y": y, "color": named["color"], "facet": named["panel"], "aggregate": combine}


def _choose(source: TableSource, kinds: dict[str, str], axes: Axes, key: str) -> Chosen | None:
    with st.container(key=f"axes-{key}", horizontal=True, vertical_alignment="bottom"):
        x = st.selectbox("Horizontal", axes.x, key=f"x-{key}", width=125)
        fitting = [name for name in axes.y if name != x]
        y = st.selectbox("Vertical", fitting, key=f"y-{key}", width=125)
        if y is None:
            return None
        groups = [name for name in axes.groups if name != x]
        names = ["None", *groups]
        suggested = _suggested(source, x, groups)
        at = names.index(suggested) if suggested in names else 0
        # the keys contain x, because a suggestion for one column does not apply to another
        color = st.selectbox("Colour", names, index=at, key=f"color-{key}-{x}", width=120)
        panel = st.selectbox("Panels", names, key=f"panel-{key}-{x}", width=120)
        combine = st.selectbox("Combine", list(COMBINE), key=f"combine-{key}-{x}", width=130)
    return Chosen(
        x=x,
        y=y,
        kind=kinds[x],
        color=color if color != "None" else None,
        panel=panel if panel != "None" else None,
        combine=COMBINE[combine],
        points=combine == "Point per row",
    )


def _suggested(source: TableSource, x: str, groups: Sequence[str]) -> str | None:
    try:
        return colour_for(source, x, groups)
    except AnabranchError:
        return None  # the error is shown when the chart is drawn
