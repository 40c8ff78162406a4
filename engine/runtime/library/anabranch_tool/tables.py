"""A workspace's files as SQL tables, in a DuckDB connection that can see nothing else.

SQL written by a model is only ever run here, in a tool process. The connection is locked before any such SQL:
no file outside the workspace, no network, no extension, no setting can be reached from it. It runs on one
thread, because sums of floating-point numbers and the order of groups depend on how threads share the rows,
and a recorded call must give the same result when it is run again.
"""

import contextlib
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from anabranch_tool import table_excel
from anabranch_tool.table_files import TableFile, find_table_files, sql_name, tableless_files
from anabranch_tool.table_types import quote, typed_select

__all__ = [
    "OpenTables",
    "TableFile",
    "find_table_files",
    "open_tables",
    "profile",
    "sql_name",
    "tableless_files",
]

_TYPED_UP_TO = 512 << 20
"""Bytes of a CSV above which DuckDB's own types are taken and the file is not loaded."""
_LONG = 4 << 20
"""Bytes of a CSV above which its first rows tell how all are separated, where there are no quotation marks."""
_SNIFFED_ROWS = 20_480
_LONGEST_VALUE = 80
_MOST_VALUES = 5_000
_FEW_NUMBERS = 50
_TEXTS = ("VARCHAR", "BOOLEAN", "ENUM")
_WITHOUT_ORDER = ("STRUCT", "MAP", "LIST", "UNION", "BLOB", "JSON")


@dataclass(slots=True)
class OpenTables:
    """A locked connection, and what stands in it."""

    connection: duckdb.DuckDBPyConnection
    spill: tempfile.TemporaryDirectory[str]
    """Where the connection may put what does not fit into memory."""
    files: dict[str, TableFile] = field(default_factory=dict)
    """Tables that SQL can name."""
    notes: dict[str, str] = field(default_factory=dict)
    """What a reader had to assume, by table."""
    unread: dict[str, str] = field(default_factory=dict)
    """Why a file is no table, by path."""

    def close(self) -> None:
        """Close the connection and drop what it spilled."""
        self.connection.close()
        self.spill.cleanup()


def open_tables(
    workspace: Path,
    mentioned_in: str | None = None,
    memory_limit: str = "2GB",
    only: Iterable[str] | None = None,
) -> OpenTables:
    """Open the tables of `workspace`, all or only those that `mentioned_in` (SQL) or `only` (paths) name."""
    connection = duckdb.connect(":memory:")
    connection.execute(f"SET memory_limit = '{memory_limit}'; SET threads = 1; SET TimeZone = 'UTC'")
    # DuckDB lets SQL reach the folder that it spills to, so that one is new and holds nothing else
    spill = tempfile.TemporaryDirectory(prefix="tables-")
    connection.execute(f"SET temp_directory = '{_sql_text(spill.name)}'")
    opened = OpenTables(connection, spill)
    wanted = None if only is None else set(only)
    for table in find_table_files(workspace):
        if wanted is not None and table.path not in wanted:
            continue
        opened.files[table.name] = table
        if mentioned_in is not None and not re.search(
            rf"\b{re.escape(table.name)}\b", mentioned_in, re.IGNORECASE
        ):
            continue
        try:
            note = _open(connection, workspace, table)
        except (duckdb.Error, pa.ArrowException, OSError, ValueError, UnicodeError) as error:
            del opened.files[table.name]
            opened.unread[table.path] = _why(table, str(error).split("\n", 1)[0])
            continue
        if note:
            opened.notes[table.name] = note
    _lock(connection, workspace)
    return opened


def _why(table: TableFile, error: str) -> str:
    """Why a file is no table, in words for a person where it is plain."""
    if table.kind == "parquet" and re.search(r"(?i)magic bytes|too small|not a parquet", error):
        return "it is not a Parquet file"
    if table.kind == "json" and (found := re.search(r"Malformed JSON .*?(at byte \d+[^:]*): (.*)", error)):
        return f"it is not valid JSON: {found[2].strip().rstrip('.')} {found[1]}"
    return error[:300]


def _lock(connection: duckdb.DuckDBPyConnection, workspace: Path) -> None:
    folder = _sql_text(str(workspace.resolve()))
    connection.execute(f"SET allowed_directories = ['{folder}/']")
    for setting in (
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "python_enable_replacements = false",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        connection.execute(f"SET {setting}")


def _sql_text(text: str) -> str:
    return text.replace("'", "''")


def _open(connection: duckdb.DuckDBPyConnection, workspace: Path, table: TableFile) -> str | None:
    file = workspace / table.path
    if table.kind == "parquet":
        path = _sql_text(str(file.resolve()))
        connection.execute(f"CREATE VIEW {quote(table.name)} AS SELECT * FROM read_parquet('{path}')")
        return None
    if table.kind == "csv" and file.stat().st_size > _TYPED_UP_TO:
        path = _sql_text(str(file.resolve()))
        connection.execute(f"CREATE VIEW {quote(table.name)} AS SELECT * FROM read_csv('{path}')")
        return "This file is large: its columns have the types that its first rows suggest."
    notes: list[str] = []
    if table.kind == "csv":
        notes += _load_csv(connection, file)
    elif table.kind == "json":
        _load_json(connection, file)
    else:
        connection.register("raw_arrow", table_excel.read_sheet(file, table.sheet or ""))
        connection.execute("CREATE OR REPLACE TEMP TABLE raw_rows AS SELECT * FROM raw_arrow")
        connection.unregister("raw_arrow")
    columns, typed = typed_select(connection, "raw_rows")
    connection.execute(f"CREATE TABLE {quote(table.name)} AS SELECT {columns} FROM raw_rows")
    connection.execute("DROP TABLE raw_rows")
    return " ".join([*notes, *typed]) or None


def _load_csv(connection: duckdb.DuckDBPyConnection, file: Path) -> list[str]:
    """Load `file` as texts into `raw_rows`: encoding and delimiter found, lines that do not fit left out and told."""
    notes: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        source = file
        encoding, plain = _look(file)
        if encoding != "utf-8":
            source = Path(folder) / "utf8.csv"
            source.write_text(file.read_bytes().decode(encoding, "replace"), encoding="utf-8", newline="")
            notes.append(f"Read as {encoding}.")
        tab = ", delim = '\t'" if file.suffix.lower() in (".tsv", ".tab") else ""
        read = f"read_csv('{_sql_text(str(source))}', all_varchar = true, nullstr = ''{tab}"
        create = "CREATE OR REPLACE TEMP TABLE raw_rows AS SELECT * FROM "
        for sample in (_SNIFFED_ROWS, -1) if plain else (-1,):
            with contextlib.suppress(duckdb.Error):
                connection.execute(f"{create}{read}, sample_size = {sample})")
                return notes
        connection.execute(f"{create}{read}, sample_size = -1, strict_mode = false, null_padding = true, "
                           "store_rejects = true)")  # fmt: skip
        rejected = connection.execute("SELECT count(DISTINCT line) FROM reject_errors").fetchone()
        if rejected and rejected[0]:
            notes.append(f"{rejected[0]} lines that do not fit the others are left out.")
    return notes


def _look(file: Path) -> tuple[str, bool]:
    """The encoding of `file`, and whether it is so long and plain that its first rows tell how to read all of it.

    Where a quotation mark may come late, only all rows tell whether values stand in quotation marks.
    """
    if file.suffix.lower() == ".gz":
        return "utf-8", False
    content = file.read_bytes()
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16", False
    try:
        if not content.isascii():
            content.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252", False
    return "utf-8", len(content) > _LONG and not any(mark in content for mark in (b'"', b"'", b"\\"))


def _load_json(connection: duckdb.DuckDBPyConnection, file: Path) -> None:
    """Load records of `file` into `raw_rows`; one level of nesting becomes columns of its own."""
    path = _sql_text(str(file))
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE raw_rows AS SELECT * FROM read_json('{path}', sample_size = -1, "
        "convert_strings_to_integers = false, maximum_object_size = 268435456)"
    )
    described = connection.execute("DESCRIBE raw_rows").fetchall()
    held = [name for name, kind, *_ in described if kind.startswith("STRUCT(") and kind.endswith(")[]")]
    if len(held) == 1 and connection.execute("SELECT count(*) FROM raw_rows").fetchone() == (1,):
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE raw_rows AS SELECT unnest({quote(held[0])}, max_depth := 2) FROM raw_rows"
        )
        described = connection.execute("DESCRIBE raw_rows").fetchall()
    parts = [part for name, kind, *_ in described for part in _flat(connection, name, kind)]
    connection.execute(f"CREATE OR REPLACE TEMP TABLE raw_rows AS SELECT {', '.join(parts)} FROM raw_rows")


def _flat(connection: duckdb.DuckDBPyConnection, name: str, kind: str) -> list[str]:
    column = quote(name)
    if kind == "JSON":
        return [f"{column} ->> '$' AS {column}"]
    if kind.endswith("[]"):
        return [f"CAST(to_json({column}) AS VARCHAR) AS {column}"]
    if not kind.startswith("STRUCT("):
        return [column]
    inner = connection.execute(f"SELECT {column}.* FROM raw_rows LIMIT 0").description or []
    return [
        f"struct_extract({column}, '{_sql_text(part[0])}') AS {quote(name + '_' + part[0])}" for part in inner
    ]


def profile(workspace: Path, only: Iterable[str] | None = None) -> dict[str, Any]:
    """Tell every table of `workspace`, or of its files `only`, with its columns: types, ranges, different values.

    Returns `{"tables": [...], "unread": {path: reason}}`; each table has the keys `name`, `path`, `sheet`,
    `rows`, `columns`, `note`, each column `name`, `type`, `distinct`, `missing`, `minimum`, `maximum`,
    `values`, `values_complete`.
    """
    only = None if only is None else set(only)
    opened = open_tables(workspace, only=only)
    try:
        tables = [_table(opened, name) for name in opened.files]
    finally:
        opened.close()
    lacking = {path: why for path, why in tableless_files(workspace).items() if only is None or path in only}
    return {"tables": tables, "unread": {**lacking, **opened.unread}}


def _table(opened: OpenTables, name: str) -> dict[str, Any]:
    connection, file = opened.connection, opened.files[name]
    described = connection.execute(f"DESCRIBE {quote(name)}").fetchall()
    parts = ["count(*)"]
    for column, kind, *_ in described:
        c = quote(column)
        ordered = not kind.startswith(_WITHOUT_ORDER) and not kind.endswith("[]")
        parts += [f"count({c})", f"count(DISTINCT {c})"]
        parts += [f"CAST(min({c}) AS VARCHAR)", f"CAST(max({c}) AS VARCHAR)"] if ordered else ["NULL", "NULL"]
    row = connection.execute(f"SELECT {', '.join(parts)} FROM {quote(name)}").fetchone()
    assert row is not None
    columns = []
    for index, (column, kind, *_) in enumerate(described):
        filled, distinct, low, high = row[1 + index * 4 : 5 + index * 4]
        values = _values(connection, name, column, kind, distinct)
        columns.append(
            {
                "name": column,
                "type": kind,
                "distinct": distinct,
                "missing": row[0] - filled,
                "minimum": low if low is None else low[:200],
                "maximum": high if high is None else high[:200],
                "values": values,
                "values_complete": len(values) == distinct,
            }
        )
    return {
        "name": name,
        "path": file.path,
        "sheet": file.sheet,
        "rows": row[0],
        "columns": columns,
        "note": opened.notes.get(name),
    }


def _values(
    connection: duckdb.DuckDBPyConnection, table: str, column: str, kind: str, distinct: int
) -> list[str]:
    is_text = kind.startswith(_TEXTS)
    is_number = kind.startswith(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINY", "USMALL", "UINT", "UBIG",
                                 "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL"))  # fmt: skip
    if not is_text and not (is_number and distinct <= _FEW_NUMBERS):
        return []
    c = quote(column)
    rows = connection.execute(
        f"SELECT CAST({c} AS VARCHAR) FROM {quote(table)} WHERE {c} IS NOT NULL "
        f"AND length(CAST({c} AS VARCHAR)) <= {_LONGEST_VALUE} "
        f"GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT {_MOST_VALUES}"
    ).fetchall()
    return [row[0] for row in rows]
