"""The open chats: each chat's state, folded once and kept current, and the one way to add to its stream."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock, RLock

from engine.deciders.chat_state import ChatState
from events.event import Event, Recorded
from events.log import Append, EventLog

__all__ = ["Chats", "stream_of"]


def stream_of(chat_id: str) -> str:
    """The stream of a chat."""
    return f"chat-{chat_id}"


class Chats:
    """Chat states by id. The log is immutable, so a kept state is never stale; all appends to chats go through here."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._lock = Lock()
        self._locks: dict[str, RLock] = {}
        self._states: dict[str, ChatState] = {}

    @contextmanager
    def locked(self, chat_id: str) -> Iterator[ChatState]:
        """The chat's present state, which stays so until the end of the block."""
        with self._lock:
            lock = self._locks.setdefault(chat_id, RLock())
        with lock:
            yield self._state(chat_id)

    def _state(self, chat_id: str) -> ChatState:
        state = self._states.get(chat_id)
        if state is None:
            state = ChatState()
            for recorded in self._log.read_stream(stream_of(chat_id)):
                state.evolve(recorded.event)
            if state.exists:
                self._states[chat_id] = state
        return state

    def transact(
        self,
        chat_id: str,
        decide: Callable[[ChatState], Sequence[Event]],
        *,
        correlation_id: str | None = None,
        causation_id: str | Sequence[str | None] | None = None,
    ) -> list[Recorded]:
        """Append what `decide` makes of the chat's state, durably; nothing where it makes nothing."""
        with self.locked(chat_id) as state:
            events = list(decide(state))
            if not events:
                return []
            recorded = self._log.append(
                Append(
                    stream_of(chat_id),
                    events,
                    expected=state.version,
                    correlation_id=correlation_id,
                    causation_id=causation_id,
                )
            )
            for (
                record
            ) in recorded:  # as it was stored, so that this state is the one that a fold of the log gives
                state.evolve(record.event)
            if state.exists:
                self._states[chat_id] = state
            return recorded
