"""The engine of a data folder that no other process serves. It opens only the parts that a command needs."""

import logging
import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import ExitStack, closing, contextmanager
from io import TextIOWrapper
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from engine.cli.cli_context import say
from engine.cli.port import OpenEngine
from engine.commands.base import Command, Query, Result
from engine.system.data_folder import is_read_only, is_store

if TYPE_CHECKING:
    from engine.app.app import App
    from engine.app.log_reader import LogReader

__all__ = ["LocalEngine", "log_of_faults", "opened_app"]


class LocalEngine:
    """An `Engine` that opens only the log if that is enough to answer, and the whole app otherwise."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opening = Lock()
        self._app: App | None = None
        self._log: LogReader | None = None
        self._told: Collection[str] = ()
        self._undo = ExitStack()

    def send(self, command: Command[Result]) -> Result:
        """See `Engine.send`."""
        return OpenEngine(self._whole()).send(command)

    def read(self, query: Query[Result]) -> Result:
        """See `Engine.read`."""
        from engine.app.queries.of_log import ANSWERS_OF_LOG  # noqa: PLC0415 - slow to import

        answer = ANSWERS_OF_LOG.get(type(query))
        log = self._only_log() if answer is not None else None
        if answer is not None and log is not None:
            found: Result = answer(log, query)
            return found
        whole = self._whole()
        if not _reports_damage(query):
            self._tell_damage(whole)
        return OpenEngine(whole).read(query)

    def close(self) -> None:
        """Close the log or the app, if it was opened."""
        self._undo.close()

    def _only_log(self) -> "LogReader | None":
        """Return the log if it can answer without an app; otherwise None."""
        with self._opening:
            if self._app is None and self._log is None and is_store(self._folder):
                if is_read_only(self._folder):
                    return None
                from engine.app.log_reader import LogReader  # noqa: PLC0415 - slow to import

                self._undo.enter_context(log_of_faults())
                self._log = self._undo.enter_context(closing(LogReader(self._folder)))
                self._told = _tell_notices(self._log)
            return self._log if self._log is not None and self._log.suffices else None

    def _tell_damage(self, app: "App") -> None:
        """If the log is read-only because of damage, print the reason once: some recorded events may be missing."""
        damage = app.upkeep.damage
        if damage and damage not in self._told:
            self._told = [*self._told, damage]
            say("stderr", f"{damage}\n")

    def _whole(self) -> "App":
        with self._opening:
            if self._app is None:
                self._undo.close()
                self._log = None
                self._app = self._undo.enter_context(opened_app(self._folder, self._told))
            return self._app


def _reports_damage(query: Query[Any]) -> bool:
    """Return whether the answer to the query already reports problems with the log."""
    from engine.app.queries.catalog import ExamineFolder, GetLogState, SignLog, VerifyLog  # noqa: PLC0415 - slow

    return isinstance(query, ExamineFolder | GetLogState | SignLog | VerifyLog)


@contextmanager
def opened_app(folder: Path, told: Collection[str] = ()) -> "Iterator[App]":
    """Open the app on a data folder for the duration of the block; create the folder if necessary.

    Prints the notices about the log, except those in `told`, which were already printed.
    """
    from engine.app.app import open_app  # noqa: PLC0415 - takes half a second, and `--help` does not need it

    with log_of_faults(), open_app(folder) as app:
        _tell_notices(app, told)
        yield app


def _tell_notices(opened: "App | LogReader", told: Collection[str] = ()) -> Collection[str]:
    """Print the notices about the log, except those in `told`. Return all of them, so that the caller does not print
    them again when it opens the app after the log.
    """
    notices = opened.upkeep.notices()
    for notice in notices:
        if notice not in told:
            say("stderr", f"{notice}\n")
    return notices


class _OwnFile(logging.FileHandler):
    """Writes to a private log file in a folder that all users share. It never follows a link made by another user."""

    def _open(self) -> TextIOWrapper:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        return os.fdopen(os.open(self.baseFilename, flags, 0o600), "a", encoding=self.encoding)


@contextmanager
def log_of_faults() -> Iterator[None]:
    """Write tracebacks of errors in Anabranch to a file, because the terminal shows only one line."""
    log = logging.getLogger("anabranch")
    place = Path(tempfile.gettempdir()) / f"anabranch-{os.getpid()}.log"
    faults = _OwnFile(place, encoding="utf-8", delay=True)
    log.addHandler(faults)
    propagated, log.propagate = log.propagate, False
    try:
        yield
    finally:
        log.propagate = propagated
        log.removeHandler(faults)
        faults.close()
