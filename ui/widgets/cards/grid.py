"""The rows of a table: a native grid with one page of rows, and page controls if there are more."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from engine.commands.catalog import TableLook
from engine.views.results import ResultPage, TableSource
from ui.widgets.cards.choice import is_name
from ui.widgets.cards.table_look import CardTable, look_of, set_field
from ui.widgets.cards.table_view import number_formats, order_of, sort_field
from ui.widgets.files import PAGE, frame_of, page_of
from ui.words import count, escape

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OnCell", "grid", "number_format", "paged_grid"]

_ROW = 30
_MOST_ROWS = 10
_SMALL = 0.01
"""For numbers below this, the usual three decimals would show fewer than two significant digits."""
_EXACT_IN_SIX_DIGITS = 1_000
_ALL = TableLook()
_SHADE = "background-color: rgba(11, 107, 120"


OnCell = Callable[[int, str, object], None]
"""Called with a chosen cell: its row in the result, from 0, its column and its value."""


def paged_grid(source: TableSource, total: int, table: CardTable, on_cell: OnCell | None = None) -> None:
    """Draw a table's rows a page at a time, as its card shows them; sorting and finding cover all `total` rows.

    If `on_cell` is given, the reader can choose a cell.
    """
    look, key = look_of(table), table.key
    columns = [name for name, _ in page_of(source).columns]
    if total <= PAGE:
        order = order_of(look, columns)
        _page(page_of(source, 0, order), f"{key}-{order}" if order else key, look, on_cell)
        return
    with st.container(key=f"rows-{key}", horizontal=True, vertical_alignment="center"):
        changed = set_field(table, f"find-{key}", look.find, find=lambda held: held or "")
        find = st.text_input(
            "Find in all rows",
            key=f"find-{key}",
            placeholder=f"Find in {count(total, 'row')}",
            icon=":material/search:",
            label_visibility="collapsed",
            max_chars=200,
            on_change=changed,
        )
        order = sort_field(table, look, columns, beside=True)
    page = page_of(source, 0, order, find or "")
    pages, body = max(1, math.ceil(page.found / PAGE)), st.container(key=f"paged-{key}")
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
            _page(page, f"{key}-{at}-{order}-{find}", look, on_cell)
        else:
            st.html(f'<p class="ab-empty">No row contains “{escape(find or "")}”.</p>')


def _page(page: ResultPage, key: str, view: TableLook, on_cell: OnCell | None) -> None:
    chosen = grid(frame_of(page), key, view, choose=on_cell is not None)
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


def number_format(column: "pd.Series[Any]") -> str:
    """Return how the grid shows a column's numbers, so that small ones, such as p-values, are not rounded to 0."""
    sizes = column.dropna().abs()
    if not ((sizes > 0) & (sizes < _SMALL)).any():
        return "localized"
    return "%.6g" if sizes.max() < _EXACT_IN_SIX_DIGITS else "plain"


def grid(
    frame: "pd.DataFrame", key: str, view: TableLook = _ALL, *, choose: bool = False
) -> tuple[int, str] | None:
    """Draw rows in Streamlit's own grid. Numbers are formatted, except those that serve as names, such as years.

    With `choose`, the reader can choose a cell; return its row and column. If `view` shows whole rows, a row is chosen.
    """
    if frame.empty:
        st.html('<p class="ab-empty">No rows.</p>')
        return None
    height: int | Literal["content"] = "content" if len(frame) <= _MOST_ROWS else _ROW * (_MOST_ROWS + 1) + 8
    numbers = _number_columns(frame, view)
    config = _column_config(frame, numbers, view)
    order = [name for name in view.shown if name in frame.columns]
    if not order and view.hidden:
        order = [name for name in frame.columns if name not in view.hidden]
    selects: Literal["rerun", "ignore"] = "rerun" if view.whole_row or choose else "ignore"
    picked = st.dataframe(
        _coloured(frame, [name for _, name in numbers]) if view.colours else frame,
        hide_index=True,
        height=height,
        row_height=_ROW,
        column_config=config,
        column_order=order or None,
        key=f"grid-{key}{'-row' if view.whole_row else ''}",
        lazy=False,
        placeholder="",
        on_select=selects,
        selection_mode="single-row" if view.whole_row else "single-cell",
    )
    if view.whole_row:
        _whole_row(frame, picked)
        return None
    cells: list[tuple[int, str]] = picked.selection.cells if choose and isinstance(picked, dict) else []
    return cells[0] if cells else None


def _number_columns(frame: "pd.DataFrame", view: TableLook) -> list[tuple[int, str]]:
    """Return index and name of the columns that are formatted as numbers."""
    from pandas.api.types import is_numeric_dtype  # noqa: PLC0415 - see `frame_of`

    return [
        (at, str(name))
        for at, name in enumerate(frame.columns)
        if is_numeric_dtype(frame.iloc[:, at]) and (not is_name(str(name)) or name in view.formats)
    ]


def _column_config(
    frame: "pd.DataFrame", numbers: Sequence[tuple[int, str]], view: TableLook
) -> dict[str, Any]:
    """Return the names and formats of columns; `numbers` are the indexes and names of those with numbers."""
    formats = number_formats(view, [name for _, name in numbers])
    config: dict[str, Any] = {name: st.column_config.Column(label=new) for name, new in view.names.items()}
    for at, name in numbers:
        way = formats[name] or number_format(frame.iloc[:, at])
        config[name] = st.column_config.NumberColumn(label=view.names.get(name), format=way)
    return config


def _coloured(frame: "pd.DataFrame", names: Sequence[str]) -> Any:
    """Return the frame with a background for each number: the larger the number is in its column, the stronger."""

    def shades(column: "pd.Series[Any]") -> list[str]:
        low, high = column.min(), column.max()
        span = float(high - low) if high > low else 1.0
        there = column.notna()
        parts = [float(value - low) / span if ok else None for value, ok in zip(column, there, strict=True)]
        return ["" if part is None else f"{_SHADE}, {0.04 + 0.4 * part:.2f})" for part in parts]

    unique: list[Any] = [name for name in dict.fromkeys(names) if list(frame.columns).count(name) == 1]
    return frame.style.apply(shades, subset=[*unique]) if unique else frame


def _whole_row(frame: "pd.DataFrame", picked: Any) -> None:
    """Draw all cells of the selected row in full, one below the other."""
    rows = picked["selection"]["rows"]
    if not rows or rows[0] >= len(frame):
        st.html('<p class="ab-empty">Select a row on the left to see all of it here.</p>')
        return
    cells = "".join(
        f"<tr><td>{escape(str(name))}</td><td>{'<i>empty</i>' if value is None else escape(str(value))}</td></tr>"
        for name, value in zip(frame.columns, frame.iloc[rows[0]], strict=True)
    )
    st.html(f'<table class="ab-readings ab-row" aria-label="The selected row">{cells}</table>')
