"""Delays garbage collection while many long-lived values are created, because it would find nothing to free."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["collect_less_often", "garbage_collection_paused"]

_MANY = 50_000
"""If there are more new objects than this, they are moved to the oldest generation at once. Otherwise the next
collection would check all of them."""

_OFTEN = 20_000
"""The number of new objects after which the youngest objects are collected. With Python's default of 700, loading the
engine takes a tenth longer.
"""

_within: set[object] = set()
"""A mark for each `garbage_collection_paused` block that is currently running."""
_lock = Lock()


def collect_less_often() -> None:
    """Make this process collect garbage less often. Call it before the engine is loaded."""
    gc.set_threshold(_OFTEN, 10, 10)


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Pause garbage collection during the block, which should take at most a second or two. Any thread may use this."""
    mark = object()
    with _lock:
        if _within or gc.isenabled():  # otherwise other code has disabled it, and it stays disabled
            _within.add(mark)
            gc.disable()
    try:
        yield
    finally:
        with _lock:
            if mark in _within:
                _within.remove(mark)
                if not _within:
                    _resume()


def _resume() -> None:
    if gc.get_count()[0] > _MANY:
        gc.freeze()
        gc.unfreeze()  # moves the objects to the oldest generation without examining them
    gc.enable()
