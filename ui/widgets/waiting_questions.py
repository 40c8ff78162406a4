"""Lists the queued questions in order; they can be moved, changed or removed."""

import streamlit as st

from engine.commands.catalog import AskQueued, MoveQueued, RewordQueued
from engine.views.queued import Queued
from ui import session
from ui.acts import once
from ui.current_app import app, send
from ui.widgets.refused_question import take_back
from ui.words import count, escape, unseen

__all__ = ["waiting_questions"]


def waiting_questions(chat_id: str) -> None:
    """Show queued questions, including those from before a restart. Refused ones are shown elsewhere."""
    queue = app().queued(chat_id)
    waiting = [one for one in queue if one.refusal is None]
    if not waiting:
        return
    with st.container(key="queued"):
        if len(waiting) < len(queue):
            st.html(
                '<p class="ab-note" role="status">The questions below wait until you send the refused one again or '
                "discard it.</p>"
            )
        for at, one in enumerate(waiting):
            _row(chat_id, waiting, at, one)


def _row(chat_id: str, waiting: list[Queued], at: int, one: Queued) -> None:
    queued_id = one.queued_id
    files = f" with {count(len(one.question.files), 'file')}" if one.question.files else ""
    place = "Next" if at == 0 else f"Number {at + 1}"
    with st.container(key=f"queued-row-{queued_id}", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="ab-note">{place}{files}: {escape(one.question.text)}</div>',
            width="stretch",
        )
        if one.due:
            st.button("Ask now", key="ask-queued", on_click=once("queued", send), args=(AskQueued(chat_id),))
        if at > 0:
            _move("Ask earlier", "arrow_upward", MoveQueued(chat_id, queued_id, waiting[at - 1].queued_id))
        if at < len(waiting) - 1:
            behind = waiting[at + 2].queued_id if at + 2 < len(waiting) else None
            _move("Ask later", "arrow_downward", MoveQueued(chat_id, queued_id, behind))
        _edit(one)
        st.button(
            "Withdraw",
            key="unqueue" if at == 0 else f"unqueue-{queued_id}",
            type="tertiary",
            on_click=once(f"queued-{queued_id}", take_back),
            args=(one.question, queued_id),
        )


def _move(name: str, icon: str, command: MoveQueued) -> None:
    key = f"{icon}-{command.queued_id}"
    st.button(
        unseen(name),
        icon=f":material/{icon}:",
        key=key,
        type="tertiary",
        help=name,
        on_click=once(key, send),
        args=(command,),
    )


def _edit(one: Queued) -> None:
    """Draw the menu in which the question's text can be changed."""
    key = f"reword-{one.queued_id}"
    menu = st.popover(
        unseen("Edit the question"),
        icon=":material/edit:",
        key=f"{key}-{session.remembered(key, 0)}",
        type="tertiary",
        help="Edit the question",
        on_change="rerun",
    )
    if not menu.open:
        return
    with menu:
        st.text_area("Your question", one.question.text, key=f"words-{key}")
        st.button(
            "Save", key=f"save-{key}", type="primary", on_click=once(f"save-{key}", _reword), args=(one,)
        )


def _reword(one: Queued) -> None:
    key = f"reword-{one.queued_id}"
    text = str(session.widget_value(f"words-{key}") or "")
    session.remember(key, session.remembered(key, 0) + 1)
    send(RewordQueued(one.question.chat_id, one.queued_id, text))
