"""The transcript: questions as bubbles, and the steps of a turn as one answer with its tool line, text and cards."""

import itertools
from collections.abc import Callable, Collection, Sequence

import streamlit as st

from engine.commands.catalog import EditMessage, ForkChat, SelectLeaf
from engine.errors import AnabranchError
from engine.numbers.judged_sentence import JudgedSentence
from engine.views.answer_number import AnswerNumber
from engine.views.chat import CallView, ChatView, MessageView, TurnView
from engine.views.exchanges import Exchange
from engine.views.model_info import model_title, without_offer
from engine.views.placement import Placed, place_results, results_of
from engine.views.replays import verdict_badge
from events.catalog.chat import EDITED
from ui import session
from ui.acts import once
from ui.components.copy_text.component import copy_text
from ui.current_app import REFUSED, app, send
from ui.widgets.answer_results import as_edited, cards_of, show_answer, show_cards
from ui.widgets.definitions import definitions_used
from ui.widgets.exchange import is_latest, retry
from ui.widgets.failure import failure
from ui.widgets.file_links import Links
from ui.widgets.forking import fork
from ui.widgets.numbers import linked, numbers_line, reread
from ui.widgets.pinning import pin_button
from ui.widgets.reading_chips import reading_chips, reading_choice, readings_of
from ui.widgets.suggested_questions import offers
from ui.widgets.tool_activity import tool_activity
from ui.widgets.turn_ending import ending
from ui.widgets.verifying import verify_now
from ui.words import escape, local_time, seconds, size, tokens, unseen

__all__ = ["show_exchange"]


def show_exchange(view: ChatView, exchange: Exchange, offset: int | None) -> None:
    """Show one question and its answer; `offset` is the reader's minutes west of UTC."""
    steps, turn = exchange.steps, exchange.turn
    running = turn is not None and turn.reason is None
    _question(view, exchange.question, running)
    if running and not session.looks_back():
        return
    text = _text(exchange)
    readings = readings_of(exchange)
    split = len(readings) > 1 or (not running and is_latest(view, exchange))
    said, offered = without_offer(text) if split else (text, ())
    settled = not running or any(step.content for step in steps)
    pieces, below = place_results(said, steps if settled else (), lambda: _earlier(view, exchange))
    placed = [piece.result.call.call_id for piece in pieces if isinstance(piece, Placed)]
    shown_above = {piece.result.key for piece in pieces if isinstance(piece, Placed)}
    own = results_of([call for step in steps for call in step.calls])
    others = [one for one in own if one.key not in shown_above and one not in below]
    cards = cards_of([as_edited(view, one) for one in below], others)
    shown = [*placed, *(call_id for card in cards for call_id in card.call_ids)]
    tool_activity(view.chat_id, turn, steps, shown)
    reading_chips(view, exchange, readings)
    answer = exchange.answer
    numbers, sentences = _traced(view.chat_id, answer)
    pieces = linked(said, pieces, answer.message_id, numbers, sentences) if answer and numbers else pieces
    show_answer(view, pieces, Links(_files(view, exchange), exchange.question.message_id))
    if answer:
        numbers_line(view, answer.message_id, said, numbers)
        if any(call.call_id in view.moved_calls() for step in steps for call in step.calls):
            reread(answer.message_id, numbers, sentences)
    show_cards(view, cards, placed)
    _pictures(view.chat_id, steps)
    definitions_used(view, turn)
    ending(view, exchange, turn)
    if len(readings) > 1:
        reading_choice(view, exchange, readings)
    else:
        offers(view.chat_id, offered)
    if turn is not None and turn.reason != "awaiting_confirmation":
        _actions(view, exchange, turn, text, offset)


def _text(exchange: Exchange) -> str:
    """Return the answer's text. Until there is one, return the last step's text, unless that step has calls or was sent
    back.
    """
    if exchange.answer and exchange.answer.content:
        return exchange.answer.content
    last = exchange.steps[-1] if exchange.steps else None
    return "" if last is None or last.calls or last.sent_back else last.text


def _traced(
    chat_id: str, answer: MessageView | None
) -> tuple[Sequence[AnswerNumber], Sequence[JudgedSentence]]:
    """Return the numbers of an answer and its judged sentences."""
    if answer is None or session.looks_back():
        return (), ()
    numbers = app().numbers(chat_id, answer.message_id)
    return numbers, app().sentences(chat_id, answer.message_id) if numbers else ()


def _earlier(view: ChatView, exchange: Exchange) -> list[CallView]:
    """Return the calls of the branch before this question."""
    before = itertools.takewhile(lambda m: m.message_id != exchange.question.message_id, view.branch())
    return [call for message in before for call in message.calls]


def _files(view: ChatView, exchange: Exchange) -> Collection[str]:
    """Return the chat's current files if an answer contains links; otherwise none."""
    linked = any("](" in step.content for step in exchange.steps)
    return app().workspace.files(view.chat_id) if linked else ()


def _pictures(chat_id: str, steps: Sequence[MessageView]) -> None:
    """Draw the pictures that the model sent with its last message."""
    for part in steps[-1].parts if steps else ():
        if part.kind == "image":
            _picture(chat_id, part.sha256)


def _picture(chat_id: str, sha256: str) -> None:
    """Draw a picture that the model sent; if it is no longer valid, show that and continue."""
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
            unseen("Ask in other words"),
            icon=":material/edit:",
            key=f"edit-{key}",
            type="tertiary",
            help="Ask in other words",
        ):
            st.text_area("Your question", question.text, key=f"words-{key}")
            edit = once(f"again-{key}", _edit)
            st.button(
                "Ask again", key=f"again-{key}", type="primary", on_click=edit, args=(view.chat_id, key)
            )
        copy_text(question.text, key=f"copy-{key}")


def _siblings(view: ChatView, message: MessageView, what: str) -> None:
    """Draw `‹ 2 / 3 ›` if there are several versions; choosing one switches the files too."""
    many = message.siblings
    if len(many) < 2:
        return
    here = many.index(message.message_id)
    for step, icon, word in ((-1, "chevron_left", "Earlier"), (1, "chevron_right", "Later")):
        there = here + step
        st.button(
            unseen(f"{word} {what}"),
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
    """Show another version, and keep the page scrolled to this question."""
    leaf, message = view.tip(message_id), view.messages[message_id]
    if send(SelectLeaf(view.chat_id, leaf)) is not REFUSED:
        question = message_id if message.role == "user" else message.parent_id
        session.remember(f"reading-{view.chat_id}", (leaf, question))


def _edit(chat_id: str, message_id: str) -> None:
    send(EditMessage(chat_id, message_id, str(session.widget_value(f"words-{message_id}"))))


def _actions(view: ChatView, exchange: Exchange, turn: TurnView, text: str, offset: int | None) -> None:
    key, writes = turn.turn_id, not session.looks_back()
    with st.container(key=f"actions-{key}", horizontal=True):
        if exchange.steps and writes:
            _siblings(view, exchange.steps[0], "answer")
            if exchange.answer is not None and exchange.answer is not exchange.steps[0]:
                _siblings(view, exchange.answer, "version")
        if text:
            copy_text(text, key=f"copy-{key}")
        if turn.reason != "error" and writes:
            _action("refresh", "Retry: answer this question again", f"retry-{key}", retry, view, exchange)
        if exchange.steps and writes:
            _action("fork_right", "Fork from here to a new chat", f"fork-{key}", _fork, view, exchange)
            _action("history", "Go to this moment in the history", f"stand-{key}", _stand, view, exchange)
            if _ended(exchange):
                words = "Verify: run this answer's calls again"
                _action("fact_check", words, f"verify-{key}", _verify, view, exchange)
                pin_button(view, turn, exchange)
        facts = [
            "Your command" if turn.by_user else model_title(turn.model),
            "edited by you" if exchange.answer is not None and exchange.answer.finish == EDITED else "",
            local_time(turn.started_at, offset),
            seconds(turn.seconds),
            tokens(turn.tokens_in, turn.tokens_out),
            verdict_badge(view.verdicts.get(call_id) for call_id in _ended(exchange)) or "",
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
        unseen(words),
        icon=f":material/{icon}:",
        help=words,
        key=key,
        type="tertiary",
        on_click=once(key, act),
        args=(view, exchange),
    )


def _fork(view: ChatView, exchange: Exchange) -> None:
    fork(ForkChat(view.chat_id, exchange.steps[-1].message_id))


def _stand(view: ChatView, exchange: Exchange) -> None:
    """Open the history at the end of the turn, so that a fork or rewind from there is complete."""
    last = exchange.steps[-1]
    ends = [tick.position for tick in app().past.moments(view.chat_id) if tick.turn_id == last.turn_id]
    session.stand_at(view.chat_id, max(ends, default=last.position))
    session.go_to_page("history")


def _ended(exchange: Exchange) -> tuple[str, ...]:
    """Return the ids of the answer's calls that ended; only these can run again."""
    calls = (call for step in exchange.steps for call in step.calls)
    return tuple(call.call_id for call in calls if call.finished_at is not None)


def _verify(view: ChatView, exchange: Exchange) -> None:
    verify_now(view.chat_id, _ended(exchange))
