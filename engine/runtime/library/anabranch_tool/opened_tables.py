"""The tables of an open connection: their names, the files that contain their rows, and known facts about them."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

__all__ = ["OpenTables", "Table", "table_notes"]


@dataclass(frozen=True, slots=True)
class Table:
    """One table that SQL can use."""

    name: str
    path: str
    kind: str
    sheet: str | None
    parquet: tuple[Path, ...]
    """The Parquet files with its rows, or the files that `select` reads."""
    notes: tuple[str, ...] = ()
    """The assumptions that were made when the file was read."""
    losses: tuple[str, ...] = ()
    """The parts of the file that are not in the table."""
    columns: tuple[Mapping[str, Any], ...] = ()
    """The columns of a typed table: `name`, `type`, `unreadable`, `examples`, `note`, `loss`."""
    size: int = 0
    """The size of the table's file in bytes."""
    moment: str = ""
    """The schema of an earlier state of the files; empty for the current state."""
    select: str = ""
    """The SELECT that reads the table's rows from linked files; `parquet` then lists these files."""
    rows: int = 0
    """The number of rows, which may be an estimate. It is set only if there is a `select`."""

    @property
    def title(self) -> str:
        """Return the table's name with its schema: `orders`, or `before_cleaning.orders`."""
        return f"{self.moment}.{self.name}" if self.moment else self.name


@dataclass(slots=True)
class OpenTables:
    """A locked connection, and the tables in it."""

    connection: duckdb.DuckDBPyConnection
    spill: tempfile.TemporaryDirectory[str]
    """The folder where the connection may write data that does not fit into memory."""
    files: dict[str, Table] = field(default_factory=dict)
    """Tables that SQL can use, by their titles."""
    unread: dict[str, str] = field(default_factory=dict)
    """Path → the reason why the file is not a table."""

    @property
    def notes(self) -> dict[str, list[str]]:
        """Return the assumptions that were made and the values that could not be read, by table."""
        told = {name: table_notes(table) for name, table in self.files.items()}
        return {name: notes for name, notes in told.items() if notes}

    @property
    def columns(self) -> dict[str, tuple[Mapping[str, Any], ...]]:
        """Return the columns of the typed tables, by table."""
        return {name: table.columns for name, table in self.files.items()}

    def close(self) -> None:
        """Close the connection and delete its temporary files."""
        self.connection.close()
        self.spill.cleanup()


def table_notes(table: Table) -> list[str]:
    """Return everything that was assumed or lost when a table was read."""
    columns = [text for column in table.columns for text in (column["note"], column["loss"]) if text]
    return [*table.losses, *table.notes, *columns]
