"""The log of an app with its read models and upkeep, and the function that opens them."""

from pathlib import Path
from typing import Protocol

from events.anchor import Anchor
from events.at_rest import Keeps
from events.identity import Clock, NewId
from events.late_dataclass import dataclass
from events.log import EventLog, LogUpkeep
from events.read_store import ReadStore

__all__ = ["OpenLog", "OpenedLog"]


@dataclass(frozen=True, slots=True)
class OpenedLog:
    """A log with its read models and upkeep. One object may be all three."""

    log: EventLog
    reads: ReadStore
    upkeep: LogUpkeep

    def close(self) -> None:
        """Close everything."""
        self.reads.close()
        self.log.close()


class OpenLog(Protocol):
    """Opens the log of a data folder."""

    def __call__(
        self,
        data: Path,
        made: Path,
        clock: Clock,
        new_id: NewId,
        *,
        anchor: Anchor | None,
        keeps: Keeps,
    ) -> OpenedLog:
        """Open the log in `data`. If `made` is another folder, `data` is read-only, and a copy of the log in `made` is
        opened.

        Raises:
            Unavailable: the log cannot be opened; the error says why.
        """
        ...
