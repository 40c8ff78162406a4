"""The page while the data folder is being opened. Does not import the engine or the views, which are still being
loaded.
"""

import streamlit as st

from ui import session
from ui.components.composing.component import composing
from ui.page_setup import begin_page
from ui.unread_question import note_early_question
from ui.views.pages import pages
from ui.widgets.question_field import NEW_CHAT, browser_limit, question_field

__all__ = ["draw_opening_page"]


def draw_opening_page() -> None:
    """Show that the folder is being opened. On a new chat's page, the user can already type and send a question."""
    begin_page()
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
    with st.bottom, st.container(key="composer"):  # the place of the composer's field, so that the text stays
        question_field(NEW_CHAT, note_early_question)
        composing(browser_limit(), key="composing", on_refer=lambda *_: None)


def _say(head: str) -> None:
    st.html(f'<div class="ab-hero" role="status">{head}<p>Opening your data folder …</p></div>')
