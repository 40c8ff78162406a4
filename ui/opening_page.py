"""The page while the data folder is being opened. Imports neither the engine nor the views, which are being loaded."""

import streamlit as st

from ui import session
from ui.page_icon import page_icon
from ui.streamlit_runs import begin_at_the_top
from ui.style import apply_style
from ui.unread_question import note_early_question
from ui.views.pages import pages

__all__ = ["draw_opening_page"]


def draw_opening_page() -> None:
    """Show that the folder is being opened. On the page of a new chat, a question can be typed and sent already."""
    begin_at_the_top()
    st.set_page_config(page_title="Anabranch", page_icon=page_icon(), layout="wide")
    apply_style()
    reached, standing, others = pages(_chat)
    page = st.navigation([*reached.values(), standing, *others], position="hidden")
    if page is reached["chat"]:
        page.run()
    else:
        _say("")


def _chat() -> None:
    if session.selected_chat() is not None:
        _say("")
        return
    _say("<h1>What do you want to know?</h1>")
    with st.bottom, st.container(key="composer"):  # the same field as the composer's, so that its text stays
        st.chat_input(
            "Ask about your files", key="question", accept_file="multiple", on_submit=note_early_question
        )


def _say(head: str) -> None:
    st.html(f'<div class="ab-hero" role="status">{head}<p>Opening your data folder …</p></div>')
