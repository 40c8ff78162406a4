"""Work that is done once the first page is drawn, so that the page need not wait for it."""

from collections.abc import Callable
from threading import Lock, Timer

__all__ = ["begin_loading", "load_later"]

_PAUSE = 1.0
"""Seconds in which the server has only the page to send, and the browser only the page to draw."""
_lock = Lock()
_waiting: list[Callable[[], object]] = []


def load_later(*work: Callable[[], object]) -> None:
    """Do `work` in this order, in a thread, a moment after the first page."""
    with _lock:
        _waiting.extend(work)


def begin_loading() -> None:
    """Begin what waits, once. Every page calls this at its end."""
    with _lock:
        work = list(_waiting)
        _waiting.clear()
    if work:
        loading = Timer(_PAUSE, lambda: [one() for one in work])
        loading.daemon = True
        loading.start()
