"""SQL over a chat's own history: its events and read models, from Parquet files placed in the folder."""

from pathlib import Path
from typing import Any

import duckdb

from anabranch_tool.cells import plain_cell
from anabranch_tool.connections import connect

__all__ = ["query_history"]

_MOST = 500
_LOCKED = (
    "autoinstall_known_extensions = false",
    "autoload_known_extensions = false",
    "python_enable_replacements = false",
    "enable_external_access = false",
    "lock_configuration = true",
)


def query_history(workspace: Path, sql: str, limit: int = 100) -> dict[str, Any]:
    """Run one SELECT over the tables; at most `limit` rows are returned."""
    with connect() as connection:
        connection.execute("SET TimeZone = 'UTC'; SET memory_limit = '1GB'")
        tables = sorted(workspace.glob("*.parquet"))
        for file in tables:
            path = str(file.resolve()).replace("'", "''")
            connection.execute(f"CREATE TABLE \"{file.stem}\" AS SELECT * FROM read_parquet('{path}')")
        for setting in _LOCKED:
            connection.execute(f"SET {setting}")
        try:
            found = connection.execute(sql)
        except duckdb.Error as error:
            first = str(error).split("\n\n", 1)[0]
            named = ", ".join(file.stem for file in tables)
            raise ValueError(f"{first}\nThe tables are: {named}.") from None
        columns = [{"name": column[0], "type": str(column[1])} for column in found.description or []]
        rows = found.fetchmany(min(limit, _MOST) + 1)
    kept = rows[: min(limit, _MOST)]
    return {
        "columns": columns,
        "rows": [[plain_cell(cell) for cell in row] for row in kept],
        "truncated": len(rows) > len(kept),
        "sql": sql.strip(),
    }
