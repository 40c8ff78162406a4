"""The chat's Export menu: saves the branch or chosen answers as a page, Markdown, a notebook or SQL, or copies them."""

import re
from collections.abc import Callable
from functools import partial

import streamlit as st

from engine.app.chat_exports import ProgramKind, ReportKind
from engine.errors import AnabranchError
from engine.views.chat import ChatView
from engine.views.exchanges import Exchange, exchanges
from ui import session
from ui.components.copy_text.component import copy_text
from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.failure import failure

__all__ = ["export_menu"]

_REPORTS: tuple[tuple[str, ReportKind, str, str], ...] = (
    (
        "Page (HTML)",
        "html",
        "text/html",
        "Tables, charts, SQL and sources in one page. It opens without a network.",
    ),
    ("Markdown", "md", "text/markdown", "The same content as text, with embedded pictures of the charts."),
)
_PROGRAMS: tuple[tuple[str, ProgramKind, str], ...] = (
    ("Notebook", "notebook", "A Jupyter notebook with its data, as a ZIP. It runs without Anabranch."),
    ("SQL script", "sql", "A script for DuckDB with its data, as a ZIP. It runs without Anabranch."),
)
_pasted = OwnerCache[tuple[str, str]](4)


def export_menu(view: ChatView) -> None:
    """Draw the menu; exports are made when it is open or clicked."""
    menu = st.popover(
        "Export",
        icon=":material/ios_share:",
        key="export-menu",
        type="tertiary",
        help="Share this chat as a page, Markdown, a notebook or SQL",
        on_change="rerun",
    )
    if not menu.open:
        return
    with menu:
        asked = {_id(one): one for one in exchanges(view)}
        chosen = st.multiselect(
            "Questions",
            list(asked),
            format_func=lambda message_id: asked[message_id].question.text,
            key=f"export-answers-{view.chat_id}",
            placeholder="All of this branch",
        )
        stem = _stem(view.title)
        for label, kind, media_type, words in _REPORTS:
            make = partial(_report, view.chat_id, kind, tuple(chosen))
            _download(label, f"{stem}.{kind}", media_type, words, make)
        for label, program, words in _PROGRAMS:
            packed = partial(_program, view.chat_id, program, tuple(chosen), stem)
            _download(label, f"{stem}-{program}.zip", "application/zip", words, packed)
        _copy(view, tuple(chosen))
        st.button(
            "Make a report …",
            icon=":material/article:",
            key="make-a-report",
            width="stretch",
            help="Choose answers and results, put them in order and write between them",
            on_click=session.go_to_page,
            args=("report",),
        )


def _id(exchange: Exchange) -> str:
    answer = exchange.answer
    return (answer or exchange.question).message_id


def _download(label: str, name: str, media_type: str, words: str, make: Callable[[], bytes]) -> None:
    st.download_button(
        label, make, name, media_type, key=f"export-{label}", help=words, on_click="ignore", width="stretch"
    )


def _report(chat_id: str, kind: ReportKind, answers: tuple[str, ...]) -> bytes:
    return app().exports.report(chat_id, kind, answers).encode()


def _program(chat_id: str, kind: ProgramKind, answers: tuple[str, ...], name: str) -> bytes:
    return app().exports.program(chat_id, kind, answers, name=name)


def _copy(view: ChatView, answers: tuple[str, ...]) -> None:
    engine = app()
    key = (view.chat_id, view.leaf, engine.version(view.chat_id), answers)
    try:
        with st.spinner("Preparing the report…"):
            text, html = _pasted.get(engine, key, lambda: engine.exports.pasted(view.chat_id, answers))
    except AnabranchError as error:
        failure("The report cannot be copied.", error.message)
        return
    copy_text(text, key="copy-report", label="Copy as report", html=html)


def _stem(title: str) -> str:
    return re.sub(r"[^\w]+", "-", title.lower(), flags=re.ASCII).strip("-")[:60] or "chat"
