"""A call that waits for the user: its permissions, its arguments to read or edit, and the buttons to decide."""

import json
from typing import Any

import streamlit as st

from engine.commands.catalog import AnswerCall, ApproveCall, DenyCall
from engine.views.chat import CallView
from engine.views.model_info import Tool
from ui import session
from ui.acts import once
from ui.current_app import app, send
from ui.widgets.definitions import REMEMBER, proposed_definition
from ui.words import escape, label, seconds

__all__ = ["confirm"]

_ASKS = "ask_user"

_EFFECTS = {
    "read": "only reads this workspace",
    "create": "may add files to this workspace",
    "write": "may change this workspace",
}


def confirm(chat_id: str, call: CallView) -> None:
    """Draw the controls below the call's arguments; if the call is a question from the model, draw its answers."""
    if call.tool_id == _ASKS:
        _question(chat_id, call)
        return
    key = call.call_id
    tool = next((tool for tool in app().tools() if tool.tool_id == call.tool_id), None)
    each_time = call.tool_id == REMEMBER
    if each_time:
        proposed_definition(chat_id, call)
    elif tool is not None:
        st.html(_may(tool))
    sends = call.sends_to is not None
    wording = "Edit what is sent" if sends else "Edit arguments"
    if st.toggle(wording, key=f"edit-args-{key}") and not _editor(call):
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"confirm-{key}"):
        st.button(
            "Send" if sends else "Approve",
            key=f"approve-{key}",
            type="primary",
            on_click=once(key, _approve),
            args=(chat_id, key, not each_time),
        )
        st.button("Deny", key=f"deny-{key}", on_click=once(key, _deny), args=(chat_id, key))
        if not each_time:
            st.checkbox(
                f"Always for {label(call.sends_to)} in this chat" if call.sends_to else "Always in this chat",
                key=f"always-{key}",
            )


def _question(chat_id: str, call: CallView) -> None:
    """Show the model's question, the possible answers as buttons, and a field for another answer."""
    key, told = call.call_id, call.args if isinstance(call.args, dict) else {}
    given = told.get("answers")
    answers = [str(answer) for answer in given] if isinstance(given, list) else []
    st.html(f'<div class="ab-asked">{escape(str(told.get("question", "")))}</div>')
    if answers:
        with st.container(horizontal=True, key=f"answers-{key}"):
            for number, answer in enumerate(answers[:5]):
                st.button(
                    label(answer),
                    key=f"answer-{number}-{key}",
                    on_click=once(key, _answer),
                    args=(chat_id, key, answer),
                )
    # Only one button in the form, because Enter presses the first one, which could change while the page is drawn.
    with st.form(key=f"own-answer-{key}", border=False, clear_on_submit=False):
        st.text_input(
            "Another answer" if answers else "Your answer", key=f"answer-text-{key}", max_chars=4_000
        )
        st.form_submit_button("Answer", type="primary", on_click=once(key, _answer_own), args=(chat_id, key))
    st.button(
        "Skip",
        key=f"skip-{key}",
        type="tertiary",
        on_click=once(key, _deny),
        args=(chat_id, key),
        help="The model continues without an answer",
    )


def _answer_own(chat_id: str, call_id: str) -> None:
    text = str(session.widget_value(f"answer-text-{call_id}") or "")
    if text.strip():
        _answer(chat_id, call_id, text)
    else:
        session.remember("failure", "Type an answer first, or choose Skip.")


def _answer(chat_id: str, call_id: str, text: str) -> None:
    send(AnswerCall(chat_id, call_id, text))


def _may(tool: Tool) -> str:
    facts = [_EFFECTS[tool.effects], f"stops after {seconds(tool.timeout)}"]
    return '<div class="ab-facts">' + "".join(f"<span>{escape(fact)}</span>" for fact in facts) + "</div>"


def _editor(call: CallView) -> bool:
    """Draw the arguments to edit; return whether the text is valid as arguments."""
    shown = json.dumps(call.args, ensure_ascii=False, indent=2)
    text = st.text_area(
        "Arguments as JSON", shown, key=f"edited-{call.call_id}", height=min(420, 90 + 22 * shown.count("\n"))
    )
    try:
        _arguments(text)
    except ValueError as error:
        st.html(f'<div class="ab-note" role="alert">{escape(str(error))}</div>')
        return False
    return True


def _arguments(text: str) -> dict[str, Any]:
    """Return the arguments in `text`.

    Raises:
        ValueError: `text` is not a JSON object; the message is for the user.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f"Not valid JSON yet: {error}") from None
    if not isinstance(value, dict):
        raise ValueError("Arguments must be a JSON object, in braces.")
    return value


def _approve(chat_id: str, call_id: str, can_trust: bool) -> None:
    """Approve the arguments as they are now in the field: a click may arrive before the last typed character."""
    edited = None
    if session.widget_value(f"edit-args-{call_id}"):
        try:
            edited = _arguments(session.widget_value(f"edited-{call_id}"))
        except ValueError as error:
            session.remember("failure", f"The call was not approved and is still waiting. {error}")
            return
    always = can_trust and bool(session.widget_value(f"always-{call_id}"))
    send(ApproveCall(chat_id, call_id, edited, always=always))


def _deny(chat_id: str, call_id: str) -> None:
    send(DenyCall(chat_id, call_id))
