"""Read models for a log that has none: a separate DuckDB database follows the log and stores the position it has
reached.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from time import monotonic

import duckdb

from events.log import EventLog, ReadStoreBehind, Subscription
from events.open_database import open_copy
from events.projector import Projector
from events.read_store import DuckDBReadStore

__all__ = ["FollowingReadStore"]


class FollowingReadStore(DuckDBReadStore):
    """A `ReadStore` in memory for any log. Each read first adds the log's newest events."""

    def __init__(self, log: EventLog, projector: Projector | None = None) -> None:
        super().__init__(self._cursor, lambda: self._at, self._compute_again)
        self._log, self._projector = log, projector or Projector()
        self._lock = RLock()
        self._at = 0
        self._connection = open_copy()
        self._projector.catch_up(self._connection)
        self._subscription: Subscription = log.subscribe(after=0)

    def wait_for(self, position: int, seconds: float | None = None) -> None:
        """See `ReadStore.wait_for`."""
        until = None if seconds is None else monotonic() + seconds
        with self._lock:
            while self._at < position:
                rows = self._subscription.take(None if until is None else max(0.0, until - monotonic()))
                if not rows:
                    raise ReadStoreBehind(self._at, position)
                try:
                    self._projector.write(self._connection, rows)
                except BaseException:
                    self._subscription.close()
                    self._subscription = self._log.subscribe(after=self._at)
                    raise
                self._at = rows[-1].position

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        self.wait_for(self._log.head())
        with self._lock:
            cursor = self._connection.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    def _compute_again(self) -> None:
        with self._lock:
            self._projector.rebuild(self._connection)

    def close(self) -> None:
        """See `ReadStore.close`."""
        self._subscription.close()
        self._connection.close()
