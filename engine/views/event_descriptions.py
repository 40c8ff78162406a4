"""What happened in a chat, event by event: in which lane an event stands, and what it did in one sentence. Pure."""

from collections.abc import Mapping
from typing import Any, Literal

from events.catalog.chat import ChatForked, DepthSelected, MessageAdded, ModelSelected, QuestionUnqueued
from events.catalog.definition import DefinitionSet
from events.catalog.turn import ToolCallFinished, TurnFinished
from events.catalog.workspace import ManifestRecorded
from events.event import Event, UnknownEvent, UnreadableEvent

__all__ = ["Lane", "lane_of", "what_happened"]

Lane = Literal["messages", "calls", "files", "choices"]

_MESSAGES = {
    "MessageAdded",
    "TurnStarted",
    "TurnResumed",
    "StepStarted",
    "ContextCompacted",
    "TurnFinished",
    "QuestionQueued",
    "QuestionRefused",
    "QuestionUnqueued",
}
_SENTENCES = {
    "ChatCreated": "The chat began.",
    "ChatRenamed": "The chat got its title.",
    "ChatDeleted": "The chat was deleted.",
    "ChatRestored": "The chat was put back.",
    "ToolsSelected": "Tools were chosen.",
    "ToolsAdded": "New tools of this release were added.",
    "LeafSelected": "You moved to another message.",
    "ConfirmationRuleSet": "You said whether a tool has to ask.",
    "SendRuleSet": "You said whether what leaves for a destination is asked about.",
    "DefinitionForgotten": "You removed a definition.",
    "QuestionQueued": "You asked; the question waits for the end of the turn.",
    "QuestionRefused": "The question that waited could not be asked.",
    "TurnStarted": "The turn began.",
    "TurnResumed": "The turn went on.",
    "StepStarted": "The model was asked.",
    "ContextCompacted": "Earlier messages were summarised to make room.",
    "ToolsPicked": "The model picked tools.",
    "ContentsRemoved": "Old contents were removed.",
    "ToolCallRequested": "The model called a tool.",
    "ToolCallApproved": "You approved a call.",
    "ToolCallDenied": "You denied a call.",
    "ToolCallStarted": "A tool began to run.",
}
_ENDS = {
    "success": "A tool completed.",
    "error": "A tool failed.",
    "cancelled": "A tool was stopped.",
    "interrupted": "A tool was interrupted.",
    "timed_out": "A tool ran out of time.",
    "denied": "A call was denied.",
}
_FINISHES = {
    "stop": "The turn ended with its answer.",
    "awaiting_confirmation": "The turn waits for you.",
    "cancelled": "You stopped the turn.",
    "error": "The turn ended without an answer.",
    "interrupted": "The turn was interrupted.",
    "limit": "The turn ended at its limit of steps.",
    "length": "The answer was cut off.",
}
_UNQUEUED = {
    "asked": "The question that waited is asked.",
    "taken_back": "You took back the question that waited.",
}
_SOURCES = {
    "user_upload": "You added files",
    "tool_run": "A tool changed files",
    "branch": "The files came with the branch",
    "edit": "You changed files",
}


def lane_of(event_type: str) -> Lane:
    """In which lane an event of that type stands."""
    if event_type in {"ManifestRecorded", "ContentsRemoved"}:
        return "files"
    if event_type in _MESSAGES:
        return "messages"
    return "calls" if event_type.startswith("ToolCall") or event_type == "ToolsPicked" else "choices"


def what_happened(event: Event) -> str:
    """Say in one sentence what an event of a chat did."""
    match event:
        case MessageAdded():
            return _said(event)
        case ManifestRecorded():
            return _changed(event)
        case ToolCallFinished():
            return _ENDS.get(event.status, "A tool ended.")
        case TurnFinished():
            return _FINISHES.get(event.reason, "The turn ended.")
        case ModelSelected():
            return f"The model {event.model} was chosen."
        case DepthSelected():
            return (
                "Thorough answers were chosen." if event.depth == "thorough" else "Quick answers were chosen."
            )
        case QuestionUnqueued():
            return _UNQUEUED[event.reason]
        case DefinitionSet():
            return f"You defined {event.term}."
        case ChatForked():
            return "The chat began as a copy of another's path."
        case UnknownEvent():
            return "A newer release wrote this event; this one does not know it."
        case UnreadableEvent():
            return f"This event ({event.type}) cannot be read and is left out: {event.problem}."
        case _:
            return _SENTENCES.get(event.type, f"{event.type} was recorded.")


def _said(event: MessageAdded) -> str:
    if event.role == "user":
        return "You asked." if event.replaces is None else "You asked in other words."
    if any(part.kind == "call" for part in event.parts):
        return "The model said what it calls."
    return "This event added the answer."


def _changed(event: ManifestRecorded) -> str:
    numbers: Mapping[str, Any] = {"added": event.added, "changed": event.changed, "removed": event.removed}
    told = ", ".join(f"{len(paths)} {what}" for what, paths in numbers.items() if paths)
    return f"{_SOURCES[event.source]}: {told or 'none changed'}."
