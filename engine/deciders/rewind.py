"""Going back to a moment of a chat: the chat, its files, or both, as they were; nothing later is lost. Pure."""

from collections.abc import Iterable

from engine.commands.catalog import Rewound
from engine.deciders.chat import record_state
from engine.deciders.chat_state import ChatState
from engine.errors import NotFound
from events.catalog.chat import LeafSelected
from events.event import Event, Recorded
from events.identity import NewId

__all__ = ["as_of", "rewind"]


def as_of(recorded: Iterable[Recorded], position: int) -> ChatState:
    """Return the chat as it was at `position` of the log.

    Raises:
        NotFound: it did not exist then.
    """
    state = ChatState()
    for record in recorded:
        if record.position > position:
            break
        state.evolve(record.event)
    if not state.exists:
        raise NotFound(
            "moment_not_found", f"This chat did not exist at position {position}. Choose a later one."
        )
    return state


def rewind(now: ChatState, then: ChatState, position: int, what: Rewound, new_id: NewId) -> list[Event]:
    """Return what takes the chat back to how it stood `then`, at `position`; nothing where it stands so."""
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
    return [*moved, *recorded]
