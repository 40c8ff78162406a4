"""Admits visitors to a public demo once their tab has sent its token and a place is free."""

import re
import secrets
from functools import partial

import streamlit as st

from engine.errors import AnabranchError
from ui import session
from ui.components.tab_token.component import tab_token
from ui.demo_visit import demo_visitors, visitor_app
from ui.widgets.failure import failure
from ui.widgets.parts import fragment
from ui.widgets.refused_question import carry_to_new_chat

__all__ = ["admitted"]

_TOKEN = re.compile(r"[0-9a-f]{64}")
_AGAIN = 20
"""Seconds between tries while the demo is full."""
_WIPED = "Your earlier session was wiped because it was not used for some time."


def admitted() -> bool:
    """Return whether the page may be drawn. If the demo is full or cannot be opened, show that."""
    token = session.visitor() or _answered()
    if token is None:
        return False
    try:
        visitor_app()
    except AnabranchError as error:
        if error.code == "demo_full":
            _full(token)
        else:
            failure("The demo cannot be opened right now.", error.message)
        return False
    before, now = session.stay(), demo_visitors().stay(token)
    if before is not None and before != now:  # the click may already have opened a new engine
        _tell_wiped()
    session.begin_stay(now)
    return True


def _tell_wiped() -> None:
    """Say that the data was deleted, and keep the text that was typed into a deleted chat for a new one."""
    session.flash(f"{_WIPED} This is a new session.")
    chat_id = session.selected_chat()
    if chat_id is None or any(row["chat_id"] == chat_id for row in visitor_app().read("chats")):
        return
    carry_to_new_chat(chat_id, _WIPED)
    session.go_to_chat(None)


def _answered() -> str | None:
    """Return the tab's token. It is a secret: it gives access to everything that the tab shows."""
    token = tab_token(session.remembered("offered-token") or _offer())
    if token is None or not _TOKEN.fullmatch(token):
        return None
    session.become_visitor(token)
    return token


def _offer() -> str:
    offered = secrets.token_hex(32)
    session.remember("offered-token", offered)
    return offered


def _full(token: str) -> None:
    st.html(
        '<div class="ab-demo-full" role="status"><h1>The demo is full right now</h1>'
        "<p>It cannot take more visitors at the moment. You will be let in automatically when a place is free. "
        "You can also run Anabranch on your own machine, without this limit.</p></div>"
    )

    @partial(fragment, run_every=_AGAIN)
    def look() -> None:
        if demo_visitors().has_room(token):
            st.rerun()

    look()
    st.button("Try now", key="try-now")
