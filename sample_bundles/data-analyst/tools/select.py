"""Runs one SELECT over the workspace's tables: rejects other statements, explains errors, and returns the rows."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
from anabranch_tool import ToolError
from anabranch_tool.context import given
from anabranch_tool.tables import OpenTables, notes_for, open_tables

__all__ = ["Result", "run_select"]

_MISSING_TABLE = re.compile(r'Table with name ("[^"]+"|\S+) does not exist')
_MISSING_COLUMN = re.compile(r'(?:Referenced column|does not have a column named) "([^"]+)"')
_LONGEST_ERROR = 2_000
"""The maximum number of characters of DuckDB's message."""
_MOST_NAMES = 40
_READS = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
_PIVOT = "MULTI"
"""DuckDB's type for a PIVOT statement, which it runs in two parts."""


@dataclass(slots=True)
class Result:
    """The result of a SELECT, stored as the temporary table `result` of an open connection."""

    opened: OpenTables
    rows: int
    columns: list[dict[str, str]]
    notes: list[str] = field(default_factory=list)
    """Sentences about values and rows that are missing from the tables and columns that the SELECT uses."""
    source: dict[str, Any] | None = None
    """Where and when the result was read; None if it was read from the workspace."""

    def rows_from_start(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows in order."""
        found = self.opened.connection.execute("SELECT * FROM result")
        while batch := found.fetchmany(200):
            yield from batch


def run_select(workspace: Path, sql: str) -> Result:
    """Run one SELECT over the tables of `workspace`; the caller closes `result.opened`.

    Raises:
        ToolError: the SQL is not a single statement that only reads, or DuckDB cannot run it; the error says what is
            wrong, and which tables and columns exist.
    """
    opened = open_tables(workspace, mentioned_in=sql)
    try:
        statement = _one_select(opened.connection, sql)
        # on a line of its own, so that DuckDB's errors point into the SQL as it was written
        opened.connection.execute(f"CREATE TEMP TABLE result AS (\n{statement}\n)")
        described = opened.connection.execute("DESCRIBE result").fetchall()
        counted = opened.connection.execute("SELECT count(*) FROM result").fetchone()
    except duckdb.Error as error:
        message = _explained(opened, str(error))
        opened.close()
        raise ToolError(message) from None
    except ToolError:
        opened.close()
        raise
    columns = [{"name": name, "type": kind} for name, kind, *_ in described]
    return Result(opened, counted[0] if counted else 0, columns, notes_for(opened, statement))


def _one_select(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    try:
        statements = connection.extract_statements(sql)  # without `connection`, DuckDB would open another one
    except duckdb.Error as error:
        raise ToolError(_cut(str(error))) from None
    if len(statements) != 1:
        raise ToolError(f"Send one SELECT at a time; there are {len(statements)} statements here.")
    kind, text = statements[0].type, _without_end(statements[0].query)
    if kind not in _READS and kind.name != _PIVOT:
        raise ToolError(
            f"This statement is of the kind {kind.name}, but only SELECT is run here: files are read, never changed. "
            "To make a table, SELECT it; the result can be used in later SQL by its name."
        )
    if kind == duckdb.StatementType.EXPLAIN:
        raise ToolError("EXPLAIN is not run here. Run the SELECT itself.")
    return text


def _without_end(statement: str) -> str:
    """Return the statement without its semicolon and any comment after it."""
    data = statement.encode()
    ends = [start for start, kind in duckdb.tokenize(statement) if kind == duckdb.token_type.operator]
    if ends and data[ends[-1] :].lstrip().startswith(b";"):
        return data[: ends[-1]].decode()
    return statement


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_ERROR else text[: _LONGEST_ERROR - 1] + "…"


def _explained(opened: OpenTables, error: str) -> str:
    """Return DuckDB's message, with line numbers that match the user's SQL, and with similar names."""
    error = _cut(re.sub(r"\bLINE (\d+):", lambda found: f"LINE {int(found[1]) - 1}:", error).strip())
    if "Permission Error" in error:
        return f"{error}\n\nOnly the tables of this workspace can be read. {_tables(opened)}"
    if found := _MISSING_TABLE.search(error):
        name = found.group(1).strip("\"!'")
        wanted = name.rpartition(".")[2].lower()
        unread = (why for path, why in opened.unread.items() if Path(path).stem.lower() == wanted)
        told = f" The file of that name could not be read: {why}." if (why := next(unread, "")) else ""
        return f"{error}\n\n{_tables(opened, name)}{told}{_moments() if '.' in name else ''}"
    if found := _MISSING_COLUMN.search(error):
        return f"{error}\n\n{_columns(opened, found.group(1))}"
    return error


def _tables(opened: OpenTables, near: str = "") -> str:
    names = _nearest(near, sorted(opened.files))
    if not names:
        return "The workspace has no tables."
    more = len(opened.files) - len(names)
    return f"The tables are: {', '.join(names)}" + (f" and {more} more." if more else ".")


def _moments() -> str:
    named = given.get("named_moments", [])
    return f" The moments are: {', '.join(named)}." if named else " No moment of this chat has a name yet."


def _columns(opened: OpenTables, near: str) -> str:
    rows = opened.connection.execute(
        "SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns() "
        "WHERE NOT internal GROUP BY 1 ORDER BY 1"
    ).fetchall()
    told = []
    for table, columns in rows:
        names = _nearest(near, columns)
        more = f" and {len(columns) - len(names)} more" if len(columns) > len(names) else ""
        told.append(f"{table} ({', '.join(names)}{more})")
    return f"The columns are: {'; '.join(told)}."


def _nearest(name: str, names: list[str]) -> list[str]:
    """Return all `names`, or only those most similar to `name` if there are many."""
    if len(names) <= _MOST_NAMES:
        return names
    import difflib  # noqa: PLC0415 -- rarely needed

    ranked = sorted(names, key=lambda one: -difflib.SequenceMatcher(None, name.lower(), one.lower()).ratio())
    return ranked[:_MOST_NAMES]
