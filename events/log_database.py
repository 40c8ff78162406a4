"""The open database of a log: the writer's connection, and a cursor for each reader; opened again where it must be."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import duckdb

from events.open_database import open_database

__all__ = ["LogDatabase"]


class LogDatabase:
    """One DuckDB file. Readers see whole batches only, and wait for no writer."""

    connection: duckdb.DuckDBPyConnection
    """The writer's."""

    def __init__(self, file: Path, before_reading: Callable[[], None]) -> None:
        """`before_reading` is called before each cursor is made: it may open the database again."""
        self.file = file
        self._before_reading = before_reading
        self._readers, self._counting = 0, Lock()

    def open(self) -> duckdb.DuckDBPyConnection:
        """Open the file, making it where there is none.

        Raises:
            LogDamaged, LogFault, duckdb.IOException: see `open_database`.
        """
        self.connection = open_database(self.file)
        return self.connection

    def is_readable(self) -> bool:
        """Whether the connection still answers: DuckDB gives one up where the disk refused a write."""
        try:
            self.connection.execute("SELECT max(position) FROM event_log").fetchall()
        except duckdb.Error:
            return False
        return True

    @contextmanager
    def reader(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor of one's own over the log and the read models."""
        self._before_reading()
        with self._counting:
            cursor = self.connection.cursor()
            self._readers += 1
        try:
            yield cursor
        finally:
            with self._counting:
                self._readers -= 1
            cursor.close()

    @contextmanager
    def unread(self) -> Iterator[bool]:
        """Keep readers out for the length of the block; gives whether there are none."""
        with self._counting:
            yield self._readers == 0
