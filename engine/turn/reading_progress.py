"""Shows a turn's watchers that files are being read, if reading takes a moment."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.chats.signals import LiveCall, Signals

__all__ = ["reading"]

_SHOWN_AFTER = 0.5
"""Seconds of reading before progress is shown."""


@contextmanager
def reading(
    signals: Signals, chat_id: str, turn_id: str, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[float | None, str], None]]:
    """Yield a function to report progress. During the block, the progress is shown among the turn's calls."""
    began = clock()
    shown = False

    def tell(status: str, fraction: float | None, text: str) -> None:
        live = LiveCall(f"reading-{turn_id}", "tables", "", status, fraction=fraction, text=text)
        signals.call(chat_id, turn_id, live)

    def progress(fraction: float | None, text: str) -> None:
        nonlocal shown
        if clock() - began >= _SHOWN_AFTER:
            shown = True
            tell("running", fraction, text)

    try:
        yield progress
    finally:
        if shown:
            tell("success", None, "")
