"""The page's script, which Streamlit runs for every click: draws the page, once the app is open."""

import streamlit as st

from engine.app.opening import is_opening, wait_until_open

if is_opening():
    from ui.opening_page import draw_opening_page

    draw_opening_page()
    wait_until_open()
    st.rerun()
wait_until_open()

from ui.frame import draw_page  # noqa: E402 - imported only now, see `wait_until_open`

draw_page()
