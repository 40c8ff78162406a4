"""The user's own runs in a chat before its first question, with results as below an answer."""

import streamlit as st

from engine.views.chat import ChatView
from engine.views.placement import results_of
from ui.widgets.answer_results import cards_of, show_cards
from ui.words import count

__all__ = ["own_runs"]


def own_runs(view: ChatView) -> bool:
    """Draw them; returns whether there are any."""
    calls = [
        call
        for call in view.calls.values()
        if call.message_id is None and call.from_call_id is None and not call.aside
    ]
    if not calls:
        return False
    with st.container(key="own-runs"):
        st.html(f'<p class="ab-note">You ran {count(len(calls), "tool")} without a question.</p>')
        show_cards(view, cards_of(list(results_of(calls))))
    return True
