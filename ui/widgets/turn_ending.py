"""The ending of an answer that did not finish normally: what went wrong, and what to do about it."""

import streamlit as st

from engine.commands.catalog import Ask, Retry, SelectModel
from engine.views.chat import ChatView, TurnView
from engine.views.exchanges import Exchange
from ui import session
from ui.acts import once
from ui.current_app import send
from ui.widgets.exchange import is_latest, retry
from ui.widgets.failure import failure
from ui.words import escape

__all__ = ["ending"]

_ENDED = {
    "cancelled": "Stopped by you. The text so far is kept.",
    "interrupted": "Interrupted when the app closed. Tool calls that were running were not run again.",
    "limit": "Stopped at the limit of tool steps.",
    "length": "Cut off at the model's length limit.",
    "content_filter": "Stopped by the provider's content filter.",
}


_TITLES = {
    "unreachable": "The model server cannot be reached.",
    "no_key": "This provider needs a key.",
    "unauthorized": "The provider did not accept the key.",
    "not_found": "The provider does not know this model.",
    "rate_limited": "The provider is limiting requests.",
    "overloaded": "The provider is overloaded.",
    "context_overflow": "This chat is longer than the model can read.",
    "refused": "The provider refused the request.",
    "broken": "The answer was cut off.",
}


def ending(view: ChatView, exchange: Exchange, turn: TurnView | None) -> None:
    """If a turn did not end with a normal answer, draw how it ended, and the possible actions."""
    if turn is None or turn.reason == "awaiting_confirmation":
        return
    latest = is_latest(view, exchange)
    if turn.reason == "error":
        _no_answer(view, exchange, turn, latest)
        return
    word = _ENDED.get(turn.reason or "", "")
    if word or turn.problem:
        problem = turn.problem or "" if turn.reason != "cancelled" else ""
        st.html(f'<div class="ab-ended"><span>{word}</span><span>{escape(problem)}</span></div>')
    if turn.reason in ("limit", "length", "interrupted") and latest:
        _continue(view, turn)


def _no_answer(view: ChatView, exchange: Exchange, turn: TurnView, latest: bool) -> None:
    """Draw what went wrong, and the possible actions."""
    key, question = turn.turn_id, exchange.question.message_id
    failure(_TITLES.get(turn.problem_kind or "", "The model did not answer."), turn.problem or "")
    if session.looks_back():
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"failed-{key}"):
        st.button(
            "Retry",
            icon=":material/refresh:",
            key=f"retry-{key}",
            on_click=once(f"retry-{key}", retry),
            args=(view, exchange),
        )
        if latest and exchange.steps:
            _continue(view, turn)
        if turn.problem_kind in ("no_key", "unauthorized"):
            st.html(
                '<a class="ab-action" href="settings" target="_self">Keys in Settings</a>', width="content"
            )
        if not turn.model.startswith("offline"):
            st.button(
                "Use offline analyst",
                key=f"offline-{key}",
                type="tertiary",
                on_click=once(f"retry-{key}", _retry_offline),
                args=(view.chat_id, question),
            )


def _continue(view: ChatView, turn: TurnView) -> None:
    st.button(
        "Continue",
        icon=":material/play_arrow:",
        key=f"continue-{turn.turn_id}",
        on_click=once(f"continue-{turn.turn_id}", _go_on),
        args=(view.chat_id,),
    )


def _go_on(chat_id: str) -> None:
    send(Ask(chat_id, "Continue"))


def _retry_offline(chat_id: str, question_id: str) -> None:
    send(SelectModel(chat_id, "offline"))
    send(Retry(chat_id, question_id))
