"""The one open app of this process.

Streamlit imports watched modules anew when a file changes, and clears its caches when asked to; an app held by either
would be opened twice, or closed under running turns. So it is held in a module that nobody watches.
"""

import sys
from pathlib import Path
from threading import Lock
from types import ModuleType

from engine.app import App

__all__ = ["close_app", "shared_app"]

_NAME = "_anabranch_slot"


def _slot() -> ModuleType:
    slot = sys.modules.get(_NAME)
    if slot is None:
        slot = ModuleType(_NAME)
        slot.lock = Lock()  # type: ignore[attr-defined]
        slot.app = None  # type: ignore[attr-defined]
        slot = sys.modules.setdefault(_NAME, slot)
    return slot


def shared_app(data: Path) -> App:
    """Return this process's app, opening it on `data` the first time."""
    slot = _slot()
    with slot.lock:
        if slot.app is None:
            slot.app = App(data)
        app: App = slot.app
        return app


def close_app() -> None:
    """Close this process's app, if it was opened."""
    slot = _slot()
    with slot.lock:
        if slot.app is not None:
            slot.app.close()
            slot.app = None
