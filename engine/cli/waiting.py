"""Waits for other processes that use a data folder: a command that ends soon, or an app that soon answers."""

import time
from pathlib import Path

from engine.cli.cli_context import say
from engine.errors import Unavailable
from engine.system.data_folder_lock import DataFolderLock, Holder, held_by_another, holder, is_held

__all__ = ["TAKEN", "is_served", "lock_to_serve"]

_COMMAND_ENDS = 10.0
"""The seconds that a starting app waits for a command to end."""
_APP_SETTLES = 20.0
"""The seconds to wait for an app to finish opening or closing its data folder."""
_SILENT = 2.0
"""The seconds of waiting after which a line is printed that names the other process."""
_STEP = 0.05
TAKEN = ("log_held", "app_starting")
"""The codes of errors that mean that another process uses the folder."""


def is_served(folder: Path) -> bool:
    """Return whether a running app serves this folder. Waits for an app that is starting or ending.

    Raises:
        Unavailable: the app is still starting or ending after 20 seconds (`app_starting`).
    """
    known = _settled(folder)
    return bool(known and known.address)


def lock_to_serve(folder: Path) -> DataFolderLock | Holder:
    """Lock the folder for a starting app, or return the app that already serves it. Waits for commands that use the
    folder, and for an app that is starting or ending.

    Raises:
        Unavailable: the folder cannot be used, or it is still in use by another process (`log_held`,
            `app_starting`).
    """
    wait = _Wait(folder, _COMMAND_ENDS)
    while True:
        known = _settled(folder)
        if known and known.address:
            return known
        try:
            return DataFolderLock(folder, serves=True)
        except Unavailable as error:
            if error.code not in TAKEN or not wait.goes_on(holder(folder)):
                raise


def _settled(folder: Path) -> Holder | None:
    """Wait while the process that is using the folder is an app that is starting or ending; then return the process, or
    None if the folder is not in use.
    """
    wait = _Wait(folder, _APP_SETTLES)
    while True:
        known = holder(folder) if is_held(folder) else None
        if known is None or not known.is_between:
            return known
        if not wait.goes_on(known):
            raise held_by_another(folder, known)


class _Wait:
    """Waits in small steps for at most a given time, and prints once which process it is waiting for."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self._folder = folder
        self._began = time.monotonic()
        self._seconds = seconds
        self._said = False

    def goes_on(self, known: Holder | None) -> bool:
        """Wait one step for the process `known`; return False if the time is over."""
        passed = time.monotonic() - self._began
        if passed >= self._seconds:
            return False
        if passed >= _SILENT and not self._said:
            self._said = True
            who = f"process {known.pid}" if known else "another process"
            say("stderr", f"Waiting for {who}, which is using the data folder {self._folder}.\n")
        time.sleep(_STEP)
        return True
