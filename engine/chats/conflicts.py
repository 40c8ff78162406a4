"""Repeats a decision on the current state of a stream if another writer has appended to the stream meanwhile."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from events.event import Event, Recorded
from events.log import Append, EventLog, VersionConflict

__all__ = ["add_to_stream", "retry_conflicts"]

_TRIES = 100
"""The number of consecutive conflicts after which `VersionConflict` is raised."""

Result = TypeVar("Result")


def retry_conflicts(attempt: Callable[[], Result]) -> Result:
    """Return the result of `attempt`, which reads, decides and appends; call it again after a conflict.

    Raises:
        VersionConflict: other writers were faster each time; nothing was written.
    """
    for _ in range(_TRIES - 1):
        try:
            return attempt()
        except VersionConflict:
            continue
    return attempt()


def add_to_stream(log: EventLog, stream: str, events: Sequence[Event]) -> list[Recorded]:
    """Append events that are valid regardless of the stream's earlier events.

    Raises:
        VersionConflict: other writers were faster each time; nothing was written.
    """
    return retry_conflicts(lambda: log.append(Append(stream, events, log.stream_version(stream))))
