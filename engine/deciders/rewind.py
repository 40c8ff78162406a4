"""Returns a chat, its files, or both to an earlier state; later events are kept. Pure."""

from collections.abc import Iterable

from engine.commands.catalog import Rewound
from engine.deciders.chat import record_state
from engine.deciders.chat_state import ChatState
from engine.deciders.own_calls import made_from
from engine.errors import NotFound
from events.catalog.card import ResultPutAside
from events.catalog.chat import LeafSelected
from events.event import Event, Recorded
from events.identity import NewId

__all__ = ["as_of", "brought_back", "rewind"]


def as_of(recorded: Iterable[Recorded], position: int) -> ChatState:
    """Return the chat as it was at `position` of the log.

    Raises:
        NotFound: the chat did not exist then.
    """
    state = ChatState()
    for record in recorded:
        if record.position > position:
            break
        state.evolve(record.event)
    if not state.exists:
        raise NotFound(
            "moment_not_found", f"This chat did not exist at position {position}. Choose a later position."
        )
    return state


def rewind(now: ChatState, then: ChatState, position: int, what: Rewound, new_id: NewId) -> list[Event]:
    """Return the events that rewind the chat to `then`, its state at `position`; no events if nothing differs."""
    leaf = now.leaf if what == "files" else then.leaf
    files = now.files(now.manifest) if what == "chat" else then.files(then.manifest)
    stands = now.manifest if leaf == now.leaf else now.manifest_at(leaf)
    moved: list[Event] = [] if leaf == now.leaf else [LeafSelected(message_id=leaf, manifest_id=stands)]
    recorded = record_state(
        now,
        files,
        new_id,
        parent_id=stands,
        message_id=leaf,
        source="edit",
        source_ref=f"rewind to {position}",
        active=True,
    )
    return [*moved, *recorded, *([] if what == "files" else _cards(now, then))]


def brought_back(state: ChatState, leaf: str | None) -> list[Event]:
    """Return the events that show the user's own results on a branch again after a rewind had hidden them."""
    _, own = _shown_on(state, leaf)
    return [ResultPutAside(call_id=call_id, aside=False) for call_id in sorted(own & state.cards.aside)]


def _cards(now: ChatState, then: ChatState) -> list[Event]:
    """Return the events that restore the cards of the branch to their state in `then`. Results of the user's own calls
    that were made later are hidden, and results that were hidden later are shown again.
    """
    asked, own = _shown_on(now, then.leaf)
    return list(now.cards.taken_back(then.cards, asked | own, own - then.calls.keys()))


def _shown_on(state: ChatState, leaf: str | None) -> tuple[set[str], set[str]]:
    """Return the calls that models requested on a branch, and the user's own calls that can be shown on it."""
    asked = {call.requested.call_id for call in state.calls_on(leaf)}
    apart = {
        call_id
        for call_id, call in state.calls.items()
        if call.requested.message_id is None and call.requested.from_call_id is None
    }
    return asked, apart | made_from(state.calls, asked | apart)
