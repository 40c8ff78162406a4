"""The fields that both a chat's decision state and its view have: why each is needed, and how to read its two
values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.deciders.chat_state import ChatState
from engine.views.chat import ChatView

__all__ = ["SHARED", "Shared"]


@dataclass(frozen=True, slots=True)
class Shared:
    """A field that both the decision state and the view have."""

    reason: str
    """Why a decision needs it."""
    decided: Callable[[ChatState], Any]
    shown: Callable[[ChatView], Any]


SHARED = {
    "title": Shared(
        "a chat without one is named after its first question, and a fork after its origin",
        lambda state: state.title,
        lambda view: view.title,
    ),
    "deleted": Shared(
        "nothing more is decided in a deleted chat", lambda state: state.deleted, lambda view: view.deleted
    ),
    "model": Shared("a turn starts with it", lambda state: state.model, lambda view: view.model),
    "base_url": Shared("a turn starts with it", lambda state: state.base_url, lambda view: view.base_url),
    "depth": Shared(
        "it sets how many steps a turn may take", lambda state: state.depth, lambda view: view.depth
    ),
    "selection": Shared(
        "it sets which tools a turn is offered",
        lambda state: {key: list(tools) for key, tools in state.selection.items()},
        lambda view: {key: list(tools) for key, tools in view.selection.items()},
    ),
    "leaf": Shared("a question follows it", lambda state: state.leaf, lambda view: view.leaf),
    "manifest": Shared(
        "a call begins with its files", lambda state: state.manifest, lambda view: view.manifest
    ),
    "messages": Shared(
        "a question, a branch and a request are made from the tree",
        lambda state: {one.message_id: one.parent_id for one in state.messages.values()},
        lambda view: {one.message_id: one.parent_id for one in view.messages.values()},
    ),
    "turns": Shared(
        "a second turn waits for the end of the first",
        lambda state: {
            turn_id: turn.finished.reason if turn.finished else None for turn_id, turn in state.turns.items()
        },
        lambda view: {turn_id: turn.reason for turn_id, turn in view.turns.items()},
    ),
    "steps": Shared(
        "the next request has the next number",
        lambda state: {turn_id: turn.steps for turn_id, turn in state.turns.items()},
        lambda view: {turn_id: turn.steps for turn_id, turn in view.turns.items()},
    ),
    "calls": Shared(
        "a call runs, waits or is refused by its status",
        lambda state: {call_id: call.status for call_id, call in state.calls.items()},
        lambda view: {call_id: call.status for call_id, call in view.calls.items()},
    ),
    "manifests": Shared(
        "the files of a state are added up from its changes",
        lambda state: set(state.manifests),
        lambda view: set(view.manifests),
    ),
    "compactions": Shared(
        "a request begins with the last summary",
        lambda state: {one.through_id for one in state.compactions.values()},
        lambda view: set(view.compactions),
    ),
    "aside": Shared(
        "a rewind hides and shows results only if that changes something",
        lambda state: set(state.cards.aside),
        lambda view: {call_id for call_id, call in view.calls.items() if call.aside},
    ),
}
"""The fields that both the decision state and the view have, under the same name. All other facts are in only one of
them."""
