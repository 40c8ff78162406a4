"""Query results that consist of several values. The API describes them by their fields."""

from typing import Any, TypeAlias

from engine.commands.values import Outcome
from events.late_dataclass import dataclass

__all__ = ["Document", "LogState", "SheetShown", "SignedLog", "TurnReport"]

Document: TypeAlias = dict[str, Any]
"""A JSON object."""


@dataclass(frozen=True, slots=True)
class TurnReport:
    """The outcome of a turn."""

    answer: Document
    """The turn's document."""
    problem: str | None
    """The problem of the turn, in words; None if there was none."""
    connecting: tuple[tuple[str, str], ...]
    """The MCP servers that were not ready yet: id and detail."""


@dataclass(frozen=True, slots=True)
class SheetShown:
    """The consent sheet of a bundle, before it is installed."""

    toolset_id: str
    outcome: Outcome
    content_hash: str
    sheet: str
    """The sheet as text for a terminal."""
    variables: tuple[str, ...]
    """Variables that are set on the app's machine and that the bundle receives if the user agrees to each one."""


@dataclass(frozen=True, slots=True)
class SignedLog:
    """A signed checkpoint."""

    note: str
    """The signed text."""
    events: int
    """The number of events that the checkpoint covers."""


@dataclass(frozen=True, slots=True)
class LogState:
    """Whether the log accepts events."""

    problem: str | None
    """The reason why the log accepts no events, in words; None if it accepts events."""
    head: int
    """The log's last position."""
