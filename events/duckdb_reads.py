"""What is read of a log in DuckDB, each by a cursor of its own: whole batches only, while the log goes on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, RLock
from typing import Any

import duckdb

from events.codec import decode
from events.event import Recorded
from events.log import Watcher
from events.log_reads import export_log, stream_events
from events.projections.registry import TABLES
from events.projector import Projector
from events.schema import SELECT_ROWS, to_row

__all__ = ["DuckDBReads"]


class DuckDBReads:
    """The half of `DuckDBLog` that appends nothing: its reads, its read models, and who watches."""

    _connection: duckdb.DuckDBPyConnection

    def __init__(self, projector: Projector) -> None:
        self._projector = projector
        self._lock = RLock()
        self._readers, self._counting = 0, Lock()
        """Cursors that are open; the lock is held while the database is opened again."""
        self._watching = Lock()
        self._watchers: list[Watcher] = []

    def _before_reading(self) -> None:
        """Whatever makes the log readable again."""

    def _is_readable(self) -> bool:
        try:
            self._connection.execute("SELECT max(position) FROM event_log").fetchall()
        except duckdb.Error:
            return False
        return True

    def read_stream(self, stream: str, after: int = 0) -> list[Recorded]:
        """See `EventLog.read_stream`."""
        with self.reader() as cursor:
            return stream_events(cursor, stream, after)

    def read_all(self, after: int = 0, limit: int | None = None) -> Iterator[Recorded]:
        """See `EventLog.read_all`."""
        sql = f"{SELECT_ROWS} WHERE position > ? ORDER BY position" + (f" LIMIT {limit:d}" if limit else "")
        with self.reader() as cursor:
            result = cursor.execute(sql, [after])
            while fetched := result.fetchmany(2048):
                for fields in fetched:
                    yield decode(to_row(fields))

    @contextmanager
    def reader(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor of one's own over the log and the read models. It waits for no writer that is well."""
        self._before_reading()
        with self._counting:
            cursor = self._connection.cursor()
            self._readers += 1
        try:
            yield cursor
        finally:
            with self._counting:
                self._readers -= 1
            cursor.close()

    def registers(self) -> dict[str, list[tuple[Any, ...]]]:
        """The rows of every table that the read models are made of, in order of their keys."""
        with self.reader() as cursor:
            return {t.name: cursor.execute(f"FROM {t.name} ORDER BY {t.key}").fetchall() for t in TABLES}

    def export(self, file: Path) -> int:
        """Write the whole log as Parquet through Arrow; returns how many events that are."""
        with self.reader() as cursor:
            return export_log(cursor, file)

    def rebuild(self) -> None:
        """Drop and compute all read models again."""
        with self._lock:
            self._projector.rebuild(self._connection)

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """See `EventLog.watch`. Watchers run in the writer's thread, in the order of the log: keep them short."""
        with self._watching:
            self._watchers.append(watcher)

        def stop() -> None:
            with self._watching:
                self._watchers.remove(watcher)

        return stop
