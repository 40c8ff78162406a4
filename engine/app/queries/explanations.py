"""Queries about the origins of numbers, results and files; `catalog` lists them with the other queries."""

from engine.app.queries.reports import Document
from engine.commands.base import Query
from events.late_dataclass import dataclass

__all__ = ["ExplainCall", "ExplainFile", "ExplainNumber", "ExportRows", "FindRows"]


@dataclass(frozen=True, slots=True)
class ExplainNumber(Query[Document]):
    """Get the origin of a number in an answer."""

    message_id: str
    number: int
    """The number's place among the traced numbers of the answer, counted from 1. Names and dates have no place."""


@dataclass(frozen=True, slots=True)
class ExplainCall(Query[Document]):
    """Get the dossier of a call: its inputs and how the call used them, its last re-run, its event."""

    call_id: str


@dataclass(frozen=True, slots=True)
class ExplainFile(Query[Document]):
    """Get the origin of a current file of a chat."""

    chat_id: str
    path: str


@dataclass(frozen=True, slots=True)
class ExportRows(Query[bytes]):
    """Get the input rows behind a cell as CSV: the rows of one input, at most a million."""

    call_id: str
    row: int
    """The row's number in the table, counted from 0."""
    column: str
    """The name of the column."""
    table: str
    """The input, as `FindRows` names it."""


@dataclass(frozen=True, slots=True)
class FindRows(Query[Document]):
    """Find the input rows behind a cell of a table that SQL made. The SQL runs again; nothing is recorded."""

    call_id: str
    row: int
    """The row's number in the table, counted from 0."""
    column: str
    """The name of the column."""
    limit: int = 100
    """The number of rows to list of each input, at most 1,000."""
    offset: int = 0
    """The number of rows to skip first in each input."""
