"""Definitions in a chat: the line that lists those used by an answer, and the definition that a `remember` call would
save.
"""

import streamlit as st

from engine.views.chat import CallView, ChatView, TurnView
from engine.views.definitions import listed, same_term, sentence
from ui.current_app import app
from ui.words import escape

__all__ = ["REMEMBER", "definitions_used", "proposed_definition"]

REMEMBER = "remember"
_SCOPES = {"chat": "in this chat", "everywhere": "in all chats"}


def definitions_used(view: ChatView, turn: TurnView | None) -> None:
    """Name the definitions that an answer used; draw nothing if it used none."""
    if turn is None or turn.reason in (None, "awaiting_confirmation"):
        return
    used = view.definitions_used(turn.turn_id)
    if not used:
        return
    whole = "".join(
        f"<p><b>{escape(one.term)}</b>: {escape(one.meaning)} "
        f"<small>{_SCOPES[one.scope]}, version {one.version}</small></p>"
        for one in used
    )
    line = sentence([one.to_json() for one in used])
    st.html(
        f'<details class="ab-definitions"><summary title="{escape(line)}">{escape(line)}</summary>{whole}'
        '<p><a href="settings" target="_self">Edit definitions in Settings</a></p></details>'
    )


def proposed_definition(chat_id: str, call: CallView) -> None:
    """Show the definition that a call would save, and the current one."""
    given = call.args if isinstance(call.args, dict) else {}
    term, meaning = str(given.get("term", "")), str(given.get("meaning", ""))
    scope = "chat" if given.get("scope") == "chat" else "everywhere"
    now = next(
        (
            row["meaning"]
            for row in listed(app().read("definitions"), chat_id)
            if same_term(row["term"]) == same_term(term)
        ),
        None,
    )
    before = f'<span class="ab-note">Current definition: {escape(now)}</span>' if now is not None else ""
    st.html(
        f'<div class="ab-asked"><b>{escape(term)}</b> = {escape(meaning)}</div>{before}'
        f'<div class="ab-facts"><span>applies {_SCOPES[scope]}</span><span>you can change it in Settings</span></div>'
    )
