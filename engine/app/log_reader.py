"""Opens the log of a data folder for queries that need only the log: no tools, no files of chats, no turns."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from engine.app.log_queries import LogQueries
from engine.app.maintenance.checkpoints import anchor_of
from engine.app.open_log import keeps_copy, open_data_log
from engine.app.storage_errors import translate_storage_errors
from engine.system.data_folder_lock import DataFolderLock
from events.identity import UuidV7, utc_now

__all__ = ["LogReader"]


class LogReader(LogQueries):
    """The log of a data folder. It opens in a third of the time that an `App` takes."""

    def __init__(self, data: Path, environ: Mapping[str, str] = os.environ) -> None:
        """Open the log in the writable folder `data`, and restore events that the database has lost.

        Raises:
            Unavailable: another process is using the folder (`log_held`), the log cannot be read (`log_unreadable`), or
                the disk reported an error (`disk`).
        """
        with translate_storage_errors(), ExitStack() as undo:
            lock = DataFolderLock(data)
            undo.callback(lock.release)
            opened = open_data_log(
                data, data, utc_now, UuidV7(utc_now),
                anchor=anchor_of(data, environ), keeps=lambda cursor: keeps_copy(cursor, environ),
            )  # fmt: skip
            undo.callback(opened.close)
            self.log, self.reads, self.upkeep = opened.log, opened.reads, opened.upkeep
            self._opened = undo.pop_all()

    @property
    def suffices(self) -> bool:
        """Whether the log is enough: it is undamaged, and there is no interrupted turn or call that an `App` must end
        first.
        """
        return self.upkeep.damage is None and not self._unfinished()

    def close(self) -> None:
        """Close the log and release the folder. A second call does nothing."""
        self._opened.close()
