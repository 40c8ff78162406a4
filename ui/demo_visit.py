"""Demo visitors: the tab's token, its engine, and detecting when the tab closes."""

from typing import TYPE_CHECKING

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine.app.demo.limits import DemoLimits, demo_limits
from engine.app.process_state import shared_visitors
from ui import session

if TYPE_CHECKING:
    from engine.app.demo.visitor_app import VisitorApp
    from engine.app.demo.visitors import Visitors

__all__ = ["demo_visitors", "limits", "visitor_app"]


def demo_visitors() -> "Visitors":
    """All visitors of this process."""
    return shared_visitors(_is_live)


def visitor_app() -> "VisitorApp":
    """The private engine of this tab's visitor; the first call opens it.

    Raises:
        Unavailable: the demo is full (`demo_full`), or the visitor's engine does not open.
    """
    token, running = session.visitor(), get_script_run_ctx()
    if token is None or running is None:
        raise RuntimeError("This page has no visitor yet, because its browser tab has not answered.")
    return demo_visitors().enter(token, running.session_id)


def limits() -> DemoLimits:
    """The limits of a visitor."""
    return demo_limits()


def _is_live(session_id: str) -> bool:
    return st.runtime.exists() and st.runtime.get_instance().is_active_session(session_id)
