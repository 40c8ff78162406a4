"""Compares two Parquet files as tables: rows by a key; without a key, equal rows first and other rows by position.

All rows are compared in DuckDB, as sets; only a few rows of each kind are returned with their cells. Runs in a
tool process.
"""

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from anabranch_tool.cells import plain_cell
from anabranch_tool.column_types import quote
from anabranch_tool.compare_columns import ROW, Shared, find_key, is_key, row_hash, shared_columns
from anabranch_tool.connections import connect, cores

__all__ = ["compare", "write_differences"]

_LONGEST = 2_000
"""The maximum number of characters of a text that are returned."""
_KINDS = {
    "changed": "b IS NOT NULL AND a IS NOT NULL AND changed",
    "added": "b IS NULL",
    "removed": "a IS NULL",
    "same": "b IS NOT NULL AND a IS NOT NULL AND NOT changed",
}
_Columns = list[tuple[str, str]]


def compare(
    workspace: Path, before: str, after: str, key: Sequence[str] | None = None, most: int = 100
) -> dict[str, Any]:
    """Return how the rows and columns of two files differ, with the first `most` rows of each kind.

    If the key does not identify the rows, the result is `{"problem": …}`.
    """
    with _opened(workspace, before, after) as connection:
        tables = _Tables(connection)
        problem = tables.match(key)
        if problem is not None:
            return {"problem": problem}
        return tables.report(most)


def write_differences(
    workspace: Path, before: str, after: str, target: str, key: Sequence[str] | None = None
) -> dict[str, Any]:
    """Write every changed, added and removed row as CSV: its kind, its row numbers, and all columns of both tables."""
    with _opened(workspace, before, after) as connection:
        tables = _Tables(connection)
        problem = tables.match(key)
        if problem is not None:
            return {"problem": problem}
        tables.write(workspace / target)
    return {"file": target}


class _Tables:
    """Two tables, and the table `pairs`, which pairs their rows. A pair has the numbers `b` and `a` of its rows,
    whether the rows differ, and in which columns.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._before, self._after = (_columns(connection, side) for side in ("before", "after"))
        self._shared = shared_columns(self._before, self._after)
        self._rows = [self._number(f"SELECT count(*) FROM table_{side}") for side in ("before", "after")]
        self._key: list[Shared] | None = None
        self._given = False

    def match(self, key: Sequence[str] | None) -> str | None:
        """Pair the rows. If the given key cannot be used, return the reason."""
        if key:
            problem = self._take(key)
            if problem is not None:
                return problem
        elif min(self._rows) > 0 and max(self._rows) > 1:
            self._key = find_key(self._connection, self._shared, min(self._rows))
        if not self._shared:
            self._pair_nothing()
        elif self._key is not None:
            self._pair("b FULL JOIN table_after a ON " + " AND ".join(part.matches for part in self._key))
        else:
            self._pair_by_position()
        return None

    def _take(self, key: Sequence[str]) -> str | None:
        by_name = {column.name: column for column in self._shared}
        for name in key:
            if name not in by_name:
                return f"the tables do not both have a column {name}. Choose columns that both have."
        self._key, self._given = [by_name[name] for name in key], True
        if is_key(self._connection, self._key):
            return None
        named = " and ".join(key)
        return f"several rows have the same {named}, so it cannot match them. Choose other columns."

    def _pair(self, joined: str) -> None:
        self._connection.execute(f"CREATE TEMP TABLE pairs AS {self._paired(joined)}")

    def _paired(self, joined: str) -> str:
        """Return SQL for the pairs of rows that a join of `table_before b` and `table_after a` makes."""
        parts = ", ".join(f"{column.changed} AS d{at}" for at, column in enumerate(self._shared))
        some = " OR ".join(f"d{at}" for at in range(len(self._shared)))
        return (
            f"SELECT b, a, b IS NULL OR a IS NULL OR {some} AS changed, "
            f"{', '.join(f'd{at}' for at in range(len(self._shared)))} "
            f"FROM (SELECT b.{ROW} AS b, a.{ROW} AS a, {parts} FROM table_before {joined})"
        )

    def _pair_nothing(self) -> None:
        """Count all rows as removed and added, because the tables have no column in common."""
        self._connection.execute(
            f"CREATE TEMP TABLE pairs AS SELECT {ROW} AS b, NULL::BIGINT AS a, true AS changed FROM table_before "
            f"UNION ALL SELECT NULL, {ROW}, true FROM table_after"
        )

    def _pair_by_position(self) -> None:
        """Pair rows at the same position. If some pairs differ, pair equal rows among these rows at any position, then
        the remaining rows in order.
        """
        self._pair(f"b FULL JOIN table_after a ON b.{ROW} = a.{ROW}")
        if not self._number("SELECT count(*) FROM pairs WHERE changed"):
            return
        execute = self._connection.execute
        for side in ("before", "after"):
            rows = f"SELECT {side[0]} FROM pairs WHERE changed"
            execute(
                f"CREATE TEMP TABLE rest_{side} AS SELECT r, h, row_number() OVER (PARTITION BY h ORDER BY r) AS n "
                f"FROM (SELECT {ROW} AS r, {row_hash(self._shared)} AS h FROM table_{side} "
                f"WHERE {ROW} IN ({rows}))"
            )
        execute("DELETE FROM pairs WHERE changed")
        equal = "SELECT x.r AS first, y.r AS second FROM rest_before x JOIN rest_after y USING (h, n)"
        found = self._paired(
            f"b JOIN ({equal}) e ON b.{ROW} = e.first JOIN table_after a ON a.{ROW} = e.second"
        )
        execute(f"INSERT INTO pairs SELECT * FROM ({found}) WHERE NOT changed")
        left = [
            f"(SELECT r, row_number() OVER (ORDER BY r) AS n FROM rest_{side} "
            f"WHERE r NOT IN (SELECT {side[0]} FROM pairs))"
            for side in ("before", "after")
        ]
        execute(
            "CREATE TEMP TABLE rest AS SELECT x.r AS first, y.r AS second "
            f"FROM {left[0]} x FULL JOIN {left[1]} y USING (n)"
        )
        # added and removed rows have no partner, so outer joins are needed
        joined = f"b RIGHT JOIN rest ON b.{ROW} = rest.first LEFT JOIN table_after a ON a.{ROW} = rest.second"
        execute(f"INSERT INTO pairs {self._paired(joined)}")

    def report(self, most: int) -> dict[str, Any]:
        """Return counts, columns, and the first `most` pairs of each kind."""
        counts = {
            kind: self._number(f"SELECT count(*) FROM pairs WHERE {sql}") for kind, sql in _KINDS.items()
        }
        moved = not (counts["changed"] or counts["added"] or counts["removed"])
        return {
            "columns": {"before": _listed(self._before), "after": _listed(self._after)},
            "key": [part.name for part in self._key] if self._key is not None else None,
            "given": self._given,
            "rows": {"before": self._rows[0], "after": self._rows[1], **counts},
            "changed_columns": self._changed_columns(),
            "order_differs": moved and bool(self._number("SELECT count(*) FROM pairs WHERE b <> a")),
            "pairs": {kind: self._examples(sql, most) for kind, sql in _KINDS.items() if counts[kind]},
        }

    def _changed_columns(self) -> dict[str, int]:
        """Return how many changed rows differ in each column."""
        if not self._shared:
            return {}
        counted = ", ".join(f"count(*) FILTER (d{at})" for at in range(len(self._shared)))
        (found,) = self._connection.execute(
            f"SELECT {counted} FROM pairs WHERE b IS NOT NULL AND a IS NOT NULL"
        ).fetchall()
        return {column.name: count for column, count in zip(self._shared, found, strict=True) if count}

    def _examples(self, sql: str, most: int) -> list[dict[str, Any]]:
        found = self._connection.execute(
            f"SELECT b, a FROM pairs WHERE {sql} ORDER BY coalesce(b, a) LIMIT {int(most)}"
        ).fetchall()
        before = self._cells("before", self._before, [b for b, _ in found])
        after = self._cells("after", self._after, [a for _, a in found])
        return [
            {"before_row": b, "after_row": a, "before": before.get(b), "after": after.get(a)}
            for b, a in found
        ]

    def _cells(
        self, side: str, columns: _Columns, rows: Sequence[int | None]
    ) -> Mapping[int | None, list[Any]]:
        wanted = ", ".join(str(row) for row in rows if row is not None)
        if not wanted:
            return {}
        listed = ", ".join(_fetched(name, kind) for name, kind in columns)
        found = self._connection.execute(
            f"SELECT {ROW}, {listed} FROM table_{side} WHERE {ROW} IN ({wanted})"
        ).fetchall()
        return {row[0]: [_cell(cell) for cell in row[1:]] for row in found}

    def write(self, target: Path) -> None:
        """Write the rows that differ, in the order of the first table."""
        kinds = " ".join(
            f"WHEN p.{'b' if kind == 'added' else 'a'} IS NULL THEN '{kind}'" for kind in ("added", "removed")
        )
        sides = [
            f"{side[0]}.{quote(name)} AS {quote(f'{name} ({letter})')}"
            for name, side, letter in self._in_turn()
        ]
        self._connection.sql(
            f"SELECT CASE {kinds} ELSE 'changed' END AS difference, p.b + 1 AS {quote('row in A')}, "
            f"p.a + 1 AS {quote('row in B')}, {', '.join(sides)} FROM pairs p "
            f"LEFT JOIN table_before b ON b.{ROW} = p.b LEFT JOIN table_after a ON a.{ROW} = p.a "
            "WHERE p.changed ORDER BY coalesce(p.b, p.a), p.b IS NULL"
        ).to_csv(str(target), header=True)

    def _in_turn(self) -> list[tuple[str, str, str]]:
        """Return each column of both tables and the table to which it belongs. Columns with the same name are next to
        each other.
        """
        first, second = (dict(columns) for columns in (self._before, self._after))
        names = list(dict.fromkeys([*first, *second]))
        sides = (("before", "A", first), ("after", "B", second))
        return [(name, side, letter) for name in names for side, letter, columns in sides if name in columns]

    def _number(self, sql: str) -> int:
        return int(self._connection.execute(sql).fetchall()[0][0])


def _opened(workspace: Path, before: str, after: str) -> duckdb.DuckDBPyConnection:
    connection = connect(cores())
    connection.execute("SET TimeZone = 'UTC'")
    for side, path in (("before", before), ("after", after)):
        source = str(workspace / path).replace("'", "''")
        connection.execute(
            f"CREATE VIEW table_{side} AS SELECT * RENAME (file_row_number AS {ROW}) "
            f"FROM read_parquet('{source}', file_row_number = true)"
        )
    return connection


def _columns(connection: duckdb.DuckDBPyConnection, side: str) -> _Columns:
    described = connection.execute(f"DESCRIBE table_{side}").fetchall()
    return [(name, kind) for name, kind, *_ in described if name != ROW]


def _listed(columns: _Columns) -> list[dict[str, str]]:
    return [{"name": name, "type": kind} for name, kind in columns]


def _fetched(name: str, kind: str) -> str:
    """Return SQL for a cell in a form that Python can load: times with a zone would need a package of time zones."""
    return f"CAST({quote(name)} AS VARCHAR)" if "TIME ZONE" in kind else quote(name)


def _cell(value: Any) -> Any:
    """Convert a cell to JSON in which different values stay different: NaN is not a missing value."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Decimal) and Decimal(repr(float(value))) != value:
        return str(value)
    plain = plain_cell(value)
    return plain[: _LONGEST - 1] + "…" if isinstance(plain, str) and len(plain) > _LONGEST else plain
