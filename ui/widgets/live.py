"""The running turn of a chat: pushed if the browser can reach /v1, otherwise polled by a fragment while it runs."""

from collections.abc import Sequence

import streamlit as st

from ui import session
from ui.components.live_tail.component import live_tail
from ui.current_app import app, route
from ui.widgets.parts import fragment

__all__ = ["live"]

_EVERY = 0.25
"""Seconds between polls. Polling four times as often costs the server three times as much, and does not help the
reader.
"""


def live(
    chat_id: str,
    running_turns: Sequence[str],
    ended_turns: Sequence[str],
    last_question: str | None,
    version: int,
) -> None:
    """Show the running turn; see `live_tail`. Nothing is polled while nothing runs."""
    path = route(f"chats/{chat_id}/ws")
    if path is not None:
        live_tail(chat_id, running_turns, ended_turns, last_question, version, path=path)
        return
    look = fragment(_look, run_every=_EVERY if running_turns else None)
    look(chat_id, list(running_turns), list(ended_turns), last_question, version)


def _look(
    chat_id: str, running_turns: list[str], ended_turns: list[str], last_question: str | None, version: int
) -> None:
    """Poll once; the page is run again when a turn that it shows as running has ended."""
    turns, stop = app().watch(chat_id, lambda _: None)
    stop()
    now = [turn for turn in turns if turn["turn_id"] in running_turns]
    over = sorted(set(running_turns) - {turn["turn_id"] for turn in now})
    if over and session.remembered(f"over-{chat_id}") != over:
        # rerun only once: if the log accepts no events, the end of the turn is never recorded
        session.remember(f"over-{chat_id}", over)
        st.rerun()
    live_tail(chat_id, running_turns, ended_turns, last_question, version, path=None, live=now)
