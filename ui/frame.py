"""The frame around every view, and the view for the current address."""

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui import acts, session
from ui.components.keys.component import keys
from ui.current_app import is_demo
from ui.loading_later import begin_loading
from ui.streamlit_runs import begin_at_the_top
from ui.style import apply_style
from ui.unread_question import forget_question
from ui.views.chat import chat_page
from ui.views.compare import compare_page
from ui.views.history import history_page
from ui.views.report_builder import report_page
from ui.views.settings import settings_page
from ui.views.sources import sources_page
from ui.views.standing_questions import standing_questions_page
from ui.views.toolsets import toolsets_page
from ui.views.verify import verify_page
from ui.widgets.demo_banner import demo_banner, demo_style
from ui.widgets.demo_gate import admitted
from ui.widgets.failure import unexpected
from ui.widgets.log_banner import log_banner
from ui.widgets.sidebar import follow, sidebar
from ui.words import label

__all__ = ["draw_page"]

MARK = Path(__file__).parent / "assets" / "mark.svg"


def draw_page() -> None:
    """Draw the whole page once."""
    begin_at_the_top()
    # Without an icon, Streamlit would fetch one of the view's from another host.
    st.set_page_config(page_title="Anabranch", page_icon=str(MARK), layout="wide")
    apply_style()
    reached, standing, others = _pages()
    page = st.navigation([*reached.values(), standing, *others], position="hidden")
    if is_demo():
        demo_style()
        if not admitted():  # after the navigation, which the address of another page than the first one needs
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
        # Last, because Streamlit draws a dialog again if a toast came before it, and the text typed in it is lost.
        if said:
            st.toast(label(said))
        acts.end_drawing()
        session.end_run()
        forget_question()
    begin_loading()


def _pages() -> tuple[dict[str, StreamlitPage], StreamlitPage, list[StreamlitPage]]:
    """Return the pages of a chat by name, the standing questions, and the other pages."""
    reached = {
        "chat": st.Page(chat_page, title="Anabranch", url_path="", default=True),
        "history": st.Page(history_page, title="History", icon=":material/history:", url_path="history"),
        "verify": st.Page(verify_page, title="Verify", icon=":material/fact_check:", url_path="verify"),
        "compare": st.Page(
            compare_page, title="Compare", icon=":material/compare_arrows:", url_path="compare"
        ),
        "report": st.Page(report_page, title="Report", icon=":material/article:", url_path="report"),
    }
    standing = st.Page(
        standing_questions_page, title="Standing questions", icon=":material/push_pin:", url_path="standing"
    )
    others = [
        st.Page(sources_page, title="Sources", icon=":material/database:", url_path="sources"),
        st.Page(toolsets_page, title="Toolsets", icon=":material/extension:", url_path="toolsets"),
        st.Page(settings_page, title="Settings", icon=":material/tune:", url_path="settings"),
    ]
    return reached, standing, others
