"""Opens a workspace's files as SQL tables, in a DuckDB connection that can access nothing else.

SQL written by a model runs only here, in a tool process. The connection is locked before any such SQL runs: it cannot
reach the network, extensions, settings, or other files than the workspace and the engine's typed tables. With less than
a gigabyte of input it runs on one thread: sums of floating-point numbers and the order of groups depend on how threads
share the rows, and a recorded call must give the same result when it is run again.
"""

import re
import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import duckdb

from anabranch_tool import result_names, samples  # noqa: F401 -- loaded once by a host, for tools that save results
from anabranch_tool.as_written import SCHEMA, tables_as_written
from anabranch_tool.column_types import quote
from anabranch_tool.connections import connect, cores
from anabranch_tool.context import given
from anabranch_tool.opened_tables import OpenTables, Table
from anabranch_tool.parquet_notes import read_notes, write_result
from anabranch_tool.raw_tables import sql_text
from anabranch_tool.read_tables import MISREAD, parquet_source, reason
from anabranch_tool.table_cache import typed_entry
from anabranch_tool.table_files import (
    TableFile,
    find_table_files,
    sql_name,
    tableless_files,
    tabular_paths,
)
from anabranch_tool.table_notes import notes_for
from anabranch_tool.table_profile import profile_linked, profile_parquet

__all__ = [
    "OpenTables",
    "Table",
    "TableFile",
    "find_table_files",
    "notes_for",
    "open_tables",
    "profile",
    "sql_name",
    "tableless_files",
    "write_result",
]

SHARE = 0.05
"""The default share of a column's values that may be unreadable."""
_ONE_THREAD_BELOW = 1 << 30


def open_tables(
    workspace: Path,
    mentioned_in: str | None = None,
    memory_limit: str = "2GB",
    only: Iterable[str] | None = None,
) -> OpenTables:
    """Open all tables of `workspace`, or only the tables that `mentioned_in` (SQL) or `only` (paths) names.

    Files that the engine has already typed become views of their Parquet files; others are typed now, for this call
    only.
    """
    connection = connect()
    # SQL can read the folder to which DuckDB spills, so the folder is new and contains nothing else
    spill = tempfile.TemporaryDirectory(prefix="tables-")
    opened = OpenTables(connection, spill)
    connection.execute(
        f"SET memory_limit = '{memory_limit}'; SET TimeZone = 'UTC'; SET temp_directory = '{sql_text(spill.name)}'"
    )
    wanted = None if only is None else set(only)
    opened.unread.update(given.get("unread_tables", {}))
    catalog = [_from_catalog(workspace, told) for told in given.get("tables", [])]
    listed = [table for table in catalog if wanted is None or table.path in wanted]
    listed += _typed_now(workspace, opened, catalog, mentioned_in, wanted)
    listed += _of_moments(opened) if wanted is None else []
    if mentioned_in is not None and _is_mentioned(SCHEMA, mentioned_in):
        mentioned = [
            table for table in listed if not table.moment and _is_mentioned(table.name, mentioned_in)
        ]
        listed += tables_as_written(workspace, opened, mentioned)
    readable: list[Path] = []
    size = 0
    for table in listed:
        opened.files[table.title] = table
        if all(
            _is_mentioned(name, mentioned_in) for name in (table.name, table.moment) if name
        ) and _make_view(opened, table):
            readable += table.parquet
            size += table.size
    _lock(connection, workspace, readable, threads=1 if size < _ONE_THREAD_BELOW else cores())
    return opened


def _is_mentioned(name: str, sql: str | None) -> bool:
    return sql is None or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sql, re.IGNORECASE) is not None


def _from_catalog(workspace: Path, told: Mapping[str, Any]) -> Table:
    return Table(
        told["name"],
        told["path"],
        told["kind"],
        told["sheet"],
        tuple(
            workspace / file for file in told["parquet"]
        ),  # paths in the cache are absolute, paths in the workspace are relative
        tuple(told["notes"]),
        tuple(told["losses"]),
        tuple(told["columns"]),
        told["bytes"],
        select=told.get("select", ""),
        rows=told.get("rows", 0),
    )


def _of_moments(opened: OpenTables) -> list[Table]:
    """Return the tables of the earlier states that the call names, and make a schema for each state."""
    found = []
    for moment in given.get("moments", []):
        name = moment["name"]
        opened.connection.execute(f"CREATE SCHEMA {quote(name)}")
        opened.unread.update({f"{name}/{path}": why for path, why in moment["unread"].items()})
        found += [replace(_from_catalog(Path(), told), moment=name) for told in moment["tables"]]
    return found


def _typed_now(
    workspace: Path,
    opened: OpenTables,
    catalog: list[Table],
    mentioned_in: str | None,
    wanted: set[str] | None,
) -> list[Table]:
    """Type the tables that the catalog does not have. In a tool host, these are only the tables in files that this call
    made; elsewhere, they are all tables.
    """
    known = {table.path for table in catalog} | set(opened.unread)
    known |= {
        file.relative_to(workspace).as_posix()
        for table in catalog
        for file in table.parquet
        if file.is_relative_to(workspace)
    }
    fresh = tabular_paths(workspace) - known
    if not fresh:
        return []
    lacking = tableless_files(workspace, only=fresh)
    opened.unread.update(lacking)
    found = find_table_files(workspace, taken={table.name for table in catalog}, without=known | set(lacking))
    tables: list[Table] = []
    entries: dict[str, dict[str, Any]] = {}
    for file in found:
        if wanted is not None and file.path not in wanted:
            continue
        if file.kind == "parquet":
            files = tuple(workspace / path for path in file.parts or (file.path,))
            tables.append(
                Table(file.name, file.path, file.kind, None, files, size=sum(f.stat().st_size for f in files))
            )
        elif not _is_mentioned(file.name, mentioned_in):
            tables.append(Table(file.name, file.path, file.kind, file.sheet, ()))
        elif (table := _typed(workspace, file, opened, entries)) is not None:
            tables.append(table)
    return tables


def _typed(
    workspace: Path, file: TableFile, opened: OpenTables, entries: dict[str, dict[str, Any]]
) -> Table | None:
    target = Path(opened.spill.name) / f"typed-{len(entries)}"
    if file.path not in entries:
        entries[file.path] = {**typed_entry(workspace, file.path, target, SHARE), "folder": target}
    entry = entries[file.path]
    if entry["unread"]:
        opened.unread[file.path] = entry["unread"]
    told = next((table for table in entry["tables"] if table["sheet"] == file.sheet), None)
    if told is None:
        return None
    return Table(
        file.name,
        file.path,
        file.kind,
        file.sheet,
        (entry["folder"] / told["parquet"],),
        tuple(told["notes"]),
        tuple(told["losses"]),
        tuple(told["columns"]),
        (workspace / file.path).stat().st_size,
    )


def _make_view(opened: OpenTables, table: Table) -> bool:
    try:
        name = f"{quote(table.moment or 'main')}.{quote(table.name)}"
        select = table.select or f"SELECT * FROM {parquet_source(table.parquet)}"
        opened.connection.execute(f"CREATE VIEW {name} AS {select}")
    except MISREAD as error:
        del opened.files[table.title]
        opened.unread[str(PurePosixPath(table.moment, table.path))] = reason(table.kind, error)
        return False
    if table.kind == "parquet" and (notes := read_notes(table.parquet[0])):
        columns = tuple({"name": name, "note": None, "loss": text} for name, text in notes.items() if name)
        losses = tuple(text for name, text in notes.items() if not name)
        opened.files[table.title] = replace(table, notes=(), losses=losses, columns=columns)
    return True


def _lock(
    connection: duckdb.DuckDBPyConnection, workspace: Path, readable: Iterable[Path], threads: int
) -> None:
    folder = sql_text(workspace.resolve())
    files = ", ".join(f"'{sql_text(file)}'" for file in readable)
    settings = (
        f"threads = {threads}",
        f"allowed_directories = ['{folder}/']",
        f"allowed_paths = [{files}]",
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "python_enable_replacements = false",
        "enable_external_access = false",
        "lock_configuration = true",
    )
    connection.execute("; ".join(f"SET {setting}" for setting in settings))


def profile(workspace: Path, only: Collection[str] | None = None) -> dict[str, Any]:
    """Describe every table of `workspace`, or of only some of its files, with its columns: types, ranges, distinct
    values.

    Returns `{"tables": [...], "unread": {path: reason}}`; each table has the keys `name`, `path`, `sheet`, `rows`,
    `columns` and `notes`, and each column has the keys of `ColumnProfile`.
    """
    opened = open_tables(workspace, only=only)
    try:
        tables = [_described(table) for table in opened.files.values()]
    finally:
        opened.close()
    unread = {path: why for path, why in opened.unread.items() if only is None or path in only}
    unread |= {table["path"]: table["unread"] for table in tables if "unread" in table}
    return {"tables": [table for table in tables if "unread" not in table], "unread": unread}


def _described(table: Table) -> dict[str, Any]:
    told = {"columns": table.columns, "notes": table.notes, "losses": table.losses}
    if table.select:
        linked = {"select": table.select, "reads": [str(part) for part in table.parquet], "bytes": table.size}
        found = profile_linked({**linked, "told": {**told, "rows": table.rows}})
    else:
        found = profile_parquet(table.parquet, told if table.kind != "parquet" else None)
    return {"name": table.name, "path": table.path, "sheet": table.sheet, **found}
