"""The functions that a tool may import: `progress`, and `ToolError` for refusals. Outside a host `progress` does
nothing.

Standard library only: this is imported by every tool process.
"""

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress

__all__ = ["ToolError", "progress", "report_progress_to"]

_AT_MOST_EVERY = 0.05
"""The minimum number of seconds between two reports. If more reports are made sooner, the last of them is sent when
that time is over.
"""

_Send = Callable[[float | None, str], None]


class ToolError(ValueError):
    """Raise this to refuse a call. Its text is shown unchanged, without the type or a traceback."""


class _Reports:
    """The reports of the call that this process runs, at most one in `_AT_MOST_EVERY` seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._send: _Send | None = None
        self._last = -math.inf
        self._held: tuple[float | None, str] | None = None

    def send_to(self, send: _Send | None) -> None:
        """See `report_progress_to`."""
        with self._lock:
            self._send, self._held = send, None

    def add(self, done: float | None, text: str) -> None:
        """Send a report now, or hold it back until it is due. It is not dropped, because the tool may not report again
        for a long time.
        """
        with self._lock:
            if self._send is None:
                return
            early = self._last + _AT_MOST_EVERY - time.monotonic()
            if done == 1.0 or early <= 0:
                self._send_now(done, text)
                return
            if self._held is None:
                timer = threading.Timer(early, self._send_held)
                timer.daemon = True
                # no thread can be started; this report is sent with the next one
                with suppress(RuntimeError):
                    timer.start()
            self._held = (done, text)

    def _send_held(self) -> None:
        with self._lock, suppress(OSError):  # the engine no longer reads reports
            if self._held is not None:
                self._send_now(*self._held)

    def _send_now(self, done: float | None, text: str) -> None:
        self._held, self._last = None, time.monotonic()
        if self._send is not None:
            self._send(done, text)


_reports = _Reports()


def progress(fraction: float | None, text: str = "") -> None:
    """Report progress: `fraction` from 0 to 1, or None if unknown, and a description of the current work."""
    known = fraction is not None and math.isfinite(fraction)
    done = min(1.0, max(0.0, float(fraction))) if known and fraction is not None else None
    _reports.add(done, str(text)[:500])


def report_progress_to(report: _Send | None) -> None:
    """Set the function that receives the progress reports for the host; None stops the reports."""
    _reports.send_to(report)
