"""One question in each chat that waits for the end of the turn there. The engine asks it, whatever page is open.

It waits in memory: what was asked is an event, what is still to be asked is none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from engine.chats import Chats
from engine.commands import Ask
from engine.deciders import chat as decide
from engine.deciders import confirm
from engine.errors import AnabranchError, Refused
from engine.signals import Signals

__all__ = ["QuestionQueue", "Queued"]


@dataclass(frozen=True, slots=True)
class Queued:
    """A question that waits, or that was refused when its time had come."""

    question: Ask
    refusal: AnabranchError | None = None


class QuestionQueue:
    """Holds them, and has them asked. Safe for several threads."""

    def __init__(self, chats: Chats, signals: Signals, ask: Callable[[Ask], object]) -> None:
        self._chats = chats
        self._signals = signals
        self._ask = ask
        self._lock = Lock()
        self._queued: dict[str, Queued] = {}

    def put(self, question: Ask) -> None:
        """Ask this once no turn runs in its chat any more, nor waits for its user.

        Raises:
            Refused: one waits there already (`question_waits`), or the chat was deleted.
            NotFound: there is no such chat.
        """
        chat_id = question.chat_id
        with self._chats.locked(chat_id) as state:
            decide.require(state, chat_id)
        with self._lock:
            there = self._queued.get(chat_id)
            if there is not None and there.refusal is None:
                raise Refused(
                    "question_waits",
                    "One question waits for the end of this turn already. Remove that one, or wait until it is asked.",
                )
            self._queued[chat_id] = Queued(question)
        self._signals.changed(chat_id)
        self.turn_ended(chat_id)

    def remove(self, chat_id: str) -> None:
        """Ask what waits in a chat no more, or forget that it was refused."""
        with self._lock:
            self._queued.pop(chat_id, None)
        self._signals.changed(chat_id)

    def of(self, chat_id: str) -> Queued | None:
        """What waits in a chat."""
        with self._lock:
            return self._queued.get(chat_id)

    def turn_ended(self, chat_id: str) -> None:
        """Ask what waits, unless another turn runs there or one waits for its user."""
        if self.of(chat_id) is None or self._signals.running(chat_id):
            return
        with self._chats.locked(chat_id) as state:
            if confirm.waiting_at(state, state.leaf):
                return
        with self._lock:
            queued = self._queued.get(chat_id)
            if queued is None or queued.refusal is not None:
                return
            del self._queued[chat_id]
        try:
            self._ask(queued.question)
        except AnabranchError as error:
            with self._lock:
                self._queued.setdefault(chat_id, Queued(queued.question, error))
            self._signals.changed(chat_id)
