"""The pages of the app. Each is loaded when it is first drawn, so that the first page need not wait for the others."""

from collections.abc import Callable
from importlib import import_module
from threading import Lock
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from ui import session

__all__ = ["load_pages", "pages"]

_PAGES = {
    "history": "history_page",
    "verify": "verify_page",
    "compare": "compare_page",
    "report_builder": "report_page",
    "standing_questions": "standing_questions_page",
    "sources": "sources_page",
    "toolsets": "toolsets_page",
    "settings": "settings_page",
}
"""Module → the function that draws its page."""
_ALSO = ("ui.views.chat", "ui.widgets.build_query")
_loading = Lock()


def load_pages() -> None:
    """Load every page, and the modules that the first page loads only when it needs them. Thread-safe."""
    for name in (*_ALSO, *(f"ui.views.{module}" for module in _PAGES)):
        _loaded(name)


def pages(
    chat: Callable[[], None] | None = None,
) -> tuple[dict[str, StreamlitPage], StreamlitPage, list[StreamlitPage]]:
    """Return the pages of a chat by name, the page of standing questions, and the other pages. If `chat` is given, it
    draws the page of a chat.
    """
    reached = {
        "chat": st.Page(chat or _chat, title="Anabranch", url_path="", default=True),
        "history": _page("history", "History", "history", "history"),
        "verify": _page("verify", "Verify", "fact_check", "verify"),
        "compare": _page("compare", "Compare", "compare_arrows", "compare"),
        "report": _page("report_builder", "Report", "article", "report"),
    }
    standing = _page("standing_questions", "Standing questions", "push_pin", "standing")
    others = [
        _page("sources", "Sources", "database", "sources"),
        _page("toolsets", "Toolsets", "extension", "toolsets"),
        _page("settings", "Settings", "tune", "settings"),
    ]
    return reached, standing, others


def _page(module: str, title: str, icon: str, path: str) -> StreamlitPage:
    return st.Page(_drawing(module), title=title, icon=f":material/{icon}:", url_path=path)


def _drawing(module: str) -> Callable[[], None]:
    """Return a function that loads and draws a page."""

    def draw() -> None:
        getattr(_loaded(f"ui.views.{module}"), _PAGES[module])()

    return draw


def _chat() -> None:
    """Draw the chat that the address names, or the page of a new one."""
    chat_id = session.selected_chat()
    if chat_id is None:
        _loaded("ui.views.new_chat").new_chat_page()
    else:
        _loaded("ui.views.chat").chat_page(chat_id)


def _loaded(name: str) -> Any:
    """Import a module. Only one thread imports at a time, since two could see the same packages half-loaded."""
    with _loading:
        return import_module(name)
