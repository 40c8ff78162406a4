"""Cards of code and documents. The text of a file can be edited here and saved into the chat's files."""

from pathlib import PurePosixPath

import streamlit as st

from engine.errors import AnabranchError
from engine.rendering.plans import CodePlan, DocumentPlan, FileRef
from engine.views.chat import CallView
from ui import session
from ui.components.copy_text.component import copy_text
from ui.current_app import app
from ui.widgets.cards.card import choose_face, file_name, heading, made_by, open_button
from ui.widgets.diff import diff
from ui.widgets.editing import MOST, Editing, edit, editing, only_to_view, save_button
from ui.widgets.files import read_bytes, text_of
from ui.widgets.parts import fragment
from ui.widgets.show_as import show_as
from ui.words import escape, prose, size

__all__ = ["code_card", "document_card", "language_of"]

_LANGUAGES = {
    "py": "python", "js": "javascript", "ts": "typescript", "jsx": "javascript", "tsx": "typescript", "sql": "sql",
    "json": "json", "yaml": "yaml", "yml": "yaml", "toml": "toml", "md": "markdown", "markdown": "markdown",
    "html": "html", "htm": "html", "xml": "html", "svg": "html", "css": "css", "sh": "bash", "bash": "bash",
    "r": "r", "ini": "toml", "cfg": "toml", "csv": "text", "tsv": "text", "txt": "text", "log": "text",
}  # fmt: skip


def language_of(path: str) -> str:
    """The language of a file, by its ending."""
    return _LANGUAGES.get(PurePosixPath(path).suffix.lstrip(".").lower(), "text")


@fragment
def code_card(chat_id: str, call: CallView, plan: CodePlan, key: str) -> None:
    """Draw a program: to view, edit and compare."""
    _card(chat_id, call, plan, key, "View", plan.language)


@fragment
def document_card(chat_id: str, call: CallView, plan: DocumentPlan, key: str) -> None:
    """Draw a document: to read, edit and compare. Reading it loads nothing from the network."""
    _card(chat_id, call, plan, key, "Read", "markdown")


def _card(
    chat_id: str, call: CallView, plan: CodePlan | DocumentPlan, key: str, look: str, language: str
) -> None:
    file = plan.file if plan.file is not None and plan.file.origin == "workspace" else None
    made = _made(chat_id, plan)
    title = plan.title or file_name(plan.file)
    editable = plan.editable and made is not None and not session.looks_back()
    opened = editing(chat_id, file.path, key, of_call=True) if file is not None and editable else None
    present = opened.opened if opened is not None else None
    shown = opened.text if opened is not None else made
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center"):
            st.html(heading(title, _note(opened, file)), width="stretch")
            faces = [look, "Edit", "Diff"] if opened is not None else [look]
            face = choose_face(faces, key)
            show_as(chat_id, call, key)
            if opened is not None:
                save_button(opened)
            if shown:
                copy_text(shown, key=f"copytext-{key}")
        with st.container(key=f"cardbody-{face.lower()}-{key}"):
            why = only_to_view(read_bytes(chat_id, file)) if file and editable and opened is None else ""
            if why:
                st.html(f'<p class="ab-empty">{escape(why)}</p>')
            if shown is None:
                st.html('<p class="ab-empty">This file contains no text that can be shown.</p>')
            elif face == "Edit" and opened is not None:
                edit(opened, language)
            elif face == "Diff" and opened is not None:
                _compared(opened, made or "", _before(chat_id, call, file))
            elif look == "Read":
                with st.container(key=f"cardpad-{key}"):
                    st.markdown(prose(shown))
            else:
                st.code(shown, language=_shown_as(language), line_numbers=True)
        _foot(chat_id, call, file, present, key)


def _note(opened: Editing | None, file: FileRef | None) -> str:
    if opened is None:
        return size(file.size) if file is not None else ""
    if opened.changed:
        return "unsaved changes"
    return (
        "changed since this call"
        if file is not None and opened.opened != file.sha256
        else size(file.size if file else 0)
    )


def _shown_as(language: str) -> str | None:
    return None if language in ("text", "auto") else language


def _compared(opened: Editing, made: str, before: str | None) -> None:
    """Draw the unsaved changes; else the changes since the call; else the changes that the call made."""
    if opened.changed:
        diff(opened.original, opened.text, "Your unsaved changes")
    elif opened.original != made:
        diff(made, opened.original, "Changed since this call")
    elif before is not None:
        diff(before, made, "Changed by this call")
    else:
        st.html('<p class="ab-empty">This call made the file, and nothing has changed since.</p>')


def _made(chat_id: str, plan: CodePlan | DocumentPlan) -> str | None:
    """The text as it was after the call; None if the file is too large or not text."""
    if plan.content is not None or plan.file is None:
        return plan.content or ""
    if plan.file.size > MOST:
        return None
    return text_of(read_bytes(chat_id, plan.file))


def _before(chat_id: str, call: CallView, file: FileRef | None) -> str | None:
    """Return the text before the call, if the file existed then."""
    if file is None or call.pre_manifest_id is None:
        return None
    try:
        entry = app().workspace.files(chat_id, call.pre_manifest_id).get(file.path)
        return text_of(app().workspace.read(chat_id, entry.sha256)) if entry is not None else None
    except AnabranchError:
        return None


def _foot(chat_id: str, call: CallView, file: FileRef | None, present: str | None, key: str) -> None:
    facts = [made_by(call)]
    if file is not None:
        facts.append(f"{escape(file.path)} <code>{escape((present or file.sha256)[:8])}</code>")
    with st.container(key=f"cardfoot-{key}", horizontal=True, vertical_alignment="center"):
        st.html("".join(f"<span>{fact}</span>" for fact in facts), width="content")
        if file is not None:
            open_button(chat_id, file.path, key)
