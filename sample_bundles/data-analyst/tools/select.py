"""One SELECT over the workspace's tables: what is refused, how errors read, how cells become JSON."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from anabranch_tool.cells import plain_cell
from anabranch_tool.tables import OpenTables, open_tables

__all__ = ["Refused", "Result", "run_select"]

_MISSING_TABLE = re.compile(r"Table with name (\S+) does not exist")
_MISSING_COLUMN = re.compile(r'Referenced column "([^"]+)" not found')


class Refused(ValueError):
    """SQL that is not run, or cannot be; the message is for the one who wrote it."""


@dataclass(slots=True)
class Result:
    """A finished SELECT, kept as the temporary table `result` of an open connection."""

    opened: OpenTables
    rows: int
    columns: list[dict[str, str]]

    def fetch(self, limit: int) -> list[list[Any]]:
        """The first `limit` rows, JSON safe."""
        found = self.opened.connection.execute(f"SELECT * FROM result LIMIT {limit}").fetchall()
        return [[plain_cell(value) for value in row] for row in found]


def run_select(workspace: Path, sql: str) -> Result:
    """Run one SELECT over the tables of `workspace`; the caller closes `result.opened`.

    Raises:
        Refused: no single SELECT, or one that DuckDB cannot run; says what is wrong and what there is.
    """
    statement = _one_select(sql)
    opened = open_tables(workspace, mentioned_in=statement)
    try:
        opened.connection.execute(f"CREATE TEMP TABLE result AS ({statement}\n)")
        described = opened.connection.execute("DESCRIBE result").fetchall()
        counted = opened.connection.execute("SELECT count(*) FROM result").fetchone()
    except duckdb.Error as error:
        message = _in_plain_words(opened, str(error))
        opened.close()
        raise Refused(message) from None
    columns = [{"name": name, "type": kind} for name, kind, *_ in described]
    return Result(opened, counted[0] if counted else 0, columns)


def _one_select(sql: str) -> str:
    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error as error:
        raise Refused(f"This is not SQL that DuckDB can read. {_first_line(str(error))}") from None
    if len(statements) != 1:
        raise Refused(f"Send one SELECT at a time; there are {len(statements)} statements here.")
    if statements[0].type != duckdb.StatementType.SELECT:
        raise Refused("Only SELECT is run here: the files of the workspace are read, never changed.")
    text = statements[0].query.strip().rstrip(";").strip()
    if re.match(r"(?i)(describe|show|summarize|pragma|explain)\b", text):
        return f"FROM ({text})"
    return text


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0].strip()


def _in_plain_words(opened: OpenTables, error: str) -> str:
    tables = ", ".join(sorted(opened.files)) or "none"
    if found := _MISSING_TABLE.search(error):
        name = found.group(1).strip("\"!'")
        why = next(
            (reason for path, reason in opened.unread.items() if Path(path).stem.lower() == name.lower()), ""
        )
        told = f" Its file could not be read: {why}." if why else ""
        return f"There is no table “{name}”.{told} The tables are: {tables}."
    if found := _MISSING_COLUMN.search(error):
        return f"There is no column “{found.group(1)}”. The columns are: {_columns(opened)}."
    if "Permission Error" in error:
        return f"Only the tables of this workspace can be read: {tables}."
    return f"DuckDB could not run this: {_first_line(error)}"


def _columns(opened: OpenTables) -> str:
    rows = opened.connection.execute(
        "SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns() "
        "WHERE NOT internal GROUP BY 1 ORDER BY 1"
    ).fetchall()
    return "; ".join(f"{table} ({', '.join(columns)})" for table, columns in rows)
