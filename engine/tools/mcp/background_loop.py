"""An asyncio loop in a separate thread, which starts when the first work is submitted."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from threading import RLock, Thread
from typing import Any

__all__ = ["BackgroundLoop"]


class BackgroundLoop:
    """Runs coroutines for other threads. Thread-safe."""

    def __init__(self, name: str) -> None:
        """`name` is the thread's name."""
        self._name = name
        self._lock = RLock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    def submit(self, work: Coroutine[Any, Any, Any]) -> "Future[Any]":
        """Start a coroutine and return its future."""
        return asyncio.run_coroutine_threadsafe(work, self._running())

    def soon(self, work: Callable[[], object]) -> None:
        """Call `work` in the loop's thread, without waiting for it."""
        self._running().call_soon_threadsafe(work)

    def time(self) -> float:
        """Return the time of the loop's clock, in seconds."""
        return self._running().time()

    def close(self, seconds: float) -> None:
        """Stop the loop and wait at most `seconds` for its thread. Does nothing if the loop never started."""
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=seconds)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = loop = asyncio.new_event_loop()
                self._thread = Thread(target=_run, args=(loop,), name=self._name, daemon=True)
                self._thread.start()
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()
