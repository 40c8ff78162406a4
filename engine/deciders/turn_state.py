"""The state of calls, turns and queued questions: parts of a chat's state."""

from collections.abc import Callable
from dataclasses import field, replace

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
from events.catalog.turn import StepStarted, ToolsPicked, TurnFinished, TurnResumed, TurnStarted
from events.event import BlobRef, Event
from events.late_dataclass import dataclass
from events.statuses import TURN_RUNS, call_status

__all__ = ["QUEUE_EVENTS", "CallState", "QueuedState", "TurnState", "moved_on"]

QUEUE_EVENTS = (QuestionQueued, QuestionMoved, QuestionReworded, QuestionRefused, QuestionUnqueued)
"""The events about queued questions."""


@dataclass(slots=True)
class CallState:
    """The state of one call."""

    requested: ToolCallRequested
    approved: ToolCallApproved | None = None
    denied: ToolCallDenied | None = None
    started: ToolCallStarted | None = None
    finished: ToolCallFinished | None = None

    def evolve(self, event: ToolCallApproved | ToolCallDenied | ToolCallStarted | ToolCallFinished) -> None:
        """Apply one event to the call."""
        match event:
            case ToolCallApproved():
                self.approved = event
            case ToolCallDenied():
                self.denied = event
            case ToolCallStarted():
                self.started = event
            case ToolCallFinished():
                self.finished = event

    @property
    def status(self) -> str:
        """The status of the call, as in the read model `tool_calls`."""
        return call_status(
            asks=self.requested.needs_confirmation,
            approved=self.approved is not None,
            denied=self.denied is not None,
            started=self.started is not None,
            ended=self.finished.status if self.finished is not None else None,
        )

    @property
    def waits(self) -> bool:
        """Whether the turn waits for the user to decide about this call."""
        return self.status == "awaiting_confirmation"


@dataclass(slots=True)
class TurnState:
    """The state of one turn."""

    started: TurnStarted
    ended: TurnFinished | None = None
    """The last event that ended or paused the turn, with the cost so far. A paused turn may have continued since then.
    """
    runs: bool = True
    last_message_id: str = ""
    """The last message of the turn's branch so far."""
    picked: tuple[str, ...] = ()
    """The ids of the tools whose full specification the model has requested."""
    steps: int = 0
    """The number of requests made to the model."""
    data: dict[str, tuple[BlobRef, str | None]] = field(default_factory=dict)
    """Message → the text that a request of the turn added to it, and the summary of older messages that this request
    used.
    """

    def evolve(self, event: TurnResumed | StepStarted | ToolsPicked | TurnFinished) -> None:
        """Apply one event to the turn."""
        self.runs = TURN_RUNS.get(event.type, self.runs)
        match event:
            case StepStarted():
                self.steps = event.step
                self.data.pop(event.message_id, None)
                if event.data is not None:
                    self.data[event.message_id] = event.data, event.compaction_id
            case ToolsPicked():
                self.picked = tuple(dict.fromkeys([*self.picked, *event.tool_ids]))
            case TurnFinished():
                self.ended = event

    @property
    def finished(self) -> TurnFinished | None:
        """The event that ended or paused the turn; None while the turn is running."""
        return None if self.runs else self.ended

    @property
    def waits(self) -> bool:
        """Whether the turn waits for the user."""
        return self.finished is not None and self.finished.reason == "awaiting_confirmation"


@dataclass(frozen=True, slots=True)
class QueuedState:
    """A question that waits, or that was refused when it was about to be asked."""

    question: QuestionQueued
    """The question with its current words."""
    refusal: QuestionRefused | None = None

    @property
    def queued_id(self) -> str:
        """The id of the question."""
        return self.question.queued_id


def moved_on(queue: tuple[QueuedState, ...], event: Event) -> tuple[QueuedState, ...]:
    """Return the queue after an event about one of its questions, in the order in which the questions will be asked."""
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
