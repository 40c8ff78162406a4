"""Caches values that were read or computed, for each app separately: they are removed together with the app.

Streamlit's own cache belongs to the process: a deleted visitor's rows would stay in it until other values replace them.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

__all__ = ["OwnerCache"]

_T = TypeVar("_T")


class OwnerCache(Generic[_T]):
    """The most recently used values, up to `most` for each owner. Safe for several threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._of: WeakKeyDictionary[object, OrderedDict[Hashable, _T]] = WeakKeyDictionary()

    def get(self, owner: object, key: Hashable, make: Callable[[], _T]) -> _T:
        """Return the cached value for `key`; if there is none, cache and return the result of `make`."""
        with self._lock:
            known = self._of.setdefault(owner, OrderedDict())
            if key in known:
                known.move_to_end(key)
                return known[key]
        made = make()  # without the lock, so that others can read meanwhile
        with self._lock:
            known[key] = made
            while len(known) > self._most:
                known.popitem(last=False)
        return made

    def known(self, owner: object, key: Hashable) -> _T | None:
        """Return the cached value for `key`, if there is one."""
        with self._lock:
            known = self._of.get(owner)
            return known.get(key) if known is not None else None

    def forget(self, owner: object) -> None:
        """Remove all values of an owner."""
        with self._lock:
            self._of.pop(owner, None)
