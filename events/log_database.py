"""The open database of a log: the writer's connection, a cursor for each reader, and reopening when necessary."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from time import sleep

import duckdb

from events.metadata_copy import MetadataCopy
from events.open_database import open_database

__all__ = ["LogDatabase"]

_AGAIN = 0.002
"""Seconds between attempts to close while a read is being interrupted."""


class LogDatabase:
    """One DuckDB file. Readers see only whole batches, and do not wait for a writer."""

    connection: duckdb.DuckDBPyConnection
    """The writer's connection."""

    def __init__(self, file: Path, before_reading: Callable[[], None]) -> None:
        """`before_reading` is called before each cursor is made and may reopen the database."""
        self.file = file
        self.metadata_restored = False
        """Whether the file could be opened only with the copy of its metadata."""
        self._metadata = MetadataCopy(file)
        self._before_reading = before_reading
        self._readers: list[duckdb.DuckDBPyConnection] = []
        self._counting = Lock()

    def open(self) -> duckdb.DuckDBPyConnection:
        """Open the file, or create it.

        Raises:
            LogDamaged, LogFault, duckdb.IOException: see `open_database`.
        """
        self.metadata_restored = False
        self.connection = open_database(self.file, self._restored)
        return self.connection

    def _restored(self) -> None:
        self.metadata_restored = True

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file, and copy the metadata that this overwrites.

        Raises:
            duckdb.TransactionException: a reader uses an earlier state.
            OSError, duckdb.Error: the disk could not be read or written.
        """
        self._metadata.keep(self.connection)
        self.connection.execute("CHECKPOINT")
        self._metadata.keep(self.connection)

    def has_changes(self) -> bool:
        """Whether there are changes since the last checkpoint."""
        ahead = self.file.with_name(f"{self.file.name}.wal")
        return ahead.exists() and ahead.stat().st_size > 0

    def is_readable(self) -> bool:
        """Whether the connection still works: DuckDB closes it if a write to the disk failed."""
        try:
            self.connection.execute("SELECT max(position) FROM event_log").fetchall()
        except duckdb.Error:
            return False
        return True

    @contextmanager
    def reader(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a separate cursor over the log and the read models."""
        self._before_reading()
        with self._counting:
            cursor = self.connection.cursor()
            self._readers.append(cursor)
        try:
            yield cursor
        finally:
            with self._counting:
                self._readers.remove(cursor)
            cursor.close()

    def give_up(self) -> None:
        """Close the file that was just opened, before anyone reads it."""
        self.connection.close()
        self._metadata.close()

    def close(self) -> None:
        """Close the connection. A running read is interrupted, because DuckDB does not close a connection during a
        read.
        """
        with suppress(OSError, duckdb.Error):
            self._metadata.keep(self.connection)  # closing may make a checkpoint
        while True:
            with self._counting:
                try:
                    self.connection.close()
                    self._metadata.close()
                    return
                except duckdb.ResourceInUseException:
                    for cursor in self._readers:
                        cursor.interrupt()
            sleep(_AGAIN)

    @contextmanager
    def unread(self) -> Iterator[bool]:
        """Keep new readers out during the `with` block; yield whether nobody is reading."""
        with self._counting:
            yield not self._readers
