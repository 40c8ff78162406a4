"""Reads SQLite databases as tables with Python's own library. They are opened read-only and never changed.

In SQLite, a column can contain values of any type. If all values of a column have the same type, the column keeps this
type; any other column is read as text and typed by its values, like a column of a CSV file.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from anabranch_tool.column_types import quote
from anabranch_tool.raw_tables import RawTable, sql_text

__all__ = ["database_tables", "raw_database_table", "why_not_a_database"]

_AT_ONCE = 20_000
_MAGIC = b"SQLite format 3\0"


def why_not_a_database(file: Path) -> str | None:
    """Return the reason why `file` is not a SQLite database with tables; None if it is one."""
    with file.open("rb") as stream:
        magic = stream.read(16)
    if magic != _MAGIC:
        return "it is not a SQLite database, or it is encrypted"
    try:
        with _opened(file) as database:
            database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.Error as error:
        return f"SQLite cannot read it: {error}"
    return None if database_tables(file) else "it contains no table"


def database_tables(file: Path) -> list[str]:
    """Return the names of the tables of a database; none if the database cannot be read. Views and virtual tables are
    left out."""
    try:
        with _opened(file) as database:
            rows = database.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
                "AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY rootpage"
            ).fetchall()
    except (sqlite3.Error, OSError):
        return []
    return [name for (name,) in rows if isinstance(name, str)]


def raw_database_table(
    connection: duckdb.DuckDBPyConnection, file: Path, table: str, folder: Path
) -> RawTable:
    """Return the rows of one table of a database.

    Raises:
        ValueError: the database is damaged.
    """
    try:
        with _opened(file) as database:
            return _read(connection, database, table, folder)
    except sqlite3.Error as error:
        raise ValueError(f"SQLite cannot read the table {table}: {error}") from None


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a database in its current state, without changing anything."""
    address = f"{file.resolve().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as database:
        database.execute("PRAGMA trusted_schema = OFF")
        database.text_factory = lambda data: data.decode("utf-8", "replace")
        yield database


def _read(
    connection: duckdb.DuckDBPyConnection, database: sqlite3.Connection, table: str, folder: Path
) -> RawTable:
    name = quote(table)
    columns = [row[1] for row in database.execute(f"PRAGMA table_xinfo({name})").fetchall() if row[6] != 1]
    kinds = _storage(database, name, columns)
    notes = []
    declared = database.execute("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name").fetchall()
    if declared:
        listed = ", ".join(str(view) for (view,) in declared[:5])
        notes.append(
            f"The database's views are not read: {listed}{' and more' if len(declared) > 5 else ''}."
        )
    types = [_arrow(kinds[column]) for column in columns]
    target = folder / "raw.parquet"
    schema = pa.schema([pa.field(f"c{at}", kind) for at, kind in enumerate(types)])
    listed = ", ".join(quote(column) for column in columns)
    rows = database.execute(f"SELECT {listed} FROM {name}")
    with pq.ParquetWriter(target, schema, compression="lz4") as writer:
        while batch := rows.fetchmany(_AT_ONCE):
            arrays = [
                pa.array([_cell(row[at], kind) for row in batch], kind) for at, kind in enumerate(types)
            ]
            writer.write_table(pa.table(arrays, schema=schema))
    parts = ", ".join(f"c{at} AS {quote(column)}" for at, column in enumerate(columns))
    source = f"(SELECT {parts} FROM read_parquet('{sql_text(target)}'))"
    described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    return RawTable(source, [(column, kind) for column, kind, *_ in described], sheet=table, notes=notes)


def _storage(database: sqlite3.Connection, table: str, columns: Sequence[str]) -> dict[str, set[str]]:
    """Return which kinds of values each column really contains."""
    found: dict[str, set[str]] = {}
    for column in columns:
        rows = database.execute(f"SELECT DISTINCT typeof({quote(column)}) FROM {table}").fetchall()
        found[column] = {kind for (kind,) in rows} - {"null"}
    return found


def _arrow(kinds: set[str]) -> pa.DataType:
    if kinds == {"integer"}:
        return pa.int64()
    if kinds and kinds <= {"integer", "real"}:
        return pa.float64()
    return pa.binary() if kinds == {"blob"} else pa.string()


def _cell(value: Any, kind: pa.DataType) -> Any:
    if value is None:
        return None
    if pa.types.is_floating(kind):
        return float(value)
    if pa.types.is_string(kind):
        return value.hex() if isinstance(value, bytes) else str(value)
    return value
