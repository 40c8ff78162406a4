"""Work that a drawing of the page begins, done one time however many drawings come across it.

A drawing may be cut off wherever it touches the page or the session, and with fast reruns the next one begins
while the one before still works. So the work stands in the session with what came of it: the next drawing waits for it.
"""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["Work"]

_T = TypeVar("_T")


class Work(Generic[_T]):
    """Something to do once. `act` must touch neither the page nor the session."""

    def __init__(self, act: Callable[[], _T]) -> None:
        self._act = act
        self._lock = Lock()
        self._came: tuple[_T] | None = None

    @property
    def is_done(self) -> bool:
        """Whether its outcome is known."""
        return self._came is not None

    def outcome(self) -> _T:
        """Do it, or wait for the drawing that does; returns what came of it."""
        with self._lock:
            if self._came is None:
                self._came = (self._act(),)
            return self._came[0]
