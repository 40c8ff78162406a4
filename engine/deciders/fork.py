"""Makes the events of a fork: a copy of one path with new ids, in which each event names its original. Pure.

Events declare what a fork does with them and with their ids. Three rules are here instead, since they concern the chat
as a whole: which calls are copied, how the copy ends work that is still running, and the fork's first file state.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field
from typing import Any, TypeVar

from pydantic import BaseModel

from engine.deciders.chat_state import ChatState
from engine.deciders.own_calls import made_from
from events.catalog.chat import ChatForked
from events.catalog.tool_call import ToolCallFinished
from events.catalog.turn import TurnFinished
from events.catalog.workspace import ManifestRecorded
from events.declarations import Copied as CopiedAlong
from events.declarations import InFork, Makes, Refers, RemovesContents, declared, holds_ids, inner
from events.event import ChatEvent, Event, Recorded
from events.identity import NewId
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Copied", "blob_hashes", "copy_path", "removed_contents"]

Copied = list[tuple[Event, str | None]]
"""Events, each with its cause: the id of the original event."""

Found = TypeVar("Found", bound=BaseModel)


def copy_path(
    origin_chat_id: str, state: ChatState, recorded: Iterable[Recorded], message_id: str | None, new_id: NewId
) -> Copied:
    """Return the events of the new chat after its creation; `recorded` is the origin's stream."""
    events = list(recorded)
    path = {message.message_id for message in state.path(message_id)}
    calls = _calls_on(state, events, path)
    turns = {turn for m in path if (turn := state.messages[m].turn_id) is not None}
    copy = _Copy({"message": path, "turn": turns, "call": calls}, message_id, new_id)
    head = events[-1].position if events else 0
    copied: Copied = [
        (
            ChatForked(origin_chat_id=origin_chat_id, origin_message_id=message_id, origin_position=head),
            None,
        )
    ]
    for record in events:
        if copy.has(record.event):
            copied.append((copy.of(record.event), record.event_id))
    copied += _loose_ends(state, turns, calls, copy.names)
    return [*copied, (_branch_state(state, message_id, copy.names, new_id), None)]


def _calls_on(state: ChatState, events: Sequence[Recorded], path: Set[str]) -> set[str]:
    """Return the calls that the path's messages contain, and the user's own calls that changed the path's files or were
    derived from any of these calls.
    """
    left = [r.event for r in events if isinstance(r.event, ManifestRecorded) and r.event.call_id is not None]
    made = {one.call_id for one in left if one.message_id is None or one.message_id in path}
    found = {
        call_id
        for call_id, call in state.calls.items()
        if call.requested.message_id in path or (call.requested.message_id is None and call_id in made)
    }
    return found | made_from(state.calls, found, without={one.call_id for one in left if one.call_id})


@dataclass(slots=True)
class _Copy:
    """Copies events as their classes declare."""

    on_path: Mapping[str, Set[str]]
    """Kind → ids to copy. An id whose kind is not listed is copied if the event that made the id is copied."""
    end: str | None
    """The message at which the fork ends."""
    new_id: NewId
    names: dict[str, str] = field(default_factory=dict)
    """Id in the original chat → id in the copy."""

    def has(self, event: Event) -> bool:
        """Return whether the event is copied."""
        fork = event.fork if isinstance(event, ChatEvent) else None
        if not isinstance(fork, CopiedAlong):
            return False
        if fork.before_end:
            message_id = getattr(event, fork.before_end)
            if message_id == self.end or message_id not in self.on_path["message"]:
                return False
        along = getattr(event, fork.along) if fork.along else None
        return along is None or self._copies(_kind_of(event, fork.along), along)

    def of(self, value: Found) -> Found:
        """Return an event, or a value in an event, with its ids replaced by the ids of the copy."""
        cls = type(value)
        changes: dict[str, Any] = {name: self._name(getattr(value, name)) for name in declared(cls, Makes)}
        for name, refers in declared(cls, Refers).items():
            changes[name] = self._reference(value, refers, getattr(value, name))
        for name, sets in declared(cls, InFork).items():
            changes[name] = getattr(value, sets.same_as) if sets.same_as else sets.value
        for name, models in inner(cls).items():
            if any(holds_ids(model) for model in models):
                changes[name] = _each(getattr(value, name), self.of)
        return value.model_copy(update=changes) if changes else value

    def _reference(self, value: BaseModel, refers: Refers, old: str | None) -> str | None:
        if old is None or self._copies(refers.kind, old):
            return self._name(old)
        if refers.instead:
            return self._name(getattr(value, refers.instead))
        match refers.not_copied:
            case "cleared":
                return None
            case "kept":
                return old
            case "renamed":
                return self._name(old)

    def _copies(self, kind: str, old: str) -> bool:
        return old in self.on_path.get(kind, self.names)

    def _name(self, old: str | None) -> str | None:
        if old is None:
            return None
        if old not in self.names:
            self.names[old] = self.new_id()
        return self.names[old]


def _kind_of(event: Event, name: str) -> str:
    """Return the kind of thing that the id in a field belongs to."""
    made = declared(type(event), Makes).get(name)
    return made.kind if made else declared(type(event), Refers)[name].kind


def _each(held: Any, change: Callable[[BaseModel], BaseModel]) -> Any:
    """Return a field's content after applying `change` to each model in it."""
    if isinstance(held, BaseModel):
        return change(held)
    if isinstance(held, tuple):
        return tuple(change(one) if isinstance(one, BaseModel) else one for one in held)
    if isinstance(held, Mapping):
        return {key: change(one) if isinstance(one, BaseModel) else one for key, one in held.items()}
    return held


def _loose_ends(state: ChatState, turns: Set[str], calls: Set[str], names: Mapping[str, str]) -> Copied:
    """Return events that end running turns and calls as interrupted in the copy, since nothing runs there."""
    ends: Copied = []
    for call_id, call in state.calls.items():
        if call_id in calls and call.finished is None:
            ends.append((ToolCallFinished(call_id=names[call_id], status="interrupted"), None))
    for turn_id in turns:
        turn = state.turns.get(turn_id)
        if turn is not None and (turn.finished is None or turn.waits):
            ends.append((TurnFinished(turn_id=names[turn_id], reason="interrupted"), None))
    return ends


def _branch_state(
    state: ChatState, message_id: str | None, names: Mapping[str, str], new_id: NewId
) -> ManifestRecorded:
    origin = state.manifest_at(message_id)
    return ManifestRecorded(
        manifest_id=new_id(),
        parent_id=names.get(origin or ""),
        message_id=names.get(message_id or ""),
        added={},
        changed={},
        removed=(),
        source="branch",
        source_ref=origin,
        active=True,
    )


def blob_hashes(value: JSON) -> Iterator[str]:
    """Return every hash that a payload or a render plan names."""
    if isinstance(value, dict):
        for key, inner_value in value.items():
            if key == "sha256" and isinstance(inner_value, str):
                yield inner_value
            else:
                yield from blob_hashes(inner_value)
    elif isinstance(value, list):
        for inner_value in value:
            yield from blob_hashes(inner_value)


def removed_contents(recorded: Iterable[Recorded]) -> set[str]:
    """Return the hashes of contents that were removed on purpose, according to the events."""
    return {
        sha256
        for record in recorded
        for name in declared(type(record.event), RemovesContents)
        for sha256 in getattr(record.event, name)
    }
