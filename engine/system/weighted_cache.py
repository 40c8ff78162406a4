"""A cache in memory with a limit on total weight: the least recently used values are dropped first."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["WeightedCache"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class WeightedCache(Generic[Key, Value]):
    """A cache limited by the total weight of its values, not their number. Thread-safe."""

    def __init__(self, most: int, weigh: Callable[[Value], int], *, newest: int = 1) -> None:
        """Keep values whose total weight is at most `most`, and in any case the `newest` values that were used last."""
        self._most = most
        self._newest = newest
        self._weigh = weigh
        self._lock = Lock()
        self._values: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._weight = 0

    def get(self, key: Key) -> Value | None:
        """Return the value of `key` and count it as used; None if it is not in the cache."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def put(self, key: Key, value: Value) -> None:
        """Store `value` in place of the previous value of `key`. After a value has grown, call this again with it, so
        that its new weight counts.
        """
        weight = self._weigh(value)
        with self._lock:
            self._drop(key)
            self._values[key] = value, weight
            self._weight += weight
            while self._weight > self._most and len(self._values) > self._newest:
                self._drop(next(iter(self._values)))

    def drop(self, key: Key) -> None:
        """Remove the value of `key`, if it is in the cache."""
        with self._lock:
            self._drop(key)

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._values.clear()
            self._weight = 0

    def __len__(self) -> int:
        return len(self._values)

    def _drop(self, key: Key) -> None:
        _, weight = self._values.pop(key, (None, 0))
        self._weight -= weight
