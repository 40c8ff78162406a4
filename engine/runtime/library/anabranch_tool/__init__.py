"""The functions that a tool may import: `progress`, and `ToolError` for refusals. Outside a host `progress` does
nothing.

Standard library only: this is imported by every tool process.
"""

import math
import time
from collections.abc import Callable

__all__ = ["ToolError", "progress", "report_progress_to"]

_AT_MOST_EVERY = 0.05
"""Seconds between two reports; reports in between are dropped, except the last one."""

_report: Callable[[float | None, str], None] | None = None
_last = -math.inf


class ToolError(ValueError):
    """Raise this to refuse a call. Its text is shown unchanged, without the type or a traceback."""


def progress(fraction: float | None, text: str = "") -> None:
    """Report progress: `fraction` from 0 to 1, or None if unknown, and a description of the current work."""
    global _last  # noqa: PLW0603 -- one process runs one call
    if _report is None:
        return
    known = fraction is not None and math.isfinite(fraction)
    done = min(1.0, max(0.0, float(fraction))) if known and fraction is not None else None
    now = time.monotonic()
    if done != 1.0 and now - _last < _AT_MOST_EVERY:
        return
    _last = now
    _report(done, str(text)[:500])


def report_progress_to(report: Callable[[float | None, str], None] | None) -> None:
    """For the host: set where progress is sent; None ends it."""
    global _report  # noqa: PLW0603 -- one process runs one call
    _report = report
