"""The transcript: questions as bubbles, the steps of a turn as one answer with its tool line, prose and cards."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from engine.commands import EditMessage, Retry, SelectLeaf
from engine.views.chat import CallView, ChatView, MessageView, TurnView
from engine.views.offer import model_title
from ui import session
from ui.components.copy_text.component import copy_text
from ui.shared import send
from ui.widgets.failure import failure
from ui.widgets.render_plan import render_plan
from ui.widgets.tool_activity import tool_activity
from ui.words import escape, local_time, prose, seconds, size

__all__ = ["Exchange", "exchanges", "show_exchange"]

_ENDED = {
    "cancelled": "Stopped by you. What was written is kept.",
    "interrupted": "Interrupted when the app closed. Nothing was run again.",
    "limit": "Stopped at the limit of tool steps.",
    "length": "Cut off at the model's length limit.",
    "content_filter": "Stopped by the provider's content filter.",
}


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and the steps that answer it on this branch."""

    question: MessageView
    steps: tuple[MessageView, ...]
    turn: TurnView | None


def exchanges(view: ChatView) -> list[Exchange]:
    """The branch that the chat stands on, as questions with their answers."""
    found: list[tuple[MessageView, list[MessageView]]] = []
    for message in view.branch():
        if message.role == "user":
            found.append((message, []))
        elif found:
            found[-1][1].append(message)
    return [Exchange(q, tuple(steps), _turn(view, q, steps)) for q, steps in found]


def _turn(view: ChatView, question: MessageView, steps: Sequence[MessageView]) -> TurnView | None:
    if steps and steps[-1].turn_id in view.turns:
        return view.turns[steps[-1].turn_id or ""]
    own = [turn for turn in view.turns.values() if turn.message_id == question.message_id]
    return max(own, key=lambda turn: turn.started_at, default=None)


def show_exchange(view: ChatView, exchange: Exchange, offset: int | None) -> None:
    """Show one question and its answer; `offset` is the reader's minutes west of UTC."""
    steps, turn = exchange.steps, exchange.turn
    running = turn is not None and turn.reason is None
    _question(view, exchange.question, running)
    if running:
        return
    lifted = _lifted(steps)
    tool_activity(view.chat_id, turn, steps, [call.call_id for call in lifted])
    text = next((step.content for step in reversed(steps) if step.content), "")
    if not text and steps:
        text = steps[-1].text if not steps[-1].calls else ""
    if text:
        st.markdown(prose(text))
    for call in lifted:
        render_plan(view.chat_id, call, key=call.call_id)
    _ending(turn)
    if turn is not None:
        _actions(view, exchange, turn, text, offset)


def _question(view: ChatView, question: MessageView, running: bool) -> None:
    chips = "".join(
        f'<span class="ab-chip">{escape(path)}<small>{size(file["size"])}</small></span>'
        for path, file in view.uploads(question.message_id).items()
    )
    files = f'<div class="ab-chips">{chips}</div>' if chips else ""
    st.html(f'<div class="ab-question">{files}<div class="ab-bubble">{escape(question.text)}</div></div>')
    if running:
        return
    key = question.message_id
    with st.container(key=f"asked-{key}", horizontal=True, horizontal_alignment="right"):
        _siblings(view, question, "question")
        with st.popover(
            "", icon=":material/edit:", key=f"edit-{key}", type="tertiary", help="Ask in other words"
        ):
            st.text_area("Your question", question.text, key=f"words-{key}")
            st.button(
                "Ask again", key=f"again-{key}", type="primary", on_click=_edit, args=(view.chat_id, key)
            )
        copy_text(question.text, key=f"copy-{key}")


def _siblings(view: ChatView, message: MessageView, what: str) -> None:
    """`‹ 2 / 3 ›` where there are several; the files follow."""
    many = message.siblings
    if len(many) < 2:
        return
    here = many.index(message.message_id)
    for step, icon, word in ((-1, "chevron_left", "Earlier"), (1, "chevron_right", "Later")):
        there = here + step
        st.button(
            "",
            icon=f":material/{icon}:",
            key=f"sibling{step}-{message.message_id}",
            type="tertiary",
            help=f"{word} {what}",
            disabled=not 0 <= there < len(many),
            on_click=_stand_on,
            args=(view, many[there % len(many)]),
        )
        if step < 0:
            st.html(f'<span class="ab-meta">{here + 1} / {len(many)}</span>', width="content")


def _stand_on(view: ChatView, message_id: str) -> None:
    send(SelectLeaf(view.chat_id, view.tip(message_id)))


def _edit(chat_id: str, message_id: str) -> None:
    send(EditMessage(chat_id, message_id, str(session.widget_value(f"words-{message_id}"))))


def _lifted(steps: Sequence[MessageView]) -> list[CallView]:
    """The plans that stand under the answer: those of the last step that made any to look at."""
    for step in reversed(steps):
        shown = [c for c in step.calls if c.status == "success" and c.render_plan and _worth_lifting(c)]
        if shown:
            return shown
    return []


def _worth_lifting(call: CallView) -> bool:
    return call.plan is not None and call.plan.renderer not in ("json", "error")


def _ending(turn: TurnView | None) -> None:
    if turn is None:
        return
    if turn.reason == "error":
        failure("No answer came.", turn.problem or "")
    elif turn.reason in _ENDED:
        st.html(f'<div class="ab-ended">{_ENDED[turn.reason]}</div>')


def _actions(view: ChatView, exchange: Exchange, turn: TurnView, text: str, offset: int | None) -> None:
    key = turn.turn_id
    with st.container(key=f"actions-{key}", horizontal=True):
        if exchange.steps:
            _siblings(view, exchange.steps[0], "answer")
        if text:
            copy_text(text, key=f"copy-{key}")
        st.button(
            "Retry" if turn.reason == "error" else "",
            icon=":material/refresh:",
            help="Retry: answer this question again",
            key=f"retry-{key}",
            type="tertiary",
            on_click=_retry,
            args=(view.chat_id, exchange.question.message_id),
        )
        facts = [model_title(turn.model), local_time(turn.started_at, offset), seconds(turn.seconds)]
        st.html(
            f'<span class="ab-meta">{escape(" · ".join(fact for fact in facts if fact))}</span>',
            width="content",
        )


def _retry(chat_id: str, message_id: str) -> None:
    send(Retry(chat_id, message_id))
