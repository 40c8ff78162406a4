"""Ends open streams before the server stops, because uvicorn waits for all open responses."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

from engine.api.streams import Streams

__all__ = ["ends_at_signals"]


@contextmanager
def ends_at_signals(streams: Streams, stopping: Callable[[], None]) -> Iterator[None]:
    """During the block, let signals that stop the server also end `streams`, and call `stopping`. Signal handlers set
    earlier still run.
    """
    if current_thread() is not main_thread():  # only the main thread can handle signals
        yield
        return
    before: dict[signal.Signals, Any] = {}

    def closing(number: int, frame: FrameType | None) -> None:
        streams.close()
        stopping()
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    for each in (signal.SIGINT, signal.SIGTERM):
        before[each] = signal.getsignal(each)
        signal.signal(each, closing)
    try:
        yield
    finally:
        streams.close()
        for each, handler in before.items():
            signal.signal(each, handler)
