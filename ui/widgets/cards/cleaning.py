"""Opens the cleaning panel: from a table's card, from the note about unreadable values, from a file."""

import streamlit as st

from engine.errors import AnabranchError
from engine.views.chat import CallView
from engine.views.shape_steps import offers_for, source_table
from engine.workspace.table_facts import TableProfile
from ui import session
from ui.current_app import app, told
from ui.widgets.shape_panel import open_shaping
from ui.widgets.show_as import known_tool
from ui.words import label

__all__ = ["clean_button", "clean_offers", "clean_table"]

_QUERY = "data-analyst:query"
"""The tool that runs the cleaning steps."""
_MOST = 3
"""How many offers are shown below a card."""


def clean_button(chat_id: str, call: CallView, sql: str | None, name: str | None, key: str) -> None:
    """Offer to clean the table that a card shows."""
    _opened()
    if not _can_clean() or not (sql or name):
        return
    st.button(
        "Clean",
        icon=":material/cleaning_services:",
        key=f"clean-{key}",
        type="tertiary",
        help="Clean this table: parse dates and numbers, unify spellings, fill gaps, split or rename columns, "
        "drop duplicates",
        on_click=_open,
        args=(chat_id, sql, name, call.call_id),
    )


def clean_offers(chat_id: str, call: CallView, sql: str | None, name: str | None, key: str) -> None:
    """Offer to parse the unreadable values of the table behind a card, if the table has already been read.

    No file is read for this, because the page would have to be drawn again afterwards.
    """
    if not _can_clean() or call.pre_manifest_id is None:
        return
    table = source_table(sql, None, app().workspace.known_tables(chat_id, call.pre_manifest_id))
    for column in [one for one in (table.columns if table else ()) if one.unreadable][:_MOST]:
        offer = offers_for(column)[0]
        with st.container(key=f"cleanoffer-{column.name}-{key}"):
            st.button(
                f"{label(column.name)}: {offer.label}  :gray[{offer.hint}]",
                icon=":material/cleaning_services:",
                key=f"cleanoffer-{column.name}-{offer.kind}-{key}",
                type="tertiary",
                on_click=_open,
                args=(chat_id, sql, name, call.call_id, column.name, offer.kind),
            )


def clean_table(chat_id: str, table: TableProfile) -> None:
    """Offer to clean a table of a file."""
    _opened()
    if _can_clean() and table.columns:
        st.button(
            "Clean",
            icon=":material/cleaning_services:",
            key=f"clean-file-{table.name}",
            type="tertiary",
            on_click=_open,
            args=(chat_id, None, table.name, None),
        )


def _can_clean() -> bool:
    tool = known_tool(_QUERY)
    return tool is not None and tool.available and not session.looks_back()


def _opened() -> None:
    """Draw the whole page if the panel was requested, because a click in a card draws only the card."""
    if session.remembered("shape-opens"):
        session.clear("shape-opens")
        st.rerun(scope="app")


def _open(
    chat_id: str,
    sql: str | None,
    name: str | None,
    call_id: str | None,
    column: str | None = None,
    kind: str | None = None,
) -> None:
    """Open the panel for the original table if a result is a copy of it, else for the result itself."""
    session.remember("shape-opens", True)
    try:
        table = source_table(sql, name, app().workspace.tables(chat_id))
    except AnabranchError as error:
        session.remember("failure", told(error))
        return
    if table is None:
        session.remember(
            "failure",
            f"{f'The table {name}' if name else 'This table'} is no longer among the chat's files.\nRun its SQL again.",
        )
        return
    open_shaping(table.name, column=column, kind=kind, call_id=call_id)
