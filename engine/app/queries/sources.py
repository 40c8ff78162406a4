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
    """List a source's tables with their columns, from the list that was read last. If there is none, it is read now."""

    name: str
    like: str = ""
    """Only tables whose name or a column's name contains this text."""


@dataclass(frozen=True, slots=True)
class ListDrivers(Query[list[Document]]):
    """List the kinds of sources, whether their driver is installed, and the command that installs it."""
