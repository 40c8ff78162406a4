"""The frame around every view, and the view for the current address."""

import streamlit as st

from ui import acts, session
from ui.components.keys.component import keys
from ui.current_app import is_demo
from ui.loading_later import begin_loading
from ui.page_setup import begin_page
from ui.unread_question import forget_question
from ui.views.pages import pages
from ui.widgets.demo_banner import demo_banner, demo_style
from ui.widgets.demo_gate import admitted
from ui.widgets.failure import unexpected
from ui.widgets.log_banner import log_banner
from ui.widgets.sidebar import follow, sidebar
from ui.words import label

__all__ = ["draw_page"]


def draw_page() -> None:
    """Draw the whole page once."""
    begin_page()
    reached, standing, others = pages()
    page = st.navigation([*reached.values(), standing, *others], position="hidden")
    if is_demo():
        demo_style()
        if not admitted():  # after `st.navigation`, which must know the address of every page
            st.stop()
    with unexpected():
        session.begin_run()
        acts.begin_drawing()
        follow(here=page, pages=reached)
        session.look_back(page is reached["history"])
        if is_demo():
            demo_banner()
        log_banner()
        page.run()
        sidebar(standing, others)
        keys()
        said = session.take_flash()
        # Last: if a toast came before a dialog, Streamlit would draw the dialog again, and the text typed in it would
        # be lost.
        if said:
            st.toast(label(said))
        acts.end_drawing()
        session.end_run()
        forget_question()
    begin_loading()
