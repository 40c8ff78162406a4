"""One file of the chat, looked into: its schema, rows, text or picture; who made it; and what can be done with it."""

import mimetypes
from collections.abc import Sequence
from functools import partial
from pathlib import PurePosixPath

import streamlit as st

from engine.commands.catalog import RemoveFile, RenameFile
from engine.errors import AnabranchError, NotFound
from engine.views.chat import ChatView
from engine.views.results import TableSource
from engine.views.workspace import FileEntry, TablesShown
from engine.workspace.table_facts import TableProfile
from ui import session
from ui.acts import once
from ui.components.carousel.component import Picture, carousel
from ui.components.copy_text.component import copy_text
from ui.current_app import app
from ui.widgets.cards.cleaning import clean_table
from ui.widgets.cards.grid import paged_grid
from ui.widgets.cards.text import language_of
from ui.widgets.diff import diff
from ui.widgets.editing import MOST, edit, editing, only_to_view, save_button
from ui.widgets.failure import failure
from ui.widgets.files import text_of
from ui.widgets.parts import dialog
from ui.widgets.rerun_sheet import rerun_button
from ui.words import count, escape, label, local_time, prose, size

__all__ = ["file_view"]

_SHOWN = 4_000
"""Characters of a text that the panel shows; all of it stands in the large view."""
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_MADE = {"user_upload": "uploaded by you", "edit": "edited by you", "branch": "here since the branch began"}


def file_view(
    view: ChatView, path: str, entry: FileEntry, tables: Sequence[TableProfile], shown: TablesShown
) -> None:
    """Draw it below the tree; `shown` is what is known of all tables."""
    chat_id = view.chat_id
    with st.container(key="file-head", horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="ab-cardtitle"><b>{escape(path)}</b></div>', width="stretch")
        st.download_button(
            "",
            partial(app().workspace.read, chat_id, entry.sha256),
            PurePosixPath(path).name,
            icon=":material/download:",
            key="download-file",
            type="tertiary",
            help="Download",
            on_click="ignore",
        )
        opened = f"large-{chat_id}"
        st.button(
            "",
            icon=":material/open_in_full:",
            key="open-file",
            type="tertiary",
            help="Open",
            on_click=session.remember,
            args=(opened, path),
        )
        if session.remembered(opened) == path:  # until it is closed: what is saved redraws the page
            close = partial(_close, opened, f"saved-large-{chat_id}-{path}")
            title = label(path.rpartition("/")[2])
            dialog(title, width="large", on_dismiss=close)(_large)(chat_id, path, tables)
        _menu(chat_id, path, entry.sha256)
    if reason := shown.unread.get(path):
        st.html(f'<div class="ab-warning">This file is not read as a table: {escape(reason)}</div>')
        if path in shown.again:
            st.button("Try again", key="read-again", on_click=app().workspace.try_again, args=(chat_id,))
    if tables:
        for table in tables:
            _schema(table)
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


def _close(*names: str) -> None:
    for name in names:
        session.clear(name)


def _menu(chat_id: str, path: str, sha256: str) -> None:
    menu = st.popover(
        "",
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
        st.html('<p class="ab-note">Earlier moments of this chat keep the file.</p>')
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
    """Remember what is being done before it is: it redraws the page, and that may cut off what comes after."""
    session.remember(f"panel-file-{chat_id}", path)
    session.remember(f"file-done-{chat_id}", (words, undo))
    session.remember(
        "file-menus", session.remembered("file-menus", 0) + 1
    )  # closed: it is another file's next
    session.remember("files-changed", True)


def _not_done(chat_id: str, path: str, words: str) -> None:
    session.remember(f"panel-file-{chat_id}", path)
    session.clear(f"file-done-{chat_id}")
    session.remember(f"file-failed-{chat_id}", words)


def _origin(view: ChatView, path: str) -> str:
    """Who made the file what it is: a call, or the user; and when."""
    state = app().workspace.origin(view.chat_id, path)
    if state is None:
        return ""
    call = view.calls.get(state.call_id or state.source_ref or "")
    row = view.manifests.get(state.manifest_id)
    when = f" {local_time(row['created_at'], st.context.timezone_offset)}" if row else ""
    if call is not None:
        return f"made by {call.tool_id.rpartition(':')[2]}{when}"
    return f"{_MADE.get(state.source, 'made by a tool')}{when}"


def _schema(table: TableProfile) -> None:
    rows = "".join(
        f"<tr><td>{escape(c.name)}</td><td>{escape(c.type)}</td>"
        f'<td class="n">{"about " if c.distinct_estimated else ""}{c.distinct:,}</td>'
        f'<td class="n">{c.missing:,}</td><td class="n">{c.unreadable:,}</td></tr>'
        for c in table.columns
    )
    title = f"{escape(table.name)} · {count(table.rows, 'row')}" + (
        f" · sheet {escape(table.sheet)}" if table.sheet else ""
    )
    lost = {note for column in table.columns if column.unreadable for note in column.notes}
    note = "".join(
        f'<p class="{"ab-warning" if text in lost else "ab-note"}">{escape(text)}</p>'
        for text in table.all_notes
    )
    st.html(
        f'<div class="ab-note">Table {title}</div>{note}<table class="ab-schema"><thead><tr><th>Column</th>'
        f'<th>Type</th><th class="n">Distinct</th><th class="n">Empty</th><th class="n">Unreadable</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _glance(chat_id: str, path: str, entry: FileEntry) -> None:
    """What can be seen of a file that is no table."""
    data = _data(chat_id, path, entry)
    if data is None:
        return
    if _picture(chat_id, path, data, "glance"):
        return
    text = text_of(data)
    if text is None:
        st.html('<p class="ab-note">No preview of this kind of file. Download it to look at it.</p>')
    elif language_of(path) == "markdown":
        with st.container(key="glance-document"):
            st.markdown(prose(text[:_SHOWN]))
    else:
        language = language_of(path)
        st.code(text[:_SHOWN], language=None if language == "text" else language, wrap_lines=True)
    if text is not None and len(text) > _SHOWN:
        st.html('<p class="ab-note">This is its beginning. Open it for the rest.</p>')


def _data(chat_id: str, path: str, entry: FileEntry) -> bytes | None:
    """Its bytes, or in words why there are none to show."""
    if entry.size > 20 * MOST:
        st.html(f'<p class="ab-note">This file has {size(entry.size)}; download it to look at it.</p>')
        return None
    try:
        return app().workspace.read(chat_id, entry.sha256)
    except NotFound:
        failure(
            "The content of this file is no longer kept.",
            f"{path} was removed by retention; its history stays.",
        )
    except AnabranchError as error:
        failure("This file cannot be read.", error.message)
    return None


def _picture(chat_id: str, path: str, data: bytes, key: str) -> bool:
    media_type = mimetypes.guess_type(path)[0] or ""
    if media_type not in _PICTURES:
        return False
    name = PurePosixPath(path).name
    carousel(
        [Picture(name=name, data=data, media_type=media_type, caption=name)], key=f"{key}-{chat_id}-{path}"
    )
    return True


def _large(chat_id: str, path: str, tables: Sequence[TableProfile]) -> None:
    """The file with room: its rows, its text to edit, its picture."""
    entry = app().workspace.files(chat_id).get(path)
    if entry is None:
        failure("This file is no longer here.", f"{path} was renamed or removed.")
        return
    if tables:
        names = [table.sheet or table.name for table in tables]
        at = 0
        if len(names) > 1:
            sheet = st.selectbox("Sheet", names, key=f"sheet-{chat_id}-{path}", required=True)
            at = names.index(sheet)
        try:
            source = TableSource(chat_id, entry.sha256, path, tables[at].sheet)
            paged_grid(source, tables[at].rows, f"large-{entry.sha256}-{at}")
        except AnabranchError as error:
            failure("The rows of this table cannot be read.", error.message)
        return
    data = _data(chat_id, path, entry)
    if data is None or _picture(chat_id, path, data, "large"):
        return
    opened = editing(chat_id, path, f"large-{chat_id}-{path}")
    if opened is None:
        _to_view(path, data)
        return
    document = language_of(path) == "markdown"
    look = "Read" if document else "View"
    with st.container(key="cardhead-large", horizontal=True, vertical_alignment="center"):
        now = "saved · " if session.remembered(f"saved-{opened.key}") else ""
        told = "unsaved changes" if opened.changed else f"{now}{size(entry.size)}"
        st.html(f'<span class="ab-note" role="status">{told}</span>', width="stretch")
        face = st.segmented_control(
            "Face",
            [look, "Edit", "Diff"],
            default="Edit",
            required=True,
            key=f"large-face-{chat_id}-{path}",
            label_visibility="collapsed",
        )
        save_button(opened)
    if face == "Edit":
        edit(opened, language_of(path), tallest=560)
    elif face == "Diff":
        diff(opened.original, opened.text, "Your changes, not saved yet")
    else:
        _read(path, opened.text)


def _to_view(path: str, data: bytes) -> None:
    """A file that is not edited, and why."""
    text, why = text_of(data), only_to_view(data)
    if text is None or not why:
        st.html('<p class="ab-note">This file cannot be edited here. Download it to look at it.</p>')
        return
    st.html(f'<p class="ab-note">{escape(why)}</p>')
    _read(path, text[:MOST])


def _read(path: str, text: str) -> None:
    language = language_of(path)
    if language == "markdown":
        st.markdown(prose(text))
    else:
        st.code(text, language=None if language == "text" else language, line_numbers=True)
