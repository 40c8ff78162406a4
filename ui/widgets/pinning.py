"""The pin under an answer, which adds the answer to the standing questions."""

import streamlit as st

from engine.commands.catalog import PinAnswer, UnpinAnswer
from engine.views.chat import ChatView, TurnView
from engine.views.exchanges import Exchange
from ui import session
from ui.acts import once
from ui.current_app import REFUSED, app, send
from ui.owner_cache import OwnerCache
from ui.words import unseen

__all__ = ["pin_button"]

_pins = OwnerCache[dict[str, str]](20)


def pin_button(view: ChatView, turn: TurnView, exchange: Exchange) -> None:
    """Offer to pin the answer, or to unpin it."""
    last = exchange.steps[-1].message_id
    pin_id = _pinned(view).get(last)
    key = f"pin-{turn.turn_id}"
    st.button(
        unseen("Unpin: remove from Standing questions" if pin_id else "Pin to Standing questions"),
        icon=":material/keep_off:" if pin_id else ":material/push_pin:",
        help="Unpin: remove from Standing questions" if pin_id else "Pin to Standing questions",
        key=key,
        type="tertiary",
        on_click=once(key, _unpin if pin_id else _pin),
        args=(view.chat_id, pin_id or last),
    )


def _pinned(view: ChatView) -> dict[str, str]:
    """The chat's pinned answers: message → pin."""
    engine, chat_id = app(), view.chat_id

    def read() -> dict[str, str]:
        return {
            row["message_id"]: row["pin_id"] for row in engine.read("standing_questions", chat_id=chat_id)
        }

    return _pins.get(engine, (chat_id, engine.version(chat_id)), read)


def _pin(chat_id: str, message_id: str) -> None:
    if send(PinAnswer(chat_id, message_id)) is not REFUSED:
        session.flash("Pinned to Standing questions.")


def _unpin(chat_id: str, pin_id: str) -> None:
    if send(UnpinAnswer(chat_id, pin_id)) is not REFUSED:
        session.flash("Unpinned.")
