"""The head of a page about one chat: the chat's title, the page's name, and a link to the chat."""

import streamlit as st

from engine.views.chat import ChatView
from ui import session
from ui.words import escape

__all__ = ["page_head"]


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
