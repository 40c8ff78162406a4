"""Queries about linked files. They are part of the catalog."""

from engine.app.queries.reports import Document
from engine.commands.base import Query
from events.late_dataclass import dataclass

__all__ = ["BrowseFolder", "ListLocations"]


@dataclass(frozen=True, slots=True)
class ListLocations(Query[list[Document]]):
    """List the locations that may be read in place: kind, files, bytes, hashed files, and any problem."""


@dataclass(frozen=True, slots=True)
class BrowseFolder(Query[list[Document]]):
    """List a folder of this computer: its subfolders, and files that can be used in place."""

    folder: str = "~"
    """The folder to list."""
