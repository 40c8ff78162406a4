"""Loads things after the first page is drawn, so that the page need not wait for them."""

import logging
from collections.abc import Callable
from threading import Lock, Timer

__all__ = ["begin_loading", "load_later"]

_PAUSE = 1.0
"""Seconds to wait before loading, so that the server can send the page and the browser can draw it."""
_log = logging.getLogger("anabranch.page")
_lock = Lock()
_waiting: list[Callable[[], object]] = []


def load_later(*work: Callable[[], object]) -> None:
    """Add work to be done in a thread, in this order, a moment after the first page is drawn."""
    with _lock:
        _waiting.extend(work)


def begin_loading() -> None:
    """Start the work that was added, unless it has already begun. Every page calls this at its end."""
    with _lock:
        work = list(_waiting)
        _waiting.clear()
    if work:
        loading = Timer(_PAUSE, _do, [work])
        loading.daemon = True
        loading.start()


def _do(work: list[Callable[[], object]]) -> None:
    for one in work:
        try:
            one()
        except Exception:  # it is loaded again when it is needed, and the error is reported then
            _log.warning("Something could not be loaded in advance.", exc_info=True)
