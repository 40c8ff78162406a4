"""Runs work that a click starts and the page must not wait for: once, in a separate thread.

A rerun of the page may be cut off wherever it touches the page. So the work is stored in the session, and each rerun
shows its progress.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Lock, Thread
from typing import Generic, TypeVar

from engine.system.cancellation import Cancellation

__all__ = ["BackgroundTask", "StoppableTask"]

_T = TypeVar("_T")


class BackgroundTask(Generic[_T]):
    """Something to do once, started by a drawing."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._began: float | None = None
        self._came: Future[_T] = Future()

    @property
    def is_done(self) -> bool:
        """Whether its outcome is known."""
        return self._came.done()

    @property
    def seconds(self) -> int:
        """Whole seconds since it began."""
        return int(time.monotonic() - self._began) if self._began is not None else 0

    def begin(self, act: Callable[[], _T]) -> None:
        """Do `act`, if nothing was started before; it must touch neither the page nor the session."""
        with self._lock:
            if self._began is not None:
                return
            self._began = time.monotonic()
        Thread(target=self._do, args=(act,), name="anabranch-work", daemon=True).start()

    def wait(self, seconds: float) -> None:
        """Wait for its outcome for at most this long, so that quick work is shown without a progress sign."""
        wait([self._came], seconds)

    def outcome(self) -> _T:
        """The result, returned or raised; wait for it only if no page is drawn."""
        return self._came.result()

    def _do(self, act: Callable[[], _T]) -> None:
        try:
            self._came.set_result(act())
        except Exception as error:
            self._came.set_exception(error)


class StoppableTask(Generic[_T]):
    """A task with work that ends early if it is asked to."""

    def __init__(self) -> None:
        self.task: BackgroundTask[_T] = BackgroundTask()
        self._cancel = Cancellation()

    @property
    def is_stopped(self) -> bool:
        """Whether it was asked to stop."""
        return self._cancel.is_set

    def stop(self) -> None:
        """End its process; the outcome then says that it was stopped."""
        self._cancel.set()
