"""The state of one browser tab. All access to the session's state and to the address's query goes through here.

If a new run is requested, Streamlit ends the current one at the next access to `st.session_state`, even in a
callback: a click would be half done, its command sent but not followed up. So the state is accessed here without that
check; a run still ends at the next element that it draws.
"""

import time
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

__all__ = [
    "arrive",
    "become_visitor",
    "begin_run",
    "begin_stay",
    "chat_query",
    "clear",
    "compare",
    "compared",
    "end_run",
    "flash",
    "go_to_chat",
    "go_to_page",
    "just_arrived",
    "look_back",
    "looks_back",
    "moment",
    "names_moment",
    "once",
    "page_wanted",
    "panel",
    "prefill",
    "remember",
    "remembered",
    "selected_chat",
    "stand_at",
    "stay",
    "take_flash",
    "toggle_panel",
    "visitor",
    "want_whole_page",
    "whole_page_wanted",
    "widget_value",
    "widget_value_or",
]

_CHAT = "chat"
_AT = "at"
_SIDES = ("a", "b")
_STALE = 3.0
"""For this many seconds after a chat or page is chosen, the previous address is ignored."""


def selected_chat() -> str | None:
    """The chat that was chosen or that the address names; None on the first page and for a new chat."""
    chosen: tuple[str | None, str | None, float | None] | None = remembered("chosen")
    return chosen[0] if chosen is not None else _query().get(_CHAT) or None


def go_to_chat(chat_id: str | None) -> None:
    """Show another chat, or the page of a new one. The next run shows it and writes the page's URL."""
    remember("chosen", (chat_id, _query().get(_CHAT) or None, None))


def _settle_address() -> None:
    """Write the chosen chat into the address, or choose the chat that the address names.

    A rerun that the browser requested just before a chat was chosen still has the old address. In that case the choice
    is kept.
    """
    named = _query().get(_CHAT) or None
    chosen, before, written = remembered("chosen", (named, named, 0.0))
    stale = written is None or (named == before and time.monotonic() - written < _STALE)
    if named != chosen and stale:
        st.query_params.from_dict({_CHAT: chosen} if chosen else {})
        remember("chosen", (chosen, before, time.monotonic()))
    elif named != chosen or written is None:
        remember("chosen", (named, named, 0.0))


def chat_query(page: str = "chat") -> dict[str, str]:
    """Return the query part of the address of a page of the selected chat; for the Compare page, it includes both
    sides.
    """
    chat_id = selected_chat()
    query = {_CHAT: chat_id} if chat_id else {}
    sides = compared(chat_id) if chat_id and page == "compare" else (None, None)
    return query | {name: side for name, side in zip(_SIDES, sides, strict=True) if side}


def moment(chat_id: str) -> int | None:
    """Return the position at which the tab shows a chat; None for the current state. A link can set the position."""
    standing = f"ab-at-{chat_id}"
    if standing not in _state():
        named = _query().get(_AT, "")
        _state()[standing] = int(named) if named.isdecimal() and len(named) < 16 else None
    position: int | None = _state()[standing]
    return position


def stand_at(chat_id: str, position: int | None) -> None:
    """Show a chat at a position; None for the current state."""
    remember(f"at-{chat_id}", position)


def compared(chat_id: str) -> tuple[str | None, str | None]:
    """Return the two sides that this tab compares, as the address names them; None is the current chat."""
    sides: tuple[str | None, str | None] | None = remembered(f"compared-{chat_id}")
    return sides if sides is not None else (_query().get(_SIDES[0]) or None, _query().get(_SIDES[1]) or None)


def compare(chat_id: str, a: str | None, b: str | None) -> None:
    """Open the Compare page with two sides; its address then contains both."""
    remember(f"compared-{chat_id}", (a, b))
    go_to_page("compare")


def look_back(past: bool) -> None:
    """Record whether this page shows a past state, in which nothing may be changed."""
    remember("past", past)


def looks_back() -> bool:
    """Whether the page shows a past state, in which nothing may be changed."""
    return bool(remembered("past", False))


def go_to_page(name: str) -> None:
    """Show another page, with the chat that is selected, once this callback is done."""
    remember("to-page", name)


def want_whole_page() -> None:
    """Draw the whole page next, even if only a part of it was due."""
    remember("whole-page", True)


def whole_page_wanted() -> bool:
    """Whether the whole page must rerun, not just a part of it: a full rerun or another page was requested."""
    return page_wanted() is not None or bool(remembered("whole-page", False))


def page_wanted() -> str | None:
    """The requested page, if any.

    It stays requested until it is shown, because the run that would open it may be interrupted.
    """
    name: str | None = remembered("to-page")
    return name


def arrive(name: str) -> None:
    """Record that the requested page is shown."""
    clear("to-page")
    remember("arrived", (name, time.monotonic()))


def just_arrived() -> str | None:
    """Return the page that opened a moment ago, if any: a late request from the previous page must not lead away from
    it.
    """
    name, at = remembered("arrived", (None, 0.0))
    return name if time.monotonic() - at < _STALE else None


def names_moment() -> bool:
    """Whether the address contains a chat and a moment of it."""
    return _AT in _query() and _CHAT in _query()


def panel() -> str | None:
    """Return the open side panel: `files`, `branches`, `moments`, `number` or `shape`; None if none is open."""
    name: str | None = remembered("panel")
    return name


def toggle_panel(name: str = "files") -> None:
    """Open a side panel, or close it if it is open."""
    remember("panel", None if panel() == name else name)


def visitor() -> str | None:
    """The token of this tab's visitor in a public demo; None until the tab has sent it."""
    token: str | None = remembered("visitor")
    return token


def become_visitor(token: str) -> None:
    """Record the token with which the tab has identified itself."""
    remember("visitor", token)


def begin_stay(number: int | None) -> None:
    """Record the number of the visitor's current engine; None if the visitor has no open engine."""
    remember("stay", number)


def stay() -> int | None:
    """Return the number of the visitor's engine for which the last page was drawn; None if there was no engine yet."""
    number: int | None = remembered("stay")
    return number


def _state() -> Any:
    """Return the session's state, without Streamlit's check for a newer run."""
    running = get_script_run_ctx()
    checked = running.session_state if running is not None else st.session_state
    return getattr(checked, "_state", checked)


def _query() -> Any:
    """Return the query of the address, without Streamlit's check for a newer run."""
    return getattr(_state(), "query_params", st.query_params)


def remember(name: str, value: Any) -> None:
    """Store a draft or a choice for this tab."""
    _state()[f"ab-{name}"] = value


def remembered(name: str, default: Any = None) -> Any:
    """The remembered value, or `default`."""
    try:
        return _state()[f"ab-{name}"]
    except KeyError:
        return default


def clear(name: str) -> None:
    """Forget the remembered value."""
    with suppress(KeyError):
        del _state()[f"ab-{name}"]


def once(name: str) -> Any:
    """Return a value to show once; it is forgotten at the end of the page's run.

    If the next run interrupts this one, the value is kept, because it may not have been shown: Streamlit can end a run
    at any access to the page.
    """
    value = remembered(name)
    if value is not None:
        remember("shown-once", {*remembered("shown-once", ()), name})
    return value


def begin_run() -> None:
    """Record that a run of the page begins."""
    clear("shown-once")
    clear("whole-page")
    _settle_address()


def end_run() -> None:
    """Record that the page was drawn completely: forget the values that were shown once."""
    for name in remembered("shown-once", ()):
        clear(name)


def flash(message: str) -> None:
    """Show a message once, on the next run."""
    remember("flash", message)


def take_flash() -> str | None:
    """The message to show once."""
    message: str | None = once("flash")
    return message


def prefill(key: str, value: str) -> None:
    """Put text into a field that the next run draws."""
    _state()[key] = value


def widget_value(key: str) -> Any:
    """A widget's current value, for its callback."""
    return _state()[key]


def widget_value_or(key: str, default: Any) -> Any:
    """Return a widget's current value, or `default` before it is drawn."""
    try:
        return _state()[key]
    except KeyError:
        return default
