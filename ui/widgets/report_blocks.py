"""The right side of the report builder: the title, and the blocks with their text or caption and their position."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from engine.views.reports.report_draft import DraftBlock, ReportDraft
from ui import session
from ui.acts import once
from ui.widgets.report_state import change_draft, first_value
from ui.words import escape, unseen

__all__ = ["report_blocks"]

Change = Callable[[ReportDraft], ReportDraft]
_LINE = 26
"""The height of a line of text, in pixels."""


def report_blocks(chat_id: str, draft: ReportDraft) -> None:
    """Draw the fields; each change is stored at once."""
    _field(draft, chat_id, "title", "Title")
    _field(draft, chat_id, "subtitle", "Subtitle")
    for place, one in enumerate(draft.blocks):
        with st.container(border=True, key=f"report-block-{one.id}"):
            _head(chat_id, draft, one, place)
            _body(chat_id, one, draft.revision)
    if not draft.blocks:
        st.html('<p class="ab-empty">Tick answers and results of the chat, or add text.</p>')
    with st.container(horizontal=True, key="report-add"):
        st.button(
            "Add text",
            icon=":material/add:",
            key="report-add-text",
            on_click=once("report-add-text", change_draft),
            args=(chat_id, lambda now: now.with_text(len(now.blocks))),
        )
        if draft.removed:
            st.button(
                "Undo remove",
                icon=":material/undo:",
                key="report-undo",
                type="tertiary",
                on_click=once("report-undo", change_draft),
                args=(chat_id, ReportDraft.restored),
            )


def _field(draft: ReportDraft, chat_id: str, name: str, label: str) -> None:
    key = f"report-{name}-{chat_id}-{draft.revision}"

    def change() -> None:
        text = str(session.widget_value(key))
        change_draft(
            chat_id,
            lambda now: replace(now, title=text) if name == "title" else replace(now, subtitle=text),
            draft.revision,
        )

    first = first_value(key, draft.title if name == "title" else draft.subtitle)
    st.text_input(label, first, key=key, on_change=change, max_chars=300)


def _head(chat_id: str, draft: ReportDraft, one: DraftBlock, place: int) -> None:
    what = f"Result {one.block.result}" if one.block.result else "Answer" if one.source else "Your text"
    with st.container(horizontal=True, vertical_alignment="center", key=f"report-head-{one.id}"):
        st.html(f'<span class="ab-label">{escape(what)}</span>', width="stretch")
        acts: tuple[tuple[str, str, Change, bool], ...] = (
            ("Add text above", "add", lambda now: now.with_text_above(one.id), False),
            ("Move up", "arrow_upward", lambda now: now.moved(one.id, -1), place == 0),
            ("Move down", "arrow_downward", lambda now: now.moved(one.id, 1), place == len(draft.blocks) - 1),
            ("Remove", "delete", lambda now: now.without(block_id=one.id), False),
        )
        for words, icon, after, off in acts:
            st.button(
                unseen(words),
                icon=f":material/{icon}:",
                help=words,
                key=f"report-{icon}-{one.id}",
                type="tertiary",
                disabled=off,
                on_click=once(f"report-{icon}-{one.id}", change_draft),
                args=(chat_id, after),
            )


def _body(chat_id: str, one: DraftBlock, revision: int) -> None:
    key = f"report-text-{chat_id}-{one.id}-{revision}"

    def change() -> None:
        text = str(session.widget_value(key))
        change_draft(chat_id, lambda now: now.changed(one.id, text), revision)

    first = first_value(key, one.block.text)
    if one.block.result:
        st.text_input("Caption", first, key=key, on_change=change, max_chars=500)
        return
    lines = max(3, min(20, first.count("\n") + len(first) // 70 + 1))
    st.text_area("Text", first, key=key, on_change=change, height=lines * _LINE, label_visibility="collapsed")
