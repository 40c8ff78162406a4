"""The open chats: keeps each chat's state up to date and appends to its stream."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from threading import Lock, RLock

from engine.chats.conflicts import retry_conflicts
from engine.deciders.chat_state import ChatState
from engine.system.gc_pause import garbage_collection_paused
from events.event import Event, Recorded
from events.late_dataclass import dataclass
from events.log import Append, EventLog, LogError

__all__ = ["Chats", "stream_of"]

_KEPT = 12_000
"""The maximum number of events in memory, counted over all chats whose states are kept. An event takes about 1.5 KB."""
_NEWEST = 4
"""The number of recently used chats that are kept in memory even if they are long, because reading 2,000 turns again
takes half a second.
"""
_EMPTY = 3
"""The weight of a chat without its events: a few KB for its lock and its empty state."""


def stream_of(chat_id: str) -> str:
    """Return the stream of a chat."""
    return f"chat-{chat_id}"


@dataclass(slots=True)
class _Open:
    """A chat that is locked, or was locked recently."""

    lock: RLock = field(default_factory=RLock)
    state: ChatState | None = None
    holders: int = 0
    """The number of threads that hold the lock or wait for it."""
    depth: int = 0
    """The number of times that the current thread has acquired the lock. Events of other writers are read only when it
    first acquires the lock, so the state does not change until the lock is released.
    """
    weight: int = 0


class Chats:
    """Chat states by id. Cached states include events from other writers; this process appends only through this
    class."""

    def __init__(self, log: EventLog, most: int = _KEPT) -> None:
        """Keep states of at most `most` events in total in memory. Above that, drop unused states; they are read again
        when they are needed.
        """
        self._log = log
        self._most = most
        self.dropped: Callable[[str], None] = lambda _: None
        """Called with the id of each chat whose state is no longer kept in memory. It must not use any chat."""
        self._lock = Lock()
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._weight = 0

    def __len__(self) -> int:
        """Return the number of chats that are kept in memory."""
        return len(self._open)

    @contextmanager
    def locked(self, chat_id: str) -> Iterator[ChatState]:
        """Yield the chat's current state, which does not change until the end of the block."""
        with self._held(chat_id) as held:
            yield self._state(chat_id, held)

    def recorded(self, chat_id: str) -> list[Recorded]:
        """Return a chat's events, read from the log."""
        return list(self._log.read_stream(stream_of(chat_id)))

    @contextmanager
    def _held(self, chat_id: str) -> Iterator[_Open]:
        with self._lock:
            held = self._open.setdefault(chat_id, _Open())
            self._open.move_to_end(chat_id)
            held.holders += 1
        try:
            with held.lock:
                held.depth += 1
                try:
                    yield held
                finally:
                    held.depth -= 1
        finally:
            with self._lock:
                held.holders -= 1
                self._let_go(held)

    def _let_go(self, held: _Open) -> None:
        """Count the events of a chat whose lock was released. If too many events are in memory, drop the least recently
        used chats that no thread uses.
        """
        weight = _EMPTY + (held.state.version if held.state is not None else 0)
        self._weight += weight - held.weight
        held.weight = weight
        if self._weight <= self._most:
            return
        for chat_id, one in [*self._open.items()]:
            if self._weight <= self._most or len(self._open) <= _NEWEST:
                break
            if one.holders == 0 and one is not held:
                self._weight -= self._open.pop(chat_id).weight
                self.dropped(chat_id)

    def _state(self, chat_id: str, held: _Open) -> ChatState:
        stream = stream_of(chat_id)
        state = held.state or ChatState()
        looks = held.depth == 1 and state.version < self._log.stream_version(stream)
        if held.state is None or looks:
            with garbage_collection_paused():
                for recorded in self._log.read_stream(stream, state.version):
                    state.evolve(recorded.event)
        if state.exists:
            held.state = state
        return state

    def transact(
        self,
        chat_id: str,
        decide: Callable[[ChatState], Sequence[Event]],
        *,
        correlation_id: str | None = None,
        causation_id: str | Sequence[str | None] | None = None,
    ) -> list[Recorded]:
        """Append the events that `decide` makes from the chat's state, durably; do nothing if there are none.

        If another writer has appended in between, call `decide` again. Within `locked`, the caller must do that.

        Raises:
            VersionConflict: another writer was faster, within `locked`.
        """

        def attempt() -> list[Recorded]:
            state = self._state(chat_id, held)
            events = list(decide(state))
            if not events:
                return []
            append = Append(
                stream_of(chat_id),
                events,
                expected=state.version,
                correlation_id=correlation_id,
                causation_id=causation_id,
            )
            return self._append(held, state, append)

        with self._held(chat_id) as held:
            return attempt() if held.depth > 1 else retry_conflicts(attempt)

    def _append(self, held: _Open, state: ChatState, append: Append) -> list[Recorded]:
        """Append to the log, then bring the kept state up to date with the stored events."""
        try:
            recorded = self._log.append(append)
        except LogError:
            # The disk reported an error, so it is not known what was written. The state is read again when it is
            # needed.
            held.state = None
            raise
        # the stored events, so that the state is the same as one that is read from the log
        for record in recorded:
            state.evolve(record.event)
        if state.exists:
            held.state = state
        return recorded
