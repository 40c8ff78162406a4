"""Decisions about a chat's queued questions. Pure."""

from collections.abc import Sequence

from engine.deciders.chat import require_words
from engine.deciders.chat_state import ChatState
from engine.deciders.confirm import waiting_at
from engine.deciders.turn_state import QueuedState, moved_on
from engine.errors import AnabranchError, NotFound, Refused
from events.catalog.question import (
    QuestionMoved,
    QuestionQueued,
    QuestionRefused,
    QuestionReworded,
    QuestionUnqueued,
    QueuedFile,
)
from events.identity import NewId

__all__ = [
    "ask_after_all",
    "is_time",
    "move",
    "queue",
    "refuse",
    "require_free",
    "reword",
    "take_back",
    "waiting",
]


MOST = 20
"""The maximum number of questions that may wait in a chat."""


def waiting(state: ChatState) -> QuestionQueued | None:
    """Return the question to ask next; None if the queue is empty or its first question was refused."""
    first = state.queue[0] if state.queue else None
    return first.question if first is not None and first.refusal is None else None


def is_time(state: ChatState) -> bool:
    """Return whether the queue can continue: no turn is running, and none is waiting for the user on the current
    branch."""
    return not state.running_turns() and not waiting_at(state, state.leaf)


def require_free(state: ChatState) -> None:
    """Refuse a question while a turn is still running; otherwise the turn's next message would be on a hidden branch.

    Raises:
        Refused: a turn is running on the chat's current branch (`turn_runs`).
    """
    running = state.running_turns()
    path = state.places(state.leaf) if running else {}
    if any(turn.last_message_id in path for turn in running):
        raise Refused(
            "turn_runs",
            "A question is being answered in this chat. Queue your question, wait for the answer, or stop it.",
        )


def queue(state: ChatState, text: str, files: Sequence[QueuedFile], new_id: NewId) -> list[QuestionQueued]:
    """Add a question to the end of the queue.

    Raises:
        Refused: the question is empty (`question_empty`), or too many questions are waiting (`questions_wait`).
    """
    require_words(text)
    if len(state.queue) >= MOST:
        raise Refused(
            "questions_wait",
            f"{MOST} questions are waiting in this chat, which is the maximum. Withdraw one, or wait.",
        )
    return [QuestionQueued(queued_id=new_id(), text=text, files=tuple(files))]


def take_back(state: ChatState, queued_id: str) -> list[QuestionUnqueued]:
    """Remove a waiting or refused question; no event if it was asked in the meantime."""
    if _find(state, queued_id) is None:
        return []
    return [QuestionUnqueued(queued_id=queued_id, reason="taken_back")]


def move(state: ChatState, queued_id: str, before_id: str | None) -> list[QuestionMoved]:
    """Move a question before another one, or to the end; no event if it is already there.

    Raises:
        NotFound: one of the questions is no longer waiting.
    """
    moved = _require(state, queued_id)
    if before_id is not None:
        _require(state, before_id)
    event = QuestionMoved(queued_id=moved.queued_id, before_id=before_id)
    return [] if before_id == queued_id or moved_on(state.queue, event) == state.queue else [event]


def reword(state: ChatState, queued_id: str, text: str) -> list[QuestionReworded]:
    """Change the text of a question; no event if the text is the same.

    Raises:
        NotFound: the question is no longer waiting.
        Refused: the new text is empty (`question_empty`).
    """
    require_words(text)
    if _require(state, queued_id).question.text == text:
        return []
    return [QuestionReworded(queued_id=queued_id, text=text)]


def refuse(state: ChatState, question: QuestionQueued, error: AnabranchError) -> list[QuestionRefused]:
    """Record that a question could not be asked; no event if it was asked or removed in the meantime."""
    if waiting(state) != question:
        return []
    return [QuestionRefused(queued_id=question.queued_id, code=error.code, message=error.message)]


def ask_after_all(state: ChatState, text: str) -> list[QuestionUnqueued]:
    """Remove a refused question from the queue when the user asks the same question again."""
    again = (one for one in state.queue if one.refusal is not None and one.question.text == text)
    return [QuestionUnqueued(queued_id=one.queued_id, reason="asked") for one in again]


def _find(state: ChatState, queued_id: str) -> QueuedState | None:
    return next((one for one in state.queue if one.queued_id == queued_id), None)


def _require(state: ChatState, queued_id: str) -> QueuedState:
    found = _find(state, queued_id)
    if found is None:
        raise NotFound("queued_not_found", "That question is no longer waiting: it was asked or withdrawn.")
    return found
