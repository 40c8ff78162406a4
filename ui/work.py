"""Work that a drawing of the page begins, done one time however many drawings come across it.

A drawing may be cut off wherever it touches the page, and with Streamlit's fast reruns the next one begins while the
one before still works. So the work stands in the session with what came of it: the next drawing waits for it.
"""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["Work"]

_T = TypeVar("_T")


class Work(Generic[_T]):
    """Something to do once. `act` must touch neither the page nor the session."""

    def __init__(self, act: Callable[[], _T]) -> None:
        self._act = act
        self._lock = Lock()
        self._came: Future[_T] = Future()

    @property
    def is_done(self) -> bool:
        """Whether its outcome is known."""
        return self._came.done()

    def outcome(self) -> _T:
        """Do it, or wait for the drawing that does; returns, or raises, what came of it."""
        with self._lock:
            if not self._came.done():
                try:
                    self._came.set_result(self._act())
                except Exception as error:
                    self._came.set_exception(error)
        return self._came.result()
