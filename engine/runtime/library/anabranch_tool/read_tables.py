"""Converts a file to typed Parquet files with the reader for the file's type. If necessary, a tolerant reader is used.
Errors are clear.
"""

import re
import shutil
import tempfile
from atexit import register
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import duckdb
import pyarrow as pa

from anabranch_tool.connections import connect, cores
from anabranch_tool.parquet_notes import read_notes
from anabranch_tool.raw_tables import RawTable, sql_text
from anabranch_tool.read_arrow import raw_arrow
from anabranch_tool.read_csv import CsvFile, breaks_its_rules, has_blank_rows
from anabranch_tool.read_excel import raw_sheet
from anabranch_tool.read_json import raw_json
from anabranch_tool.read_sqlite import raw_database_table
from anabranch_tool.typing_tables import TypedColumn, TypedTable, type_table

__all__ = ["MISREAD", "describe_parquet", "reason", "type_file", "typing_connection"]

MISREAD = (duckdb.Error, pa.ArrowException, OSError, ValueError, UnicodeError)
"""Exceptions that reading a file may raise because of its content."""
_MEMORY = "512MB"


def typing_connection() -> duckdb.DuckDBPyConnection:
    """Return a connection that reads files with all cores in bounded memory. It has its own temporary tables."""
    try:
        connection = _typing_database().cursor()
        connection.execute("SELECT 1")
    except duckdb.Error:  # an earlier file made the database unusable
        _typing_database.cache_clear()
        connection = _typing_database().cursor()
    connection.execute(
        "SET TimeZone = 'UTC'; "
        "SET enable_progress_bar = true; SET enable_progress_bar_print = false; SET progress_bar_time = 0"
    )
    return connection


@cache
def _typing_database() -> duckdb.DuckDBPyConnection:
    """Return this process's database for reading files: opening one takes longer than reading a small file."""
    database = connect(cores())
    spill = tempfile.mkdtemp(prefix="typing-")
    register(shutil.rmtree, spill, ignore_errors=True)
    database.execute(
        f"SET memory_limit = '{_MEMORY}'; SET temp_directory = '{sql_text(spill)}'; "
        "SET autoinstall_known_extensions = false; SET autoload_known_extensions = false"
    )
    return database


def type_file(file: Path, kind: str, sheet: str | None, target: Path, share: float) -> TypedTable:
    """Write one table of `file` to the Parquet file `target`.

    Raises:
        one of MISREAD: the file cannot be read; `reason` says why in words.
    """
    with tempfile.TemporaryDirectory(prefix="typing-") as name:
        folder = Path(name)
        connection = typing_connection()
        label = file.name if sheet is None else f"{file.name}, {sheet}"
        try:
            if kind in ("csv", "text"):
                return _type_csv(connection, file, folder, target, share)
            raw = _raw(connection, file, kind, sheet, folder)
            return type_table(connection, raw, target, share, label)
        finally:
            connection.close()


def _raw(
    connection: duckdb.DuckDBPyConnection, file: Path, kind: str, sheet: str | None, folder: Path
) -> RawTable:
    if kind == "json":
        return raw_json(connection, file, folder)
    if kind == "sqlite":
        return raw_database_table(connection, file, sheet or "", folder)
    if kind == "arrow":
        return raw_arrow(connection, file, folder)
    return raw_sheet(connection, file, sheet or "")


def _type_csv(
    connection: duckdb.DuckDBPyConnection, file: Path, folder: Path, target: Path, share: float
) -> TypedTable:
    read = CsvFile(file, folder)
    try:
        table = type_table(connection, read.raw(), target, share, file.name)
        if not has_blank_rows(connection, target):
            return table
    except duckdb.Error as error:
        if not breaks_its_rules(error):
            raise
    return type_table(connection, read.tolerant(), target, share, file.name)


def describe_parquet(connection: duckdb.DuckDBPyConnection, files: Sequence[Path]) -> TypedTable:
    """Return the facts about a Parquet file, or about several files that are one table, without reading rows."""
    source = parquet_source(files)
    described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    counted = connection.execute(f"SELECT count(*) FROM {source}").fetchone()
    notes = read_notes(files[0])
    columns = tuple(TypedColumn(name, kind, loss=notes.get(name)) for name, kind, *_ in described)
    losses = tuple(text for name, text in notes.items() if name not in {column.name for column in columns})
    return TypedTable(None, int(counted[0]) if counted else 0, columns, (), losses)


def parquet_source(files: Sequence[Path]) -> str:
    """Return SQL to select from Parquet files that are one table; values in their folders' names are columns."""
    listed = ", ".join(f"'{sql_text(file)}'" for file in files)
    hive = ", hive_partitioning = true" if len(files) > 1 and "=" in files[0].parent.name else ""
    return f"read_parquet([{listed}]{hive})"


def reason(kind: str, error: BaseException) -> str:
    """Return the reason why a file is not a table; common reasons are given in plain words."""
    text = str(error).split("\\n", 1)[0].split("\n", 1)[0]
    if kind == "parquet" and re.search(r"(?i)magic bytes|too small|not a parquet", text):
        return "it is not a Parquet file"
    if kind == "parquet" and re.search(r"(?i)snappy|corrupt|thrift|tprotocol", text):
        return "it is a damaged Parquet file"
    if kind == "json" and (found := re.search(r"Malformed JSON .*?(at byte \d+[^:]*): (.*)", text)):
        return f"it is not valid JSON: {found[2].strip().rstrip('.')} {found[1]}"
    return text[:300]
