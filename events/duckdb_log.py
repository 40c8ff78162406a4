"""The log in one DuckDB file, with its journal and its read models.

A batch is checked and numbered, appended to the journal (one sync), and then inserted together with what it changes in
the read models. One writer at a time; readers have cursors of their own and see whole batches only. Where the disk
refuses, the log goes on by itself as soon as it can.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias

import duckdb

from events.anchor import Anchor, Known
from events.at_rest import AtRest
from events.batch import number
from events.catalog.log import LogAccepted
from events.codec import decode
from events.duckdb_reads import DuckDBReads
from events.event import Recorded
from events.identity import Clock, NewId, UuidV7, utc_now
from events.journal import Journal
from events.log import Append, LogClosed, LogDamaged, LogFault, Verification
from events.log_reads import first_hash, head_of, known_events, rows_after
from events.open_database import FOLDER_GONE, GOES_ON, first_line, not_opened, open_database, way_on
from events.projector import Projector
from events.recovery import Recovery, against_outside, recover
from events.schema import insert_rows, parsed
from events.second_copy import KEPT, KeptJournal
from events.stored_row import Row
from events.verification import verify_chain

__all__ = ["DATABASE", "JOURNAL", "LOG_STREAM", "Condition", "DuckDBLog"]

Condition: TypeAlias = Literal["well", "read_only", "disk", "folder_gone", "closed"]
DATABASE, JOURNAL = "anabranch.duckdb", "anabranch.journal"
LOG_STREAM = "log"
"""The stream of what happened to the log itself."""

_INTERRUPTED = "The log was interrupted between the journal and the database."
_FULL = 8 << 20
"""Bytes of the journal from which on the log is brought to rest within an append: some ten thousand events."""


class DuckDBLog(DuckDBReads):
    """An `EventLog` in the folder `home`."""

    def __init__(
        self,
        home: Path,
        *,
        clock: Clock = utc_now,
        new_id: NewId | None = None,
        projector: Projector | None = None,
        anchor: Anchor | None = None,
        keeps: Callable[[], bool] = lambda: True,
        held: str | None = None,
    ) -> None:
        """Open the log, making it where there is none; bring back what the database lost.

        `anchor` knows how far the log had reached; `keeps` says whether a second copy of its events is kept. With
        `held`, a reason in words, it is open for reading only.

        Raises:
            LogDamaged: the database cannot be read.
            LogFault: the disk refused a write.
            duckdb.IOException: another process holds the file.
        """
        super().__init__(projector or Projector())
        home.mkdir(parents=True, exist_ok=True)
        self._home, self._clock, self._new_id = home, clock, new_id or UuidV7(clock)
        self._anchor, self._held = anchor, held
        self._closed, self._fault, self._way_on = False, "", GOES_ON
        self._journal = Journal(home / JOURNAL)
        self._keeper = AtRest(KeptJournal(home / KEPT), anchor, keeps)
        self.recovery = Recovery()
        self._open()

    def _open(self, *, rests: bool = True) -> None:
        """Open the database, and compare it with the journal and with how far it had reached; bring it to rest."""
        self._versions: dict[str, int] = {}
        self._rested: tuple[int, str] | None = None
        self._connection = open_database(self._home / DATABASE)
        try:
            found = recover(
                self._connection,
                self._home / JOURNAL,
                self._keeper.kept,
                self._projector.restore,
                self._known_outside(self._connection).mine,
            )
            self._head = head_of(self._connection)
            self.recovery = found.joined(self._against_mark(self._connection), self._held)
            if self._anchor is not None and self._head[0] == 0 and self.recovery.problem is None:
                self._anchor.forget()
            self._projector.catch_up(self._connection)
            if rests:
                self._rest_if_it_can()
        except Exception as error:
            self._connection.close()
            if isinstance(error, (duckdb.Error, OSError)):
                raise not_opened(self._home / DATABASE, error) from error
            raise

    def _rest_if_it_can(self) -> None:
        """Come to rest; where the disk refuses and DuckDB gives up with it, go on reading."""
        try:
            self.checkpoint()
        except LogFault:
            if not self._is_readable():
                fault = self._fault
                self._connection.close()
                self._open(rests=False)
                self._fault = fault

    def _against_mark(self, cursor: duckdb.DuckDBPyConnection) -> Recovery | None:
        known, kept = self._known_outside(cursor), self._keeper.kept.last()
        return against_outside(cursor, self._home, known, kept, begins=self._held is None)

    def _known_outside(self, cursor: duckdb.DuckDBPyConnection) -> Known:
        return self._anchor.read(first_hash(cursor)) if self._anchor else Known()

    @property
    def can_accept(self) -> bool:
        """Whether something is wrong that `accept` lets hold."""
        return self.recovery.problem not in (None, self._held)

    def accept(self) -> list[Recorded]:
        """Let the log hold as it is, though it is not what it was: recorded, and open for writing from then on.

        What the journal holds is set aside in a file beside it. Nothing where nothing is wrong.

        Raises:
            LogFault: the disk refused.
        """
        with self._lock:
            found = self.recovery
            if found.problem is None or not self.can_accept:
                return []
            accepted = LogAccepted(
                problem=found.problem, head=self._head[0], acknowledged=max(found.acknowledged, self._head[0])
            )
            rows = self._numbered((Append(LOG_STREAM, [accepted]),))
            try:
                # If it cannot be moved later, the user is asked again at each start: so try first.
                self._keeper.write_mark_again(self._known_outside(self._connection))
                self._journal.set_aside()
                self._journal.restart(*self._head, rows)
            except OSError as error:
                raise LogFault(f"This could not be recorded: {first_line(error)} See to the disk.") from error
            self.recovery = replace(found, problem=None, first_lost=None)
            self._insert(rows)
            self._keeper.start_anew()
            recorded = self._follow(rows)
            self.checkpoint()
        return recorded

    def append(self, *batch: Append) -> list[Recorded]:
        """See `EventLog.append`."""
        with self._lock:
            self._refuse_if_not_writable()
            known = known_events(self._connection, [e for append in batch for e in append.event_ids or ()])
            if known is not None:
                return known
            rows = self._numbered(batch)
            if not rows:
                return []
            self._fault = _INTERRUPTED
            self._write_ahead(rows)
            self._insert(rows)
            recorded = self._follow(rows)
            if self._journal.size() > _FULL:
                with suppress(LogFault):  # the batch is recorded; the next one is refused
                    self.checkpoint()
        return recorded

    def _numbered(self, batch: tuple[Append, ...]) -> list[Row]:
        return number(
            batch,
            head=self._head,
            stream_version=self.stream_version,
            now=self._clock(),
            new_id=self._new_id,
        )

    def _follow(self, rows: list[Row]) -> list[Recorded]:
        """Move the head on to what was inserted, and tell who watches."""
        self._head = (rows[-1].position, rows[-1].hash)
        self._versions.update((row.stream, row.version) for row in rows)
        recorded = [decode(row) for row in rows]
        with self._watching:
            watchers = tuple(self._watchers)
        for watcher in watchers:
            watcher(recorded)
        return recorded

    def _write_ahead(self, rows: list[Row]) -> None:
        """Put a batch into the journal, which is to accept it."""
        try:
            self._journal.append(rows)
        except OSError as error:
            self._fault = ""
            raise LogFault(
                f"The journal could not be written: {first_line(error)} Nothing of what was asked is recorded. See to "
                "the disk (its space, its health), then try again."
            ) from error

    def _insert(self, rows: list[Row]) -> None:
        """Put an accepted batch into the database; where that fails, it comes from the journal as soon as it can."""
        self._fault = _INTERRUPTED
        try:
            self._connection.execute(parsed(self._connection, "BEGIN"))
            insert_rows(self._connection, rows)
            self._projector.apply(self._connection, rows)
            self._connection.execute(parsed(self._connection, "COMMIT"))
        except BaseException as error:
            with suppress(duckdb.Error):
                self._connection.execute("ROLLBACK")
            if not isinstance(error, duckdb.Error):
                raise
            told = self._fails("The database could not be written", error)
            raise LogFault(f"{told} What was asked is recorded in the journal.", recorded=True) from error
        self._fault = ""

    def _fails(self, what: str, error: Exception) -> str:
        """Note a fault, and return it in words with the way on."""
        self._fault, self._way_on = f"{what}: {first_line(error)}", way_on(error)
        return f"{self._fault} {self._way_on}"

    @property
    def condition(self) -> Condition:
        """Whether the log takes events, or what keeps it from it. A log that can go on by now does."""
        if (
            self.recovery.problem is None
            and not (self._closed or self._fault)
            and self._journal.is_in_place()
        ):
            return "well"  # whoever asks on each page waits for no writer
        with self._lock:
            if self.recovery.problem is not None:
                return "read_only"
            if self._closed or not self._journal.is_in_place():
                return "closed" if self._closed else "folder_gone"
            return "disk" if self._fault and not self._mended() else "well"

    @property
    def problem(self) -> str | None:
        """Why the log takes no events, in words; None where it does."""
        match self.condition:
            case "read_only":
                return self.recovery.problem
            case "closed":
                return "The log is closed. Start Anabranch again."
            case "folder_gone":
                return FOLDER_GONE.format(self._home)
            case "disk":
                return f"{self._fault} {self._way_on}"
        return None

    def _refuse_if_not_writable(self) -> None:
        if self._closed:
            raise LogClosed("The log takes no more events; open it again to write.")
        if self.recovery.problem is not None:
            raise LogDamaged(f"The log is open for reading only. {self.recovery.problem}")
        if not self._journal.is_in_place():
            raise LogFault(FOLDER_GONE.format(self._home))
        if self._fault and not self._mended():
            raise LogFault(f"{self._fault} Nothing of what was asked is recorded. {self._way_on}")

    def _mended(self) -> bool:
        """Go on after a fault: put what the journal holds into the database, opened again where it must be."""
        position = self._head[0]
        try:
            if self._is_readable():
                self._catch_up_with_journal()
            elif not self._opened_again():
                return False
            self._fault = ""
            if missed := list(self._rows_after(position)):
                self._follow(missed)
            if not self._journal.is_open():
                self.checkpoint()
        except (duckdb.Error, LogFault, LogDamaged) as error:
            self._fails("The log could not go on", error)
            return False
        return True

    def _before_reading(self) -> None:
        if self._fault:
            with self._lock:  # a batch that is being written is no fault when it is done
                if self._fault and not self._closed and not self._is_readable():
                    self._mended()

    def _opened_again(self) -> bool:
        """Open the database anew, which takes that nobody reads it."""
        with self._counting:
            if self._readers:
                return False
            self._connection.close()
            self._open(rests=False)
            return True

    def _catch_up_with_journal(self) -> None:
        found = recover(self._connection, self._home / JOURNAL, self._keeper.kept, self._projector.restore)
        if found.problem is not None:
            self.recovery = found
        self._rested = None
        self._head = head_of(self._connection)

    def _rows_after(self, position: int) -> Iterator[Row]:
        while rows := rows_after(self._connection, position, 2048):
            yield from rows
            position = rows[-1].position

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
                said = self.recovery if self.recovery.problem != self._held else Recovery()
                now = said if said.problem is not None else self._against_mark(cursor) or said
        except duckdb.Error as error:
            problem = f"The log cannot be read to its end: {first_line(error)}"
            return Verification(False, 0, self.head(), None, problem)
        if found.ok and now.problem is not None:
            return Verification(False, found.events, found.head_position, now.first_lost, now.problem)
        return found

    def mend_copy(self) -> bool:
        """Read the second copy of the events; written anew where a part of it cannot be read. Returns whether it was.

        Raises:
            OSError: the disk refused.
        """
        with self._lock:
            return self.recovery.problem is None and self._keeper.mend_copy(self._connection)

    def notices(self) -> tuple[str, ...]:
        """Return what was found at open and what could not be written since, in words; it does no harm yet."""
        later = self._keeper.problem
        return (*self.recovery.notices, *((later,) if later else ()))

    def kept_bytes(self) -> int:
        """Return what the second copy of the events takes."""
        return self._keeper.kept.size()

    def checkpoint(self) -> None:
        """Move everything into the database's checked pages, and begin the journal anew.

        Nothing is done where nothing was appended since the last time, nor while someone still reads what stood there
        before the last append: the journal then goes on, and the next call does it.

        Raises:
            LogFault: the disk refused; nothing is lost, and the log goes on when it can.
        """
        with self._lock:
            rests = self._rested == self._head or self._fault or self.recovery.problem is not None
            if rests or not self._journal.is_in_place():
                return
            try:
                self._connection.execute("CHECKPOINT")
                self._journal.restart(*self._head)
                self._rested = self._head
            except duckdb.TransactionException:
                return
            except (duckdb.Error, OSError) as error:
                raise LogFault(self._fails("The log could not be brought to rest", error)) from error
            self._keeper.came_to_rest(self._connection, self._head)

    def close(self) -> None:
        """See `EventLog.close`."""
        with self._lock:
            try:
                if not self._closed:
                    self.checkpoint()
            finally:
                self._closed = True
                if not self._journal.is_in_place():  # whatever stands there now is not ours to come to rest
                    with suppress(duckdb.Error):
                        self._connection.execute("PRAGMA disable_checkpoint_on_shutdown")
                self._journal.close()
                self._connection.close()
