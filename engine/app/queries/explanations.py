"""Queries about where numbers, results and files came from; `catalog` lists them with the others."""

from dataclasses import dataclass

from engine.app.queries.reports import Document
from engine.commands.base import Query

__all__ = ["ExplainCall", "ExplainFile", "ExplainNumber", "ExportRows", "FindRows"]


@dataclass(frozen=True, slots=True)
class ExplainNumber(Query[Document]):
    """Get the origin of a number of an answer. Numbers count from 1; names and dates are not counted."""

    message_id: str
    number: int
    """Which traced number of the answer, from 1."""


@dataclass(frozen=True, slots=True)
class ExplainCall(Query[Document]):
    """Get the dossier of a call: its inputs and how it used them, its last re-run, its event."""

    call_id: str


@dataclass(frozen=True, slots=True)
class ExplainFile(Query[Document]):
    """Get the origin of a current file of a chat."""

    chat_id: str
    path: str


@dataclass(frozen=True, slots=True)
class ExportRows(Query[bytes]):
    """Get the rows of one input behind a cell as CSV, at most a million."""

    call_id: str
    row: int
    """Which row of the table, from 0."""
    column: str
    """The name of the column."""
    table: str
    """The input, as `FindRows` names it."""


@dataclass(frozen=True, slots=True)
class FindRows(Query[Document]):
    """Find the rows of the inputs behind a cell of a table that SQL made. The SQL runs again; nothing is recorded."""

    call_id: str
    row: int
    """Which row of the table, from 0."""
    column: str
    """The name of the column."""
    limit: int = 100
    """Rows of each input to list, at most 1,000."""
    offset: int = 0
    """Rows of each input to leave out before them."""
