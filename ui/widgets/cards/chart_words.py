"""Changes a chart by a request in words, asked in the chat; a model or the offline analyst draws it again."""

from collections.abc import Callable

import streamlit as st

from engine.commands.catalog import Ask
from ui import session
from ui.acts import once_for
from ui.current_app import app
from ui.widgets.refused_question import submit_question

__all__ = ["describe_change"]


def describe_change(chat_id: str, title: str, key: str, close: Callable[[], None]) -> None:
    """Draw the text field for describing a change. A text is sent to the chat as a question, and `close` is called."""
    field = f"describe-{key}"
    st.text_input(
        "Describe a change",
        key=field,
        placeholder="Describe a change, such as: sort by value, horizontal",
        icon=":material/chat:",
        label_visibility="collapsed",
        on_change=once_for(field, _asked),
        args=(chat_id, title, field, close),
    )


def _asked(chat_id: str, title: str, field: str, close: Callable[[], None]) -> None:
    words = str(session.widget_value(field) or "").strip()
    if not words:
        return
    # the offline analyst gets only the user's words; a model also needs the name of the chart
    alone = app().chat(chat_id).model == "offline"
    named = f" “{title}”" if title else ""
    submit_question(Ask(chat_id, words if alone else f"Change the chart{named}: {words}"))
    close()
