"""Reads tables in the background while the page continues, with one thread for each displayed state of the files."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import field
from threading import Lock, Thread

from engine.errors import AnabranchError
from engine.runtime.pool import OnProgress
from engine.tools.tables import Tables, TablesSeen
from engine.workspace.manifest import FileEntry
from engine.workspace.table_facts import TableProfile
from events.late_dataclass import dataclass

__all__ = ["TableReading", "TablesShown"]

_log = logging.getLogger("anabranch.tables")


@dataclass(frozen=True, slots=True)
class TablesShown:
    """The facts currently known about the tables of a state of the files."""

    tables: tuple[TableProfile, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    """Path → the reason why a file that looks like a table is not a table, in words."""
    again: frozenset[str] = frozenset()
    """The files in `unread` that can be tried again."""
    reading: bool = False
    """Whether the other files are being read."""
    fraction: float | None = None
    """The progress of reading, from 0 to 1, if it is known."""
    text: str = ""
    """A description of what is being read."""


class TableReading:
    """The states of files that are being read, by chat. Thread-safe."""

    def __init__(self, tables: Tables, changed: Callable[[str], None]) -> None:
        """`changed` is called with a chat's id when reading for that chat is done."""
        self._tables = tables
        self._changed = changed
        self._lock = Lock()
        self._running: dict[str, TablesShown] = {}
        self._broken: dict[str, tuple[Mapping[str, FileEntry], TablesShown]] = {}

    def seen(
        self, chat_id: str, files: Mapping[str, FileEntry], look: Callable[[OnProgress], TablesSeen]
    ) -> TablesShown:
        """Return the facts known about `files`. If they are incomplete, start `look` in a thread, unless one is already
        running for these files."""
        known = self._tables.recall(files)
        if known is not None:
            return TablesShown(known.tables, known.unread, known.again)
        with self._lock:
            running = self._running.get(chat_id)
            if running is not None:
                return running
            of, broken = self._broken.get(chat_id, ({}, TablesShown()))
            if of and of == files:
                return broken
            begun = self._running[chat_id] = TablesShown(reading=True, text="Reading the files")
        Thread(target=self._read, args=(chat_id, files, look), name=f"tables-{chat_id}", daemon=True).start()
        return begun

    def again(self, chat_id: str) -> None:
        """Allow a chat's files to be read again if reading them failed."""
        with self._lock:
            self._broken.pop(chat_id, None)

    def _read(
        self, chat_id: str, files: Mapping[str, FileEntry], look: Callable[[OnProgress], TablesSeen]
    ) -> None:
        def progress(fraction: float | None, text: str) -> None:
            with self._lock:
                self._running[chat_id] = TablesShown(reading=True, fraction=fraction, text=text)

        try:
            look(progress)
        except (AnabranchError, OSError) as error:  # a file is no longer stored, or the app is closing
            _log.warning("The tables of chat %s could not be read.", chat_id, exc_info=True)
            unread = {path: str(error) for path in files}
            with self._lock:
                self._broken[chat_id] = (dict(files), TablesShown((), unread, frozenset(unread)))
        finally:
            with self._lock:
                self._running.pop(chat_id, None)
            self._changed(chat_id)
