"""The cost of comparing two tables of a million rows, next to DuckDB's own join of the same two files.

python -m tests.bench.bench_compare
"""

import tempfile
from pathlib import Path

import duckdb

from engine.app.app import App, open_app
from engine.commands.catalog import CreateChat, Upload, UploadFiles
from engine.tools.file_tables import TableSource
from tests.bench.harness import Figure, interleaved, main

ROWS = 1_000_000
JOIN = "DuckDB's own join of two tables of a million rows, all cells compared"
BY_KEY = "a million rows by a detected key, in another order"
BY_POSITION = "a million rows without a key, one in a thousand changed"
SHUFFLED = "a million rows without a key, in another order"
MOST = 2_000
_TABLE = (
    "SELECT i AS id, 'customer ' || (i * 7919 % 1000003) AS customer, ['N', 'S', 'E', 'W'][1 + i % 4] AS region, "
    "DATE '2024-01-01' + CAST(i % 365 AS INTEGER) AS day, (i * 31 % 100000) / 100.0::DOUBLE AS revenue, "
    f"i % 60 AS units FROM range({ROWS}) t(i)"
)
_CHANGED = f"SELECT * REPLACE (revenue + (id % 1000 = 0)::INTEGER AS revenue) FROM ({_TABLE})"
_UNKEYED = "SELECT region, day, revenue, units FROM ({}) ORDER BY {}"


def measure() -> list[Figure]:
    """Return the figures."""
    with tempfile.TemporaryDirectory() as name, open_app(Path(name) / "data") as app:
        place = Path(name)
        before, by_key, plain, by_position, shuffled = (
            _made(app, place, sql)
            for sql in (
                _TABLE,
                f"{_CHANGED} WHERE id % 5000 <> 1 ORDER BY hash(id)",
                _UNKEYED.format(_TABLE, "id"),
                _UNKEYED.format(_CHANGED, "id"),
                _UNKEYED.format(_CHANGED, "hash(id)"),
            )
        )
        compare = app.table_comparisons.compare
        timed = interleaved(
            {
                JOIN: lambda: _join(place / before.path, place / by_key.path),
                BY_KEY: lambda: compare(before, by_key),
                BY_POSITION: lambda: compare(plain, by_position),
                SHUFFLED: lambda: compare(plain, shuffled),
            },
            rounds=5,
        )
    return [
        timed[JOIN].figure(JOIN, JOIN),
        *(timed[name].within(name, JOIN, MOST) for name in (BY_KEY, BY_POSITION, SHUFFLED)),
    ]


def _join(before: Path, after: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            f"SELECT count(*) FILTER ((b.customer, b.region, b.day, b.revenue, b.units) IS DISTINCT FROM "
            f"(a.customer, a.region, a.day, a.revenue, a.units)) "
            f"FROM read_parquet('{before}') b FULL JOIN read_parquet('{after}') a USING (id)"
        ).fetchall()


def _made(app: App, place: Path, sql: str) -> TableSource:
    """Create a Parquet file and add it to a chat."""
    chat_id: str = app.send(CreateChat())
    file = place / f"{chat_id}.parquet"
    duckdb.sql(f"COPY ({sql}) TO '{file}' (FORMAT parquet)")
    app.send(UploadFiles(chat_id, [Upload(file.name, file)]))
    return TableSource(chat_id, app.workspace.files(chat_id)[file.name].sha256, file.name)


if __name__ == "__main__":
    main(measure)
