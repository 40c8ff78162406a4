"""The tool line of an answer, such as `Used 2 tools`, with the calls, which are drawn only while it is open."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from engine.views.chat import CallView, MessageView, TurnView
from engine.views.outgoing_data import readable_json
from engine.views.review_words import sent_back_words
from ui import session
from ui.components.copy_text.component import copy_text
from ui.current_app import app
from ui.widgets.confirm import confirm
from ui.widgets.failure import failure
from ui.widgets.outgoing_data import would_leave
from ui.widgets.render_plan import render_plan
from ui.words import badge, count, escape, seconds

__all__ = ["tool_activity"]

_LINES = 40
_ASKS = "ask_user"


def tool_activity(
    chat_id: str, turn: TurnView | None, steps: Sequence[MessageView], shown: Sequence[str]
) -> None:
    """Show the calls of an answer's `steps`; those in `shown` have their result in or under the answer."""
    calls = [call for step in steps for call in step.calls]
    drafts = [step for step in steps if step.sent_back]
    if not calls and not drafts:
        return
    key = steps[0].message_id
    waits = turn is not None and turn.reason == "awaiting_confirmation"
    runs = turn is not None and turn.reason is None and not any(step.content for step in steps)
    with st.container(key=f"tool-activity-{key}"):
        label, icon = _line(turn, calls) if calls else ("", ":material/check:")
        label = " · ".join(part for part in (label, "1 draft sent back" if drafts else "") if part)
        # The result of a slash command is the whole answer, so the line is open unless the result is shown below.
        alone = turn is not None and turn.by_user and not shown
        wide = waits or runs or alone
        named = f"tools-{key}-open" if wide else f"tools-{key}"
        opened = st.expander(label, type="compact", icon=icon, key=named, on_change="rerun", expanded=wide)
        if opened.open:
            with opened:
                for step in steps:
                    for call in step.calls:
                        _call(chat_id, call, call.call_id in shown, waits)
                    if step.sent_back:
                        _draft(chat_id, step)


def _draft(chat_id: str, step: MessageView) -> None:
    """Show an answer that went back to the model, with the numbers that were the reason."""
    numbers = app().numbers(chat_id, step.message_id)
    told = f"Draft, not the answer. It went back to the model because of {sent_back_words(numbers)}."
    with st.container(key=f"draft-{step.message_id}"):
        st.html(f'<div class="ab-warning">{escape(told)}</div>')
        st.html(f'<div class="ab-draft">{escape(step.text)}</div>')


def _line(turn: TurnView | None, calls: Sequence[CallView]) -> tuple[str, str]:
    asking = [call for call in calls if call.status == "awaiting_confirmation"]
    if asking and all(call.tool_id == _ASKS for call in asking):
        return "A question for you", ":material/back_hand:"
    if asking:
        names = ", ".join(dict.fromkeys(call.tool_id.rpartition(":")[2] for call in asking))
        return f"Waiting for you: {names}", ":material/back_hand:"
    failed = sum(call.status not in ("success", "pending", "running", "denied") for call in calls)
    took = f" · {seconds(turn.seconds)}" if turn is not None and turn.seconds is not None else ""
    used = f"Used {count(len(calls), 'tool')}"
    if turn is not None and turn.reason == "cancelled":
        return f"Stopped after {count(len(calls), 'tool')}{took}", ":material/stop_circle:"
    if turn is not None and turn.reason is None:
        running = [call.tool_id.rpartition(":")[2] for call in calls if call.status in ("pending", "running")]
        return (
            f"Running {running[0]}" if running else f"Used {count(len(calls), 'tool')}"
        ), ":material/pending:"
    if failed:
        return f"{used}, {failed} failed{took}", ":material/info:"
    return f"{used}{took}", ":material/check:"


def _call(chat_id: str, call: CallView, shown: bool, waits: bool) -> None:
    toolset, _, tool = call.tool_id.rpartition(":")
    asks = call.status == "awaiting_confirmation"
    status = "held_up" if waits and call.status == "pending" else call.status
    with st.container(key=f"tool-call-message-{call.call_id}"):
        mark = " asks" if asks else ""
        question = call.tool_id == _ASKS
        answered = question and (call.status == "denied" or isinstance(call.result, dict))
        sign = "" if answered else badge(status)  # the outcome of a question is shown in words below
        named = f"<code>{escape(tool)}</code>" if not question else "<b>Question</b>"
        home = f'<span class="set">{escape(toolset or "built-in")}</span>' if not question else ""
        st.html(
            f'<div class="ab-call{mark}">{named}{sign}{home}{_reaches(call)}'
            f'<span class="time">{escape(seconds(call.seconds))}</span></div>'
        )
        if call.commentary.strip():
            st.html(f'<div class="ab-commentary">{escape(call.commentary.strip())}</div>')
        if waits and not asks:
            return
        if answered:
            _answered(call)
        elif not asks or not question:  # a waiting question is shown below with its answers
            if asks:
                would_leave(chat_id, call)
            _content(call)
        if asks and not session.looks_back():
            confirm(chat_id, call)
        if call.note:
            st.html(f'<div class="ab-warning">{escape(call.note)}</div>')
        if call.files_with_secrets:
            named = ", ".join(call.files_with_secrets)
            st.html(
                f'<div class="ab-warning">A configured key is in {escape(named)}. The file is not '
                "changed; the key is removed from everything that models receive.</div>"
            )
        if call.render_plan is not None and call.error is None:
            if shown:
                st.html('<span class="ab-note">Shown in the answer.</span>')
            else:
                render_plan(chat_id, call, key=f"in-{call.call_id}")


def _reaches(call: CallView) -> str:
    """Return as HTML where the call's input was sent, or would be sent."""
    if call.sends_to is None:
        return ""
    verb = "would send to" if call.status == "awaiting_confirmation" else "sent nothing to"
    if call.started_at is not None:
        verb = "sent to"
    return f'<span class="out">↗ {verb} {escape(call.sends_to)}</span>'


def _answered(call: CallView) -> None:
    """Show a question of the model with the user's answer."""
    asked = call.args.get("question", "") if isinstance(call.args, dict) else ""
    answer = call.result.get("answer", "") if isinstance(call.result, dict) else None
    said = f"You answered: {answer}" if answer is not None else "You skipped this question."
    st.html(f'<div class="ab-asked">{escape(str(asked))}</div><div class="ab-note">{escape(said)}</div>')


def _content(call: CallView) -> None:
    """Draw arguments and result, side by side if there is room."""
    left, right = (
        st.columns(2) if call.status != "awaiting_confirmation" else (st.container(), st.container())
    )
    with left:
        leaves = call.sends_to is not None and call.status == "awaiting_confirmation"
        _json("Data sent" if leaves else "Arguments", call.args, f"args-{call.call_id}", whole=leaves)
    with right:
        if call.error is not None:
            st.html('<span class="ab-label">Error</span>')
            failure(call.error["message"], details=call.error.get("traceback", ""))
        elif call.result is not None:
            _json("Result", call.result, f"result-{call.call_id}")
    st.html(_facts(call))


def _json(title: str, value: Any, key: str, *, whole: bool = False) -> None:
    text = readable_json(value)
    lines = text.splitlines()
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", gap=None
    ):
        st.html(f'<span class="ab-label">{title}</span>', width="content")
        copy_text(text, key=f"copy-{key}")
    whole = whole or len(lines) <= _LINES or st.toggle(f"Show all {len(lines):,} lines", key=f"all-{key}")
    st.code(text if whole else "\n".join([*lines[:_LINES], "…"]), language="json", wrap_lines=True)


def _facts(call: CallView) -> str:
    facts = []
    if call.seconds is not None:
        facts.append(f"ran {escape(seconds(call.seconds))}")
    if call.pre_manifest_id:
        facts.append(f"files before <code>m·{escape(call.pre_manifest_id[-8:])}</code>")
    if call.post_manifest_id:
        facts.append(f"after <code>m·{escape(call.post_manifest_id[-8:])}</code>")
    if call.toolset_version:
        facts.append(f"version {escape(call.toolset_version)}")
    return '<div class="ab-facts">' + "".join(f"<span>{fact}</span>" for fact in facts) + "</div>"
