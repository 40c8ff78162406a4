"""The head of a page about one chat: the chat's title, the page's name, and a link to the chat."""

import streamlit as st

from engine.errors import AnabranchError
from engine.views.chat import ChatView
from ui import session
from ui.current_app import app
from ui.widgets.failure import failure, pending_failure
from ui.words import escape

__all__ = ["chat_of_page", "page_head"]


def chat_of_page(name: str, how: str) -> ChatView | None:
    """Return the chat that the address names, and draw the head of the page `name`.

    If there is no such chat, show the error and return None; `how` says how to get to this page.
    """
    pending_failure()
    chat_id = session.selected_chat()
    if chat_id is None:
        failure("No chat is selected.", how)
        return None
    try:
        view = app().chat(chat_id)
    except AnabranchError as error:
        failure("This chat does not exist.", error.message)
        return None
    page_head(view, name)
    return view


def page_head(view: ChatView, name: str) -> None:
    """Draw the page head."""
    with st.container(key="chat-head", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="ab-title"><b>{escape(view.title or "New chat")}</b><span>{escape(name)}</span></div>',
            width="stretch",
        )
        st.button(
            "Open the chat",
            icon=":material/chat:",
            key="open-the-chat",
            type="tertiary",
            on_click=session.go_to_page,
            args=("chat",),
        )
