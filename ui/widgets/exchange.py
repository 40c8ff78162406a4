"""A question with the steps that answer it, as the transcript and the history show them."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.commands.catalog import Retry
from engine.views.chat import ChatView, MessageView, TurnView
from ui import session
from ui.current_app import send

__all__ = ["Exchange", "exchanges", "is_latest", "retry"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and the steps that answer it on this branch."""

    question: MessageView
    steps: tuple[MessageView, ...]
    turn: TurnView | None

    @property
    def answer(self) -> MessageView | None:
        """The step that answers; None while there is none."""
        return next((step for step in reversed(self.steps) if step.content), None)


def exchanges(view: ChatView) -> list[Exchange]:
    """The current branch of a chat, as questions with their answers."""
    found: list[tuple[MessageView, list[MessageView]]] = []
    for message in view.branch():
        if message.role == "user":
            found.append((message, []))
        elif found:
            found[-1][1].append(message)
    return [Exchange(q, tuple(steps), _turn(view, q, steps)) for q, steps in found]


def _turn(view: ChatView, question: MessageView, steps: Sequence[MessageView]) -> TurnView | None:
    if steps and steps[-1].turn_id in view.turns:
        return view.turns[steps[-1].turn_id or ""]
    own = [turn for turn in view.turns.values() if turn.message_id == question.message_id]
    return max(own, key=lambda turn: turn.started_at, default=None)


def is_latest(view: ChatView, exchange: Exchange) -> bool:
    """Whether the chat stands here, and is not only looked back on."""
    here = {exchange.question.message_id, *(step.message_id for step in exchange.steps)}
    return not session.looks_back() and view.leaf in here


def retry(view: ChatView, exchange: Exchange) -> None:
    """Answer the question again, beside the answers that it has."""
    send(Retry(view.chat_id, exchange.question.message_id))
