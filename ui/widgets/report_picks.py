"""The left side of the report builder: the answers and results of the chat, to select."""

from collections.abc import Sequence
from itertools import groupby

import streamlit as st

from engine.views.reports.report_draft import Offer, ReportDraft
from ui import session
from ui.widgets.report_state import change_draft, first_value
from ui.words import escape

__all__ = ["report_picks"]

_ICONS = {"answer": "notes", "table": "table", "chart": "bar_chart", "picture": "image"}


def report_picks(chat_id: str, draft: ReportDraft, offers: Sequence[Offer]) -> None:
    """Draw the list; a tick adds a block at the end of the report, and removing the tick removes the block."""
    find = st.text_input(
        "Find in this chat", key="report-find", placeholder="Find in this chat", label_visibility="collapsed"
    )
    wanted = find.strip().lower()
    shown = [one for one in offers if wanted in f"{one.question} {one.label} {one.text}".lower()]
    if not shown:
        st.html('<p class="ab-empty">No answers or results in this chat contain these words.</p>')
    for question, listed in groupby(shown, key=lambda one: one.question):
        st.html(f'<p class="ab-label">{escape(question)}</p>')
        for offer in listed:
            key = f"pick-{chat_id}-{offer.key}-{draft.revision}"
            st.checkbox(
                f":material/{_ICONS[offer.kind]}: {escape_label(offer.label)} :gray[{offer.note}]",
                first_value(key, draft.has(offer.key)),
                key=key,
                on_change=_tick,
                args=(chat_id, offer, key, draft.revision),
            )


def escape_label(text: str) -> str:
    """Return a text for a label, with its Markdown escaped."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]()#+-.!|~$:<>" else sign for sign in text)


def _tick(chat_id: str, offer: Offer, key: str, revision: int) -> None:
    wanted = bool(session.widget_value(key))

    def ticked(now: ReportDraft) -> ReportDraft:
        if wanted == now.has(offer.key):
            return now
        return now.with_offer(offer) if wanted else now.without(offer.key)

    change_draft(chat_id, ticked, revision)
