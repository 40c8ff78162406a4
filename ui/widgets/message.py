"""The transcript: questions as bubbles, the steps of a turn as one answer with its tool line, prose and cards."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from engine.commands import Ask, EditMessage, ForkChat, Retry, SelectLeaf, SelectModel
from engine.errors import AnabranchError
from engine.views.chat import ChatView, MessageView, TurnView
from engine.views.offer import model_title, without_offer
from ui import session
from ui.components.copy_text.component import copy_text
from ui.shared import REFUSED, app, send
from ui.widgets.failure import failure
from ui.widgets.forking import fork
from ui.widgets.lifted import lifted, show_lifted
from ui.widgets.offers import offers
from ui.widgets.tool_activity import tool_activity
from ui.words import escape, local_time, prose, seconds, size, tokens

__all__ = ["Exchange", "exchanges", "show_exchange"]

_ENDED = {
    "cancelled": "Stopped by you. What was written is kept.",
    "interrupted": "Interrupted when the app closed. Nothing was run again.",
    "limit": "Stopped at the limit of tool steps.",
    "length": "Cut off at the model's length limit.",
    "content_filter": "Stopped by the provider's content filter.",
}


_TITLES = {
    "unreachable": "The model server cannot be reached.",
    "no_key": "This provider needs a key.",
    "unauthorized": "The provider did not accept the key.",
    "not_found": "The provider does not know this model.",
    "rate_limited": "The provider asks to wait.",
    "overloaded": "The provider is overloaded.",
    "context_overflow": "This chat is longer than the model can read.",
    "refused": "The provider refused the request.",
    "broken": "The answer broke off.",
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
    if running and not session.looks_back():
        return
    cards = lifted(steps) if not running or any(step.content for step in steps) else []
    tool_activity(view.chat_id, turn, steps, [call_id for card in cards for call_id in card.call_ids])
    text = next((step.content for step in reversed(steps) if step.content), "")
    if not text and steps:
        text = steps[-1].text if not steps[-1].calls else ""
    said, offered = without_offer(text) if not running and _is_latest(view, exchange) else (text, ())
    if said:
        st.markdown(prose(said))
    show_lifted(view, cards)
    for part in steps[-1].parts if steps else ():
        if part.kind == "image":
            _picture(view.chat_id, part.sha256)
    _ending(view, exchange, turn)
    offers(view.chat_id, offered)
    if turn is not None and turn.reason != "awaiting_confirmation":
        _actions(view, exchange, turn, text, offset)


def _is_latest(view: ChatView, exchange: Exchange) -> bool:
    """Whether the chat stands here, and is not only looked back on."""
    here = {exchange.question.message_id, *(step.message_id for step in exchange.steps)}
    return not session.looks_back() and view.leaf in here


def _picture(chat_id: str, sha256: str) -> None:
    """A picture that the model sent; what is none any more leaves the rest of the chat as it is."""
    try:
        st.image(app().workspace.read(chat_id, sha256))
    except (AnabranchError, OSError) as error:
        failure("This picture cannot be shown.", str(error))


def _question(view: ChatView, question: MessageView, running: bool) -> None:
    chips = "".join(
        f'<span class="ab-chip">{escape(path)}<small>{size(file["size"])}</small></span>'
        for path, file in view.uploads(question.message_id).items()
    )
    files = f'<div class="ab-chips">{chips}</div>' if chips else ""
    st.html(f'<div class="ab-question">{files}<div class="ab-bubble">{escape(question.text)}</div></div>')
    past = session.looks_back()
    if running and not past:
        return
    key = question.message_id
    with st.container(key=f"asked-{key}", horizontal=True, horizontal_alignment="right"):
        if past:
            copy_text(question.text, key=f"copy-{key}")
            return
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
    """Show the sibling, with the page where it is: at this question."""
    leaf, message = view.tip(message_id), view.messages[message_id]
    if send(SelectLeaf(view.chat_id, leaf)) is not REFUSED:
        question = message_id if message.role == "user" else message.parent_id
        session.remember(f"reading-{view.chat_id}", (leaf, question))


def _edit(chat_id: str, message_id: str) -> None:
    send(EditMessage(chat_id, message_id, str(session.widget_value(f"words-{message_id}"))))


def _ending(view: ChatView, exchange: Exchange, turn: TurnView | None) -> None:
    if turn is None or turn.reason == "awaiting_confirmation":
        return
    latest = _is_latest(view, exchange)
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
    """What went wrong, and what can be done about it."""
    key, question = turn.turn_id, exchange.question.message_id
    failure(_TITLES.get(turn.problem_kind or "", "No answer came."), turn.problem or "")
    if session.looks_back():
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"failed-{key}"):
        st.button(
            "Retry",
            icon=":material/refresh:",
            key=f"retry-{key}",
            on_click=_retry,
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
                on_click=_retry_offline,
                args=(view.chat_id, question),
            )


def _continue(view: ChatView, turn: TurnView) -> None:
    st.button(
        "Continue",
        icon=":material/play_arrow:",
        key=f"continue-{turn.turn_id}",
        on_click=_go_on,
        args=(view.chat_id,),
    )


def _go_on(chat_id: str) -> None:
    send(Ask(chat_id, "Continue"))


def _retry_offline(chat_id: str, question_id: str) -> None:
    send(SelectModel(chat_id, "offline"))
    send(Retry(chat_id, question_id))


def _actions(view: ChatView, exchange: Exchange, turn: TurnView, text: str, offset: int | None) -> None:
    key, writes = turn.turn_id, not session.looks_back()
    with st.container(key=f"actions-{key}", horizontal=True):
        if exchange.steps and writes:
            _siblings(view, exchange.steps[0], "answer")
        if text:
            copy_text(text, key=f"copy-{key}")
        if turn.reason != "error" and writes:
            _action("refresh", "Retry: answer this question again", f"retry-{key}", _retry, view, exchange)
        if exchange.steps and writes:
            _action("fork_right", "Fork from here to a new chat", f"fork-{key}", _fork, view, exchange)
            _action("history", "Stand here in the history", f"stand-{key}", _stand, view, exchange)
        facts = [
            "Your command" if turn.by_user else model_title(turn.model),
            local_time(turn.started_at, offset),
            seconds(turn.seconds),
            tokens(turn.tokens_in, turn.tokens_out),
        ]
        st.html(
            f'<span class="ab-meta">{escape(" · ".join(fact for fact in facts if fact))}</span>',
            width="content",
        )


def _action(
    icon: str,
    words: str,
    key: str,
    act: Callable[[ChatView, Exchange], None],
    view: ChatView,
    exchange: Exchange,
) -> None:
    st.button(
        "",
        icon=f":material/{icon}:",
        help=words,
        key=key,
        type="tertiary",
        on_click=act,
        args=(view, exchange),
    )


def _retry(view: ChatView, exchange: Exchange) -> None:
    send(Retry(view.chat_id, exchange.question.message_id))


def _fork(view: ChatView, exchange: Exchange) -> None:
    fork(ForkChat(view.chat_id, exchange.steps[-1].message_id))


def _stand(view: ChatView, exchange: Exchange) -> None:
    """At the end of the turn, so that what is forked or rewound from there is whole."""
    last = exchange.steps[-1]
    ends = [tick.position for tick in app().past.moments(view.chat_id) if tick.turn_id == last.turn_id]
    session.stand_at(view.chat_id, max(ends, default=last.position))
    session.go_to_page("history")
