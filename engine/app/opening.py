"""Opens the data folder in a thread, while the server already answers and the browser loads the page."""

import os
import sys
import traceback
from collections.abc import Callable
from threading import Thread

from engine.errors import AnabranchError
from engine.system.gc_pause import garbage_collection_paused

__all__ = ["begin_opening", "wait_until_open"]

_opening: Thread | None = None


def begin_opening(opening: Callable[[], None], *, ends: bool) -> None:
    """Start `opening`. If it fails, the reason goes to stderr, and with `ends` this process ends at once with exit code
    1, because the server may not be ready for a signal yet. Nothing is lost: the log is made for a kill.

    Without `ends`, the page opens the folder again when it is drawn, and shows the reason.
    """
    global _opening  # noqa: PLW0603 - there is one server in a process
    _opening = Thread(target=_open, args=[opening, ends], name="opening", daemon=True)
    _opening.start()


def wait_until_open() -> None:
    """Wait for the opening that was started, if there is one. Whoever imports the engine or the views waits first:
    two threads that import the same packages at once may see them half-loaded.
    """
    if _opening is not None:
        _opening.join()


def _open(opening: Callable[[], None], ends: bool) -> None:
    try:
        with garbage_collection_paused():
            opening()
    except AnabranchError as error:
        sys.stderr.write(f"{error.message}\n")
    except Exception:  # a bug, which the traceback locates
        traceback.print_exc()
    else:
        return
    if ends:
        sys.stderr.flush()
        os._exit(1)
