"""The rows of a table: a native grid of one page, and where there are more pages the way through all of them."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from engine.views.results import Order, ResultPage, TableSource
from ui.widgets.cards.choice import is_name
from ui.widgets.files import PAGE, frame_of, page_of
from ui.words import count, escape

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OnCell", "grid", "number_format", "paged_grid"]

_ROW = 30
_MOST_ROWS = 10
_SMALL = 0.01
"""Three decimals, as people write numbers, show less than two digits of anything smaller."""
_EXACT_IN_SIX_DIGITS = 1_000


OnCell = Callable[[int, str, object], None]
"""Called with a chosen cell: its row in the result, from 0, its column and its value."""


def paged_grid(source: TableSource, total: int, key: str, on_cell: OnCell | None = None) -> None:
    """Draw a table's rows a page at a time; sorting and finding go over all `total` rows.

    If there is `on_cell`, a cell can be chosen.
    """
    if total <= PAGE:
        _page(page_of(source), key, on_cell)
        return
    columns = [name for name, _ in page_of(source).columns]
    with st.container(key=f"rows-{key}", horizontal=True, vertical_alignment="center"):
        find = st.text_input(
            "Find in all rows",
            key=f"find-{key}",
            placeholder=f"Find in {count(total, 'row')}",
            icon=":material/search:",
            label_visibility="collapsed",
            max_chars=200,
        )
        order = _order(columns, key)
    page = page_of(source, 0, order, find or "")
    pages, body = max(1, math.ceil(page.found / PAGE)), st.container()
    with st.container(key=f"pages-{key}", horizontal=True, vertical_alignment="center"):
        told = st.empty()
        at = st.pagination(pages, key=f"page-{key}-{order}-{find}", max_visible_pages=5) if pages > 1 else 1
        if at > 1:
            page = page_of(source, (at - 1) * PAGE, order, find or "")
        told.html(
            f'<span class="ab-meta">{_told(page.found, total, at, len(page.rows))}</span>', width="stretch"
        )
    with body:
        if page.rows:
            _page(page, f"{key}-{at}-{order}-{find}", on_cell)
        else:
            st.html(f'<p class="ab-empty">No row holds “{escape(find or "")}”.</p>')


def _page(page: ResultPage, key: str, on_cell: OnCell | None) -> None:
    chosen = grid(frame_of(page), key, choose=on_cell is not None)
    if on_cell is None or chosen is None or chosen[0] >= len(page.rows):
        return
    row, column = chosen
    names = [name for name, _ in page.columns]
    if column in names:
        on_cell(page.numbers[row], column, page.rows[row][names.index(column)])


def _told(found: int, total: int, at: int, shown: int) -> str:
    first = (at - 1) * PAGE
    rows = f"Rows {first + 1:,} to {first + shown:,} of {found:,}" if shown else "No rows"
    return rows + (f" found among {total:,}" if found != total else "")


def _order(columns: Sequence[str], key: str) -> Order | None:
    options = [None, *(Order(name, way) for name in columns for way in (False, True))]
    return st.selectbox(
        "Sort all rows",
        options,
        format_func=lambda one: (
            "As it came" if one is None else f"{one.column} {'↓' if one.descending else '↑'}"
        ),
        key=f"sort-{key}",
        label_visibility="collapsed",
        width=190,
        required=True,
    )


def number_format(column: "pd.Series[Any]") -> str:
    """How the grid writes a column's numbers: small ones, such as p-values, are not rounded to 0."""
    sizes = column.dropna().abs()
    if not ((sizes > 0) & (sizes < _SMALL)).any():
        return "localized"
    return "%.6g" if sizes.max() < _EXACT_IN_SIX_DIGITS else "plain"


def grid(frame: "pd.DataFrame", key: str, *, choose: bool = False) -> tuple[int, str] | None:
    """Draw rows in Streamlit's own grid, numbers as people write them where they are no names.

    With `choose` a cell can be chosen; return its row and column.
    """
    if frame.empty:
        st.html('<p class="ab-empty">No rows.</p>')
        return None
    from pandas.api.types import is_numeric_dtype  # noqa: PLC0415 - see `frame_of`

    height: int | Literal["content"] = "content" if len(frame) <= _MOST_ROWS else _ROW * (_MOST_ROWS + 1) + 8
    config = {
        name: st.column_config.NumberColumn(format=number_format(frame.iloc[:, at]))
        for at, name in enumerate(frame.columns)
        if is_numeric_dtype(frame.iloc[:, at]) and not is_name(str(name))
    }
    state = st.dataframe(
        frame,
        hide_index=True,
        height=height,
        row_height=_ROW,
        column_config=config,
        key=f"grid-{key}",
        lazy=False,
        placeholder="",
        on_select="rerun" if choose else "ignore",
        selection_mode="single-cell",
    )
    cells: list[tuple[int, str]] = state.selection.cells if choose and isinstance(state, dict) else []
    return cells[0] if cells else None
