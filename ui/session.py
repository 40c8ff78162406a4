"""What belongs to one browser tab: the only user of `st.session_state` and of the address's query."""

import time
from typing import Any

import streamlit as st

__all__ = [
    "chat_query",
    "clear",
    "flash",
    "go_to_chat",
    "panel_file",
    "panel_open",
    "remember",
    "remembered",
    "selected_chat",
    "take_flash",
    "toggle_panel",
    "widget_value",
]

_CHAT = "chat"
_STALE = 3.0
"""Seconds in which an address from before a choice is taken for what it is."""


def selected_chat() -> str | None:
    """The chat that the address names; None on the first page and for a new chat.

    A rerun that the browser asked for just before a chat was chosen still carries the address from before: what was
    chosen then stays chosen.
    """
    named = st.query_params.get(_CHAT) or None
    chosen, before, at = remembered("chosen", (named, named, 0.0))
    if named == chosen:
        return named
    if named == before and time.monotonic() - at < _STALE:
        go_to_chat(chosen)
        return str(chosen) if chosen else None
    remember("chosen", (named, named, 0.0))
    return named


def go_to_chat(chat_id: str | None) -> None:
    """Show another chat, or the page of a new one."""
    before = st.query_params.get(_CHAT) or None
    remember("chosen", (chat_id, before, time.monotonic()))
    st.query_params.from_dict({_CHAT: chat_id} if chat_id else {})


def chat_query() -> dict[str, str]:
    """The address's query for the chat that is selected."""
    chat_id = selected_chat()
    return {_CHAT: chat_id} if chat_id else {}


def remember(name: str, value: Any) -> None:
    """Keep a draft or a choice for this tab."""
    st.session_state[f"ab-{name}"] = value


def remembered(name: str, default: Any = None) -> Any:
    """What was kept, or `default`."""
    return st.session_state.get(f"ab-{name}", default)


def clear(name: str) -> None:
    """Forget what was kept."""
    st.session_state.pop(f"ab-{name}", None)


def panel_open() -> bool:
    """Whether the Files panel stands open."""
    return bool(remembered("panel", False))


def toggle_panel() -> None:
    """Open or close the Files panel."""
    remember("panel", not panel_open())


def panel_file() -> str | None:
    """The file whose schema the panel shows."""
    path: str | None = remembered("panel-file")
    return path


def flash(message: str) -> None:
    """Say something once, on the next run."""
    remember("flash", message)


def take_flash() -> str | None:
    """What is to be said once."""
    message: str | None = remembered("flash")
    clear("flash")
    return message


def widget_value(key: str) -> Any:
    """What a widget holds now, for its callback."""
    return st.session_state[key]
