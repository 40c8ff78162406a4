"""The searches of the dialog "Which rows?", one for each page of rows: each can take two minutes and can be stopped."""

from collections.abc import Collection, Mapping

import streamlit as st

from engine.app.app import App
from engine.workspace.input_rows import FoundRows
from ui import session
from ui.acts import once
from ui.background_task import StoppableTask
from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.files import PAGE
from ui.widgets.parts import fragment

__all__ = [
    "CellPage",
    "RowsSearch",
    "drop_search",
    "drop_searches_except",
    "rows_search",
    "show_search",
    "stop_searches",
]

CellPage = tuple[str, str, int, str, int]
"""The chat, call, row and column of a cell, and how many rows of each input precede the page."""
_SEARCHES = "rows-searches"
_EVERY = 0.5
"""Seconds between checks of a running search."""
_AT_ONCE = 0.2
"""Seconds that the page waits for rows, which are often known already."""
_found = OwnerCache[FoundRows](100)


class RowsSearch(StoppableTask[FoundRows]):
    """One search, in a separate thread."""

    def begin(self, engine: App, wanted: CellPage) -> None:
        """Start the search. A call's inputs never change, so found pages are cached."""
        chat_id, call_id, row, column, offset = wanted
        self.task.begin(
            lambda: _found.get(
                engine,
                wanted,
                lambda: engine.rows_behind(
                    chat_id, call_id, row, column, limit=PAGE, offset=offset, cancel=self._cancel
                ),
            )
        )
        self.task.wait(_AT_ONCE)


def rows_search(wanted: CellPage) -> RowsSearch:
    """Return the search for a page of rows; start it if there is none yet."""
    searches = dict(_searches())
    if wanted not in searches:
        searches[wanted] = RowsSearch()
        session.remember(_SEARCHES, searches)
        searches[wanted].begin(app(), wanted)
    return searches[wanted]


def show_search(search: RowsSearch, key: str) -> None:
    """Show how long a search has been running, with a button that stops it; the page is drawn again when it ends."""
    fragment(_running, run_every=_EVERY)(search, key)


def drop_searches_except(wanted: Collection[CellPage]) -> None:
    """Stop and forget the searches for pages that are not shown."""
    searches = _searches()
    for page in searches.keys() - set(wanted):
        searches[page].stop()
    session.remember(_SEARCHES, {page: one for page, one in searches.items() if page in wanted})


def drop_search(page: CellPage) -> None:
    """Forget a search, so that the next drawing starts it again."""
    drop_searches_except(_searches().keys() - {page})


def stop_searches() -> None:
    """Stop and forget all searches of this tab."""
    drop_searches_except(())


def _searches() -> Mapping[CellPage, RowsSearch]:
    searches: Mapping[CellPage, RowsSearch] = session.remembered(_SEARCHES, {})
    return searches


def _running(search: RowsSearch, key: str) -> None:
    """Draw the progress of the search with a Stop button, or rerun the page if the search is done."""
    if search.task.is_done:
        st.rerun(scope="app")
    with st.container(key=f"finding-{key}", horizontal=True, vertical_alignment="center"):
        words = "Stopping" if search.is_stopped else f"Finding the rows · {search.task.seconds} s"
        st.html(f'<span class="ab-note" role="status">{words}</span>', width="content")
        st.button(
            "Stop",
            icon=":material/stop:",
            key=f"stop-rows-{key}",
            help="Stop the search for these rows",
            on_click=once(f"stop-rows-{key}", search.stop),
        )
