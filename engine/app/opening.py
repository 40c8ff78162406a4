"""Opens the data folder in a thread, while the server already answers and the browser loads the page."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from engine.app.failure_line import failure_line
from engine.system.gc_pause import garbage_collection_paused

__all__ = ["announce", "begin_opening", "ends_with_reason", "is_opening", "wait_until_open"]

_opening: Thread | None = None
_open = Event()


def begin_opening(opening: Callable[[], None], loading: Callable[[], None], *, ends: bool) -> None:
    """Start `opening`, which opens the folder, and then `loading`. If one fails, print the reason on stderr. If `ends`
    is set, also exit at once with code 1, because the server may not handle signals yet. Nothing is lost, since the log
    survives a kill.

    If `ends` is not set, the page tries to open the folder again when it is drawn, and shows the reason.
    """
    global _opening  # noqa: PLW0603 - there is one server in a process
    _open.clear()
    _opening = Thread(target=_run, args=[opening, loading, ends], name="opening", daemon=True)
    _opening.start()


def wait_until_open() -> None:
    """Wait for the opening that was started, if there is one. Call this before importing the engine or the views,
    because two threads that import the same packages at the same time may see them half-loaded.
    """
    if _opening is not None:
        _opening.join()


def is_opening() -> bool:
    """Return whether the data folder is still being opened. While it is, a signal ends the process at once."""
    return _opening is not None and _opening.is_alive() and not _open.is_set()


def announce(text: str) -> None:
    """Print a line on stdout. If there is no stdout or it cannot be written to, do nothing."""
    with suppress(OSError, ValueError, AttributeError):
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(f"{text}\n".encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()


@contextmanager
def ends_with_reason() -> Iterator[None]:
    """End this process at once with exit code 1 if the block fails, and print the reason in one line."""
    try:
        yield
    except Exception as error:  # any error at all
        _print_reason(error)
        os._exit(1)


def _run(opening: Callable[[], None], loading: Callable[[], None], ends: bool) -> None:
    try:
        with garbage_collection_paused():
            opening()
            _open.set()
            loading()
    except Exception as error:  # any error at all
        _print_reason(error)
        if ends:
            os._exit(1)


def _print_reason(error: Exception) -> None:
    line = failure_line(error)
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
