"""Followers of a log: watchers receive each batch in order, and subscriptions read at their own pace."""

from collections.abc import Callable, Sequence
from threading import Event as Flag
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from events.log import Watcher
from events.stored_row import Row

if TYPE_CHECKING:
    from events.event import Recorded

__all__ = ["RowSubscription", "Watchers"]

_AT_ONCE = 2048
"""The maximum number of rows that one `take` returns."""


class Watchers:
    """The watchers of one log. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watchers: list[Watcher] = []
        self._subscriptions: list[RowSubscription] = []

    def add(self, watcher: Watcher) -> Callable[[], None]:
        """Start to notify `watcher`; return a function that stops this."""
        with self._lock:
            self._watchers.append(watcher)

        def stop() -> None:
            with self._lock:
                if watcher in self._watchers:
                    self._watchers.remove(watcher)

        return stop

    def subscribe(self, rows_after: Callable[[int, int], list[Row]], after: int) -> "RowSubscription":
        """Follow the rows after a position; `rows_after` returns the rows after a position, up to a given number."""
        follows = RowSubscription(rows_after, self._forget, after)
        with self._lock:
            self._subscriptions.append(follows)
        return follows

    def _forget(self, follows: "RowSubscription") -> None:
        with self._lock:
            if follows in self._subscriptions:
                self._subscriptions.remove(follows)

    def close(self) -> None:
        """Release all waiting followers, because the log was closed."""
        for follows in tuple(self._subscriptions):
            follows.close()

    def tell(self, recorded: "Sequence[Recorded]") -> None:
        """Notify all watchers of a batch."""
        with self._lock:
            watchers, following = tuple(self._watchers), tuple(self._subscriptions)
        for follows in following:
            follows.wake()
        for watcher in watchers:
            watcher(recorded)


class RowSubscription:
    """A `Subscription` to a log that can be read by position."""

    def __init__(
        self,
        rows_after: Callable[[int, int], list[Row]],
        over: "Callable[[RowSubscription], None]",
        after: int,
    ) -> None:
        """See `Watchers.subscribe`; `over` is called when the subscription ends."""
        self._rows_after = rows_after
        self._position = after
        self._changed = Flag()
        self._closed = False
        self._over = over

    def wake(self) -> None:
        """Signal that there may be new rows."""
        self._changed.set()

    def take(self, seconds: float | None = 0.0) -> list[Row]:
        """See `Subscription.take`."""
        until = None if seconds is None else monotonic() + seconds
        while not self._closed:
            self._changed.clear()
            if self._closed:
                break
            try:
                rows = self._rows_after(self._position, _AT_ONCE)
            except Exception:
                if self._closed:  # the log was closed during this read
                    break
                raise
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
        self._over(self)
        self._changed.set()
