"""Handles commands and queries about linked files."""

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

from engine.chats.locations import LocationBook
from engine.commands.catalog import AllowLocation, ForbidLocation, Linked
from engine.errors import Refused
from engine.tools.tables import Tables
from engine.workspace.links import ENDING, Link
from engine.workspace.locations import find_link
from engine.workspace.uploads import harmless_name

__all__ = ["LocationCommands", "link_name", "location_rows"]


class LocationCommands:
    """Handles the commands and queries about linked files."""

    def __init__(self, book: LocationBook, tables: Tables) -> None:
        self._book = book
        self._tables = tables

    def handlers(self) -> dict[type, Callable[[Any], Any]]:
        """Return the handler of each command."""
        return {AllowLocation: self.allow, ForbidLocation: self.forbid}

    def allow(self, command: AllowLocation) -> Linked:
        """See `AllowLocation`."""
        link = self._book.allow(command.location)
        self._tables.retry()
        return Linked(link_name(link), link.content().decode(), link.location, len(link.parts), link.size)

    def forbid(self, command: ForbidLocation) -> None:
        """See `ForbidLocation`."""
        self._book.forbid(command.location)
        self._tables.retry()


def link_name(link: Link) -> str:
    """Return the name of a link in a chat: the name of its file or folder."""
    place = PurePosixPath(link.location)
    plain = next((part for part in reversed(place.parts) if not set(part) & set("*?[")), "files")
    stem = plain.strip("/").removesuffix(".gz") or "files"
    stem = stem.rpartition(".")[0] if "." in stem and plain == place.name else stem
    return harmless_name(f"{stem}{ENDING}")


def location_rows(book: LocationBook) -> list[dict[str, Any]]:
    """Return the locations that may be read, with a summary of their current contents."""
    rows = []
    for location in book.allowed():
        row: dict[str, Any] = {"location": location, "kind": None, "files": 0, "bytes": 0}
        row |= {"hashed": 0, "problem": None}
        try:
            link = find_link(location)
            row |= {"kind": link.kind, "files": len(link.parts), "bytes": link.size}
            row["hashed"] = len(book.hashes.of(link))
        except Refused as error:
            row["problem"] = error.message
        rows.append(row)
    return rows
