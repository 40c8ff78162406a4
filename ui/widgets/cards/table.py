"""A table's card: its rows, their chart, its SQL, its downloads."""

from collections.abc import Sequence

import streamlit as st

from engine.errors import AnabranchError
from engine.rendering.plans import ChartPlan, TablePlan
from engine.rendering.titles import table_title
from engine.views.chart_versions import CHART, Version
from engine.views.chat import CallView
from engine.views.source_readings import sql_over_files
from events.canonical import JSON
from ui.widgets.cards.card import choose_face, file_name, heading, show_foot, show_notes
from ui.widgets.cards.chart import chosen_axes, draw_series
from ui.widgets.cards.chart_editing import Edited, is_editing
from ui.widgets.cards.chart_editor import chart_editor, edit_button
from ui.widgets.cards.chart_version import version_choice
from ui.widgets.cards.choice import Axes, choose_axes
from ui.widgets.cards.cleaning import clean_button, clean_offers
from ui.widgets.cards.downloads import downloads
from ui.widgets.cards.drawn_chart import draw_chart
from ui.widgets.cards.grid import OnCell, grid, paged_grid
from ui.widgets.cards.sql import sql_face
from ui.widgets.cards.table_look import CardTable, look_of
from ui.widgets.cards.table_view import show_totals, view_menu
from ui.widgets.failure import failure
from ui.widgets.files import PAGE, page_of, source_of, table_named
from ui.widgets.parts import fragment
from ui.widgets.rows_asked import ask_for_rows
from ui.widgets.show_as import show_as
from ui.words import count, escape

__all__ = ["table_card"]


@fragment
def table_card(
    chat_id: str,
    call: CallView,
    plan: TablePlan,
    key: str,
    drawn: Version | None = None,
    versions: Sequence[Version] = (),
) -> None:
    """Draw the table card; `drawn` is the chart that a later call made of this very result, one of its `versions`."""
    if plan.file is None:
        _given_rows(chat_id, call, plan, key)
        return
    source = source_of(chat_id, plan.file)
    try:
        first = page_of(source)
    except AnabranchError as error:
        failure("This table is no longer here.", f"{error.message} Run its tool again to recreate it.")
        return
    axes = choose_axes(first.columns, first.total)
    shown = CardTable(chat_id, call, plan.file.path, key)
    edited = Edited(chat_id, (drawn.call if drawn else call).call_id, key)
    faces = ["Data", *(["Chart"] if drawn or axes else []), *(["SQL"] if plan.sql else [])]
    note = f"{count(first.total, 'row')} · {count(len(first.columns), 'column')}"
    with st.container(key=f"card-{key}"):
        head = st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center")
        with head:
            st.html(
                heading(_title(plan, drawn.plan if drawn else None, first.columns), note), width="stretch"
            )
            face = choose_face(faces, key, "Chart" if drawn else "Data")
            if face == "Chart":
                version_choice(versions, drawn.call.call_id if drawn else "", key)
                _edit(edited, call, plan, drawn, axes)
            named = plan.name if table_named(chat_id, plan.name, plan.file.sha256) else None
            view_menu(shown, first.columns, named, sorts=first.total <= PAGE)
            clean_button(chat_id, call, sql_over_files(call, plan.sql), plan.name, key)
            show_as(chat_id, call, key)
        chart = None
        with st.container(key=f"cardbody-{face.lower()}-{key}"):
            if face == "SQL":
                sql_face(chat_id, call, plan.sql or "", key)
            elif face == "Chart" and is_editing(edited):
                chart_editor(edited)
            elif face == "Chart" and drawn is not None:
                chart = draw_chart(drawn.plan, key, chat_id)
            elif face == "Chart":
                chart = draw_series(source, first.columns, axes or Axes((), ()), key)
            else:
                paged_grid(source, first.total, shown, _which_rows(chat_id, call, key) if plan.sql else None)
                if (look := look_of(shown)).totals:
                    show_totals(source, first.total, look)
        with head:
            downloads(file_name(plan.file), key, source=source, rows=first.total, chart=chart)
        show_notes(plan.notes)
        clean_offers(chat_id, call, sql_over_files(call, plan.sql), plan.name, key)
        show_foot(chat_id, call, key, _seen(plan), first.total, plan.file.path)


def _edit(edited: Edited, call: CallView, plan: TablePlan, drawn: Version | None, axes: Axes | None) -> None:
    """Offer to edit the chart of a later call, or to make one of this table."""
    if drawn is not None:
        edit_button(edited, drawn.call.args if drawn.call.tool_id == CHART else None)
        return
    rows: dict[str, JSON] = {}
    if plan.file is not None and table_named(edited.chat_id, plan.name, plan.file.sha256):
        rows = {"table": plan.name}
    elif sql := sql_over_files(call, plan.sql):
        rows = {"sql": sql}
    edit_button(edited, rows or None, lambda: chosen_axes(axes, edited.key) if axes else {})


def _which_rows(chat_id: str, call: CallView, key: str) -> OnCell:
    """Return what offers the rows of the inputs behind the chosen cell, below the grid."""

    def offer(row: int, column: str, value: object) -> None:
        shown = f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else value
        named = f"{column}, row {row + 1:,}: {'empty' if value is None else shown}"
        with st.container(key=f"cell-card-{key}", horizontal=True, vertical_alignment="center"):
            st.html(f'<span class="ab-meta">{escape(named)}</span>')
            if st.button(
                "Which rows?",
                icon=":material/table_rows:",
                key=f"cell-rows-{key}",
                type="tertiary",
                help="Show the rows of the inputs behind this cell",
            ):
                ask_for_rows(chat_id, call.call_id, row, column, named)
                st.rerun()

    return offer


def _title(plan: TablePlan, drawn: ChartPlan | None, columns: Sequence[tuple[str, str]]) -> str:
    """The title of the table or of its chart, or what its columns and SQL say."""
    made = table_title(plan.title, plan.name, plan.sql, columns)
    return drawn.title if made != plan.title and drawn and drawn.title else made


def _seen(plan: TablePlan) -> int | None:
    seen = plan.shown_to_model
    return len(seen) if isinstance(seen, list) else seen if isinstance(seen, int) else None


def _given_rows(chat_id: str, call: CallView, plan: TablePlan, key: str) -> None:
    """A table whose rows stand in the plan itself."""
    import pandas as pd  # noqa: PLC0415 - see `frame_of`

    rows = [list(row) for row in plan.rows or ()]
    frame = pd.DataFrame(rows, columns=list(plan.columns) if plan.columns else None)
    named = [(name, "") for name in plan.columns or ()]
    faces = ["Data", "SQL"] if plan.sql else ["Data"]
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center"):
            note = f"{count(len(frame), 'row')} · {count(len(frame.columns), 'column')}"
            st.html(heading(_title(plan, None, named), note), width="stretch")
            face = choose_face(faces, key)
            show_as(chat_id, call, key)
        with st.container(key=f"cardbody-{face.lower()}-{key}"):
            if face == "SQL":
                sql_face(chat_id, call, plan.sql or "", key)
            else:
                grid(frame, key)
        show_notes(plan.notes)
        show_foot(chat_id, call, key, _seen(plan), len(frame))
