"""The dialog "Which rows?": the input rows behind a cell, a page at a time, and as CSV."""

import math
from collections.abc import Callable

import streamlit as st

from engine.errors import AnabranchError
from engine.views.results import ResultPage
from engine.workspace.input_rows import MOST_WRITTEN, FoundRows, InputRows
from ui.acts import once
from ui.current_app import app
from ui.widgets.cards.grid import grid
from ui.widgets.failure import failure
from ui.widgets.files import PAGE, frame_of
from ui.widgets.parts import dialog
from ui.widgets.rows_asked import forget_rows, rows_asked
from ui.widgets.rows_search import CellPage, drop_search, drop_searches_except, rows_search, show_search
from ui.words import count, escape

__all__ = ["rows_dialog"]


def rows_dialog(chat_id: str) -> None:
    """Draw the dialog, if it was requested in this chat."""
    asked = rows_asked(chat_id)
    if asked is not None:
        dialog("Which rows?", width="large", on_dismiss=forget_rows)(_rows)(*asked)


def _rows(chat_id: str, call_id: str, row: int, column: str, named: str) -> None:
    cell = (chat_id, call_id, row, column)
    found = _page((*cell, 0), "first")
    if found is None:
        drop_searches_except({(*cell, 0)})
        return
    st.html(
        f'<p class="ab-note">The rows behind <b>{escape(named)}</b>. Running the query on only these rows '
        "gives the same value.</p>"
    )
    for note in found.notes:
        st.html(f'<div class="ab-warning">{escape(note)}</div>')
    shown = {_table(cell, at, table) for at, table in enumerate(found.tables)}
    drop_searches_except({(*cell, 0), *((*cell, offset) for offset in shown)})


def _page(wanted: CellPage, key: str) -> FoundRows | None:
    """Return a page of the rows. If the search is running, was stopped or failed, show that and return None."""
    search = rows_search(wanted)
    if not search.task.is_done:
        show_search(search, key)
        return None
    try:
        return search.task.outcome()
    except AnabranchError as error:
        if search.is_stopped:
            _stopped(wanted, key)
        else:
            failure("The rows cannot be shown.", error.message)
        return None


def _stopped(wanted: CellPage, key: str) -> None:
    st.html('<p class="ab-note">The search was stopped, so no rows are shown.</p>')
    st.button("Search again", key=f"again-{key}", on_click=once(f"again-{key}", drop_search), args=(wanted,))


def _table(cell: tuple[str, str, int, str], at: int, table: InputRows) -> int:
    """Draw the rows of one input; return how many rows precede the shown page."""
    source = f" · {escape(table.path)}" if table.path else ""
    with st.container(key=f"behind-{at}"):
        with st.container(key=f"behind-head-{at}", horizontal=True, vertical_alignment="center"):
            told = f"{table.used:,} of {count(table.all, 'row')}"
            st.html(
                f'<h4 class="ab-rows-head">{escape(table.table)} <span class="ab-meta">{told}{source}</span></h4>',
                width="stretch",
            )
            too_many = (
                f"The first {MOST_WRITTEN:,} rows of {table.used:,}" if table.used > MOST_WRITTEN else None
            )
            st.download_button(
                "CSV",
                _csv(cell, at),
                f"{table.table}-rows.csv",
                "text/csv",
                icon=":material/download:",
                key=f"behind-csv-{at}",
                on_click="ignore",
                type="tertiary",
                help=too_many or f"All {count(table.used, 'row')} as CSV",
                disabled=not table.used,
            )
        pages = math.ceil(table.used / PAGE)
        body = st.container()
        page = st.pagination(pages, key=f"behind-page-{at}", max_visible_pages=5) if pages > 1 else 1
        offset = (page - 1) * PAGE
        with body:
            found = _page((*cell, offset), f"{at}-{page}") if offset else None
            shown = found.tables[at] if found is not None else table
            if found is not None or not offset:
                _grid(shown, f"behind-{at}-{page}")
        if pages > 1 and (found is not None or not offset):
            told = f"Rows {offset + 1:,} to {offset + len(shown.rows):,} of {table.used:,}"
            st.html(f'<span class="ab-meta">{told}</span>')
        return offset


def _grid(table: InputRows, key: str) -> None:
    if not table.rows:
        st.html(f'<p class="ab-empty">No row of {escape(table.table)} is behind this value.</p>')
        return
    columns = tuple((name, "") for name in table.columns)
    grid(frame_of(ResultPage(columns, table.rows, len(table.rows), len(table.rows))), key)


def _csv(cell: tuple[str, str, int, str], at: int) -> Callable[[], bytes]:
    engine = app()  # `written` is called outside a run of the page, so the app is looked up here
    chat_id, call_id, row, column = cell

    def written() -> bytes:
        tables = engine.rows_behind(chat_id, call_id, row, column, limit=1, csv=True).tables
        return tables[at].csv or b""

    return written
