"""Calls, turns and the question that waits, as far as they have come: parts of a chat's state."""

from dataclasses import dataclass, field

from events.catalog.chat import QuestionQueued, QuestionRefused
from events.catalog.tool_call import (
    ToolCallApproved,
    ToolCallDenied,
    ToolCallFinished,
    ToolCallRequested,
    ToolCallStarted,
)
from events.catalog.turn import TurnFinished, TurnStarted
from events.event import BlobRef

__all__ = ["CallState", "QueuedState", "TurnState"]


@dataclass(slots=True)
class CallState:
    """One call, as far as it has come."""

    requested: ToolCallRequested
    approved: ToolCallApproved | None = None
    denied: ToolCallDenied | None = None
    started: ToolCallStarted | None = None
    finished: ToolCallFinished | None = None

    @property
    def waits(self) -> bool:
        """Whether it waits for the user."""
        answered = self.approved or self.denied or self.finished
        return self.requested.needs_confirmation and not answered


@dataclass(slots=True)
class TurnState:
    """One turn, as far as it has come."""

    started: TurnStarted
    finished: TurnFinished | None = None
    last_message_id: str = ""
    """The last message of its branch so far."""
    picked: tuple[str, ...] = ()
    """Ids of the tools whose full specifications its model asked for."""
    steps: int = 0
    """Requests made."""
    seconds: float = 0.0
    """Worked before it last waited."""
    usage: tuple[int | None, int | None] = (None, None)
    """Tokens in and out before it last waited."""
    data: dict[str, tuple[BlobRef, str | None]] = field(default_factory=dict)
    """Message → what the turn's request added to it, and the compaction that the request stood on."""

    @property
    def waits(self) -> bool:
        """Whether it waits for the user."""
        return self.finished is not None and self.finished.reason == "awaiting_confirmation"


@dataclass(frozen=True, slots=True)
class QueuedState:
    """A question that waits, or that was refused when its time had come."""

    question: QuestionQueued
    refusal: QuestionRefused | None = None
