"""Queries about sources (databases and query engines). They are part of the catalog."""

from engine.app.queries.reports import Document
from engine.commands.base import Query
from events.late_dataclass import dataclass

__all__ = ["ListDrivers", "ListSourceTables", "ListSources"]


@dataclass(frozen=True, slots=True)
class ListSources(Query[list[Document]]):
    """List the sources: address, user, readable schemas and tables, limits, and the last test result. Passwords are not
    listed."""


@dataclass(frozen=True, slots=True)
class ListSourceTables(Query[Document]):
    """List a source's tables with their columns, as they were last read from the source. If they were never read, they
    are read now."""

    name: str
    """The name of the source."""
    like: str = ""
    """List only tables whose name contains this text. If there are none, list tables with a column whose name contains
    it."""


@dataclass(frozen=True, slots=True)
class ListDrivers(Query[list[Document]]):
    """List the kinds of sources, whether their driver is installed, and the command that installs it."""
