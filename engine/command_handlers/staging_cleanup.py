"""Removes a stored bundle if its event was not recorded."""

from collections.abc import Iterator
from contextlib import contextmanager

from engine.toolsets.install import StagedBundle, discard
from events.log import LogFault

__all__ = ["discarded_on_failure"]


@contextmanager
def discarded_on_failure(staged: StagedBundle) -> Iterator[None]:
    """Remove a stored bundle if the block fails, unless the bundle's event was recorded before the failure."""
    try:
        yield
    except LogFault as fault:
        if not fault.recorded:
            discard(staged)
        raise
    except BaseException:
        discard(staged)
        raise
