"""The one open app of this process.

Streamlit reimports watched modules when a file changes, and clears its caches on request. An app stored in a watched
module or a cache would be opened twice, or closed while turns run. So the app is stored in this module, which is not
watched.
"""

import atexit
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING

from engine.app.demo.limits import demo_limits
from engine.secrets.api_token import made_token
from engine.system.data_folder_lock import DataFolderLock

if TYPE_CHECKING:
    from engine.app.app import App
    from engine.app.demo.visitors import Visitors

__all__ = [
    "adopt_folder_lock",
    "close_app",
    "routes_are_served",
    "serve_routes",
    "shared_app",
    "shared_token",
    "shared_visitors",
    "stop_serving",
]

_NAME = "_anabranch_slot"


class _Slot(ModuleType):
    """A module that does not come from a file, so that Streamlit does not reload it."""

    def __init__(self) -> None:
        super().__init__(_NAME)
        self.lock = Lock()
        self.token_lock = Lock()
        self.app: App | None = None
        self.visitors: Visitors | None = None
        self.token: str | None = None
        self.folder_lock: DataFolderLock | None = None
        self.routes = False


def _slot() -> "_Slot":
    return sys.modules.setdefault(_NAME, _Slot())  # type: ignore[return-value]


def adopt_folder_lock(descriptor: int) -> None:
    """Store a lock for the app: the lock on the data folder that `anabranch serve` acquired before it started the
    page's server.
    """
    _slot().folder_lock = DataFolderLock.handed_on(descriptor)


def shared_app(data: Path) -> "App":
    """Return this process's app; the first call opens it on `data`."""
    slot = _slot()
    with slot.lock:
        if slot.app is None:
            from engine.app.app import App  # noqa: PLC0415 - the server listens before the engine is loaded

            lock, slot.folder_lock = slot.folder_lock, None
            slot.app = App(data, folder_lock=lock)
            slot.app.follow_files()
        return slot.app


def shared_token(config: Path) -> str:
    """Return this installation's token; the first call creates it in the folder `config`."""
    slot = _slot()
    with slot.token_lock:  # a page's cookie does not wait for the app to open
        if slot.token is None:
            slot.token = made_token(config)
        return slot.token


def serve_routes() -> None:
    """Record that this process also serves /v1. Hosts that run the page as a plain script do not call this."""
    _slot().routes = True


def routes_are_served() -> bool:
    """Return whether the page's browser can reach the routes under /v1."""
    return _slot().routes


def shared_visitors(is_live: Callable[[str], bool]) -> "Visitors":
    """Return the visitors of this process's public demo; `is_live` says whether a page session still exists.

    A host that runs the page as a plain script does not announce that it stops, so the visitors' data is also deleted
    when the process exits.
    """
    slot = _slot()
    with slot.lock:
        if slot.visitors is None:
            from engine.app.demo.visitors import Visitors  # noqa: PLC0415 - as above

            slot.visitors = Visitors(demo_limits(), is_live)
            atexit.register(slot.visitors.close)
        return slot.visitors


def stop_serving() -> None:
    """Record that this process will not answer other processes any more. Signal handlers may call this."""
    if (app := _slot().app) is not None:
        app.serve_at(None)


def close_app() -> None:
    """Close the app of this process, or the engines of its demo visitors."""
    slot = _slot()
    with slot.lock:
        if slot.visitors is not None:
            slot.visitors.close()
            slot.visitors = None
        if slot.app is not None:
            slot.app.close()
            slot.app = None
