"""A table's card: its rows, their chart, its SQL, its downloads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.errors import AnabranchError
from engine.rendering.plans import ChartPlan, TablePlan
from engine.rendering.titles import table_title
from engine.views.chart_versions import CHART, Version
from engine.views.chat import CallView
from engine.views.results import ResultPage, TableSource
from engine.views.source_readings import sql_over_files
from events.json_value import JSON
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
    """Draw the table card. If a later call drew a chart from the table, `versions` are the versions of this chart, and
    `drawn` is the version to show."""
    if plan.file is None:
        _given_rows(chat_id, call, plan, key)
        return
    source = source_of(chat_id, plan.file)
    try:
        first = page_of(source)
    except AnabranchError as error:
        failure("This table is no longer available.", f"{error.message} Run its tool again to recreate it.")
        return
    card = _Card(
        call=call,
        shown=CardTable(chat_id, call, plan.file.path, key),
        plan=plan,
        source=source,
        first=first,
        axes=choose_axes(first.columns, first.total),
        drawn=drawn,
        versions=versions,
    )
    with st.container(key=f"card-{key}"):
        head = st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center")
        with head:
            face = _head(card)
        with st.container(key=f"cardbody-{face.lower()}-{key}"):
            chart = _body(card, face)
        with head:
            downloads(file_name(plan.file), key, source=source, rows=first.total, chart=chart)
        show_notes(plan.notes)
        clean_offers(chat_id, call, sql_over_files(call, plan.sql), plan.name, key)
        show_foot(chat_id, call, key, _seen(plan), first.total, plan.file.path)


@dataclass(frozen=True, slots=True)
class _Card:
    """The card being drawn: its table, and the chart that a later call made of the table, if there is one."""

    call: CallView
    shown: CardTable
    plan: TablePlan
    source: TableSource
    first: ResultPage
    axes: Axes | None
    drawn: Version | None
    versions: Sequence[Version]

    @property
    def edited(self) -> Edited:
        """The chart that this card edits."""
        call = self.drawn.call if self.drawn else self.call
        return Edited(self.shown.chat_id, call.call_id, self.shown.key)


def _head(card: _Card) -> str:
    """Draw the title and the menus; return the view that the reader chose."""
    call, plan, first, drawn = card.call, card.plan, card.first, card.drawn
    chat_id, key = card.shown.chat_id, card.shown.key
    faces = ["Data", *(["Chart"] if drawn or card.axes else []), *(["SQL"] if plan.sql else [])]
    note = f"{count(first.total, 'row')} · {count(len(first.columns), 'column')}"
    st.html(heading(_title(plan, drawn.plan if drawn else None, first.columns), note), width="stretch")
    face = choose_face(faces, key, "Chart" if drawn else "Data")
    if face == "Chart":
        version_choice(card.versions, drawn.call.call_id if drawn else "", key)
        _edit(card.edited, call, plan, drawn, card.axes)
    is_named = plan.file is not None and table_named(chat_id, plan.name, plan.file.sha256)
    view_menu(card.shown, first.columns, plan.name if is_named else None, sorts=first.total <= PAGE)
    clean_button(chat_id, call, sql_over_files(call, plan.sql), plan.name, key)
    show_as(chat_id, call, key)
    return face


def _body(card: _Card, face: str) -> dict[str, Any] | None:
    """Draw the chosen view; return the chart that was drawn, if any."""
    call, shown, first, sql = card.call, card.shown, card.first, card.plan.sql
    if face == "SQL":
        sql_face(shown.chat_id, call, sql or "", shown.key)
    elif face == "Chart" and is_editing(card.edited):
        chart_editor(card.edited)
    elif face == "Chart" and card.drawn is not None:
        return draw_chart(card.drawn.plan, shown.key, shown.chat_id)
    elif face == "Chart":
        return draw_series(card.source, first.columns, card.axes or Axes((), ()), shown.key)
    else:
        on_cell = _which_rows(shown.chat_id, call, shown.key) if sql else None
        paged_grid(card.source, first.total, shown, on_cell)
        if (look := look_of(shown)).totals:
            show_totals(card.source, first.total, look)
    return None


def _edit(edited: Edited, call: CallView, plan: TablePlan, drawn: Version | None, axes: Axes | None) -> None:
    """Offer to edit the chart that a later call made, or to make a chart of this table."""
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
    """Return the callback that offers, below the grid, the input rows behind the chosen cell."""

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
                help="Show the input rows behind this cell",
            ):
                ask_for_rows(chat_id, call.call_id, row, column, named)
                st.rerun()

    return offer


def _title(plan: TablePlan, drawn: ChartPlan | None, columns: Sequence[tuple[str, str]]) -> str:
    """Return the title of the table or of its chart, or a title made from its columns and SQL."""
    made = table_title(plan.title, plan.name, plan.sql, columns)
    return drawn.title if made != plan.title and drawn and drawn.title else made


def _seen(plan: TablePlan) -> int | None:
    seen = plan.shown_to_model
    return len(seen) if isinstance(seen, list) else seen if isinstance(seen, int) else None


def _given_rows(chat_id: str, call: CallView, plan: TablePlan, key: str) -> None:
    """Draw a table whose rows are in the plan itself."""
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
