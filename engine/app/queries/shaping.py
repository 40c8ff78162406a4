"""Queries for shaping results. They are part of the catalog."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.app.queries.reports import Document
from engine.commands.base import Query
from engine.commands.steps import Step
from events.canonical import JSON

__all__ = ["FindJoins", "PreviewCall", "PreviewShape"]


@dataclass(frozen=True, slots=True)
class FindJoins(Query[list[Document]]):
    """Find which columns of a chat's tables match, with the share of values found, the best match first."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class PreviewShape(Query[Document]):
    """Preview the last of some steps on a table: its SQL, counts before and after, and unreadable values.

    `choices` lists the decisions that the step needs before it can run, with suggestions. Nothing is recorded.
    """

    chat_id: str
    table: str
    """Name of the table."""
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class PreviewCall(Query[Document]):
    """Get the result of a tool's call on the files of a chat, without recording it.

    The document has `result`, `render_plan`, `seconds`, and `problem`: the reason if it fails, else empty. Refused for
    tools that ask before they run, change files or reach the network (`not_previewed`).
    """

    chat_id: str
    tool_id: str
    arguments: Mapping[str, JSON] = field(default_factory=dict)
    seconds: float | None = None
    """Seconds after which it is stopped; None: after the tool's own time limit."""
