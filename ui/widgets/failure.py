"""Shows all errors: what happened, to what, what to do next."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from ui import session
from ui.words import escape

__all__ = ["failure", "pending_failure", "unexpected"]

_log = logging.getLogger("anabranch.page")


def failure(title: str, text: str = "", details: str = "") -> None:
    """Draw an error card. The first line of `title` is its heading; further lines are shown below in their columns."""
    title, _, rest = title.partition("\n")
    text = "\n".join(part for part in (rest.strip("\n"), text) if part)
    kind = ' class="lines"' if "\n" in text else ""
    more = f"<p{kind}>{escape(text)}</p>" if text else ""
    pre = f"<pre>{escape(details)}</pre>" if details else ""
    st.html(f'<div class="ab-failure" role="alert"><b>{escape(title)}</b>{more}{pre}</div>')


def pending_failure() -> None:
    """Show the reason of the last refused command, once."""
    message = session.once("failure")
    if message:
        first, _, rest = message.partition("\n")
        with st.container(key="failure"):
            failure(first, details=rest)


@contextmanager
def unexpected(what: str = "This page") -> Iterator[None]:
    """Show an unexpected error as an error card, and write the details to the server's log."""
    try:
        yield
    except Exception as error:
        _log.exception("The page failed.")
        failure(
            f"{what} could not be displayed.",
            "This is an error in Anabranch, not something you did. Nothing in your chats was changed. Reload the page. "
            "The server's output has the details.",
            type(error).__name__,
        )
