"""Whether a chat's events could have been decided here: what a stranger wrote may hash well and lead in circles. Pure.

All that walks a chat, from a message to its parent or from one state of the files to that before, ends because each
names something that was there earlier. Ids are of one spelling, since a database takes several for the same.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from events.catalog.definition import DefinitionSet
from events.event import Event

__all__ = ["Known", "unsound"]

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_BEGIN = "ChatCreated"
_MAKES: Mapping[str, str] = {
    "MessageAdded": "message_id",
    "ManifestRecorded": "manifest_id",
    "TurnStarted": "turn_id",
    "ToolCallRequested": "call_id",
    "QuestionQueued": "queued_id",
    "ContextCompacted": "compaction_id",
    "DefinitionSet": "definition_id",
}
"""Event → the id that it gives to something new."""
_LINE = {"MessageAdded": "message_id", "ManifestRecorded": "manifest_id"}
"""Event → of what kind its `parent_id` is."""
_KINDS: Mapping[str, str] = {"through_id": "message_id"}
"""Field → of what kind it names something, if its name does not say so."""
_NAMES: Mapping[str, tuple[str, ...]] = {
    "ChatForked": (),
    "ChatRenamed": (),
    "ChatDeleted": (),
    "ChatRestored": (),
    "ToolsSelected": (),
    "ToolsAdded": (),
    "ModelSelected": (),
    "DepthSelected": (),
    "ConfirmationRuleSet": (),
    "SendRuleSet": (),
    "DefinitionSet": ("call_id",),
    "DefinitionForgotten": ("definition_id",),
    "LeafSelected": ("message_id", "manifest_id"),
    "QuestionQueued": (),
    "QuestionRefused": ("queued_id",),
    "QuestionUnqueued": ("queued_id",),
    "MessageAdded": ("parent_id", "turn_id"),
    "ManifestRecorded": ("parent_id", "message_id"),
    "ContentsRemoved": (),
    "TurnStarted": ("message_id",),
    "TurnResumed": ("turn_id",),
    "StepStarted": ("turn_id", "message_id", "compaction_id"),
    "ContextCompacted": ("turn_id", "through_id", "message_id"),
    "ToolsPicked": ("turn_id",),
    "TurnFinished": ("turn_id",),
    "ToolCallRequested": ("message_id", "turn_id"),
    "ToolCallApproved": ("call_id",),
    "ToolCallDenied": ("call_id",),
    "ToolCallStarted": ("call_id",),
    "ToolCallFinished": ("call_id",),
}
"""Event → its fields that name what was there before; None names nothing."""

Known = set[tuple[str, str]]
"""What has an id: its kind, by the field that gives it, and that id."""


def unsound(events: Iterable[Event], elsewhere: Known) -> str | None:
    """Return the first thing that is wrong with a chat's events, in words; None where they are sound.

    No id may be one of `elsewhere`, what other chats have; to these the chat's own are added.
    """
    known: Known = set()
    for number, event in enumerate(events, 1):
        wrong = _wrong(event, number, known, elsewhere)
        if wrong:
            return f"event {number} of a chat, {event.type}, {wrong}"
    if not known.isdisjoint(elsewhere):
        return "two chats in it share an id"
    elsewhere |= known
    return None


def _wrong(event: Event, number: int, known: Known, elsewhere: Known) -> str | None:
    if (event.type == _BEGIN) != (number == 1):
        return "stands where none can"
    if event.type == _BEGIN:
        return None
    if event.type not in _NAMES:
        return "belongs to no chat"
    if any(named not in known for named in _named(event)):
        return "names something that was not there before it"
    kind = _MAKES.get(event.type)
    if kind is None or _sets_again(event):
        return None
    made = (kind, getattr(event, kind))
    if made in known or made in elsewhere or not _ID.fullmatch(made[1]):
        return "gives an id that is none, or is taken"
    known.add(made)
    return None


def _sets_again(event: Event) -> bool:
    """Whether it is a later version of a definition, whose id is there already."""
    return isinstance(event, DefinitionSet) and event.version > 1


def _named(event: Event) -> Iterator[tuple[str, str]]:
    if isinstance(event, DefinitionSet) and _sets_again(event):
        yield "definition_id", event.definition_id
    for field in _NAMES[event.type]:
        value = getattr(event, field)
        if value is not None:
            yield _LINE[event.type] if field == "parent_id" else _KINDS.get(field, field), value
