"""Asks running work to stop. Models, tools and turns share this, so it is in the lowest layer."""

from collections.abc import Callable
from threading import Lock

__all__ = ["Cancellation"]


class Cancellation:
    """Asks running work to stop, from any thread. Each callback runs once; if stopping was already requested, it runs
    immediately.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._set = False
        self._callbacks: list[Callable[[], None]] = []

    @property
    def is_set(self) -> bool:
        """Whether stopping was requested."""
        return self._set

    def set(self) -> None:
        """Ask the work to stop."""
        with self._lock:
            if self._set:
                return
            self._set = True
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def on_set(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` when stopping is requested. Return a function that removes the callback."""
        with self._lock:
            if not self._set:
                self._callbacks.append(callback)
                return lambda: self._forget(callback)
        callback()
        return lambda: None

    def _forget(self, callback: Callable[[], None]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)
