"""What is wrong with the log, above everything: why nothing is recorded, and the way on; and what was found at open."""

import streamlit as st

from engine.errors import AnabranchError
from ui import session
from ui.acts import once
from ui.shared import app, told
from ui.words import count, label

__all__ = ["log_banner"]

_SEEN = "log-notices-seen"


def log_banner() -> None:
    """Draw it where there is something to say."""
    log = app().log
    problem = log.problem
    if problem is not None:
        with st.container(key="log-problem"):
            st.error(
                _words(f"Nothing is recorded now; all that is there can be read. {problem}"),
                icon=":material/lock:",
            )
            if log.can_accept:
                with st.popover("Go on from here", key="log-accept-menu"):
                    st.write(
                        f"The log goes on after its {count(log.head(), 'event')}. What it lost stays lost, and your "
                        "decision is recorded in it."
                    )
                    st.button(
                        "Let this state hold",
                        key="log-accept",
                        type="primary",
                        on_click=once("log-accept", _accept),
                    )
    notices = log.notices()
    if notices and session.remembered(_SEEN) != notices:
        with st.container(key="log-notices"):
            st.info(_words(" ".join(notices)), icon=":material/info:")
            st.button(
                "Understood",
                key="log-understood",
                on_click=once("log-understood", _understood),
            )


def _words(text: str) -> str:
    """A sentence as it is, with its commands set as code."""
    return label(text).replace("\\`", "`")


def _accept() -> None:
    try:
        app().accept_log()
    except AnabranchError as error:
        session.remember("failure", told(error))


def _understood() -> None:
    session.remember(_SEEN, app().log.notices())
