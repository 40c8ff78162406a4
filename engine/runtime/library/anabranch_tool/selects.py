"""Runs SELECTs over a workspace's tables for the page, for example to preview a step. Saves nothing."""

from pathlib import Path
from typing import Any

import duckdb

from anabranch_tool.cells import plain_cell
from anabranch_tool.tables import open_tables

__all__ = ["run"]


def run(workspace: Path, statements: list[str], limit: int = 1_000) -> dict[str, Any]:
    """Return the first `limit` rows of each statement, as `{"results": [{"columns", "types", "rows", "total"}]}`.

    Raises:
        ValueError: DuckDB cannot run a statement; the text is DuckDB's message.
    """
    opened = open_tables(workspace, mentioned_in="\n".join(statements))
    try:
        return {"results": [_first_rows(opened.connection, sql, limit) for sql in statements]}
    except duckdb.Error as error:
        raise ValueError(str(error)) from None
    finally:
        opened.close()


def _first_rows(connection: duckdb.DuckDBPyConnection, sql: str, limit: int) -> dict[str, Any]:
    connection.execute(f"CREATE OR REPLACE TEMP TABLE found AS (\n{sql}\n)")
    described = connection.execute("DESCRIBE found").fetchall()
    counted: Any = connection.execute("SELECT count(*) FROM found").fetchone()
    rows = connection.execute(f"SELECT * FROM found LIMIT {int(limit)}").fetchall()
    return {
        "columns": [name for name, *_ in described],
        "types": [kind for _, kind, *_ in described],
        "rows": [[plain_cell(cell) for cell in row] for row in rows],
        "total": counted[0],
    }
