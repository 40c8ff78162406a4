"""The report builder: choose answers and results of a chat, order them, write between them, save and export."""

from collections.abc import Collection
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256

import streamlit as st

from engine.app.chat_exports import ReportKind
from engine.commands.catalog import SaveFile
from engine.errors import AnabranchError
from engine.views.chat import ChatView
from engine.views.reports.report_draft import Offer, ReportDraft, draft_of, offers_of
from ui import session
from ui.acts import once
from ui.components.artifact.component import FramedPage, artifact
from ui.current_app import REFUSED, app, send
from ui.widgets.failure import failure
from ui.widgets.page_head import chat_of_page
from ui.widgets.report_blocks import report_blocks
from ui.widgets.report_picks import report_picks
from ui.widgets.report_state import draft_now, set_draft
from ui.words import count, escape

__all__ = ["report_page"]

_FOLDER = "reports/"
_KINDS: tuple[tuple[str, ReportKind, str], ...] = (
    ("HTML", "html", "text/html"),
    ("Markdown", "md", "text/markdown"),
)
_PREVIEW = 900
"""The height of the preview, in pixels."""


def report_page() -> None:
    """Draw the builder for the chat that the address names."""
    with st.container(key="report-builder"):
        view = chat_of_page("Report", "Open a chat, choose Export, and then Make a report.")
        if view is None:
            return
        offers = offers_of(view)
        draft = _draft(view)
        _bar(view, draft, offers)
        if not offers and not draft.blocks:
            st.html(
                '<p class="ab-empty">Ask something first. Answers, tables and charts are then listed here.</p>'
            )
            return
        face = st.segmented_control(
            "View",
            ["Edit", "Preview"],
            default="Edit",
            required=True,
            key="report-face",
            label_visibility="collapsed",
        )
        if face == "Preview":
            _preview(view.chat_id, draft)
            return
        left, right = st.columns([3, 7], gap="large")
        with left:
            report_picks(view.chat_id, draft, offers)
        with right:
            report_blocks(view.chat_id, draft)


def _draft(view: ChatView) -> ReportDraft:
    known = draft_now(view.chat_id)
    if known is None:
        known = ReportDraft(view.title or "Report")
        set_draft(view.chat_id, known)
    return known


def _bar(view: ChatView, draft: ReportDraft, offers: list[Offer]) -> None:
    """Draw the bar with the report's saved state, its outdated results, and the possible actions."""
    chat_id = view.chat_id
    with st.container(key="report-bar", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<span class="ab-note">{escape(_state(draft))}</span>{_stale(chat_id, draft, offers)}',
            width="stretch",
        )
        _open_menu(view, offers)
        st.button(
            "Save",
            icon=":material/save:",
            key="save-report",
            type="primary",
            shortcut="Ctrl+S",
            disabled=draft.is_saved or not draft.blocks,
            on_click=once("save-report", _save),
            args=(chat_id,),
        )
        for label, kind, media_type in _KINDS:
            st.download_button(
                label,
                partial(_written, chat_id, draft.text, kind),
                f"{_stem(draft)}.{kind}",
                media_type,
                key=f"report-{kind}",
                disabled=not draft.blocks,
                on_click="ignore",
                help="Uses the latest version of each result",
            )


def _written(chat_id: str, text: str, kind: ReportKind) -> bytes:
    return app().exports.of_text(chat_id, text, kind).encode()


def _state(draft: ReportDraft) -> str:
    if not draft.path:
        return "Not saved yet"
    return f"Saved as {draft.path}" if draft.is_saved else f"Changed since it was saved as {draft.path}"


def _stale(chat_id: str, draft: ReportDraft, offers: list[Offer]) -> str:
    """Return how many results were computed from files that have changed since, as HTML."""
    used = [offer for offer in offers if offer.call_id and draft.has(offer.key)]
    stale = [offer for offer in used if app().changed_files(chat_id, offer.call_id or "")]
    if not stale:
        return ""
    told = (
        f"{len(stale)} of {count(len(used), 'result')} out of date: run the chat again from the Files panel"
    )
    return f' <span class="ab-stale">{escape(told)}</span>'


def _open_menu(view: ChatView, offers: list[Offer]) -> None:
    """Draw a menu of the chat's saved reports; draw nothing if there are none."""
    files = app().workspace.files(view.chat_id)
    saved = [path for path in files if path.startswith(_FOLDER) and path.endswith(".md")]
    if not saved:
        return
    with st.popover("Open", icon=":material/folder_open:", key="open-report", type="tertiary"):
        for path in saved:
            st.button(
                path.removeprefix(_FOLDER),
                key=f"open-report-{path}",
                type="tertiary",
                on_click=once("open-report", _open),
                args=(view.chat_id, path, offers),
            )


def _open(chat_id: str, path: str, offers: list[Offer]) -> None:
    entry = app().workspace.files(chat_id)[path]
    text = app().workspace.read(chat_id, entry.sha256).decode("utf-8", "replace")
    before = draft_now(chat_id)
    set_draft(chat_id, draft_of(text, path, offers, before.revision + 1 if before else 0))


def _save(chat_id: str) -> None:
    draft, files = draft_now(chat_id), app().workspace.files(chat_id)
    if draft is None:
        return
    path, text = draft.path or _free(f"{_FOLDER}{_stem(draft)}", files), draft.text
    opened = sha256(draft.saved.encode()).hexdigest() if draft.path in files else None
    if send(SaveFile(chat_id, path, text.encode(), opened)) is REFUSED:
        return
    set_draft(chat_id, draft.saved_as(path))
    session.flash(f"Saved as {path}.")


def _free(stem: str, taken: Collection[str]) -> str:
    names = (f"{stem}{f'-{number}' if number > 1 else ''}.md" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _stem(draft: ReportDraft) -> str:
    words = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in draft.title.lower())
    return "-".join(part for part in words.split("-") if part)[:60] or f"report-{datetime.now(UTC):%Y-%m-%d}"


def _preview(chat_id: str, draft: ReportDraft) -> None:
    try:
        with st.spinner("Building the report…"):
            page = app().exports.of_text(chat_id, draft.text, "html", preview=True)
    except AnabranchError as error:
        failure("This report cannot be built.", error.message)
        return
    artifact(FramedPage(draft.title, srcdoc=page, height=_PREVIEW), key="report-preview")
