"""Finds, counts and lists the input rows behind a cell of a SELECT, and checks them. Runs in a tool process.

The engine rewrites the SELECT. The rewritten SELECT runs here over views `ab_source_N` with a column that numbers the
rows. Then the original SELECT runs over only the rows that were found, and must return the same cell.
"""

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb

from anabranch_tool.cells import plain_cell
from anabranch_tool.column_types import quote
from anabranch_tool.opened_tables import Table
from anabranch_tool.raw_tables import sql_text
from anabranch_tool.tables import OpenTables, open_tables

__all__ = ["input_totals", "rows_behind"]

_ROWS = "ab_rows_"
_MOST_ALIKE = 10_000
"""The maximum number of rows of the result that are compared with the requested row."""
_EXACT = ("VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT", "UINTEGER")
_NEAR = 1e-9
_MOST_DATES = 20


def rows_behind(
    workspace: Path,
    queries: dict[str, Any],
    row: list[Any],
    position: int,
    column: int,
    limit: int,
    offset: int,
    csv: str | None = None,
    most_csv: int = 0,
) -> dict[str, Any]:
    """Return the rows of each table behind a cell.

    Args:
        workspace: the folder.
        queries: `RowQueries.to_json` of the engine.
        row: the cells of the row that was recorded.
        position: the row's place in the result, from 0; used if several rows are the same.
        column: the index of the requested cell.
        limit: the number of rows of each table to list.
        offset: the number of rows to skip first.
        csv: the prefix of the names of the CSV files to write, one for each table.
        most_csv: the maximum number of rows of each table to write.

    Returns:
        `{"tables": [{"table", "path", "columns", "rows": [[number, …]], "used", "all", "file"}], "alike"}`, or
        `{"problem": …}` if the row is not found or the rows do not give the cell again. `alike` counts rows like `row`.
    """
    opened = open_tables(workspace, mentioned_in=queries["sql"])
    try:
        alike, problem = _select_used(opened, queries, row, position, column)
        if problem:
            return {"problem": problem}
        tables = _listed(opened, queries, limit, offset, workspace / csv if csv else None, most_csv)
        return {"tables": tables, "alike": alike}
    except duckdb.Error as error:
        return {"problem": f"the rewritten query failed: {str(error).splitlines()[0][:300]}"}
    finally:
        opened.close()


def _select_used(
    opened: OpenTables, queries: dict[str, Any], row: list[Any], position: int, column: int
) -> tuple[int, str]:
    """Make a view of the used rows of each source; return how many result rows equal `row`, or the problem."""
    _number_rows(opened, queries)
    connection = opened.connection
    found = _row_of(connection, queries["numbered"], row, position)
    if found is None:
        return 0, "the query did not return this row when it was run again"
    numbers, alike = found
    for source in queries["sources"]:
        at = source["number"]
        connection.execute(
            f"CREATE TEMP TABLE ab_ids_{at} AS SELECT unnest(?::BIGINT[]) AS id", [numbers.get(at, [])]
        )
        connection.execute(
            f"CREATE TEMP VIEW ab_only_{at} AS SELECT * EXCLUDE ({_ROWS}{at}) FROM ab_source_{at} "
            f"WHERE {_ROWS}{at} IN (SELECT id FROM ab_ids_{at})"
        )
    if not _gives_again(connection, queries, row, column):
        return 0, "the rows that were found do not give the same cell"
    return alike, ""


def input_totals(workspace: Path, queries: dict[str, Any]) -> dict[str, Any]:
    """Return how many rows of each table the whole result used, as `{"tables": [{"table", "path", "all", "used",
    "empty": {column: rows}, "dates": {column: [first, last]}, "unread": {column: {"count", "of", "type"}}}]}`, or
    `{"problem": …}`. `empty` and `dates` refer to the used rows, `unread` to the whole table; `empty` and `unread`
    contain only columns that the SQL names."""
    opened = open_tables(workspace, mentioned_in=queries["sql"])
    try:
        _number_rows(opened, queries)
        opened.connection.execute(f"CREATE TEMP TABLE ab_result AS ({queries['numbered']})")
        kinds = {name: kind for name, kind, *_ in opened.connection.execute("DESCRIBE ab_result").fetchall()}
        for source in queries["sources"]:
            name = f"{_ROWS}{source['number']}"
            each = f"unnest({name})" if kinds[name].endswith("[]") else name
            opened.connection.execute(
                f"CREATE TEMP TABLE ab_ids_{source['number']} AS SELECT DISTINCT id FROM "
                f"(SELECT {each} AS id FROM ab_result) WHERE id IS NOT NULL"
            )
        return {"tables": [_totals(opened, group, queries["columns"]) for group in _by_table(queries)]}
    except duckdb.Error as error:
        return {"problem": f"the rewritten query failed: {str(error).splitlines()[0][:300]}"}
    finally:
        opened.close()


def _number_rows(opened: OpenTables, queries: dict[str, Any]) -> None:
    for source in queries["sources"]:
        name = f"{quote(source['schema'] or 'main')}.{quote(source['table'])}"
        opened.connection.execute(
            f"CREATE TEMP VIEW ab_source_{source['number']} AS "
            f"SELECT *, row_number() OVER () AS {_ROWS}{source['number']} FROM {name}"
        )


# the requested row


def _row_of(
    connection: duckdb.DuckDBPyConnection, numbered: str, row: list[Any], position: int
) -> tuple[dict[int, list[int]], int] | None:
    """Return, by source, the numbers of the rows behind a row of the result, and how many rows equal that row."""
    connection.execute(f"CREATE TEMP TABLE ab_result AS ({numbered})")
    described = [(name, kind) for name, kind, *_ in connection.execute("DESCRIBE ab_result").fetchall()]
    tracked = [int(name.removeprefix(_ROWS)) for name, _ in described[len(row) :]]
    same, values = [], []
    for (name, kind), cell in zip(described, row, strict=False):
        if cell is not None and kind in _EXACT and not (isinstance(cell, str) and kind != "VARCHAR"):
            same.append(f"{quote(name)} = ?")
            values.append(cell)
    where = f"WHERE {' AND '.join(same)}" if same else ""
    fetched = connection.execute(
        f"SELECT * FROM (SELECT row_number() OVER () - 1 AS ab_at, * FROM ab_result) {where} "
        f"ORDER BY abs(ab_at - {int(position)}) LIMIT {_MOST_ALIKE}",
        values or None,
    )
    best, alike = None, 0
    for _, *cells in _fetched(fetched):
        if _same_cells(cells[: len(row)], row):
            best, alike = best or cells, alike + 1
    if best is None:
        return None
    numbers = zip(tracked, best[len(row) :], strict=True)
    return {
        at: cell if isinstance(cell, list) else [] if cell is None else [cell] for at, cell in numbers
    }, alike


def _fetched(found: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    while batch := found.fetchmany(200):
        yield from batch


def _same_cells(cells: Sequence[Any], row: Sequence[Any]) -> bool:
    return len(cells) == len(row) and all(map(_same, map(plain_cell, cells), row))


def _same(now: Any, recorded: Any) -> bool:
    """Return whether two cells are equal as JSON, to nine digits, because sums depend on the order of rows."""
    numbers = (int, float)
    if isinstance(now, bool) or isinstance(recorded, bool):
        return now is recorded
    if isinstance(now, numbers) and isinstance(recorded, numbers):
        return now == recorded or math.isclose(now, recorded, rel_tol=_NEAR, abs_tol=1e-12)
    if isinstance(now, list | dict):
        return json.dumps(now, sort_keys=True) == json.dumps(recorded, sort_keys=True)
    return bool(now == recorded)


def _gives_again(
    connection: duckdb.DuckDBPyConnection, queries: dict[str, Any], row: Sequence[Any], column: int
) -> bool:
    """Return whether the SELECT, run over only the found rows, gives the same cell and the same uncomputed values."""
    connection.execute(f"CREATE TEMP TABLE ab_again AS ({queries['again']})")
    names = [name.lower() for name, *_ in connection.execute("DESCRIBE ab_again").fetchall()]
    compared = [
        at for at, name in enumerate(names[: len(row)]) if at == column or name not in queries["computed"]
    ]
    for cells in _fetched(connection.execute("SELECT * FROM ab_again")):
        if all(_same(plain_cell(cells[at]), row[at]) for at in compared):
            return True
    return False


# facts about the tables


def _by_table(queries: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Group the places from which the query reads by their table."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for source in queries["sources"]:
        groups.setdefault((source["schema"].lower(), source["table"].lower()), []).append(source)
    return list(groups.values())


def _listed(
    opened: OpenTables, queries: dict[str, Any], limit: int, offset: int, csv: Path | None, most_csv: int
) -> list[dict[str, Any]]:
    tables: list[dict[str, Any]] = []
    connection = opened.connection
    for group in _by_table(queries):
        at = group[0]["number"]
        used = " UNION ".join(f"SELECT id FROM ab_ids_{one['number']}" for one in group)
        chosen = (
            f"SELECT {_ROWS}{at} AS row, * EXCLUDE ({_ROWS}{at}) FROM ab_source_{at} "
            f"WHERE {_ROWS}{at} IN ({used}) ORDER BY {_ROWS}{at}"
        )
        found = connection.execute(f"{chosen} LIMIT {int(limit)} OFFSET {int(offset)}")
        columns = [one[0] for one in found.description or ()]
        rows = [[plain_cell(cell) for cell in cells] for cells in found.fetchall()]
        told = _named(opened, group[0])
        told |= {
            "columns": columns,
            "rows": rows,
            "used": _count(connection, f"SELECT count(*) FROM ({used})"),
        }
        told["all"] = _count(connection, f"SELECT count(*) FROM ab_source_{at}")
        if csv is not None:
            file = csv.with_name(f"{csv.name}-{len(tables)}.csv")
            connection.execute(f"COPY ({chosen} LIMIT {int(most_csv)}) TO '{sql_text(file)}' (HEADER)")
            told["file"] = file.name
        tables.append(told)
    return tables


def _totals(opened: OpenTables, group: list[dict[str, Any]], named: Sequence[str]) -> dict[str, Any]:
    connection, at = opened.connection, group[0]["number"]
    used = " UNION ".join(f"SELECT id FROM ab_ids_{one['number']}" for one in group)
    lower = {name.lower() for name in named}
    described = connection.execute(f"DESCRIBE ab_source_{at}").fetchall()
    columns = [(name, kind) for name, kind, *_ in described if name.lower() in lower]
    dated = [name for name, kind, *_ in described if kind.startswith(("DATE", "TIMESTAMP"))][:_MOST_DATES]
    asked = ["count(*)", *(f"count({quote(name)})" for name, _ in columns)]
    asked += [f"{end}({quote(name)})" for name in dated for end in ("min", "max")]
    (there, *rest) = connection.execute(
        f"SELECT {', '.join(asked)} FROM ab_source_{at} WHERE {_ROWS}{at} IN ({used})"
    ).fetchall()[0]
    ends = [plain_cell(cell) for cell in rest[len(columns) :]]
    return {
        **_named(opened, group[0]),
        "all": _count(connection, f"SELECT count(*) FROM ab_source_{at}"),
        "used": there,
        "empty": {
            name: there - filled for (name, _), filled in zip(columns, rest, strict=False) if there != filled
        },
        "dates": {name: ends[2 * i : 2 * i + 2] for i, name in enumerate(dated)},
        "unread": _unread(opened, group[0], columns),
    }


def _unread(
    opened: OpenTables, source: dict[str, Any], columns: Sequence[tuple[str, str]]
) -> dict[str, dict[str, Any]]:
    """Return, for each column with unreadable values, the number of these values, the number of all values, and the
    column's type.
    """
    table = _table_of(opened, source)
    lost = {one["name"]: one["unreadable"] for one in table.columns} if table is not None else {}
    wanted = [(name, kind, lost[name]) for name, kind in columns if lost.get(name)]
    if not wanted:
        return {}
    read = ", ".join(f"count({quote(name)})" for name, _, _ in wanted)
    counted = opened.connection.execute(f"SELECT {read} FROM ab_source_{source['number']}").fetchall()[0]
    return {
        name: {"count": count, "of": count + known, "type": kind}
        for (name, kind, count), known in zip(wanted, counted, strict=True)
    }


def _named(opened: OpenTables, source: dict[str, Any]) -> dict[str, Any]:
    title = _title(source)
    known = _table_of(opened, source)
    if known is None:
        return {"table": title, "path": None, "sheet": None}
    return {"table": title, "path": known.path, "sheet": known.sheet}


def _title(source: dict[str, Any]) -> str:
    return f"{source['schema']}.{source['table']}" if source["schema"] else str(source["table"])


def _table_of(opened: OpenTables, source: dict[str, Any]) -> Table | None:
    return {name.lower(): table for name, table in opened.files.items()}.get(_title(source).lower())


def _count(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    return int(connection.execute(sql).fetchall()[0][0])
