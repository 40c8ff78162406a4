"""Where someone else wrote to a stream in between, the decision is taken again, on what stands there by then."""

from collections.abc import Callable
from typing import TypeVar

from events.log import VersionConflict

__all__ = ["retry_conflicts"]

_TRIES = 100
"""So many writers in a row were faster: then it is told."""

Result = TypeVar("Result")


def retry_conflicts(attempt: Callable[[], Result]) -> Result:
    """Return what `attempt` returns. It reads, decides and appends with the version that it read; each time anew.

    Raises:
        VersionConflict: others were faster each time; nothing was written.
    """
    for _ in range(_TRIES - 1):
        try:
            return attempt()
        except VersionConflict:
            continue
    return attempt()
