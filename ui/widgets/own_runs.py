"""Shows the user's own runs between the questions of a chat, with their results as below an answer."""

from collections.abc import Sequence

import streamlit as st

from engine.views.chat import CallView, ChatView
from engine.views.placement import results_of
from engine.views.reports.selection import without_result
from ui.widgets.answer_results import cards_of, show_cards
from ui.words import count, escape

__all__ = ["own_runs"]


def own_runs(view: ChatView, calls: Sequence[CallView]) -> None:
    """Draw consecutive runs, with a line for each one that has no result."""
    if not calls:
        return
    with st.container(key=f"own-runs-{calls[0].call_id}"):
        st.html(f'<p class="ab-note">You ran {count(len(calls), "tool")} without a question.</p>')
        for call in calls:
            if call.finished_at is not None and call.status != "success":
                st.html(f'<p class="ab-warning">{escape(without_result(call))}</p>')
        show_cards(view, cards_of(list(results_of(calls))))
