"""The ways into cleaning: from a table's card, from the note about values that could not be read, from a file."""

import streamlit as st

from engine.views.chat import CallView
from engine.views.shape_steps import offers_for, source_table
from engine.workspace.table_facts import TableProfile
from ui import session
from ui.current_app import app
from ui.widgets.shape_panel import open_shaping
from ui.widgets.show_as import known_tool
from ui.words import label

__all__ = ["clean_button", "clean_offers", "clean_table"]

_QUERY = "data-analyst:query"
"""The tool that runs what cleans a table."""
_MOST = 3
"""Offers below a card."""


def clean_button(chat_id: str, call: CallView, sql: str | None, name: str | None, key: str) -> None:
    """Offer to clean the table that a card shows; nothing if SQL cannot read it any more."""
    table = _table(chat_id, sql, name)
    if table is None:
        return
    _opened()
    st.button(
        "Clean",
        icon=":material/cleaning_services:",
        key=f"clean-{key}",
        type="tertiary",
        help="Clean: read dates and numbers, unify texts, fill, split, rename, drop duplicates",
        on_click=_open,
        args=(table.name, None, None, call.call_id),
    )


def clean_offers(chat_id: str, call: CallView, sql: str | None, name: str | None, key: str) -> None:
    """Offer to read the values of a card's table that could not be read."""
    table = _table(chat_id, sql, name)
    for column in [one for one in (table.columns if table else ()) if one.unreadable][:_MOST]:
        _offer(table, column.name, key, call.call_id)


def clean_table(chat_id: str, table: TableProfile) -> None:
    """Offer to clean a table of a file."""
    _opened()
    if _table(chat_id, None, table.name) is not None and table.columns:
        st.button(
            "Clean",
            icon=":material/cleaning_services:",
            key=f"clean-file-{table.name}",
            type="tertiary",
            on_click=_open,
            args=(table.name, None, None, None),
        )


def _offer(table: TableProfile | None, name: str, key: str, call_id: str) -> None:
    column = next((one for one in (table.columns if table else ()) if one.name == name), None)
    if table is None or column is None:
        return
    offer = offers_for(column)[0]
    with st.container(key=f"cleanoffer-{name}-{key}"):
        st.button(
            f"{label(name)}: {offer.label}  :gray[{offer.hint}]",
            icon=":material/cleaning_services:",
            key=f"cleanoffer-{name}-{offer.kind}-{key}",
            type="tertiary",
            on_click=_open,
            args=(table.name, name, offer.kind, call_id),
        )


def _opened() -> None:
    """Draw the whole page if the panel was asked for: a card draws only itself."""
    if session.remembered("shape-opens"):
        session.clear("shape-opens")
        st.rerun(scope="app")


def _open(table: str, column: str | None, kind: str | None, call_id: str | None) -> None:
    open_shaping(table, column=column, kind=kind, call_id=call_id)
    session.remember("shape-opens", True)


def _table(chat_id: str, sql: str | None, name: str | None) -> TableProfile | None:
    """The table of the chat that a result is cleaned from; None of the past, or if it is not there."""
    tool = known_tool(_QUERY)
    if session.looks_back() or tool is None or not tool.available:
        return None
    return source_table(sql, name, app().workspace.seen(chat_id).tables)
