"""Queries for shaping results. They are part of the catalog."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from engine.app.queries.reports import Document
from engine.commands.base import Query
from engine.commands.steps import Step
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["FindJoins", "PreviewCall", "PreviewShape"]


@dataclass(frozen=True, slots=True)
class FindJoins(Query[list[Document]]):
    """Find pairs of matching columns in a chat's tables, with the share of values that both have. The best is first."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class PreviewShape(Query[Document]):
    """Preview the last step in a list of steps on a table: its SQL, counts before and after, and unreadable values.

    `choices` lists the decisions that this step needs before it can run, with suggestions. Nothing is recorded.
    """

    chat_id: str
    table: str
    """The name of the table."""
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class PreviewCall(Query[Document]):
    """Get the result of a tool call on a chat's files, without recording it.

    The document has `result`, `render_plan`, `seconds`, and `problem`, which gives the reason if the call fails and is
    empty otherwise. Refused for tools that ask before they run, change files or reach the network (`not_previewed`).
    """

    chat_id: str
    tool_id: str
    arguments: Mapping[str, JSON] = field(default_factory=dict)
    seconds: float | None = None
    """The seconds after which the call is stopped; None: the tool's own time limit."""
