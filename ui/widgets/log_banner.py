"""The banner about the log: why recording has stopped and how to continue, and problems found at start."""

import streamlit as st

from engine.errors import AnabranchError
from ui import session
from ui.acts import once
from ui.current_app import app, told
from ui.words import label

__all__ = ["log_banner"]

_SEEN = "log-notices-seen"


def log_banner() -> None:
    """Show the banner if there is anything to report."""
    log, upkeep = app().log, app().upkeep
    problem = upkeep.problem
    if problem is not None:
        with st.container(key="log-problem"):
            st.error(
                _words(f"Recording has stopped; existing data can still be read. {problem}"),
                icon=":material/lock:",
            )
            if upkeep.can_accept:
                with st.popover("Continue from here", key="log-accept-menu"):
                    st.write(
                        f"Recording continues after event {log.head():,}, the last one that is left. Lost events stay "
                        "lost. Your decision is recorded in the log."
                    )
                    st.button(
                        "Accept this state",
                        key="log-accept",
                        type="primary",
                        on_click=once("log-accept", _accept),
                    )
    notices = upkeep.notices()
    if notices and session.remembered(_SEEN) != notices:
        with st.container(key="log-notices"):
            st.info(_words(" ".join(notices)), icon=":material/info:")
            st.button(
                "Understood",
                key="log-understood",
                on_click=once("log-understood", _understood),
            )


def _words(text: str) -> str:
    """Escape a sentence for Markdown, but keep its commands as code."""
    return label(text).replace("\\`", "`")


def _accept() -> None:
    try:
        app().accept_log()
    except AnabranchError as error:
        session.remember("failure", told(error))


def _understood() -> None:
    session.remember(_SEEN, app().upkeep.notices())
