"""Handles commands and queries about sources (databases and query engines)."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from engine.commands.catalog import (
    AddSource,
    ChangeSource,
    ProfileSourceTable,
    RefreshSourceTables,
    RemoveSource,
    SourceAnswer,
    TestSource,
)
from engine.deciders.source_drivers import DRIVERS
from engine.deciders.sources import Source
from engine.tools.sources.access import installed_drivers
from engine.tools.sources.sources import Sources
from events.catalog.source import SourceFacts

__all__ = ["SourceCommands", "driver_rows", "source_rows", "source_tables"]

_MOST_COLUMNS_OF = 500
"""The maximum number of tables whose columns are listed."""


class SourceCommands:
    """Handles the commands and queries about sources."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def handlers(self) -> dict[type, Callable[[Any], Any]]:
        """Return the handler of each command."""
        return {
            AddSource: self.add,
            ChangeSource: self.change,
            RemoveSource: self.remove,
            TestSource: self.test,
            RefreshSourceTables: self.test,
            ProfileSourceTable: self.profile,
        }

    def add(self, command: AddSource) -> None:
        """See `AddSource`."""
        facts = SourceFacts(
            driver=command.driver,
            address=command.address,
            user=command.user or None,
            allowed=tuple(command.allowed),
            dialect=command.dialect,
            max_rows=command.max_rows,
            max_bytes=command.max_bytes,
            max_seconds=command.max_seconds,
        )
        self._sources.book.add(command.name, facts, command.key)

    def change(self, command: ChangeSource) -> None:
        """See `ChangeSource`."""
        names = ("address", "user", "allowed", "dialect", "max_rows", "max_bytes", "max_seconds")
        given = {name: getattr(command, name) for name in names if getattr(command, name) is not None}
        if "allowed" in given:
            given["allowed"] = tuple(given["allowed"])
        facts = self._sources.book.find(command.name).facts.model_copy(update=given)
        self._sources.book.change(command.name, facts, command.key)

    def remove(self, command: RemoveSource) -> None:
        """See `RemoveSource`."""
        self._sources.book.remove(command.name)
        self._sources.forget(command.name)

    def test(self, command: TestSource | RefreshSourceTables) -> SourceAnswer:
        """See `TestSource`."""
        source = self._sources.book.find(command.name)
        look = self._sources.look(source)
        if look.kind is not None:
            return SourceAnswer(
                command.name, connected=False, kind=look.kind, message=look.message, code=look.code
            )
        listed = self._sources.catalog.listed(source)
        counts = (len(listed.tables) + listed.left_out, len(listed.schemas()))
        return SourceAnswer(command.name, True, look.server, *counts)

    def profile(self, command: ProfileSourceTable) -> int:
        """See `ProfileSourceTable`."""
        return self._sources.profile(self._sources.book.find(command.name), command.table).rows


def source_rows(sources: Sources) -> list[dict[str, Any]]:
    """Return the sources as the page and the terminal list them."""
    installed = installed_drivers()
    return [_row(sources, source, installed[source.facts.driver]) for source in sources.all().values()]


def _row(sources: Sources, source: Source, installed: bool) -> dict[str, Any]:
    state = source.state
    return {
        "name": source.name,
        **source.facts.model_dump(mode="json"),
        "title": source.driver.title,
        "language": source.language,
        "dialect": source.dialect,
        "own_dialect": source.facts.dialect,
        "read_only": source.driver.read_only,
        "logs_in": source.driver.logs_in,
        "installed": installed,
        "install": source.driver.install,
        "has_key": sources.book.has_key(source),
        "connected": state.connected if state else None,
        "tested_at": state.at.isoformat() if state else None,
        "kind": state.kind if state else None,
        "problem": state.message if state else None,
        "server": state.server if state else None,
        "tables": state.tables if state else None,
        "schemas": state.schemas if state else None,
    }


def source_tables(sources: Sources, name: str, like: str) -> dict[str, Any]:
    """Return a source's tables whose name contains the text `like`. If there are none, return the tables that have a
    column with such a name.

    Raises:
        NotFound, Unavailable: no source has that name, or the source does not answer.
    """
    source = sources.book.find(name)
    listed = sources.tables(source)
    wanted = like.lower()
    found = [t for t in listed.tables if wanted in t.full_name.lower()] or [
        t for t in listed.tables if any(wanted in column.name.lower() for column in t.columns)
    ]
    return {
        "name": name,
        "read_at": listed.read_at.isoformat() if listed.read_at else None,
        "count": len(listed.tables) + listed.left_out,
        "left_out": listed.left_out,
        "matching": len(found),
        "tables": [
            {
                **asdict(table),
                "full_name": table.full_name,
                "columns": [asdict(c) for c in table.columns] if at < _MOST_COLUMNS_OF else [],
                "read_for_questions": read.rows_text if (read := listed.profile(table)) is not None else None,
            }
            for at, table in enumerate(found)
        ],
    }


def driver_rows() -> list[dict[str, Any]]:
    """Return the drivers, each with a title, an example address, whether it is installed, and the command to install
    it."""
    installed = installed_drivers()
    return [
        {
            "name": driver.name,
            "title": driver.title,
            "example": driver.example,
            "dialect": driver.dialect,
            "logs_in": driver.logs_in,
            "installed": installed[name],
            "install": driver.install,
        }
        for name, driver in DRIVERS.items()
    ]
