"""Commands that maintain the data folder: its contents, its read models, and a replaced log."""

from collections.abc import Sequence
from datetime import datetime

from engine.commands.base import Command
from engine.commands.values import Collected, Rebuilt
from events.late_dataclass import dataclass

__all__ = ["AcceptLog", "CollectContents", "RebuildReadModels"]


@dataclass(frozen=True, slots=True)
class CollectContents(Command[Collected]):
    """Remove contents that no event refers to. Returns `Collected`.

    Files and folders that do not come from this log may belong to another log. They are listed but kept, unless you
    name them.
    """

    before: datetime | None = None
    """Also remove file contents that were last recorded before this time and that no branch's current files use."""
    unexplained: Sequence[str] = ()
    """Names from the list of an earlier `CollectContents`; these items are removed too."""


@dataclass(frozen=True, slots=True)
class RebuildReadModels(Command[Rebuilt]):
    """Compute every read model again from the log, and compare the new rows with the previous rows. Returns
    `Rebuilt`.
    """


@dataclass(frozen=True, slots=True)
class AcceptLog(Command[int | None]):
    """Continue from a log that was replaced, or that lost events. The decision is recorded.

    Returns the position of the event that records it; None if there was nothing to accept, or if the event
    could not be recorded.
    """
