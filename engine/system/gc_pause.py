"""Delays garbage collection while many lasting values are created: its passes over them would find nothing."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["garbage_collection_paused"]

_within: set[object] = set()
"""One mark for each block that is entered."""
_lock = Lock()


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Collect no garbage within the block, for reads of less than a second. Any thread may enter it."""
    mark = object()
    with _lock:
        if _within or gc.isenabled():  # else it is off by somebody else's choice, which stays
            _within.add(mark)
            gc.disable()
    try:
        yield
    finally:
        with _lock:
            if mark in _within:
                _within.remove(mark)
                if not _within:
                    gc.enable()
