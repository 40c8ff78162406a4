"""Facts about the log itself. Stream `log`."""

from typing import Literal

from events.event import Event

__all__ = ["LogAccepted"]


class LogAccepted(Event):
    """The user accepted a log that differs from its mark: an older copy, or one that lost events."""

    type: Literal["LogAccepted"] = "LogAccepted"
    problem: str
    """The problem that was found, in words."""
    head: int
    """The last position of the accepted log."""
    acknowledged: int
    """The last position that is known to have been reported as recorded."""
