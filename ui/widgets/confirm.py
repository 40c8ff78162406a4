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
    edited = None
    if st.toggle("Edit arguments", key=f"edit-args-{key}"):
        edited = _editor(call)
        if edited is None:
            return
    with st.container(horizontal=True, vertical_alignment="center", key=f"confirm-{key}"):
        st.button(
            "Approve", key=f"approve-{key}", type="primary", on_click=_approve, args=(chat_id, key, edited)
        )
        st.button("Deny", key=f"deny-{key}", on_click=_deny, args=(chat_id, key))
        st.checkbox("Always in this chat", key=f"always-{key}")


def _may(tool: Tool) -> str:
    facts = [_EFFECTS[tool.effects], f"stops after {seconds(tool.timeout)}"]
    return '<div class="ab-facts">' + "".join(f"<span>{escape(fact)}</span>" for fact in facts) + "</div>"


def _editor(call: CallView) -> dict[str, Any] | None:
    """The arguments as the user wants them; None while they are no JSON object."""
    shown = json.dumps(call.args, ensure_ascii=False, indent=2)
    text = st.text_area(
        "Arguments as JSON", shown, key=f"edited-{call.call_id}", height=min(420, 90 + 22 * shown.count("\n"))
    )
    try:
        value = json.loads(text)
    except ValueError as error:
        st.html(f'<div class="ab-note" role="alert">This is no JSON yet: {escape(str(error))}</div>')
        return None
    if not isinstance(value, dict):
        st.html('<div class="ab-note" role="alert">Arguments are a JSON object, in braces.</div>')
        return None
    return value


def _approve(chat_id: str, call_id: str, edited: dict[str, Any] | None) -> None:
    always = bool(session.widget_value(f"always-{call_id}"))
    send(ApproveCall(chat_id, call_id, edited, always=always))


def _deny(chat_id: str, call_id: str) -> None:
    send(DenyCall(chat_id, call_id))
