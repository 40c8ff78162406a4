"""Runs work once in a separate thread: a click starts it, and the page does not wait for it.

Streamlit can stop a rerun of the page at any call that draws. So the work is stored in the session, and each rerun
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
    """Work to do once, started while the page is drawn."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._began: float | None = None
        self._came: Future[_T] = Future()

    @property
    def is_done(self) -> bool:
        """Whether the work has ended."""
        return self._came.done()

    @property
    def seconds(self) -> int:
        """Whole seconds since the work began; 0 before that."""
        return int(time.monotonic() - self._began) if self._began is not None else 0

    def begin(self, act: Callable[[], _T]) -> None:
        """Start `act`, unless work was started before; `act` must touch neither the page nor the session."""
        with self._lock:
            if self._began is not None:
                return
            self._began = time.monotonic()
        Thread(target=self._do, args=(act,), name="anabranch-work", daemon=True).start()

    def wait(self, seconds: float) -> None:
        """Wait at most this long for the work to end, so that no progress is shown for quick work."""
        wait([self._came], seconds)

    def outcome(self) -> _T:
        """Return the result or raise the error. This waits for the work, so check `is_done` first while drawing a
        page.
        """
        return self._came.result()

    def _do(self, act: Callable[[], _T]) -> None:
        try:
            self._came.set_result(act())
        except Exception as error:
            self._came.set_exception(error)


class StoppableTask(Generic[_T]):
    """A task whose work ends early on request."""

    def __init__(self) -> None:
        self.task: BackgroundTask[_T] = BackgroundTask()
        self._cancel = Cancellation()

    @property
    def is_stopped(self) -> bool:
        """Whether the work was asked to stop."""
        return self._cancel.is_set

    def stop(self) -> None:
        """Ask the work to stop; its outcome then says that it was stopped."""
        self._cancel.set()
