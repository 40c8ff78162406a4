"""Result files for the page: rows in any order, series to draw, and the whole in other formats.

Read in a tool process, never in the app's. No result is loaded whole for a page of it; sorting or searching writes an
order of rows once, and pages follow it.
"""

from pathlib import Path
from typing import Any

import duckdb

from anabranch_tool.cells import plain_cell
from anabranch_tool.table_types import quote
from anabranch_tool.tables import open_tables

__all__ = ["arrange", "page", "series", "to_csv", "to_excel", "to_parquet"]

_ROW = "anabranch_row"


def arrange(
    workspace: Path,
    path: str,
    target: str,
    order_by: str | None = None,
    descending: bool = False,
    find: str = "",
) -> dict[str, Any]:
    """Write which rows of a Parquet file are wanted, and in which order, for `page`: once for many pages.

    Without `order_by` they stand in the file's order; missing values come last. With `find` only those rows are wanted
    that hold it in any cell, upper and lower case being the same.
    """
    with _opened(workspace, path) as connection:
        names = [name for name, _ in _columns(connection)]
        wanted, parameters = "", []
        if find.strip():
            cells = ", ".join(f"CAST({quote(name)} AS VARCHAR)" for name in names)
            wanted, parameters = (
                f"WHERE contains(lower(concat_ws(chr(31), {cells})), ?)",
                [find.strip().lower()],
            )
        way = "DESC" if descending else "ASC"
        order = f"{quote(order_by)} {way} NULLS LAST, {_ROW}" if order_by in names else _ROW
        rows = connection.sql(
            f"SELECT {_ROW} FROM result {wanted} ORDER BY {order}", params=parameters or None
        )
        rows.to_parquet(str(workspace / target))
    return {"file": target}


def page(
    workspace: Path, path: str, limit: int, offset: int = 0, arranged: str | None = None
) -> dict[str, Any]:
    """Return `limit` rows from `offset` on, as `{"columns": [{"name", "type"}], "rows": [[…]], "total", "found"}`.

    Rows stand in the file's order, or as the file `arranged` has them, which `arrange` wrote; `found` counts those.
    """
    with _opened(workspace, path) as connection:
        columns = _columns(connection)
        found = total = _number(connection, "SELECT count(*) FROM result")
        listed = ", ".join(quote(name) for name, _ in columns)
        if arranged is None:
            rows = connection.execute(
                f"SELECT {listed} FROM result LIMIT {int(limit)} OFFSET {int(offset)}"
            ).fetchall()
        else:
            order = connection.from_parquet(str(workspace / arranged))
            found = len(order)
            at = [row[0] for row in order.limit(int(limit), int(offset)).fetchall()]
            chosen = connection.execute(
                f"SELECT {_ROW}, {listed} FROM result WHERE {_ROW} IN ({', '.join(map(str, at)) or 'NULL'})"
            ).fetchall()
            by_row = {row[0]: row[1:] for row in chosen}
            rows = [by_row[number] for number in at]
    return {
        "columns": [{"name": name, "type": kind} for name, kind in columns],
        "rows": [[plain_cell(cell) for cell in row] for row in rows],
        "total": total,
        "found": found,
    }


def series(
    workspace: Path, path: str, x: str, y: str | None, summed: bool = True, limit: int = 5_000
) -> dict[str, Any]:
    """Return at most `limit` points `[x, y]` over the whole file, as `{"points", "rows", "every", "summed", "more"}`.

    With `summed` the values of `y` are added up for each `x`, without `y` the rows are counted; in the order in which
    the `x` first appear, or in their own where they are dates. Else each `every`th row is one point.
    """
    with _opened(workspace, path) as connection:
        kinds = dict(_columns(connection))
        total = _number(connection, "SELECT count(*) FROM result")
        if not summed and y is not None:
            step = max(1, -(-total // limit))
            rows = connection.execute(
                f"SELECT {quote(x)}, {quote(y)} FROM result WHERE {_ROW} % {step} = 0 ORDER BY {_ROW}"
            ).fetchall()
            return {"points": _plain(rows), "rows": total, "every": step, "summed": False, "more": False}
        value = f"sum({quote(y)})" if y is not None else "count(*)"
        order = "1" if kinds[x].startswith(("DATE", "TIME")) else f"min({_ROW})"
        rows = connection.execute(
            f"SELECT {quote(x)}, {value} FROM result GROUP BY 1 ORDER BY {order} LIMIT {limit + 1}"
        ).fetchall()
        distinct = _number(connection, f"SELECT count(DISTINCT {quote(x)}) FROM result")
    return {
        "points": _plain(rows[:limit]),
        "rows": total,
        "every": 1,
        "summed": y is None or distinct < total,
        "more": len(rows) > limit,
    }


def to_csv(workspace: Path, path: str, target: str) -> dict[str, Any]:
    """Write a Parquet file as CSV beside it."""
    with duckdb.connect(":memory:") as connection:
        source = connection.from_parquet(str(workspace / path))
        source.to_csv(str(workspace / target), header=True)
    return {"file": target}


def to_excel(workspace: Path, path: str, target: str, sheet: str = "Result") -> dict[str, Any]:
    """Write a Parquet file as a workbook of one sheet beside it.

    Raises:
        ValueError: it has more rows or columns than a sheet may have.
    """
    from anabranch_tool.result_excel import write_workbook  # noqa: PLC0415 -- other calls need no writer of workbooks

    with _opened(workspace, path) as connection:
        names = [name for name, _ in _columns(connection)]
        total = _number(connection, "SELECT count(*) FROM result")
        listed = ", ".join(quote(name) for name in names)
        rows = connection.execute(f"SELECT {listed} FROM result")
        write_workbook(names, total, rows.fetchmany, workspace / target, sheet)
    return {"file": target}


def to_parquet(workspace: Path, path: str, target: str, sheet: str | None = None) -> dict[str, Any]:
    """Write one table of the workspace, a file or a workbook's `sheet`, as Parquet beside it, for `page`.

    Raises:
        ValueError: the file is no table that can be read.
    """
    opened = open_tables(workspace, only=[path])
    try:
        wanted = [t.name for t in opened.files.values() if t.path == path and sheet in (None, t.sheet)]
        if not wanted:
            raise ValueError(opened.unread.get(path, "there is no table in it"))
        table = opened.connection.table(quote(wanted[0])).to_arrow_table()
    finally:
        opened.close()
    with duckdb.connect(":memory:") as connection:  # the tables' own connection may write nowhere
        connection.from_arrow(table).to_parquet(str(workspace / target))
    return {"file": target}


def _opened(workspace: Path, path: str) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:")
    source = str(workspace / path).replace("'", "''")
    connection.execute(
        f"CREATE VIEW result AS SELECT * RENAME (file_row_number AS {_ROW}) "
        f"FROM read_parquet('{source}', file_row_number = true)"
    )
    return connection


def _columns(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    described = connection.execute("DESCRIBE result").fetchall()
    return [(name, kind) for name, kind, *_ in described if name != _ROW]


def _number(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    return int(connection.execute(sql).fetchall()[0][0])


def _plain(rows: list[tuple[Any, ...]]) -> list[list[Any]]:
    return [[plain_cell(cell) for cell in row] for row in rows]
