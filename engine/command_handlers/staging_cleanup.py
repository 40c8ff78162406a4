"""Removes a stored bundle if its event was not recorded."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from engine.toolsets.install import StagedBundle, discard
from events.log import LogFault

__all__ = ["discarded_on_failure"]


@contextmanager
def discarded_on_failure(staged: StagedBundle, is_named: Callable[[StagedBundle], bool]) -> Iterator[None]:
    """Remove a stored bundle if the block fails, unless the bundle's event was recorded before the failure.

    `is_named` returns whether an event names the bundle's version. If the log cannot be read, the bundle stays, and the
    next start removes it if no event names it.
    """
    try:
        yield
    except BaseException as error:
        recorded = isinstance(error, LogFault) and error.recorded
        with suppress(Exception):
            if not recorded and not is_named(staged):
                discard(staged)
        raise
