"""The composer: question and files, tools, model, and Stop while a turn runs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from engine.commands.catalog import StopTurn, Upload
from engine.views.workspace import TablesShown
from ui import session
from ui.components.composing.component import composing
from ui.current_app import send
from ui.unread_question import take_question
from ui.widgets.building import OnAskForm, builds_query, start_building
from ui.widgets.by_reference import by_reference, refer_to, upload_limit
from ui.widgets.depth_choice import depth_choice
from ui.widgets.mentions import name_lists
from ui.widgets.model_menu import model_menu
from ui.widgets.question_field import question_field
from ui.widgets.refused_question import refused_question
from ui.widgets.tool_picker import settle_choice, tools_picker

__all__ = ["composer"]


def composer(
    *,
    chat_id: str | None,
    running: bool,
    selection: Mapping[str, Sequence[str]],
    model: str,
    base_url: str | None,
    depth: str,
    on_ask: Callable[[str, list[Upload]], None],
    on_ask_form: OnAskForm,
    tables: Callable[[], TablesShown],
    placeholder: str,
) -> None:
    """Draw the composer at the bottom of the page, or the query builder in its place.

    `on_ask` gets the text and the files of a submitted question; `on_ask_form` gets the sentence and the form of a
    query that was built over `tables`.
    """
    with st.bottom:
        refused_question(chat_id)
    with st.bottom, st.container(key="composer"):
        if builds_query(chat_id):
            from ui.widgets.build_query import build_query  # noqa: PLC0415 - loads the analyst

            build_query(chat_id, tables(), running, on_ask_form)
            if running and chat_id is not None:
                _stop_button(chat_id)
            return
        _question(placeholder, chat_id, on_ask)
        composing(upload_limit(), key="composing", on_refer=refer_to)
        name_lists(chat_id, selection)
        _row(chat_id, running, selection, model, base_url, depth, on_ask)


def _question(placeholder: str, chat_id: str | None, on_ask: Callable[[str, list[Upload]], None]) -> None:
    """Draw the question field. If the first request of a session contains a question, as after a restart of the
    server, it is asked here, because Streamlit knows no callbacks yet.
    """
    asked = question_field(placeholder, _submitted, chat_id, on_ask)
    if asked is not None and take_question():
        _submitted(chat_id, on_ask)
        st.rerun()


def _row(
    chat_id: str | None,
    running: bool,
    selection: Mapping[str, Sequence[str]],
    model: str,
    base_url: str | None,
    depth: str,
    on_ask: Callable[[str, list[Upload]], None],
) -> None:
    """Draw the row below the question: tools, model, depth, and actions."""
    with st.container(key="composer-row", horizontal=True, vertical_alignment="center"):
        tools_picker(chat_id, selection)
        model_menu(chat_id, model, base_url)
        if model != "offline":
            depth_choice(chat_id, depth)
        st.button(
            "Build a query",
            icon=":material/schema:",
            key="build-query",
            help="Build a query step by step",
            shortcut="Ctrl+B",
            on_click=start_building,
            args=(chat_id,),
        )
        by_reference(on_ask)
        if running and chat_id is not None:
            st.html("<span></span>", width="stretch")
            _stop_button(chat_id)
        else:
            st.html(
                '<div class="ab-hints"><kbd>Enter</kbd> send · <kbd>Shift Enter</kbd> new line · '
                "<kbd>/</kbd> tools · <kbd>@</kbd> data</div>",
                width="stretch",
            )


def _stop_button(chat_id: str) -> None:
    st.button(
        "Stop",
        icon=":material/stop_circle:",
        key="stop",
        shortcut="Esc",
        on_click=_stop,
        args=(chat_id,),
    )


def _submitted(chat_id: str | None, on_ask: Callable[[str, list[Upload]], None]) -> None:
    value: Any = session.widget_value("question")
    if value is None:
        return
    settle_choice(chat_id)
    uploads = [Upload(file.name, file.getvalue()) for file in value.files]
    on_ask(value.text, uploads)


def _stop(chat_id: str) -> None:
    send(StopTurn(chat_id))
