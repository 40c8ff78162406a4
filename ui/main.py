"""The page's script, which Streamlit runs for every click: draws the page, once the app is open."""

from engine.app.opening import wait_until_open

wait_until_open()

from ui.frame import draw_page  # noqa: E402 - imported only now, see `wait_until_open`

draw_page()
