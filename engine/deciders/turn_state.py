"""The state of calls, turns and queued questions: parts of a chat's state."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from events.catalog.question import (
    QuestionMoved,
    QuestionQueued,
    QuestionRefused,
    QuestionReworded,
    QuestionUnqueued,
)
from events.catalog.tool_call import (
    ToolCallApproved,
    ToolCallDenied,
    ToolCallFinished,
    ToolCallRequested,
    ToolCallStarted,
)
from events.catalog.turn import TurnFinished, TurnStarted
from events.event import BlobRef, Event

__all__ = ["QUEUE_EVENTS", "CallState", "QueuedState", "TurnState", "moved_on"]

QUEUE_EVENTS = (QuestionQueued, QuestionMoved, QuestionReworded, QuestionRefused, QuestionUnqueued)
"""The events of questions that wait."""


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
    """With its words as they are now."""
    refusal: QuestionRefused | None = None

    @property
    def queued_id(self) -> str:
        """Return its id."""
        return self.question.queued_id


def moved_on(queue: tuple[QueuedState, ...], event: Event) -> tuple[QueuedState, ...]:
    """Return the questions that wait, in the order in which they are asked, after an event about one of them."""
    match event:
        case QuestionQueued():
            return (*queue, QueuedState(event))
        case QuestionMoved():
            moved = [one for one in queue if one.queued_id == event.queued_id]
            rest = [one for one in queue if one.queued_id != event.queued_id]
            at = next((at for at, one in enumerate(rest) if one.queued_id == event.before_id), len(rest))
            return (*rest[:at], *moved, *rest[at:])
        case QuestionReworded():
            return _with(queue, event.queued_id, lambda one: _reworded(one, event.text))
        case QuestionRefused():
            return _with(queue, event.queued_id, lambda one: replace(one, refusal=event))
        case QuestionUnqueued():
            return tuple(one for one in queue if one.queued_id != event.queued_id)
        case _:
            return queue


def _with(
    queue: tuple[QueuedState, ...], queued_id: str, change: Callable[[QueuedState], QueuedState]
) -> tuple[QueuedState, ...]:
    return tuple(change(one) if one.queued_id == queued_id else one for one in queue)


def _reworded(one: QueuedState, text: str) -> QueuedState:
    return replace(one, question=one.question.model_copy(update={"text": text}))
