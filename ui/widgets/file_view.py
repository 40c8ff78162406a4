"""Shows one file of the chat: its schema, rows, text or picture; its origin; and available actions."""

from collections.abc import Sequence
from functools import partial
from pathlib import PurePosixPath

import streamlit as st

from engine.commands.catalog import RemoveFile, RenameFile
from engine.errors import AnabranchError
from engine.views.chat import ChatView
from engine.views.workspace import LINKED, FileEntry, TablesShown
from engine.workspace.table_facts import TableProfile
from ui import session
from ui.acts import once
from ui.components.copy_text.component import copy_text
from ui.current_app import app
from ui.widgets.cards.cleaning import clean_table
from ui.widgets.cards.text import language_of
from ui.widgets.file_content import content_of, picture
from ui.widgets.file_facts import schema, where_it_is
from ui.widgets.file_large import file_large
from ui.widgets.files import text_of
from ui.widgets.parts import dialog
from ui.widgets.pdf_view import is_pdf, pdf_view
from ui.widgets.rerun_sheet import rerun_button
from ui.words import escape, label, local_time, prose, unseen

__all__ = ["file_view"]

_SHOWN = 4_000
"""How many characters of a text the panel shows; the large view shows all of them."""
_MADE = {
    "user_upload": "uploaded by you",
    "edit": "edited by you",
    "branch": "in the chat since the branch began",
}


def file_view(
    view: ChatView, path: str, entry: FileEntry, tables: Sequence[TableProfile], shown: TablesShown
) -> None:
    """Draw the file view below the tree; `shown` are the known facts about all tables."""
    chat_id = view.chat_id
    with st.container(key="file-head", horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="ab-cardtitle"><b>{escape(path)}</b></div>', width="stretch")
        st.download_button(
            unseen("Download"),
            partial(app().workspace.read, chat_id, entry.sha256),
            PurePosixPath(path).name,
            icon=":material/download:",
            key="download-file",
            type="tertiary",
            help="Download",
            on_click="ignore",
        )
        _large_view(chat_id, path, tables)
        _menu(chat_id, path, entry.sha256)
    if reason := shown.unread.get(path):
        st.html(f'<div class="ab-warning">This file is not read as a table: {escape(reason)}</div>')
        if path in shown.again:
            st.button("Try again", key="read-again", on_click=app().workspace.try_again, args=(chat_id,))
    where_it_is(chat_id, path, entry)
    if tables:
        for table in tables:
            schema(table)
            clean_table(chat_id, table)
    else:
        _glance(chat_id, path, entry)
    rerun_button(view, path)
    with st.container(key="file-facts", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="ab-facts"><span>{escape(_origin(view, path))}</span><span>sha256 '
            f"<code>{escape(entry.sha256[:8])}</code></span></div>",
            width="stretch",
        )
        copy_text(entry.sha256, key="copy-sha", label="Copy hash")


def _large_view(chat_id: str, path: str, tables: Sequence[TableProfile]) -> None:
    """Draw the button that opens the large view, and that view while it is open."""
    opened = f"large-{chat_id}"
    st.button(
        unseen("Open"),
        icon=":material/open_in_full:",
        key="open-file",
        type="tertiary",
        help="Open",
        on_click=session.remember,
        args=(opened, path),
    )
    # remembered until it is closed, because saving draws the page again
    if session.remembered(opened) == path:
        close = partial(_close, opened, f"saved-large-{chat_id}-{path}")
        title = label(path.rpartition("/")[2])
        dialog(title, width="large", on_dismiss=close)(file_large)(chat_id, path, tables)


def _close(*names: str) -> None:
    for name in names:
        session.clear(name)


def _menu(chat_id: str, path: str, sha256: str) -> None:
    menu = st.popover(
        unseen("More"),
        icon=":material/more_horiz:",
        key=f"file-menu-{session.remembered('file-menus', 0)}",
        type="tertiary",
        help="More",
        on_change="rerun",
    )
    if not menu.open:
        return
    with menu:
        named = st.text_input("Path", path, key=f"name-{chat_id}-{path}", max_chars=400)
        rename, remove = once("file-menu", _rename), once("file-menu", _remove)
        st.button("Rename", key="rename-file", on_click=rename, args=(chat_id, path, named), width="stretch")
        st.button("Delete", key="remove-file", on_click=remove, args=(chat_id, path, sha256), width="stretch")
        st.html('<p class="ab-note">Earlier states of this chat still contain the file.</p>')
        copy_text(path, key="copy-path", label="Copy path")


def _rename(chat_id: str, path: str, named: str) -> None:
    named = str(session.widget_value(f"name-{chat_id}-{path}") or named).strip()
    if not named or named == path:
        return
    _done(chat_id, named, f"Renamed {path} to {named}.", ("renamed", named, path))
    try:
        app().send(RenameFile(chat_id, path, named))
    except AnabranchError as error:
        _not_done(chat_id, path, f"{path} was not renamed. {error.message}")


def _remove(chat_id: str, path: str, sha256: str) -> None:
    _done(chat_id, path, f"Deleted {path}.", ("removed", path, sha256))
    try:
        app().send(RemoveFile(chat_id, path))
    except AnabranchError as error:
        _not_done(chat_id, path, f"{path} was not deleted. {error.message}")


def _done(chat_id: str, path: str, words: str, undo: tuple[str, str, str]) -> None:
    """Remember an action before doing it: the action redraws the page, which may cut off later code."""
    session.remember(f"panel-file-{chat_id}", path)
    session.remember(f"file-done-{chat_id}", (words, undo))
    session.remember(
        "file-menus", session.remembered("file-menus", 0) + 1
    )  # closes the menu, which is next drawn for another file
    session.remember("files-changed", True)


def _not_done(chat_id: str, path: str, words: str) -> None:
    session.remember(f"panel-file-{chat_id}", path)
    session.clear(f"file-done-{chat_id}")
    session.remember(f"file-failed-{chat_id}", words)


def _origin(view: ChatView, path: str) -> str:
    """Return where the file's content came from (a tool, the user or the disk), and when."""
    state = app().workspace.origin(view.chat_id, path)
    if state is None:
        return ""
    call = view.calls.get(state.call_id or state.source_ref or "")
    row = view.manifests.get(state.manifest_id)
    when = f" {local_time(row['created_at'], st.context.timezone_offset)}" if row else ""
    if call is not None:
        return f"made by {call.tool_id.rpartition(':')[2]}{when}"
    if state.source_ref == LINKED:
        return f"changed on disk{when}"
    return f"{_MADE.get(state.source, 'made by a tool')}{when}"


def _glance(chat_id: str, path: str, entry: FileEntry) -> None:
    """Draw the content of a file that is not a table."""
    if is_pdf(path):
        pdf_view(chat_id, path, entry.sha256, "glance")
        return
    data = content_of(chat_id, path, entry)
    if data is None:
        return
    if picture(chat_id, path, data, "glance"):
        return
    text = text_of(data)
    if text is None:
        st.html('<p class="ab-note">There is no preview for this kind of file. Download it to view it.</p>')
    elif language_of(path) == "markdown":
        with st.container(key="glance-document"):
            st.markdown(prose(text[:_SHOWN]))
    else:
        language = language_of(path)
        st.code(text[:_SHOWN], language=None if language == "text" else language, wrap_lines=True)
    if text is not None and len(text) > _SHOWN:
        st.html('<p class="ab-note">This is the beginning. Open the file to see the rest.</p>')
