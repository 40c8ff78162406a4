"""The cost of a question about a CSV: the first time, when it is typed, and again, from the cache.

python -m tests.bench.bench_tables
"""

import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb

from engine.app.app import App, open_app
from engine.commands.catalog import CreateChat, RunTool, Upload, UploadFiles
from tests.bench.harness import Figure, interleaved, main

ROWS = {"31 MB": 500_000, "105 MB": 1_700_000}
SQL = "SELECT region, count(*) AS n, sum(revenue) AS revenue FROM sales GROUP BY region ORDER BY region"
READ = "DuckDB reading {} into a table"
FIRST = "the first query on {}: types found, cached and recorded as a call"
PARQUET = "the same SQL in DuckDB on the Parquet of {}"
AGAIN = "the next query on {}: a recorded call in a confined process"


def measure() -> list[Figure]:
    """Return the figures."""
    return [figure for size, rows in ROWS.items() for figure in _measured(size, rows)]


def _measured(size: str, rows: int) -> list[Figure]:
    """Return the figures for a file with that many rows."""
    read, first, parquet, again = (name.format(size) for name in (READ, FIRST, PARQUET, AGAIN))
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        csv, kept = place / "sales.csv", place / "sales.parquet"
        csv.write_text(_rows(rows))
        duckdb.sql(f"COPY (FROM read_csv('{csv}')) TO '{kept}' (FORMAT parquet)")
        with open_app(place / "data") as app:
            chat_id = _chat(app, csv)
            _query(app, chat_id)

            def types_inferred_again() -> None:
                shutil.rmtree(place / "data" / "cache" / "tables")
                _query(app, chat_id)

            contenders: dict[str, Callable[[], object]] = {
                read: lambda: _read(csv),
                first: types_inferred_again,
                parquet: lambda: _bare(kept),
                again: lambda: _query(app, chat_id),
            }
            timed = interleaved(contenders, rounds=5)
            assert {call.status for call in app.chat(chat_id).calls.values()} == {"success"}
    return [
        timed[read].figure(read, read),
        timed[first].figure(first, read, most=1.5),
        timed[parquet].figure(parquet, parquet),
        timed[again].figure(again, parquet, most=1.3),
    ]


def _read(csv: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS FROM read_csv('{csv}')")


def _bare(kept: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.execute(SQL.replace("sales", f"read_parquet('{kept}')")).fetchall()


def _rows(rows: int) -> str:
    draw = random.Random(13)
    regions = ("North", "South", "East", "West", "Online")
    lines = (
        f"{n},2024-{n % 12 + 1:02}-{n % 28 + 1:02},{regions[n % 5]},customer {draw.randrange(9_999_999):07},"
        f"{draw.randrange(100_000) / 100:.2f},{draw.randrange(60)}\n"
        for n in range(rows)
    )
    return "id,day,region,customer,revenue,units\n" + "".join(lines)


def _chat(app: App, csv: Path) -> str:
    chat_id: str = app.send(CreateChat())
    app.send(UploadFiles(chat_id, [Upload("sales.csv", csv)]))
    return chat_id


def _query(app: App, chat_id: str) -> None:
    app.send(RunTool(chat_id, "data-analyst:query", {"sql": SQL}))


if __name__ == "__main__":
    main(measure)
