"""Result files for the page: a page of rows, and the whole as CSV. Read in a tool process, never in the app's."""

from pathlib import Path
from typing import Any

import duckdb

from anabranch_tool.cells import plain_cell

__all__ = ["page", "to_csv"]


def page(workspace: Path, path: str, limit: int, offset: int = 0) -> dict[str, Any]:
    """Return `{"columns": [{"name", "type"}], "rows": [[…]], "total": n}` of a Parquet file."""
    with duckdb.connect(":memory:") as connection:
        source = connection.from_parquet(str(workspace / path))
        total = connection.execute(
            "SELECT count(*) FROM read_parquet(?)", [str(workspace / path)]
        ).fetchall()[0][0]
        columns = [
            {"name": name, "type": str(kind)} for name, kind in zip(source.columns, source.types, strict=True)
        ]
        rows = source.limit(limit, offset).fetchall()
    return {"columns": columns, "rows": [[plain_cell(cell) for cell in row] for row in rows], "total": total}


def to_csv(workspace: Path, path: str, target: str) -> dict[str, Any]:
    """Write a Parquet file as CSV beside it."""
    with duckdb.connect(":memory:") as connection:
        source = connection.from_parquet(str(workspace / path))
        source.to_csv(str(workspace / target), header=True)
    return {"file": target}
