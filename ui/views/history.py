"""The history of a chat: its messages, files and tools as of any event, read-only, with buttons to rewind and fork."""

from bisect import bisect_right
from collections.abc import Sequence

import streamlit as st

from engine.commands.catalog import ForkChat, RewindChat, Rewound
from engine.errors import AnabranchError
from engine.views.chat import ChatView
from engine.views.event_descriptions import what_happened
from engine.views.exchanges import exchanges
from engine.views.moments import MomentView
from events.event_summaries import EventSummary
from ui import session
from ui.acts import once
from ui.components.history_bar.component import Mark, Span, history_bar
from ui.current_app import REFUSED, app, send
from ui.widgets.failure import failure, pending_failure
from ui.widgets.forking import fork
from ui.widgets.message import show_exchange
from ui.widgets.moments import moment_names, named_moments
from ui.widgets.page_head import page_head
from ui.widgets.parts import fragment
from ui.widgets.past_facts import past_facts
from ui.words import count, escape, local_time

__all__ = ["history_page"]

_SHOWN, _MORE = 1, 12
"""How many questions of a state are drawn at first with their answers, few enough that a change can be seen, and how
many older ones are added on demand.
"""


def history_page() -> None:
    """Draw the history of the chat that the address names."""
    chat_id = session.selected_chat()
    if chat_id is None:
        with st.container(key="history"):
            failure("No chat is selected.", "Open a chat and choose History to see it at any earlier event.")
        return
    with st.container(key="history"):
        _history(chat_id)


@fragment
def _history(chat_id: str) -> None:
    pending_failure()
    try:
        ticks, now = app().past.moments(chat_id), app().chat(chat_id)
        named = named_moments(now)
    except AnabranchError as error:
        failure("This chat does not exist.", error.message)
        return
    here = _tick_at(ticks, session.moment(chat_id))
    past = here is not ticks[-1]
    view = app().chat(chat_id, at=here.position) if past else now
    page_head(view, "History")
    history_bar(
        ticks,
        _spans(ticks, now),
        here.position,
        named=_marks(ticks, named),
        key=f"bar-{chat_id}",
        on_move=lambda to: _move(chat_id, ticks, to),
    )
    _band(chat_id, ticks, here)
    moment_names(view, named, here.position)
    left, right = st.columns([3, 2], gap="medium")
    with left, st.container(key="past"):
        _transcript(view)
        for words in app().past.waiting(chat_id, here.position) if view.waiting else ():
            st.html(f'<div class="ab-note">Not asked yet: {escape(words)}</div>')
    with right:
        past_facts(view, now, named, ticks, here, lambda to: _move(chat_id, ticks, to))


def _move(chat_id: str, ticks: Sequence[EventSummary], position: int) -> None:
    """Go to another event. The last event shows the current state, and later events are then followed."""
    session.stand_at(chat_id, None if position >= ticks[-1].position else position)


def _tick_at(ticks: Sequence[EventSummary], position: int | None) -> EventSummary:
    """The event at a position, or the last one before it."""
    if position is None:
        return ticks[-1]
    return next((tick for tick in reversed(ticks) if tick.position <= position), ticks[0])


def _spans(ticks: Sequence[EventSummary], now: ChatView) -> list[Span]:
    """Return each turn's first and last event, with its question."""
    ends: dict[str, list[int]] = {}
    for index, tick in enumerate(ticks):
        if tick.turn_id is not None and tick.turn_id in now.turns:
            ends.setdefault(tick.turn_id, [index, index])[1] = index
    titles = {turn_id: now.messages.get(turn.message_id) for turn_id, turn in now.turns.items()}
    return [
        Span(first, last, question.text[:80] if (question := titles[turn_id]) else "")
        for turn_id, (first, last) in ends.items()
    ]


def _marks(ticks: Sequence[EventSummary], named: Sequence[MomentView]) -> list[Mark]:
    """Return each named moment with the index of its event."""
    positions = [tick.position for tick in ticks]
    return [Mark(max(0, bisect_right(positions, one.position) - 1), one.name) for one in named]


def _band(chat_id: str, ticks: Sequence[EventSummary], here: EventSummary) -> None:
    """Draw the note above a past state, with the buttons to rewind, to fork, and to go back to now."""
    happened = what_happened(app().past.event(here.position).recorded.event)
    hidden = len(ticks) - 1 - ticks.index(here)
    if not hidden:
        st.html(
            f'<div class="ab-now"><b>This is the current state.</b> <span>{escape(happened)} '
            "Drag the bar, or press ← and →, to look back.</span></div>"
        )
        return
    time = local_time(here.occurred_at, st.context.timezone_offset, with_seconds=True)
    later = f"{count(hidden, 'later event')} {'is' if hidden == 1 else 'are'} hidden but not lost."
    with st.container(key="past-band", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="ab-past"><b>The chat at {time}</b><span>{escape(happened)} Read only: {later}</span></div>',
            width="stretch",
        )
        with st.popover("Rewind to here", key="rewind"):
            _rewinds(chat_id, here, time)
        st.button(
            "Fork from here",
            icon=":material/fork_right:",
            key="fork-here",
            shortcut="F",
            on_click=once("fork-here", fork),
            args=(ForkChat(chat_id, position=here.position),),
        )
        st.button(
            "Back to now", key="back-to-now", shortcut="Esc", on_click=session.stand_at, args=(chat_id, None)
        )


_REWINDS: tuple[tuple[Rewound, str, str], ...] = (
    ("both", "Chat and files", "The chat and its files go back to this moment."),
    ("chat", "Chat only", "The chat goes back to this moment; the files stay as they are now."),
    ("files", "Files only", "The files go back to this moment; the chat stays where it is now."),
)


def _rewinds(chat_id: str, here: EventSummary, time: str) -> None:
    st.html(f"<b>Rewind to {time}</b>")
    for what, title, meaning in _REWINDS:
        st.button(
            title,
            key=f"rewind-{what}",
            width="stretch",
            on_click=once("rewind", _rewind),
            args=(chat_id, here, what, time),
        )
        st.caption(meaning)
    st.caption("Nothing is lost: later events stay in the history, and you can undo this.")


def _rewind(chat_id: str, here: EventSummary, what: Rewound, time: str) -> None:
    before = send(RewindChat(chat_id, here.position, what))
    if before is REFUSED:
        return
    back = {"both": "The chat and its files are", "chat": "The chat is", "files": "The files are"}[what]
    session.remember(
        f"rewound-{chat_id}", (before, f"{back} back at {time}. Later events stay in the history.")
    )
    session.stand_at(chat_id, None)
    session.go_to_page("chat")


def _transcript(view: ChatView) -> None:
    shown = exchanges(view)
    of, limit = session.remembered("past-shown", (view.chat_id, _SHOWN))
    if of != view.chat_id:
        session.clear("past-shown")
        limit = _SHOWN
    if not shown:
        st.html('<p class="ab-note">No questions yet.</p>')
    if len(shown) > limit:
        st.button(
            f"Show {count(min(_MORE, len(shown) - limit), 'earlier question')}",
            key="past-earlier",
            type="tertiary",
            on_click=session.remember,
            args=("past-shown", (view.chat_id, limit + _MORE)),
        )
    for exchange in shown[-limit:]:
        with st.container(key=f"exchange-{exchange.question.message_id}"):
            show_exchange(view, exchange, st.context.timezone_offset)
