"""Who follows a log: watchers, told of each batch in order, and subscriptions, which read at their own pace."""

from collections.abc import Callable, Sequence
from threading import Event as Flag
from threading import Lock
from time import monotonic

from events.event import Recorded
from events.log import Watcher
from events.stored_row import Row

__all__ = ["RowSubscription", "Watchers"]

_AT_ONCE = 2048
"""Rows that one `take` returns at most."""


class Watchers:
    """The watchers of one log. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watchers: list[Watcher] = []

    def add(self, watcher: Watcher) -> Callable[[], None]:
        """Begin to tell `watcher`; returns how to stop."""
        with self._lock:
            self._watchers.append(watcher)

        def stop() -> None:
            with self._lock:
                if watcher in self._watchers:
                    self._watchers.remove(watcher)

        return stop

    def tell(self, recorded: Sequence[Recorded]) -> None:
        """Tell all of a batch."""
        with self._lock:
            watchers = tuple(self._watchers)
        for watcher in watchers:
            watcher(recorded)


class RowSubscription:
    """A `Subscription` to a log that can be read by position and watched."""

    def __init__(
        self,
        rows_after: Callable[[int, int], list[Row]],
        watch: Callable[[Watcher], Callable[[], None]],
        after: int,
    ) -> None:
        """`rows_after` returns the rows after a position, at most as many as it is told."""
        self._rows_after = rows_after
        self._position = after
        self._changed = Flag()
        self._closed = False
        self._stop = watch(lambda _: self._changed.set())

    def take(self, seconds: float | None = 0.0) -> list[Row]:
        """See `Subscription.take`."""
        until = None if seconds is None else monotonic() + seconds
        while not self._closed:
            self._changed.clear()
            rows = self._rows_after(self._position, _AT_ONCE)
            if rows:
                self._position = rows[-1].position
                return rows
            left = None if until is None else until - monotonic()
            if (left is not None and left <= 0) or not self._changed.wait(left):
                return []
        return []

    def close(self) -> None:
        """See `Subscription.close`."""
        self._closed = True
        self._stop()
        self._changed.set()
