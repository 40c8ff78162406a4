"""A log's rows on the disk: the journal first, then the database with its read models; and how they go on after faults.

A batch is appended to the journal (one sync), and then inserted together with what it changes in the read models. Where
the disk refuses, writing goes on by itself as soon as it can.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import RLock

import duckdb

from events.anchor import Anchor, Known
from events.at_rest import AtRest
from events.journal import Journal
from events.log import Condition, LogClosed, LogDamaged, LogFault
from events.log_database import LogDatabase
from events.log_files import DATABASE, JOURNAL, KEPT
from events.log_reads import first_hash, head_of, rows_after
from events.open_database import FOLDER_GONE, GOES_ON, first_line, not_opened, way_on
from events.projector import Projector
from events.recovery import Recovery, against_outside, recover
from events.second_copy import KeptJournal
from events.stored_row import Row

__all__ = ["DurableRows"]

_COPY_UNREADABLE = (
    "No event of the second copy of the log could be read. It is written anew from the database."
)
_INTERRUPTED = "The log was interrupted between the journal and the database."
_FULL = 8 << 20
"""Bytes of the journal from which on the log is brought to rest within a write: some ten thousand events."""


class DurableRows:
    """The rows of the log in the folder `home`. One writer at a time holds `lock`."""

    def __init__(
        self,
        home: Path,
        projector: Projector,
        *,
        anchor: Anchor | None,
        keeps: Callable[[], bool],
        held: str | None,
        missed: Callable[[Sequence[Row]], object],
    ) -> None:
        """Open them as `DuckDBLog` says; `missed` is told of rows that come from the journal after a fault."""
        home.mkdir(parents=True, exist_ok=True)
        self.lock = RLock()
        self.recovery = Recovery()
        self._home, self._projector, self._anchor, self._held = home, projector, anchor, held
        self._missed = missed
        self._closed, self._fault, self._way_on = False, "", GOES_ON
        self._journal = Journal(home / JOURNAL)
        self.at_rest = AtRest(KeptJournal(home / KEPT), anchor, keeps)
        self.database = LogDatabase(home / DATABASE, self._before_reading)
        self._open()

    def _open(self, *, rests: bool = True) -> None:
        """Open the database, and compare it with the journal and with how far it had reached; bring it to rest."""
        self._rested: tuple[int, str] | None = None
        connection = self.database.open()
        try:
            mine = self._known_outside(connection).mine
            found = recover(
                connection, self._home / JOURNAL, self.at_rest.kept, self._projector.restore, mine
            )
            self.head = head_of(connection)
            """The last position and its hash."""
            self.recovery = found.joined(self.against_mark(connection), self._held)
            if self.at_rest.kept.says_nothing():
                self.recovery = replace(self.recovery, notices=(*self.recovery.notices, _COPY_UNREADABLE))
            if self._anchor is not None and self.head[0] == 0 and self.recovery.problem is None:
                self._anchor.forget()
            self._projector.catch_up(connection)
            if rests:
                self._rest_if_it_can()
        except Exception as error:
            connection.close()
            if isinstance(error, (duckdb.Error, OSError)):
                raise not_opened(self.database.file, error) from error
            raise

    def _rest_if_it_can(self) -> None:
        """Come to rest; where the disk refuses and DuckDB gives up with it, go on reading."""
        try:
            self.checkpoint()
        except LogFault:
            if not self.database.is_readable():
                fault = self._fault
                self.database.connection.close()
                self._open(rests=False)
                self._fault = fault

    def against_mark(self, cursor: duckdb.DuckDBPyConnection) -> Recovery | None:
        """Compare what the database holds with how far the log is known to have reached, outside it and in its copy."""
        known, kept = self._known_outside(cursor), self.at_rest.kept.last()
        return against_outside(cursor, self._home, known, kept, begins=self._held is None)

    def _known_outside(self, cursor: duckdb.DuckDBPyConnection) -> Known:
        return self._anchor.read(first_hash(cursor)) if self._anchor else Known()

    def write(self, rows: Sequence[Row], then: Callable[[], None]) -> None:
        """Write a batch durably, and call `then` once it is readable.

        Raises:
            LogFault: the disk refused; it says whether the batch is recorded all the same.
        """
        self._fault = _INTERRUPTED
        try:
            self._journal.append(rows)
        except OSError as error:
            self._fault = ""
            raise LogFault(
                f"The journal could not be written: {first_line(error)} Nothing of what was asked is recorded. See to "
                "the disk (its space, its health), then try again."
            ) from error
        self._insert(rows)
        then()
        if self._journal.size() > _FULL:
            with suppress(LogFault):  # the batch is recorded; the next one is refused
                self.checkpoint()

    def _insert(self, rows: Sequence[Row]) -> None:
        """Put an accepted batch into the database; where that fails, it comes from the journal as soon as it can."""
        self._fault = _INTERRUPTED
        try:
            self._projector.write(self.database.connection, rows)
        except duckdb.Error as error:
            told = self._fails("The database could not be written", error)
            raise LogFault(f"{told} What was asked is recorded in the journal.", recorded=True) from error
        self._fault = ""
        self.head = (rows[-1].position, rows[-1].hash)

    def write_accepted(self, rows: Sequence[Row], then: Callable[[], None]) -> None:
        """Write the batch that says that the log holds as it is, and take events from then on.

        What the journal holds is set aside in a file beside it.

        Raises:
            LogFault: the disk refused.
        """
        try:
            # If it cannot be moved later, the user is asked again at each start: so try first.
            self.at_rest.write_mark_again(self._known_outside(self.database.connection))
            self._journal.set_aside()
            self._journal.restart(*self.head, rows)
        except OSError as error:
            raise LogFault(f"This could not be recorded: {first_line(error)} See to the disk.") from error
        self.recovery = replace(self.recovery, problem=None, first_lost=None)
        self._insert(rows)
        self.at_rest.start_anew()
        then()
        self.checkpoint()

    @property
    def can_accept(self) -> bool:
        """See `LogUpkeep.can_accept`."""
        return self.recovery.problem not in (None, self._held)

    def _fails(self, what: str, error: Exception) -> str:
        """Note a fault, and return it in words with the way on."""
        self._fault, self._way_on = f"{what}: {first_line(error)}", way_on(error)
        return f"{self._fault} {self._way_on}"

    @property
    def condition(self) -> Condition:
        """See `LogUpkeep.condition`."""
        damaged = self.recovery.problem is not None
        if not damaged and not (self._closed or self._fault) and self._journal.is_in_place():
            return "well"  # whoever asks on each page waits for no writer
        with self.lock:
            if self.recovery.problem is not None:
                return "read_only"
            if self._closed or not self._journal.is_in_place():
                return "closed" if self._closed else "folder_gone"
            return "disk" if self._fault and not self._mended() else "well"

    @property
    def problem(self) -> str | None:
        """See `LogUpkeep.problem`."""
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

    def require_writable(self) -> None:
        """Raise what keeps the log from taking events, if it cannot be mended by now."""
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
        position = self.head[0]
        try:
            if self.database.is_readable():
                self._catch_up_with_journal()
            elif not self._opened_again():
                return False
            self._fault = ""
            if missed := list(self._rows_after(position)):
                self._missed(missed)
            if not self._journal.is_open():
                self.checkpoint()
        except (duckdb.Error, LogFault, LogDamaged) as error:
            self._fails("The log could not go on", error)
            return False
        return True

    def _before_reading(self) -> None:
        if self._fault:
            with self.lock:  # a batch that is being written is no fault when it is done
                if self._fault and not self._closed and not self.database.is_readable():
                    self._mended()

    def _opened_again(self) -> bool:
        """Open the database anew, which takes that nobody reads it."""
        with self.database.unread() as unread:
            if unread:
                self.database.connection.close()
                self._open(rests=False)
            return unread

    def _catch_up_with_journal(self) -> None:
        connection = self.database.connection
        found = recover(connection, self._home / JOURNAL, self.at_rest.kept, self._projector.restore)
        if found.problem is not None:
            self.recovery = found
        self._rested = None
        self.head = head_of(connection)

    def _rows_after(self, position: int) -> Iterator[Row]:
        while rows := rows_after(self.database.connection, position, 2048):
            yield from rows
            position = rows[-1].position

    def checkpoint(self) -> None:
        """Move everything into the database's checked pages, and begin the journal anew.

        Nothing is done where nothing was written since the last time, nor while someone still reads what stood there
        before the last batch: the journal then goes on, and the next call does it.

        Raises:
            LogFault: the disk refused; nothing is lost, and the log goes on when it can.
        """
        with self.lock:
            rests = self._rested == self.head or self._fault or self.recovery.problem is not None
            if rests or not self._journal.is_in_place():
                return
            try:
                self.database.connection.execute("CHECKPOINT")
                self._journal.restart(*self.head)
                self._rested = self.head
            except duckdb.TransactionException:
                return
            except (duckdb.Error, OSError) as error:
                raise LogFault(self._fails("The log could not be brought to rest", error)) from error
            self.at_rest.came_to_rest(self.database.connection, self.head)

    def mend_copy(self) -> bool:
        """See `LogUpkeep.mend_copy`.

        Raises:
            OSError: the disk refused.
        """
        with self.lock:
            return self.recovery.problem is None and self.at_rest.mend_copy(self.database.connection)

    def said(self) -> Recovery:
        """What was found at open; nothing where the log was only asked to be for reading."""
        return self.recovery if self.recovery.problem != self._held else Recovery()

    def close(self) -> None:
        """Come to rest, and let go of all files."""
        with self.lock:
            connection = self.database.connection
            try:
                if not self._closed:
                    self.checkpoint()
            finally:
                self._closed = True
                if not self._journal.is_in_place():  # whatever stands there now is not ours to come to rest
                    with suppress(duckdb.Error):
                        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
                self._journal.close()
                connection.close()
