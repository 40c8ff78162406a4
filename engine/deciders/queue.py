"""What a chat decides of the question that waits for the end of its turn. Pure."""

from collections.abc import Sequence

from engine.deciders.chat import require_words
from engine.deciders.chat_state import ChatState
from engine.deciders.confirm import waiting_at
from engine.errors import AnabranchError, Refused
from events.catalog.chat import QuestionQueued, QuestionRefused, QuestionUnqueued, QueuedFile
from events.identity import NewId

__all__ = ["ask_after_all", "is_time", "queue", "refuse", "require_free", "take_back", "waiting"]


def waiting(state: ChatState) -> QuestionQueued | None:
    """The question that waits to be asked; not one that was refused."""
    queued = state.queued
    return queued.question if queued is not None and queued.refusal is None else None


def is_time(state: ChatState) -> bool:
    """Whether what waits can be asked: no turn runs, and none waits for its user where the chat stands."""
    return not state.running_turns() and not waiting_at(state, state.leaf)


def require_free(state: ChatState) -> None:
    """Refuse to ask where a turn is still being answered: its next message would be on a branch that nobody sees.

    Raises:
        Refused: a turn runs whose messages lead to where the chat stands (`turn_runs`).
    """
    running = state.running_turns()
    path = state.places(state.leaf) if running else {}
    if any(turn.last_message_id in path for turn in running):
        raise Refused(
            "turn_runs",
            "A question is being answered in this chat. Queue this one, wait for the answer, or stop it.",
        )


def queue(state: ChatState, text: str, files: Sequence[QueuedFile], new_id: NewId) -> list[QuestionQueued]:
    """A question waits; it takes the place of one that was refused.

    Raises:
        Refused: it has no words (`question_empty`), or another one waits (`question_waits`).
    """
    require_words(text)
    if waiting(state) is not None:
        raise Refused(
            "question_waits",
            "One question waits for the end of this turn already. Take that one back, or wait until it is asked.",
        )
    return [QuestionQueued(queued_id=new_id(), text=text, files=tuple(files))]


def take_back(state: ChatState, queued_id: str) -> list[QuestionUnqueued]:
    """It is not to be asked, or discarded where it was refused; nothing where it was asked meanwhile."""
    if state.queued is None or state.queued.question.queued_id != queued_id:
        return []
    return [QuestionUnqueued(queued_id=queued_id, reason="taken_back")]


def refuse(state: ChatState, question: QuestionQueued, error: AnabranchError) -> list[QuestionRefused]:
    """It could not be asked; nothing where it was asked, or taken back, meanwhile."""
    if waiting(state) != question:
        return []
    return [QuestionRefused(queued_id=question.queued_id, code=error.code, message=error.message)]


def ask_after_all(state: ChatState, text: str) -> list[QuestionUnqueued]:
    """What was refused and is asked again is refused no more."""
    queued = state.queued
    if queued is None or queued.refusal is None or queued.question.text != text:
        return []
    return [QuestionUnqueued(queued_id=queued.question.queued_id, reason="asked")]
