"""The log in one DuckDB file, with its journal and its read models.

A batch is checked and numbered, appended to the journal (one sync), and then inserted together with what it changes in
the read models. One writer at a time; readers have cursors of their own and see whole batches only.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, RLock
from typing import Any

import duckdb

from events.batch import number
from events.codec import GENESIS, Row, decode
from events.event import Recorded
from events.identity import Clock, NewId, UuidV7, utc_now
from events.journal import Journal
from events.log import Append, LogClosed, LogDamaged, LogFault, Verification, Watcher
from events.opening import first_line, not_opened, open_database
from events.projections.every import TABLES
from events.projector import Projector
from events.recovery import Recovery, recover
from events.schema import SELECT_ROWS, insert_rows, parsed, to_row
from events.verification import verify_chain

__all__ = ["DuckDBLog"]

DATABASE = "anabranch.duckdb"
JOURNAL = "anabranch.journal"

_FULL = 8 << 20
"""Bytes of the journal from which on the log is brought to rest within an append: some ten thousand events."""


class DuckDBLog:
    """An `EventLog` in the folder `home`."""

    def __init__(
        self,
        home: Path,
        *,
        clock: Clock = utc_now,
        new_id: NewId | None = None,
        projector: Projector | None = None,
    ) -> None:
        """Open the log, making it where there is none; bring back what the database lost, from the journal.

        Raises:
            LogDamaged: the database cannot be read.
            LogFault: the disk refused a write.
            duckdb.IOException: another process holds the file.
        """
        home.mkdir(parents=True, exist_ok=True)
        self._clock = clock
        self._new_id = new_id or UuidV7(clock)
        self._projector = projector or Projector()
        self._lock = RLock()
        self._watching = Lock()
        self._watchers: list[Watcher] = []
        self._versions: dict[str, int] = {}
        self._closed = False
        self._rested: tuple[int, str] | None = None
        self._connection = open_database(home / DATABASE)
        self._journal = Journal(home / JOURNAL)
        try:
            self.recovery: Recovery = recover(self._connection, home / JOURNAL, self._projector.restore)
            self._head = _head(self._connection)
            self._projector.catch_up(self._connection)
            if self.recovery.problem is None:
                self.checkpoint()
        except Exception as error:
            self._connection.close()
            if isinstance(error, (duckdb.Error, OSError)):
                raise not_opened(home / DATABASE, error) from error
            raise

    def append(self, *batch: Append) -> list[Recorded]:
        """See `EventLog.append`."""
        with self._lock:
            self._refuse_if_not_writable()
            known = self._known([event_id for append in batch for event_id in append.event_ids or ()])
            if known is not None:
                return known
            rows = number(
                batch,
                head=self._head,
                stream_version=self.stream_version,
                now=self._clock(),
                new_id=self._new_id,
            )
            if not rows:
                return []
            self._write_ahead(rows)
            self._insert(rows)
            self._head = (rows[-1].position, rows[-1].hash)
            self._versions.update((row.stream, row.version) for row in rows)
            recorded = [decode(row) for row in rows]
            with self._watching:
                watchers = tuple(self._watchers)
            for watcher in watchers:
                watcher(recorded)
            if self._journal.size() > _FULL:
                with suppress(LogFault):  # the batch is recorded; the next one is refused
                    self.checkpoint()
        return recorded

    def _write_ahead(self, rows: list[Row]) -> None:
        """Put a batch into the journal, which is to accept it."""
        try:
            self._journal.append(rows)
        except OSError as error:
            raise LogFault(
                f"The journal could not be written: {first_line(error)} Nothing of what was asked is recorded. See to "
                "the disk (its space, its health), then try again."
            ) from error

    def _insert(self, rows: list[Row]) -> None:
        """Put an accepted batch into the database; where that fails, nothing more is written until the next open."""
        try:
            self._connection.execute(parsed(self._connection, "BEGIN"))
            insert_rows(self._connection, rows)
            self._projector.apply(self._connection, rows)
            self._connection.execute(parsed(self._connection, "COMMIT"))
        except duckdb.Error as error:
            self._closed = True
            raise LogFault(
                f"The database could not be written: {first_line(error)} What was asked is recorded in the journal; "
                "nothing more is recorded until Anabranch is started again. See to the disk first.",
                recorded=True,
            ) from error
        except BaseException:
            self._closed = True
            raise

    @property
    def problem(self) -> str | None:
        """Why the log takes no events, in words; None where it does."""
        if self.recovery.problem is not None:
            return self.recovery.problem
        return "The log takes no more events. Start Anabranch again." if self._closed else None

    def _refuse_if_not_writable(self) -> None:
        if self._closed:
            raise LogClosed("The log takes no more events; open it again to write.")
        if self.recovery.problem is not None:
            raise LogDamaged(f"The log is open for reading only. {self.recovery.problem}")

    def _known(self, event_ids: list[str]) -> list[Recorded] | None:
        """What is recorded of `event_ids`, where all of them are."""
        if not event_ids:
            return None
        marks = ", ".join("?" * len(event_ids))
        sql = f"{SELECT_ROWS} WHERE event_id IN ({marks}) ORDER BY position"
        found = self._connection.execute(sql, event_ids).fetchall()
        return [decode(to_row(fields)) for fields in found] if len(found) == len(event_ids) else None

    def read_stream(self, stream: str, after: int = 0) -> list[Recorded]:
        """See `EventLog.read_stream`."""
        sql = f"{SELECT_ROWS} WHERE stream = ? AND version > ? ORDER BY version"
        with self.reader() as cursor:
            return [decode(to_row(fields)) for fields in cursor.execute(sql, [stream, after]).fetchall()]

    def read_all(self, after: int = 0, limit: int | None = None) -> Iterator[Recorded]:
        """See `EventLog.read_all`."""
        sql = f"{SELECT_ROWS} WHERE position > ? ORDER BY position" + (f" LIMIT {limit:d}" if limit else "")
        with self.reader() as cursor:
            result = cursor.execute(sql, [after])
            while fetched := result.fetchmany(2048):
                for fields in fetched:
                    yield decode(to_row(fields))

    def head(self) -> int:
        """See `EventLog.head`."""
        return self._head[0]

    def stream_version(self, stream: str) -> int:
        """See `EventLog.stream_version`."""
        with self._lock:
            if stream not in self._versions:
                sql = "SELECT coalesce(max(version), 0) FROM event_log WHERE stream = ?"
                self._versions[stream] = int(self._connection.execute(sql, [stream]).fetchall()[0][0])
            return self._versions[stream]

    def verify(self) -> Verification:
        """See `EventLog.verify`."""
        try:
            with self.reader() as cursor:
                found = verify_chain(cursor)
        except duckdb.Error as error:
            problem = f"The log cannot be read to its end: {first_line(error)}"
            return Verification(False, 0, self.head(), None, problem)
        if found.ok and self.recovery.problem is not None:
            first = self.recovery.first_lost
            return Verification(False, found.events, found.head_position, first, self.recovery.problem)
        return found

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """See `EventLog.watch`. Watchers run in the writer's thread, in the order of the log: keep them short."""
        with self._watching:
            self._watchers.append(watcher)

        def stop() -> None:
            with self._watching:
                self._watchers.remove(watcher)

        return stop

    @contextmanager
    def reader(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor of one's own over the log and the read models."""
        cursor = self._connection.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    def registers(self) -> dict[str, list[tuple[Any, ...]]]:
        """The rows of every table that the read models are made of, in order of their keys."""
        with self.reader() as cursor:
            return {t.name: cursor.execute(f"FROM {t.name} ORDER BY {t.key}").fetchall() for t in TABLES}

    def export(self, file: Path) -> int:
        """Write the whole log as Parquet through Arrow; returns how many events that are."""
        import pyarrow.parquet as pq  # noqa: PLC0415 - a tenth of a second that only an export need wait for

        with self.reader() as cursor:
            reader = cursor.sql("FROM event_log ORDER BY position").to_arrow_reader(8192)
            with pq.ParquetWriter(file, reader.schema, compression="zstd") as writer:
                events = 0
                for batch in reader:
                    writer.write_batch(batch)
                    events += batch.num_rows
        return events

    def rebuild(self) -> None:
        """Drop and compute all read models again."""
        with self._lock:
            self._projector.rebuild(self._connection)

    def checkpoint(self) -> None:
        """Move everything into the database's checked pages, and begin the journal anew.

        Nothing is done where nothing was appended since the last time, nor while someone still reads what stood there
        before the last append: the journal then goes on, and the next call does it.

        Raises:
            LogFault: the disk refused; nothing is lost, and nothing more is recorded until the log is opened again.
        """
        with self._lock:
            if self._rested == self._head:
                return
            try:
                self._connection.execute("CHECKPOINT")
                self._journal.restart(*self._head)
                self._rested = self._head
            except duckdb.TransactionException:
                return
            except (duckdb.Error, OSError) as error:
                self._closed = True
                raise LogFault(
                    f"The log could not be brought to rest: {first_line(error)} Nothing is lost; nothing more is "
                    "recorded until Anabranch is started again. See to the disk first."
                ) from error

    def close(self) -> None:
        """See `EventLog.close`."""
        with self._lock:
            try:
                if not self._closed and self.recovery.problem is None:
                    self.checkpoint()
            finally:
                self._closed = True
                self._journal.close()
                self._connection.close()


def _head(connection: duckdb.DuckDBPyConnection) -> tuple[int, str]:
    sql = "SELECT position, hash FROM event_log ORDER BY position DESC LIMIT 1"
    found = connection.execute(sql).fetchall()
    return (int(found[0][0]), bytes(found[0][1]).hex()) if found else (0, GENESIS)
