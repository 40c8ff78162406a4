"""The one open app of this process.

Streamlit imports watched modules anew when a file changes, and clears its caches when asked to; an app held by either
would be opened twice, or closed under running turns. So it is held in a module that nobody watches.
"""

import sys
from pathlib import Path
from threading import Lock
from types import ModuleType

from engine.app import App
from engine.token import made_token

__all__ = ["close_app", "routes_are_served", "serve_routes", "shared_app", "shared_token"]

_NAME = "_anabranch_slot"


class _Slot(ModuleType):
    """A module that is in no file."""

    def __init__(self) -> None:
        super().__init__(_NAME)
        self.lock = Lock()
        self.app: App | None = None
        self.token: str | None = None
        self.routes = False


def _slot() -> "_Slot":
    return sys.modules.setdefault(_NAME, _Slot())  # type: ignore[return-value]


def shared_app(data: Path) -> App:
    """Return this process's app, opening it on `data` the first time."""
    slot = _slot()
    with slot.lock:
        if slot.app is None:
            slot.app = App(data)
        return slot.app


def shared_token(config: Path) -> str:
    """Return this installation's token, made in the folder `config` the first time."""
    slot = _slot()
    with slot.lock:
        if slot.token is None:
            slot.token = made_token(config)
        return slot.token


def serve_routes() -> None:
    """Say that the routes under /v1 stand beside the page; a host that runs the page as a plain script never does."""
    _slot().routes = True


def routes_are_served() -> bool:
    """Whether the page's browser can reach the routes under /v1."""
    return _slot().routes


def close_app() -> None:
    """Close this process's app, if it was opened."""
    slot = _slot()
    with slot.lock:
        if slot.app is not None:
            slot.app.close()
            slot.app = None
