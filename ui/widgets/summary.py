"""The expandable line below the messages that a summary covers; the model reads the summary instead of them."""

import streamlit as st

from engine.views.chat import ChatView
from engine.views.exchanges import Exchange
from ui.words import escape

__all__ = ["summary_fold"]


def summary_fold(view: ChatView, exchange: Exchange) -> None:
    """Draw the expandable line for each summary that ends within `exchange`; draw nothing if there is none."""
    for message in (exchange.question, *exchange.steps):
        made = view.compactions.get(message.message_id)
        if made is None:
            continue
        with (
            st.container(key=f"summary-{made.through_id}"),
            st.expander(made.sentence, icon=":material/compress:"),
        ):
            st.html(f'<div class="ab-note">{escape(made.facts)}</div>')
            st.code(made.summary, language=None, wrap_lines=True)
