"""Writes a log's rows: first to the journal, then to the database with its read models. Resumes after faults.

A batch is appended to the journal (one sync), and then inserted together with its changes to the read models. If the
disk fails, writing resumes automatically as soon as possible.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import duckdb

from events.log import Condition, LogClosed, LogDamaged, LogFault
from events.log_files import JOURNAL
from events.log_reads import head_of, rows_after
from events.open_database import FOLDER_GONE, first_line
from events.opened_rows import OpenedRows
from events.recovery import ACCEPT, recover
from events.stored_row import Row

__all__ = ["DurableRows"]

_INTERRUPTED = "The log was interrupted between the journal and the database."
_FULL = 8 << 20
"""When the journal has this many bytes (about ten thousand events), a write also makes a checkpoint."""


class DurableRows(OpenedRows):
    """The rows of a log, and the only way to write them."""

    def write(self, rows: Sequence[Row], then: Callable[[], None]) -> None:
        """Write a batch durably, and call `then` once it is readable.

        Raises:
            LogFault: a write to the disk failed; the error says whether the batch is recorded nevertheless.
        """
        self._fault = _INTERRUPTED
        try:
            self._journal.append(rows)
        except OSError as error:
            self._fault = ""
            raise LogFault(
                f"The journal could not be written: {first_line(error)} Your request was not recorded. Check "
                "the free space and the disk's health, then try again."
            ) from error
        self._promised = rows[-1].position
        self._insert(rows)
        then()
        if self._journal.size() > _FULL:
            with suppress(LogFault):  # this batch is recorded; if the fault remains, the next one is refused
                self.checkpoint()

    def _insert(self, rows: Sequence[Row]) -> None:
        """Put an accepted batch into the database; if that fails, restore it from the journal as soon as possible."""
        self._fault = _INTERRUPTED
        try:
            self._projector.write(self.database.connection, rows)
        except duckdb.Error as error:
            told = self._fails("The database could not be written", error)
            raise LogFault(f"{told} Your request is recorded in the journal.", recorded=True) from error
        self._fault = ""
        self.head = (rows[-1].position, rows[-1].hash)

    def write_accepted(self, rows: Sequence[Row], then: Callable[[], None]) -> None:
        """Write the batch with which the user accepts the current log; from then on, new events can be written.

        The journal's contents are moved to a separate file.

        Raises:
            LogFault: a write to the disk failed.
        """
        try:
            # Tried first: if the mark could not be moved later, the user would be asked again at each start.
            self.at_rest.write_mark_again(self._known_outside(self.database.connection))
            self._journal.set_aside()
            self._journal.restart(*self.head, rows)
        except OSError as error:
            raise LogFault(f"This could not be recorded: {first_line(error)} Check the disk.") from error
        self.recovery = replace(self.recovery, problem=None, first_lost=None)
        self._promised = rows[-1].position
        self._insert(rows)
        self.at_rest.start_anew()
        then()
        self.checkpoint()

    @property
    def can_accept(self) -> bool:
        """See `LogUpkeep.can_accept`."""
        return self.recovery.problem not in (None, self._held)

    @property
    def condition(self) -> Condition:
        """See `LogUpkeep.condition`."""
        damaged = self.recovery.problem is not None
        if not damaged and not (self._closed or self._fault) and self._journal.is_in_place():
            return "well"  # without the lock, so that a page never waits for a writer
        with self.lock:
            if self.recovery.problem is not None:
                return "read_only"
            if self._closed or not self._journal.is_in_place():
                return "closed" if self._closed else "folder_gone"
            if self._fault and not self._mended():
                return "disk"
            return "well" if self.recovery.problem is None else "read_only"

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
        """Make sure that the log accepts events, and continue after a fault if that is possible now.

        Raises:
            LogClosed, LogDamaged, LogFault: it does not accept events; the error says why.
        """
        if self._closed:
            raise LogClosed("The log no longer accepts events; open it again to write.")
        mends = self._fault and self.recovery.problem is None and self._journal.is_in_place()
        if mends and not self._mended():
            raise LogFault(f"{self._fault} Your request was not recorded. {self._way_on}")
        if self.recovery.problem is not None:
            raise LogDamaged(f"The log is open for reading only. {self.recovery.problem}")
        if not self._journal.is_in_place():
            raise LogFault(FOLDER_GONE.format(self._home))

    def _mended(self) -> bool:
        """Continue after a fault; return whether that succeeded. The journal's rows are put into the database, which is
        opened again if necessary.
        """
        position = self.head[0]
        try:
            if self.database.is_readable():
                self._catch_up_with_journal()
            elif not self._opened_again():
                return False
            self._fault = ""
            self._require_promised()
            if missed := list(self._rows_after(position)):
                self._missed(missed)
            if not self._journal.is_open():
                self.checkpoint()
        except (duckdb.Error, LogFault, LogDamaged) as error:
            self._fails("The log could not continue", error)
            return False
        return True

    def _before_reading(self) -> None:
        if self._fault:
            with self.lock:  # while a batch is being written, `_fault` is set too
                if self._fault and not self._closed and not self.database.is_readable():
                    self._mended()

    def _opened_again(self) -> bool:
        """Open the database again if nobody is reading it; return whether it was opened."""
        with self.database.unread() as unread:
            if unread:
                self.database.connection.close()
                self._open(rests=False)
            return unread

    def _catch_up_with_journal(self) -> None:
        connection = self.database.connection
        found = recover(connection, self._home / JOURNAL, self.at_rest.kept, self._projector.restore)
        notices = tuple(dict.fromkeys((*self.recovery.notices, *found.notices)))
        self.recovery = replace(found if found.problem is not None else self.recovery, notices=notices)
        self._rested = None
        self.openings += 1
        self.head = head_of(connection)

    def _require_promised(self) -> None:
        """Stop recording if an event that was reported as recorded could not be restored."""
        lost = self.head[0] + 1
        if lost <= self._promised and self.recovery.problem is None:
            problem = f"Event {lost:,} was recorded, but it could not be restored after a fault. {ACCEPT}"
            self.recovery = replace(
                self.recovery, problem=problem, first_lost=lost, acknowledged=self._promised
            )

    def _rows_after(self, position: int) -> Iterator[Row]:
        while rows := rows_after(self.database.connection, position, 2048):
            yield from rows
            position = rows[-1].position
