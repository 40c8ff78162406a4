"""Facts of the log itself. Stream `log`."""

from typing import Literal

from events.event import Event

__all__ = ["LogAccepted"]


class LogAccepted(Event):
    """The user let a log hold that is not what it was: an older copy, or one that lost events."""

    type: Literal["LogAccepted"] = "LogAccepted"
    problem: str
    """What was found, in words."""
    head: int
    """The last position that was there."""
    acknowledged: int
    """The last position that is known to have been acknowledged."""
