"""Suggested questions to click: on an empty page, and in an answer that offers alternatives."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from engine.commands.catalog import Ask
from ui.acts import once
from ui.widgets.refused_question import submit_question
from ui.words import label

__all__ = ["offers", "to_click"]


def to_click(questions: Sequence[str], on_pick: Callable[[str], None]) -> None:
    """Draw the questions as buttons. Call this only once on a page."""
    with st.container(key="suggestions"):
        for index, question in enumerate(questions):
            st.button(
                label(question),
                icon=":material/arrow_forward:",
                icon_position="right",
                key=f"suggestion-{index}",
                on_click=once("suggestion", on_pick),
                args=(question,),
                width="stretch",
            )


def offers(chat_id: str, questions: Sequence[str]) -> None:
    """Draw the alternatives that the chat's last answer offers, if any."""
    if questions:
        st.html('<p class="ab-note">You could ask:</p>')
        to_click(questions, partial(_ask, chat_id))


def _ask(chat_id: str, question: str) -> None:
    submit_question(Ask(chat_id, question))
