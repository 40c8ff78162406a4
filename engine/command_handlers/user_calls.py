"""Keeps track of users' running tool calls, so that they can be stopped, and so that closing the app waits for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

from engine.errors import Unavailable
from engine.system.cancellation import Cancellation
from events.catalog.tool_call import FinalStatus

__all__ = ["UserCalls"]


class UserCalls:
    """The running calls. Thread-safe."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._running: list[tuple[str, Cancellation]] = []
        self._closing = False

    @contextmanager
    def running(self, chat_id: str) -> Iterator[Cancellation]:
        """Register a call that runs in this chat during the block. The call must end soon after the yielded
        `Cancellation` is set.

        Raises:
            Unavailable: the app is closing.
        """
        entry = (chat_id, Cancellation())
        with self._changed:
            if self._closing:
                raise Unavailable("closing", "Anabranch is closing. Start it again and retry.")
            self._running.append(entry)
        try:
            yield entry[1]
        finally:
            with self._changed:
                self._running.remove(entry)
                self._changed.notify_all()

    def stopped_as(self) -> FinalStatus:
        """The status that a call gets if it is stopped now."""
        return "interrupted" if self._closing else "cancelled"

    def stop(self, chat_id: str) -> int:
        """Stop the calls of a chat, and return the number of calls."""
        with self._changed:
            cancels = [cancel for where, cancel in self._running if where == chat_id]
        for cancel in cancels:
            cancel.set()
        return len(cancels)

    def close(self, seconds: float = 10.0) -> None:
        """Stop all calls, which then end as `interrupted`, and wait at most `seconds` for them to end."""
        with self._changed:
            self._closing = True
            chats = {chat_id for chat_id, _ in self._running}
        for chat_id in chats:
            self.stop(chat_id)
        with self._changed:
            self._changed.wait_for(lambda: not self._running, timeout=seconds)
