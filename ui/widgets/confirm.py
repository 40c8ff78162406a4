"""A call that waits for the user: what it may do, its arguments to read or edit, and the answer."""

import json
from typing import Any

import streamlit as st

from engine.commands import ApproveCall, DenyCall
from engine.views.chat import CallView
from engine.views.offer import Tool
from ui import session
from ui.shared import app, send
from ui.words import escape, seconds

__all__ = ["confirm"]

_EFFECTS = {
    "read": "only reads this workspace",
    "create": "may add files to this workspace",
    "write": "may write in this workspace",
}


def confirm(chat_id: str, call: CallView) -> None:
    """Draw the controls below the call's arguments."""
    key = call.call_id
    tool = next((tool for tool in app().tools() if tool.tool_id == call.tool_id), None)
    if tool is not None:
        st.html(_may(tool))
    if st.toggle("Edit arguments", key=f"edit-args-{key}") and not _editor(call):
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"confirm-{key}"):
        st.button("Approve", key=f"approve-{key}", type="primary", on_click=_approve, args=(chat_id, key))
        st.button("Deny", key=f"deny-{key}", on_click=_deny, args=(chat_id, key))
        st.checkbox("Always in this chat", key=f"always-{key}")


def _may(tool: Tool) -> str:
    facts = [_EFFECTS[tool.effects], f"stops after {seconds(tool.timeout)}"]
    return '<div class="ab-facts">' + "".join(f"<span>{escape(fact)}</span>" for fact in facts) + "</div>"


def _editor(call: CallView) -> bool:
    """The arguments to edit; whether what stands there can be arguments."""
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
    """What `text` says.

    Raises:
        ValueError: it is no JSON object; the message is for the user.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ValueError(f"This is no JSON yet: {error}") from None
    if not isinstance(value, dict):
        raise ValueError("Arguments are a JSON object, in braces.")
    return value


def _approve(chat_id: str, call_id: str) -> None:
    """Approve what stands in the field now: a click may come before the page knows of the last key."""
    edited = None
    if session.widget_value(f"edit-args-{call_id}"):
        try:
            edited = _arguments(session.widget_value(f"edited-{call_id}"))
        except ValueError as error:
            session.remember("failure", f"The call was not approved and waits on. {error}")
            return
    always = bool(session.widget_value(f"always-{call_id}"))
    send(ApproveCall(chat_id, call_id, edited, always=always))


def _deny(chat_id: str, call_id: str) -> None:
    send(DenyCall(chat_id, call_id))
