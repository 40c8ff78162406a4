"""Questions to click: on an empty page, and those that an answer offers instead."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from engine.commands.catalog import Ask
from ui.acts import once
from ui.widgets.refused_question import submit_question
from ui.words import label

__all__ = ["offers", "to_click"]


def to_click(questions: Sequence[str], on_pick: Callable[[str], None]) -> None:
    """Draw them as buttons; they stand at one place of a page."""
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
    """Draw what the chat's last answer offers to ask instead, if anything."""
    if questions:
        st.html('<p class="ab-note">You could ask:</p>')
        to_click(questions, partial(_ask, chat_id))


def _ask(chat_id: str, question: str) -> None:
    submit_question(Ask(chat_id, question))
