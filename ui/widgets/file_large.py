"""The large view of a file: its rows, its text to edit, its pages, its picture."""

import json
from collections.abc import Sequence

import streamlit as st

from engine.errors import AnabranchError
from engine.views.results import LINKED_ROWS, TableSource
from engine.views.workspace import FileEntry, is_link
from engine.workspace.table_facts import TableProfile
from ui import session
from ui.current_app import app
from ui.widgets.cards.grid import paged_grid
from ui.widgets.cards.table_look import CardTable
from ui.widgets.cards.text import language_of
from ui.widgets.diff import diff
from ui.widgets.editing import MOST, Editing, edit, editing, only_to_view, save_button
from ui.widgets.failure import failure
from ui.widgets.file_content import content_of, picture
from ui.widgets.files import text_of
from ui.widgets.pdf_view import is_pdf, pdf_view
from ui.words import count, escape, prose, size

__all__ = ["file_large"]


def file_large(chat_id: str, path: str, tables: Sequence[TableProfile]) -> None:
    """Draw the file in a large dialog; `tables` are the tables in it."""
    entry = app().workspace.files(chat_id).get(path)
    if entry is None:
        failure("This file is no longer here.", f"{path} was renamed or removed.")
        return
    if tables and _as_tree(chat_id, path, entry):
        return
    if tables:
        _rows(chat_id, path, entry, tables)
        return
    if is_pdf(path):
        pdf_view(chat_id, path, entry.sha256, "large")
        return
    data = content_of(chat_id, path, entry)
    if data is None or picture(chat_id, path, data, "large"):
        return
    opened = editing(chat_id, path, f"large-{chat_id}-{path}")
    if opened is None:
        _to_view(path, data)
    else:
        _text(chat_id, path, entry, opened)


def _rows(chat_id: str, path: str, entry: FileEntry, tables: Sequence[TableProfile]) -> None:
    names = [table.sheet or table.name for table in tables]
    at = 0
    if len(names) > 1:
        sheet = st.selectbox("Sheet", names, key=f"sheet-{chat_id}-{path}", required=True)
        at = names.index(sheet)
    try:
        source = TableSource(chat_id, entry.sha256, path, tables[at].sheet)
        rows = tables[at].rows
        if is_link(path):
            rows = min(rows, LINKED_ROWS)
            st.html(f'<p class="ab-note">The first {count(rows, "row")}; ask a question to see others.</p>')
        paged_grid(source, rows, CardTable(chat_id, None, path, f"large-{entry.sha256}-{at}"))
    except AnabranchError as error:
        failure("The rows of this table cannot be read.", error.message)


def _text(chat_id: str, path: str, entry: FileEntry, opened: Editing) -> None:
    """Draw a text: to read it, to edit it, or to see its changes."""
    look = "Read" if language_of(path) == "markdown" else "View"
    with st.container(key="cardhead-large", horizontal=True, vertical_alignment="center"):
        now = "saved · " if session.remembered(f"saved-{opened.key}") else ""
        told = "unsaved changes" if opened.changed else f"{now}{size(entry.size)}"
        st.html(f'<span class="ab-note" role="status">{told}</span>', width="stretch")
        face = st.segmented_control(
            "View",
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
        diff(opened.original, opened.text, "Your unsaved changes")
    else:
        _read(path, opened.text)


def _as_tree(chat_id: str, path: str, entry: FileEntry) -> bool:
    """Draw a JSON file as a tree, if the reader wants that; return whether it was drawn."""
    if not path.lower().endswith(".json") or entry.size > MOST:
        return False
    face = st.segmented_control(
        "View",
        ["Table", "Tree"],
        default="Table",
        required=True,
        key=f"json-face-{chat_id}-{path}",
        label_visibility="collapsed",
    )
    data = content_of(chat_id, path, entry) if face == "Tree" else None
    if data is None:
        return False
    try:
        st.json(json.loads(data), expanded=2)
    except ValueError as error:
        failure("This file is not a single JSON document.", str(error))
    return True


def _to_view(path: str, data: bytes) -> None:
    """Draw a file that cannot be edited, with the reason."""
    text, why = text_of(data), only_to_view(data)
    if text is None or not why:
        st.html('<p class="ab-note">This file cannot be shown here. Download it to open it.</p>')
        return
    st.html(f'<p class="ab-note">{escape(why)}</p>')
    _read(path, text[:MOST])


def _read(path: str, text: str) -> None:
    language = language_of(path)
    if language == "markdown":
        st.markdown(prose(text))
    else:
        st.code(text, language=None if language == "text" else language, line_numbers=True)
