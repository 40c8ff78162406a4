"""How a card shows a table's rows: which columns, in which order, with totals and colours. A view; the table stays."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from engine.commands.catalog import PickColumns, ShapeTable
from engine.errors import AnabranchError
from engine.views.results import TableSource
from events.canonical import JSON
from ui import session
from ui.acts import once
from ui.current_app import REFUSED, app, send
from ui.owner_cache import OwnerCache
from ui.widgets.cards.choice import is_name
from ui.words import escape

__all__ = ["TableView", "show_totals", "table_view", "view_menu"]

_AUTOMATIC = "Automatic"
_FORMATS = {
    _AUTOMATIC: None,
    "1234": "%.0f",
    "1234.50": "%.2f",
    "As they are": "plain",
    "1.2K": "compact",
    "12.34%": "percent",
    "$1,234.50": "dollar",
    "€1,234.50": "euro",
}
_NOTE = "A setting of this view: nothing is recorded, and it ends when you load the page again."
_totals = OwnerCache[dict[str, JSON]](50)


@dataclass(frozen=True, slots=True)
class TableView:
    """What is chosen for a card in this tab."""

    columns: tuple[str, ...] = ()
    """The columns that are shown, in order; none: all of them."""
    totals: bool = False
    colours: bool = False
    """Whether numbers are coloured by their size within their column."""
    row: bool = False
    """Whether a row can be picked, to see all of it."""
    numbers: str | None = None
    """How numbers are written, as Streamlit's grid calls it; None: as they fit."""


def table_view(key: str) -> TableView:
    """Return what was chosen for a card."""

    def held(name: str) -> bool:
        return bool(session.widget_value_or(f"view-{name}-{key}", False))

    columns = session.widget_value_or(f"view-columns-{key}", ())
    numbers = _FORMATS.get(session.widget_value_or(f"view-numbers-{key}", _AUTOMATIC))
    return TableView(tuple(columns), held("totals"), held("colours"), held("row"), numbers)


def view_menu(chat_id: str, call_id: str, columns: Sequence[str], key: str, table: str | None) -> None:
    """Draw the menu of a card; `table` is what SQL calls its rows, if it can read them."""
    if session.remembered("view-made"):
        session.clear("view-made")
        st.rerun(scope="app")
    with st.popover("", icon=":material/view_column:", key=f"view-{key}", type="tertiary", help="View"):
        st.html(
            '<p class="ab-note">A setting of this view: nothing is recorded, and it ends when you reload the page.</p>'
        )
        st.multiselect(
            "Columns, in this order", list(columns), key=f"view-columns-{key}", placeholder="All columns"
        )
        st.selectbox("Numbers", list(_FORMATS), key=f"view-numbers-{key}", required=True)
        st.checkbox("Totals of all rows", key=f"view-totals-{key}")
        st.checkbox("Colour numbers by their size", key=f"view-colours-{key}")
        st.checkbox("Pick a row to see all of it", key=f"view-row-{key}")
        if table is not None and not session.looks_back():
            st.button(
                "Make this a table",
                key=f"view-make-{key}",
                help="Record the columns, in this order, as a SELECT of yours",
                disabled=not session.widget_value_or(f"view-columns-{key}", ()),
                on_click=once(f"view-make-{key}", partial(_make, chat_id, call_id, table, key)),
            )


def _make(chat_id: str, call_id: str, table: str, key: str) -> None:
    step = PickColumns(table_view(key).columns)
    if send(ShapeTable(chat_id, table, [step], from_call_id=call_id)) is not REFUSED:
        session.remember("view-made", True)


def show_totals(source: TableSource, total: int) -> None:
    """Draw the sums of the columns of numbers over all rows, not only those of the page."""
    engine = app()
    try:
        found = _totals.get(engine, source, lambda: dict(engine.results.totals(source)))
    except AnabranchError as error:
        st.html(f'<p class="ab-warning">{escape(error.message)}</p>')
        return
    told = [f"<b>{escape(name)}</b> {_written(value)}" for name, value in found.items() if not is_name(name)]
    listed = " · ".join(told) or "no column has numbers to add up"
    st.html(f'<p class="ab-totals">Totals of all {total:,} rows: {listed}</p>')


def _written(value: JSON) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if isinstance(value, float) else escape(str(value))
