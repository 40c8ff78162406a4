"""Opens a log's rows on the disk, compares them with the mark and the copy, and makes checkpoints."""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import RLock

import duckdb

from events.anchor import Anchor, Known
from events.at_rest import AtRest, Keeps
from events.journal import Journal
from events.log import LogFault
from events.log_database import LogDatabase
from events.log_files import DATABASE, JOURNAL, KEPT
from events.log_reads import first_hash, head_of
from events.open_database import GOES_ON, first_line, is_of_the_disk, not_opened, way_on
from events.packed_events import pack_long_chats
from events.projector import Projector
from events.recovery import Recovery, against_outside, recover
from events.second_copy import KeptJournal
from events.stored_row import Row

__all__ = ["OpenedRows"]

_METADATA_RESTORED = (
    "The database's metadata was damaged, as happens if the app is killed while writing it. It was restored from a "
    "copy; nothing is lost."
)
_READ_MODELS_DAMAGED = (
    "The read models in the database were damaged. They were computed again from the events."
)
_log = logging.getLogger(__name__)
_COPY_UNREADABLE = "No event of the second copy of the log could be read. It is rewritten from the database."


class OpenedRows:
    """The rows of the log in the folder `home`. Only one writer at a time holds the `lock`."""

    def __init__(
        self,
        home: Path,
        projector: Projector,
        *,
        anchor: Anchor | None,
        keeps: Keeps,
        held: str | None,
        missed: Callable[[Sequence[Row]], object],
    ) -> None:
        """Open the rows; see `DuckDBLog`. `missed` receives rows that come from the journal after a fault."""
        home.mkdir(parents=True, exist_ok=True)
        self.lock = RLock()
        self.recovery = Recovery()
        self.openings = 0
        """How often the rows were read from the disk. Facts that were read before the last opening are outdated."""
        self.unrested = ""
        """Why the last checkpoint failed, if the database is damaged; otherwise empty."""
        self._promised = 0
        """The last position that was written to the journal."""
        self._home, self._projector, self._anchor, self._held = home, projector, anchor, held
        self._missed = missed
        self._closed, self._fault, self._way_on = False, "", GOES_ON
        self._journal = Journal(home / JOURNAL)
        self.at_rest = AtRest(KeptJournal(home / KEPT), anchor, keeps)
        self.database = LogDatabase(home / DATABASE, self._before_reading)
        self._open()

    def _open(self, *, rests: bool = True) -> None:
        """Open the database, compare it with the journal, the mark and the copy, and, if `rests`, make a checkpoint."""
        self._rested: tuple[int, str] | None = None
        self.openings += 1
        connection = self.database.open()
        try:
            mine = self._known_outside(connection).mine
            found = recover(
                connection, self._home / JOURNAL, self.at_rest.kept, self._projector.restore, mine
            )
            self.head = head_of(connection)
            """The last position and its hash."""
            self.recovery = found.joined(self.against_mark(connection), self._held)
            notices = [*self.recovery.notices]
            notices += [_METADATA_RESTORED] * self.database.metadata_restored
            notices += [_COPY_UNREADABLE] * self.at_rest.kept.says_nothing()
            self.recovery = replace(self.recovery, notices=tuple(notices))
            if self._anchor is not None and self.head[0] == 0 and self.recovery.problem is None:
                self._anchor.forget()
            self._projector.catch_up(connection)
            if rests:
                self._rest_if_it_can()
        except Exception as error:
            self.database.give_up()
            if isinstance(error, (duckdb.Error, OSError)):
                raise not_opened(self.database.file, error) from error
            raise

    def _rest_if_it_can(self) -> None:
        """Make a checkpoint. If that fails because the database is damaged, rebuild the read models from the events and
        try once more. If it fails again, the log can still be read.
        """
        if self._rests() or not self.unrested:
            return
        fault, unrested = self._fault, self.unrested
        self._fault = ""
        with suppress(duckdb.Error):
            self._projector.rebuild(self.database.connection)
            if self._rests():
                notices = (*self.recovery.notices, _READ_MODELS_DAMAGED)
                self.recovery = replace(self.recovery, notices=notices)
                return
        self._fault, self.unrested = fault, unrested

    def _rests(self) -> bool:
        """Make a checkpoint; return False if it failed. Open the database again if the failure has closed it."""
        try:
            self.checkpoint()
        except LogFault:
            if not self.database.is_readable():
                fault = self._fault
                self.database.connection.close()
                self._open(rests=False)
                self._fault = fault
            return False
        return True

    def against_mark(self, cursor: duckdb.DuckDBPyConnection) -> Recovery | None:
        """Compare the database with the last positions that the mark and the second copy recorded."""
        known, kept = self._known_outside(cursor), self.at_rest.kept.last()
        return against_outside(cursor, self._home, known, kept, begins=self._held is None)

    def _known_outside(self, cursor: duckdb.DuckDBPyConnection) -> Known:
        return self._anchor.read(first_hash(cursor)) if self._anchor else Known()

    def _before_reading(self) -> None:
        """Make the rows readable again after a fault; implemented by subclasses."""

    def _fails(self, what: str, error: Exception) -> str:
        """Note a fault, and return a sentence about it with advice on how to continue."""
        self._fault, self._way_on = f"{what}: {first_line(error)}", way_on(error)
        return f"{self._fault} {self._way_on}"

    def checkpoint(self) -> None:
        """Pack the events of long chats, move everything into the database's checked pages, and restart the journal.

        Does nothing if nothing was written since the last checkpoint, or while a reader still uses the state before the
        last batch. In that case the journal is kept, and the next call tries again.

        Raises:
            LogFault: a write to the disk failed; nothing is lost, and the log continues when it can.
        """
        with self.lock:
            rests = self._rested == self.head and not self.database.has_changes()
            if rests or self._fault or self.recovery.problem is not None or not self._journal.is_in_place():
                return
            try:
                pack_long_chats(self.database.connection)
                self.database.checkpoint()
                self._journal.restart(*self.head)
                self._rested, self.unrested = self.head, ""
            except duckdb.TransactionException:
                return
            except (duckdb.Error, OSError) as error:
                told = self._fails("The checkpoint of the log failed", error)
                self.unrested = "" if is_of_the_disk(error) else told
                raise LogFault(told) from error
            self.at_rest.came_to_rest(self.database.connection, self.head)

    def mend_copy(self) -> bool:
        """See `LogUpkeep.mend_copy`.

        Raises:
            OSError: the disk could not be read or written.
        """
        with self.lock:
            return self.recovery.problem is None and self.at_rest.mend_copy(self.database.connection)

    def said(self) -> Recovery:
        """Return the findings at open; empty if the log is read-only just because the caller requested it."""
        return self.recovery if self.recovery.problem != self._held else Recovery()

    def close(self) -> None:
        """Make a checkpoint and close all files. If the disk fails, the next start continues from the journal."""
        with self.lock:
            connection = self.database.connection
            try:
                if not self._closed:
                    self.checkpoint()
            except LogFault as fault:
                _log.warning("%s", fault)
            finally:
                self._closed = True
                if not self._journal.is_in_place():  # a file at its path now would belong to another log
                    with suppress(duckdb.Error):
                        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
                self._journal.close()
                self.database.close()
