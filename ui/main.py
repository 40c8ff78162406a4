"""The page's script: the frame around every view, and which view the address means."""

import streamlit as st

from ui.style import apply_style
from ui.views.chat import chat_page
from ui.views.settings import settings_page
from ui.views.toolsets import toolsets_page
from ui.widgets.sidebar import sidebar

st.set_page_config(page_title="Anabranch", page_icon=":material/waterfall_chart:", layout="wide")
apply_style()
page = st.navigation(
    [
        st.Page(chat_page, title="Anabranch", url_path="", default=True),
        st.Page(toolsets_page, title="Toolsets · Anabranch", url_path="toolsets"),
        st.Page(settings_page, title="Settings · Anabranch", url_path="settings"),
    ],
    position="hidden",
)
sidebar()
page.run()
