"""Result files for the page: sorted rows, data series for charts, and exports in other formats.

They are read in a tool process, never in the app's process. A page of a result does not load the whole result;
sorting or searching writes the order of the rows once, and pages use it.
"""

import re
from pathlib import Path
from typing import Any

import duckdb

from anabranch_tool.cells import moment_cell, plain_cell
from anabranch_tool.column_types import quote
from anabranch_tool.connections import connect, cores
from anabranch_tool.natural_order import natural_order

__all__ = [
    "COMBINE",
    "arrange",
    "page",
    "series",
    "telling_apart",
    "to_csv",
    "to_excel",
    "totals",
    "values_in",
]

_ROW = "anabranch_row"
_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)")


def arrange(
    workspace: Path,
    path: str,
    target: str,
    order_by: str | None = None,
    descending: bool = False,
    find: str = "",
) -> dict[str, Any]:
    """Write a file for `page` with the numbers of the rows to show, in order. The file is written once and used for
    many pages.

    Without `order_by` rows keep the file's order; missing values come last. With `find`, only rows with a cell that
    contains this text are shown; case is ignored.
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
    """Return at most `limit` rows from `offset` on: `{"columns": [{"name", "type"}], "rows", "numbers", "total",
    "found"}`.

    Rows are in the file's order, or in the order in the file `arranged`, which `arrange` wrote; `found` counts them.
    `numbers` contains the places of the rows in the file, from 0.
    """
    with _opened(workspace, path) as connection:
        columns = _columns(connection)
        found = total = _number(connection, "SELECT count(*) FROM result")
        listed = ", ".join(quote(name) for name, _ in columns)
        if arranged is None:
            rows = connection.execute(
                f"SELECT {listed} FROM result LIMIT {int(limit)} OFFSET {int(offset)}"
            ).fetchall()
            at = list(range(int(offset), int(offset) + len(rows)))
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
        "numbers": at,
        "total": total,
        "found": found,
    }


COMBINE = {"sum": "sum", "mean": "avg", "median": "median", "min": "min", "max": "max"}
"""The ways to combine rows that share a mark, and DuckDB's function for each; `count` counts the rows."""


def series(
    workspace: Path,
    path: str,
    x: str,
    y: str | None,
    color: str | None = None,
    panel: str | None = None,
    combine: str | None = None,
    each: bool = False,
    limit: int = 5_000,
) -> dict[str, Any]:
    """Return the data for a chart of a file's columns, as `{"points": [[x, y, color, panel]], "rows", "marks",
    …}`.

    One row becomes one mark. With `each`, rows at the same place are drawn separately (points of a scatter plot), and
    if there are more than `limit`, a fair sample is chosen. Without `each`, rows that share `x`, `color` and `panel`
    are combined by `combine`; without `combine`, no points are returned, and `shared` is the largest number of rows for
    one mark. Rows without `x` or `y` are not drawn; `empty` is their number.
    """
    with _opened(workspace, path) as connection:
        timed = _in_time(dict(_columns(connection))[x])
        found = _draw(connection, x, None if combine == "count" else y, color, panel)
        names = ["c0", *(["c2"] if color else []), *(["c3"] if panel else [])]
        if not each:
            groups = f"SELECT count(*) AS n FROM drawn GROUP BY {', '.join(names)}"
            found["shared"] = _number(connection, f"SELECT coalesce(max(n), 1) FROM ({groups})")
        if combine is not None:
            _combine(connection, combine)
            found["combined"] = combine
        elif found["shared"] > 1:
            return {**found, "points": [], "marks": 0, "orders": [[], [], []]}
        marks = _number(connection, "SELECT count(*) FROM drawn")
        order = f"{'c0, ' if timed else ''}r"
        chosen = (
            f"SELECT *, {_ROW} AS r FROM drawn ORDER BY {'hash(r), r' if each else order} LIMIT {int(limit)}"
        )
        rows = connection.execute(f"SELECT c0, c1, c2, c3 FROM ({chosen}) ORDER BY {order}").fetchall()
    points = [[moment_cell(cell) for cell in row] for row in rows]
    return {**found, "points": points, "marks": marks, "orders": [_order(points, at) for at in (0, 2, 3)]}


def _draw(
    connection: duckdb.DuckDBPyConnection, x: str, y: str | None, color: str | None, panel: str | None
) -> dict[str, Any]:
    """Make the table `drawn` from the rows that have `x` and `y`; return how many rows have both and how many do not.

    Without `y`, the column `c1` of this table is 1.
    """
    value = quote(y) if y is not None else "1"
    there = f"{quote(x)} IS NOT NULL AND {value} IS NOT NULL"
    if y is not None and dict(_columns(connection)).get(y) in ("FLOAT", "DOUBLE"):
        there += f" AND isfinite({value})"
    picked = [quote(x), value, quote(color) if color else "NULL", quote(panel) if panel else "NULL"]
    columns = ", ".join(f"{column} AS c{at}" for at, column in enumerate(picked))
    connection.execute(
        f"CREATE TEMP TABLE drawn AS SELECT {columns}, {_ROW} FROM result WHERE {there} ORDER BY {_ROW}"
    )
    total = _number(connection, "SELECT count(*) FROM result")
    empty = total - _number(connection, "SELECT count(*) FROM drawn")
    return {"rows": total, "empty": empty, "shared": 1, "combined": None}


def _combine(connection: duckdb.DuckDBPyConnection, combine: str) -> None:
    """Combine the rows of `drawn` that share a mark."""
    made = "count(*)" if combine == "count" else f"{COMBINE[combine]}(c1)"
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE drawn AS SELECT c0, {made} AS c1, c2, c3, min({_ROW}) AS {_ROW} "
        "FROM drawn GROUP BY c0, c2, c3"
    )


def _order(points: list[list[Any]], at: int) -> list[Any]:
    """Return the distinct values of a column, in their natural order if they have one, else in order of appearance."""
    values = list(dict.fromkeys(point[at] for point in points if point[at] is not None))
    return natural_order(values) or values


def telling_apart(
    workspace: Path, path: str, x: str, candidates: list[str], most: int = 20
) -> dict[str, Any]:
    """Return the first of `candidates` that distinguishes rows with the same `x` and has at most `most` different
    values, as `{"color": name or None}`."""
    with _opened(workspace, path) as connection:
        total = _number(connection, "SELECT count(*) FROM result")
        if total > _MOST_COMPARED or _distinct(connection, quote(x)) == total:
            return {"color": None}
        for name in candidates:
            few = _distinct(connection, quote(name)) <= most
            if few and _distinct(connection, f"({quote(x)}, {quote(name)})") == total:
                return {"color": name}
    return {"color": None}


_MOST_COMPARED = 200_000


def _distinct(connection: duckdb.DuckDBPyConnection, expression: str) -> int:
    return _number(connection, f"SELECT count(*) FROM (SELECT DISTINCT {expression} FROM result)")


def _in_time(kind: str) -> bool:
    return kind == "DATE" or kind.startswith("TIMESTAMP")


def totals(workspace: Path, path: str) -> dict[str, Any]:
    """Return the sum of each numeric column over all rows, as `{"totals": {column: sum}}`."""
    with _opened(workspace, path) as connection:
        names = [name for name, kind in _columns(connection) if _NUMBERS.fullmatch(kind)]
        if not names:
            return {"totals": {}}
        row: Any = connection.execute(
            f"SELECT {', '.join(f'sum({quote(n)})' for n in names)} FROM result"
        ).fetchone()
    return {"totals": {name: plain_cell(cell) for name, cell in zip(names, row, strict=True)}}


def to_csv(workspace: Path, path: str, target: str) -> dict[str, Any]:
    """Write a Parquet file as CSV next to it."""
    with connect(cores()) as connection:
        source = connection.from_parquet(str(workspace / path))
        source.to_csv(str(workspace / target), header=True)
    return {"file": target}


def to_excel(workspace: Path, path: str, target: str, sheet: str = "Result") -> dict[str, Any]:
    """Write a Parquet file as a workbook with one sheet next to it.

    Raises:
        ValueError: the file has more rows or columns than a sheet may have.
    """
    from anabranch_tool.result_excel import write_workbook  # noqa: PLC0415 -- other calls need no writer of workbooks

    with _opened(workspace, path) as connection:
        names = [name for name, _ in _columns(connection)]
        total = _number(connection, "SELECT count(*) FROM result")
        listed = ", ".join(quote(name) for name in names)
        rows = connection.execute(f"SELECT {listed} FROM result")
        write_workbook(names, total, rows.fetchmany, workspace / target, sheet)
    return {"file": target}


def values_in(workspace: Path, path: str, columns: list[str], values: list[str]) -> dict[str, Any]:
    """Return, for each of `columns`, the values in `values` that the column contains, as `{"found": {column: [value,
    …]}}`.
    """
    with _opened(workspace, path) as connection:
        found = {}
        for name in columns:
            sql = f"SELECT DISTINCT {quote(name)} FROM result WHERE list_contains(?, {quote(name)})"
            found[name] = [value for (value,) in connection.execute(sql, [values]).fetchall()]
    return {"found": found}


def _opened(workspace: Path, path: str) -> duckdb.DuckDBPyConnection:
    connection = connect(cores())
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
