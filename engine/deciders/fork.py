"""A fork: the events of one path, copied with ids of their own, each naming its origin. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from engine.deciders.chat_state import ChatState
from events.canonical import JSON
from events.catalog.chat import ChatForked, MessageAdded
from events.catalog.definition import DefinitionForgotten, DefinitionSet
from events.catalog.turn import ContextCompacted, StepStarted, ToolCallFinished, TurnFinished
from events.catalog.workspace import ManifestRecorded
from events.event import Event, Recorded
from events.identity import NewId

__all__ = ["Copied", "blob_hashes", "copy_path"]

Copied = list[tuple[Event, str | None]]
"""Events with what caused each: the id of its origin."""

_ID_FIELDS = (
    "message_id",
    "parent_id",
    "turn_id",
    "call_id",
    "manifest_id",
    "pre_manifest_id",
    "post_manifest_id",
    "replaces",
    "through_id",
    "compaction_id",
    "definition_id",
)
_SINGLE = {"ToolCallRequested", "ToolCallApproved", "ToolCallDenied", "ToolCallStarted", "ToolCallFinished"}
_OF_A_TURN = {"TurnStarted", "TurnResumed", "TurnFinished", "ToolsPicked"}


def copy_path(
    origin_chat_id: str, state: ChatState, recorded: Iterable[Recorded], message_id: str | None, new_id: NewId
) -> Copied:
    """Return what the new chat's stream holds after its creation; `recorded` is the origin's stream."""
    events = list(recorded)
    path = {message.message_id for message in state.path(message_id)}
    calls = _calls_on(state, events, path)
    turns = {state.messages[m].turn_id for m in path} - {None}
    names: dict[str, str] = {}
    head = events[-1].position if events else 0
    copied: Copied = [
        (
            ChatForked(origin_chat_id=origin_chat_id, origin_message_id=message_id, origin_position=head),
            None,
        )
    ]
    for record in events:
        if _belongs(record.event, path, message_id, calls, turns):
            copied.append((_renamed(record.event, path, turns, names, new_id), record.event_id))
    copied += _loose_ends(state, turns, calls, names)
    return [*copied, (_branch_state(state, message_id, names, new_id), None)]


def _calls_on(state: ChatState, events: Iterable[Recorded], path: set[str]) -> set[str]:
    """The calls of the path's messages, and those of the user's own that changed its files."""
    made = {r.event.call_id for r in events if isinstance(r.event, ManifestRecorded) and _on(r.event, path)}
    return {
        call_id
        for call_id, call in state.calls.items()
        if call.requested.message_id in path or (call.requested.message_id is None and call_id in made)
    }


def _on(recorded: ManifestRecorded, path: set[str]) -> bool:
    return recorded.message_id is None or recorded.message_id in path


def _belongs(event: Event, path: set[str], leaf: str | None, calls: set[str], turns: set[str | None]) -> bool:
    if isinstance(event, MessageAdded):
        return event.message_id in path
    if isinstance(event, ManifestRecorded):
        return _on(event, path)
    if isinstance(event, StepStarted):  # one whose reply is not on the path is not: the fork ends before it
        return event.turn_id in turns and event.message_id in path and leaf != event.message_id
    if isinstance(event, ContextCompacted):  # steps of other turns than its own may stand on it
        return event.through_id in path
    if isinstance(event, DefinitionSet | DefinitionForgotten):
        return True  # they hold for the whole chat, so the copy has them too
    if event.type in _OF_A_TURN:
        return getattr(event, "turn_id", None) in turns
    if event.type in _SINGLE:
        return getattr(event, "call_id", "") in calls
    return False


def _renamed(
    event: Event, path: set[str], turns: set[str | None], names: dict[str, str], new_id: NewId
) -> Event:
    def fresh(old: str | None) -> str | None:
        return None if old is None else names.setdefault(old, new_id())

    made_on_path = getattr(event, "call_id", None) in names
    changes: dict[str, Any] = {name: fresh(getattr(event, name)) for name in _ids_of(type(event))}
    if isinstance(event, MessageAdded):
        changes["parts"] = tuple(
            part.model_copy(update={"call_id": fresh(part.call_id)}) if part.kind == "call" else part
            for part in event.parts
        )
        changes["becomes_leaf"] = True
        changes["replaces"] = fresh(event.replaces) if event.replaces in path else None
    if isinstance(event, DefinitionSet) and not made_on_path:
        changes["call_id"] = None
    if isinstance(event, ContextCompacted):
        changes["message_id"] = fresh(event.message_id if event.message_id in path else event.through_id)
        changes["turn_id"] = fresh(event.turn_id) if event.turn_id in turns else None
    if isinstance(event, StepStarted):
        changes["request_sha256"] = None  # ids of calls are part of the bytes that were sent
        changes["definitions"] = tuple(
            one.model_copy(update={"definition_id": names.get(one.definition_id, one.definition_id)})
            for one in event.definitions
        )
    if isinstance(event, ManifestRecorded):
        changes["active"] = event.joined
        changes["source_ref"] = names.get(event.source_ref or "", event.source_ref)
    return event.model_copy(update=changes)


@cache
def _ids_of(kind: type[Event]) -> tuple[str, ...]:
    """The fields of a kind of event that hold ids of the chat."""
    return tuple(name for name in _ID_FIELDS if name in kind.model_fields)


def _loose_ends(
    state: ChatState, turns: set[str | None], calls: set[str], names: Mapping[str, str]
) -> Copied:
    """A fork of something that still runs has it interrupted: nothing runs in the copy."""
    ends: Copied = []
    for call_id, call in state.calls.items():
        if call_id in calls and call.finished is None:
            ends.append((ToolCallFinished(call_id=names[call_id], status="interrupted"), None))
    for turn_id in turns:
        turn = state.turns.get(turn_id or "")
        if turn is not None and (turn.finished is None or turn.waits):
            ends.append((TurnFinished(turn_id=names[turn_id or ""], reason="interrupted"), None))
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
    """Every hash that a payload or a render plan names."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "sha256" and isinstance(inner, str):
                yield inner
            else:
                yield from blob_hashes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from blob_hashes(inner)
