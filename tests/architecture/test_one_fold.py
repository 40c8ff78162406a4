"""Projections serve views, and deciders fold only what decisions need: no fact is computed twice without a reason."""

import ast
from dataclasses import fields

from engine.deciders.cards import Cards
from engine.deciders.chat_state import ChatState
from engine.deciders.definitions import Definitions
from engine.deciders.moments import Moments
from engine.deciders.turn_state import CallState, QueuedState, TurnState
from engine.views.chat import CallView, ChatView, MessageView, TurnView
from tests.architecture.modules import modules
from tests.support.shared_fields import SHARED

STATES = (ChatState, TurnState, CallState, QueuedState, Cards, Moments, Definitions)
VIEWS = (ChatView, TurnView, CallView, MessageView)

NEEDED = {
    "ChatState": {
        "version": "engine/chats/open_chats.py",
        "exists": "engine/deciders/chat.py",
        "deleted": "engine/deciders/chat.py",
        "archived": "engine/deciders/chat.py",
        "title": "engine/command_handlers/questions.py",
        "model": "engine/command_handlers/starting.py",
        "base_url": "engine/command_handlers/starting.py",
        "depth": "engine/command_handlers/starting.py",
        "selection": "engine/command_handlers/questions.py",
        "unasked": "engine/turn/turn.py",
        "sends": "engine/deciders/confirm.py",
        "messages": "engine/deciders/chat.py",
        "leaf": "engine/deciders/chat.py",
        "manifest": "engine/deciders/chat.py",
        "manifests": "engine/chats/workspaces.py",
        "queue": "engine/deciders/queue.py",
        "turns": "engine/deciders/confirm.py",
        "calls": "engine/deciders/confirm.py",
        "compactions": "engine/turn/history.py",
        "definitions": "engine/chats/definitions.py",
        "moments": "engine/tools/moment_names.py",
        "cards": "engine/deciders/rewind.py",
        "recorded": "engine/turn/previous_request.py",
    },
    "TurnState": {
        "started": "engine/command_handlers/starting.py",
        "ended": "engine/turn/turn.py",
        "runs": "engine/deciders/turn_state.py",
        "last_message_id": "engine/deciders/confirm.py",
        "picked": "engine/turn/turn.py",
        "steps": "engine/turn/next_request.py",
        "data": "engine/turn/history.py",
    },
    "CallState": {
        "requested": "engine/deciders/confirm.py",
        "approved": "engine/turn/history.py",
        "denied": "engine/deciders/confirm.py",
        "started": "engine/deciders/confirm.py",
        "finished": "engine/deciders/confirm.py",
    },
    "QueuedState": {"question": "engine/deciders/queue.py", "refusal": "engine/deciders/queue.py"},
    "Cards": {"views": "engine/deciders/cards.py", "aside": "engine/deciders/rewind.py"},
    "Moments": {"named": "engine/deciders/moments.py"},
    "Definitions": {
        "latest": "engine/deciders/definitions.py",
        "forgotten": "engine/deciders/definitions.py",
    },
}
"""Each field of a state, and a module that decides by it or builds a request from it."""


def _names(owner: type) -> list[str]:
    return [one.name for one in fields(owner) if not one.name.startswith("_")]


def test_every_field_of_a_state_is_needed_by_a_decision() -> None:
    """A field that only a view reads belongs in a projection."""
    assert {state.__name__: sorted(_names(state)) for state in STATES} == {
        name: sorted(needed) for name, needed in NEEDED.items()
    }
    trees = {module.name: module.tree for module in modules()}
    read = {
        module: {node.attr for node in ast.walk(trees[module]) if isinstance(node, ast.Attribute)}
        for needed in NEEDED.values()
        for module in needed.values()
    }
    unread = [
        f"{state}.{name} is not read in {module}"
        for state, needed in NEEDED.items()
        for name, module in needed.items()
        if name not in read[module] or module.startswith("engine/views/")
    ]
    assert unread == []


def test_facts_that_both_decisions_and_views_compute_are_listed_with_a_reason() -> None:
    """`tests/engine/chats` compares their values at every position of a chat."""
    decided = {name for state in STATES for name in _names(state)}
    shown = {name for view in VIEWS for name in _names(view)}
    assert sorted(decided & shown) == sorted(SHARED)
    assert all(shared.reason for shared in SHARED.values())
