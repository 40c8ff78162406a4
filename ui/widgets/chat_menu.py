"""A chat's menu in the sidebar: rename, fork, archive or delete it."""

from typing import Any

import streamlit as st

from engine.commands.catalog import ArchiveChat, DeleteChat, ForkChat, RenameChat, UnarchiveChat
from ui import session
from ui.acts import once, once_for
from ui.current_app import REFUSED, send
from ui.widgets.forking import fork
from ui.words import unseen

__all__ = ["chat_menu"]


def chat_menu(row: dict[str, Any]) -> None:
    """Draw the menu of a chat. Its content is drawn only while it is open, since there are many chats."""
    menu = st.popover(
        unseen("Rename, fork, archive or delete"),
        icon=":material/more_horiz:",
        key=f"menu-{row['chat_id']}-{session.remembered('menus', 0)}",
        help="Rename, fork, archive or delete",
        on_change="rerun",
    )
    if menu.open:
        with menu:
            _title_field(row["chat_id"], row["title"] or "")
            _buttons(row["chat_id"], archived=bool(row["archived_at"]))


def _title_field(chat_id: str, title: str) -> None:
    st.text_input(
        "Title",
        title,
        key=f"title-{chat_id}",
        on_change=once_for(f"title-{chat_id}", _rename),
        args=(chat_id, title),
    )
    st.button(
        "Rename",
        icon=":material/edit:",
        key=f"rename-{chat_id}",
        on_click=once_for(f"title-{chat_id}", _rename),
        args=(chat_id, title),
        width="stretch",
    )


def _buttons(chat_id: str, *, archived: bool) -> None:
    st.button(
        "Fork chat",
        icon=":material/fork_right:",
        key=f"fork-{chat_id}",
        on_click=once(f"fork-{chat_id}", fork),
        args=(ForkChat(chat_id),),
        width="stretch",
    )
    st.button(
        "Restore from the archive" if archived else "Archive chat",
        icon=":material/unarchive:" if archived else ":material/archive:",
        key=f"archive-{chat_id}",
        on_click=once(f"archive-{chat_id}", _archive),
        args=(chat_id, archived),
        width="stretch",
    )
    st.button(
        "Delete chat",
        icon=":material/delete:",
        key=f"delete-{chat_id}",
        on_click=once(f"delete-{chat_id}", _delete),
        args=(chat_id,),
        width="stretch",
    )


def _rename(chat_id: str, before: str) -> None:
    """Give the chat the title in the field, and close the menu. The field sends its value again when it disappears."""
    title = session.widget_value(f"title-{chat_id}")
    if title != before and send(RenameChat(chat_id, title)) is not REFUSED:
        session.remember("menus", session.remembered("menus", 0) + 1)


def _archive(chat_id: str, archived: bool) -> None:
    """Move a chat into the archive, or out of it, and close its menu."""
    if send(UnarchiveChat(chat_id) if archived else ArchiveChat(chat_id)) is not REFUSED:
        session.remember("menus", session.remembered("menus", 0) + 1)
        session.flash(
            "The chat is back in the list." if archived else "The chat is in the archive, below the list."
        )


def _delete(chat_id: str) -> None:
    if send(DeleteChat(chat_id)) is REFUSED:
        return
    session.remember("deleted", chat_id)
    if session.selected_chat() == chat_id:
        session.go_to_chat(None)
