"""The log in one DuckDB file, with its journal and its read models.

A batch is checked and numbered here, and `DurableRows` writes it durably. There is one writer at a time; readers have
separate cursors and see only whole batches.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from events.anchor import Anchor
from events.at_rest import Keeps
from events.durable_rows import DurableRows
from events.identity import Clock, NewId, UuidV7, utc_now
from events.log import Append, Condition, Verification, Watcher
from events.log_reads import all_events, known_events, rows_after, stream_events
from events.open_database import first_line
from events.packed_events import changed_pack
from events.projector import Projector
from events.read_store import DuckDBReadStore
from events.stored_row import Row
from events.verification import verify_chain
from events.watchers import RowSubscription, Watchers

if TYPE_CHECKING:
    from events.event import Recorded

__all__ = ["LOG_STREAM", "DuckDBLog"]

LOG_STREAM = "log"
"""The stream of events about the log itself."""


class DuckDBLog:
    """An `EventLog` in the folder `home`, and its `LogUpkeep`."""

    def __init__(
        self,
        home: Path,
        *,
        clock: Clock = utc_now,
        new_id: NewId | None = None,
        projector: Projector | None = None,
        anchor: Anchor | None = None,
        keeps: Keeps = lambda _: True,
        held: str | None = None,
    ) -> None:
        """Open the log, or create it; restore events that the database lost.

        `anchor` stores the mark of the log's last position; `keeps` says whether a second copy of its events is kept.
        `held` is a reason, in words, to open the log read-only.

        Raises:
            LogDamaged: the database cannot be read.
            LogFault: a write to the disk failed.
            duckdb.IOException: another process has opened the file.
        """
        self._clock, self._new_id = clock, new_id or UuidV7(clock)
        self._projector = projector or Projector()
        self._watchers = Watchers()
        self._versions: dict[str, int] = {}
        self._openings = 0
        self._rows = DurableRows(
            home, self._projector, anchor=anchor, keeps=keeps, held=held, missed=self._follow
        )
        self.reads = DuckDBReadStore(self._rows.database.reader, self.head, self._rebuild)
        """The read models, which are in the same database."""

    # ---- EventLog ----------------------------------------------------------------------------------------------------

    def append(self, *batch: Append) -> "list[Recorded]":
        """See `EventLog.append`."""
        with self._rows.lock:
            self._rows.require_writable()
            connection = self._rows.database.connection
            known = known_events(connection, [e for append in batch for e in append.event_ids or ()])
            if known is not None:
                return known
            rows = self._numbered(batch)
            return self._written(rows, self._rows.write) if rows else []

    def _numbered(self, batch: Sequence[Append]) -> list[Row]:
        from events.batch import number  # noqa: PLC0415 - loads every event type

        return number(
            batch,
            head=self._rows.head,
            stream_version=self.stream_version,
            now=self._clock(),
            new_id=self._new_id,
        )

    def _written(
        self, rows: list[Row], write: Callable[[Sequence[Row], Callable[[], None]], None]
    ) -> "list[Recorded]":
        recorded: list[Recorded] = []
        write(rows, lambda: recorded.extend(self._follow(rows)))
        return recorded

    def _follow(self, rows: Sequence[Row]) -> "list[Recorded]":
        """Record the streams' new versions, notify the watchers, and return the new events."""
        from events.codec import decode  # noqa: PLC0415 - loads every event type

        if self._openings == self._rows.openings:
            self._versions.update((row.stream, row.version) for row in rows)
        recorded = [decode(row) for row in rows]
        self._watchers.tell(recorded)
        return recorded

    def read_stream(self, stream: str, after: int = 0) -> "list[Recorded]":
        """See `EventLog.read_stream`."""
        with self._rows.database.reader() as cursor:
            return stream_events(cursor, stream, after)

    def read_all(self, after: int = 0, limit: int | None = None) -> "Iterator[Recorded]":
        """See `EventLog.read_all`."""
        with self._rows.database.reader() as cursor:
            yield from all_events(cursor, after, limit)

    def head(self) -> int:
        """See `EventLog.head`."""
        return self._rows.head[0]

    def stream_version(self, stream: str) -> int:
        """See `EventLog.stream_version`."""
        if self._openings == self._rows.openings and stream in self._versions:
            return self._versions[stream]
        with self._rows.lock:
            if self._openings != self._rows.openings:
                self._openings, self._versions = self._rows.openings, {}
            sql = "SELECT coalesce(max(version), 0) FROM event_log WHERE stream = ?"
            found = self._rows.database.connection.execute(sql, [stream]).fetchall()
            return self._versions.setdefault(stream, int(found[0][0]))

    def verify(self) -> Verification:
        """See `EventLog.verify`."""
        try:
            with self._rows.database.reader() as cursor:
                found = verify_chain(cursor)
                packs = _problem_of_packs(cursor) if found.ok else None
                said = self._rows.said()
                now = said if said.problem is not None else self._rows.against_mark(cursor) or said
        except duckdb.Error as error:
            problem = f"The log cannot be read to its end: {first_line(error)}"
            return Verification(False, 0, self.head(), None, problem)
        if found.ok and now.problem is not None:
            return Verification(False, found.events, found.head_position, now.first_lost, now.problem)
        if packs is not None:
            return Verification(False, found.events, found.head_position, None, packs)
        return found

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """See `EventLog.watch`."""
        return self._watchers.add(watcher)

    def subscribe(self, after: int = 0) -> RowSubscription:
        """See `EventLog.subscribe`."""
        return self._watchers.subscribe(self._rows_from, after)

    def _rows_from(self, position: int, most: int) -> list[Row]:
        with self._rows.database.reader() as cursor:
            return rows_after(cursor, position, most)

    def close(self) -> None:
        """See `EventLog.close`."""
        self._watchers.close()
        self._rows.close()

    # ---- LogUpkeep ---------------------------------------------------------------------------------------------------

    @property
    def condition(self) -> Condition:
        """See `LogUpkeep.condition`."""
        return self._rows.condition

    @property
    def problem(self) -> str | None:
        """See `LogUpkeep.problem`."""
        return self._rows.problem

    @property
    def damage(self) -> str | None:
        """See `LogUpkeep.damage`."""
        return self._rows.recovery.problem

    @property
    def restored(self) -> int:
        """See `LogUpkeep.restored`."""
        return self._rows.recovery.restored

    @property
    def can_accept(self) -> bool:
        """See `LogUpkeep.can_accept`."""
        return self._rows.can_accept

    def accept(self) -> "list[Recorded]":
        """See `LogUpkeep.accept`. Does nothing if nothing is wrong.

        Raises:
            LogFault: the disk could not be read or written.
        """
        from events.catalog.log import LogAccepted  # noqa: PLC0415 - loads pydantic

        with self._rows.lock:
            found, head = self._rows.recovery, self.head()
            if found.problem is None or not self.can_accept:
                return []
            acknowledged = max(found.acknowledged, head)
            accepted = LogAccepted(problem=found.problem, head=head, acknowledged=acknowledged)
            rows = self._numbered([Append(LOG_STREAM, [accepted])])
            return self._written(rows, self._rows.write_accepted)

    def notices(self) -> tuple[str, ...]:
        """See `LogUpkeep.notices`."""
        later = (self._rows.at_rest.problem, self._rows.unrested)
        return (*self._rows.recovery.notices, *(notice for notice in later if notice))

    def checkpoint(self) -> None:
        """See `DurableRows.checkpoint`."""
        self._rows.checkpoint()

    def mend_copy(self) -> bool:
        """See `LogUpkeep.mend_copy`."""
        return self._rows.mend_copy()

    def kept_bytes(self) -> int:
        """See `LogUpkeep.kept_bytes`."""
        return self._rows.at_rest.kept.size()

    def _rebuild(self) -> None:
        with self._rows.lock:
            self._projector.rebuild(self._rows.database.connection)


def _problem_of_packs(cursor: duckdb.DuckDBPyConnection) -> str | None:
    """Compare the packed events with the log, which is already verified. Return the problem, or None if they agree."""
    try:
        stream = changed_pack(cursor)
    except duckdb.Error as error:
        return f"Every event is as it was written, but packed copies are damaged: {first_line(error)} {_REBUILDS}"
    if stream is None:
        return None
    return f"Every event is as it was written, but the packed copy of the events of {stream} was changed. {_REBUILDS}"


_REBUILDS = "They are read to show long chats. `anabranch rebuild` makes them again."
