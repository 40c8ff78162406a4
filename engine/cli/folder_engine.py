"""The engine of a data folder: the running app's engine if an app serves the folder, otherwise one in this process.

An app may start or stop serving the folder while a command starts. The command then switches to the other engine.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from engine.cli.local_engine import LocalEngine
from engine.cli.port import Engine
from engine.cli.waiting import TAKEN, is_served
from engine.commands.base import Command, Query, Result
from engine.errors import Unavailable
from engine.system.data_folder_lock import holder, is_held

__all__ = ["FolderEngine", "served_engine"]

Done = TypeVar("Done")


def served_engine(folder: Path) -> Engine | None:
    """Return the engine of the app that serves the folder; None if no app serves it, or if the app ends meanwhile.

    Raises:
        Unavailable, Refused: the app cannot be reached, or does not accept commands from here.
    """
    while is_served(folder):
        from engine.cli.remote_engine import remote_engine  # noqa: PLC0415 - most commands run without an app

        known = holder(folder)
        try:
            with remote_engine(folder) as engine:
                return engine
        except Unavailable:
            if is_held(folder) and holder(folder) == known:
                raise
    return None


class FolderEngine:
    """The engine of the app that serves the folder, or an engine in this process. Switches to the other one if an app
    locked the folder before this process could, or if the app ended before it received the request.
    """

    def __init__(self, folder: Path, served: Engine | None) -> None:
        self._folder = folder
        self._local = LocalEngine(folder)
        self._served = served

    def send(self, command: Command[Result]) -> Result:
        """See `Engine.send`."""
        return self._do(lambda engine: engine.send(command))

    def read(self, query: Query[Result]) -> Result:
        """See `Engine.read`."""
        return self._do(lambda engine: engine.read(query))

    def close(self) -> None:
        """Close the engine in this process, if it was opened."""
        self._local.close()

    def _do(self, work: Callable[[Engine], Done]) -> Done:
        while True:
            try:
                return work(self._local if self._served is None else self._served)
            except Unavailable as error:
                if not self._has_changed(error):
                    raise

    def _has_changed(self, error: Unavailable) -> bool:
        """Return whether the error means that an app started or stopped serving the folder, so that nothing was
        executed.

        The engine is then chosen again.
        """
        if self._served is None:
            self._served = served_engine(self._folder) if error.code in TAKEN else None
            return self._served is not None
        known = holder(self._folder)
        if not _not_connected(error) or (is_held(self._folder) and known and known.address):
            return False
        self._served = served_engine(self._folder)
        return True


def _not_connected(error: Unavailable) -> bool:
    from engine.cli.loopback_client import NotConnected  # noqa: PLC0415 - as above

    return isinstance(error.__cause__, NotConnected)
