"""The cost of querying a source next to a bare ADBC client, and how a local cluster scales next to DuckDB.

python -m tests.bench.bench_sources

BENCH_SOURCE_ROWS names other sizes of the data for the cluster, such as 1000000,100000000; 100 million rows take some
1 GB of disk.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
from adbc_driver_flightsql import dbapi as flightsql
from adbc_driver_postgresql import dbapi as postgresql

from engine.app.app import App, open_app
from engine.commands.catalog import AddSource, CreateChat, RunTool, TestSource
from tests.bench.harness import Figure, interleaved, main
from tests.support.postgres import ADMIN_KEY, Postgres, running_postgres
from tests.support.sail import MISSING, Sail, running_sail

ROWS = 10_000_000
SIZES = tuple(map(int, os.environ.get("BENCH_SOURCE_ROWS", "1000000,10000000").split(",")))
SQL = "SELECT region, count(*) AS n, sum(amount) AS amount FROM orders GROUP BY region ORDER BY region"
TOP = "SELECT customer, sum(amount) AS amount FROM orders GROUP BY customer ORDER BY amount DESC, customer LIMIT 10"
GROWING = {"ten groups": SQL, "the top 10 of many groups": TOP}
SMALLER = SQL.replace("GROUP", "WHERE id <= 1000000 GROUP")
WIDE = "SELECT id, region, amount FROM orders WHERE id <= 200000"
BARE, ASKED = (
    "a bare ADBC client: {} from PostgreSQL into Parquet",
    "query with a source: {}, checked and recorded",
)


def measure() -> list[Figure]:
    """Return the figures."""
    with running_postgres() as server:
        server.run(
            "CREATE TABLE orders (id int PRIMARY KEY, region text, amount numeric(12,2))",
            f"INSERT INTO orders SELECT n, 'r' || n % 10, n * 0.01 FROM generate_series(1, {ROWS}) n",
            "ANALYZE orders",
        )
        figures = [*_beside_adbc(server)]
    return [*figures, *(() if MISSING else _growing())]


def _beside_adbc(server: Postgres) -> Iterator[Figure]:
    address = f"postgresql://admin:{ADMIN_KEY}@{server.address}"
    with _chat("postgresql", server.address, "admin", ADMIN_KEY) as (app, chat_id, place):
        asking = {"10 rows of 10,000,000": SQL, "10 rows of 1,000,000": SMALLER, "200,000 rows": WIDE}
        for what, sql in asking.items():
            bare, asked = BARE.format(what), ASKED.format(what)

            def fetch(sql: str = sql) -> None:
                with closing(postgresql.connect(address)) as connection, connection.cursor() as cursor:
                    cursor.execute(sql)
                    pq.write_table(cursor.fetch_arrow_table(), place / "bare.parquet", compression="zstd")

            timed = interleaved({bare: fetch, asked: lambda sql=sql: _ask(app, chat_id, sql)}, rounds=7)
            yield timed[bare].figure(bare, bare)
            yield timed[asked].figure(asked, bare, most=1.3)


def _growing() -> Iterator[Figure]:
    """DuckDB and Sail's local cluster over the same Parquet files, each with a bare client."""
    with tempfile.TemporaryDirectory() as folder, running_sail(Path(folder)) as engine:
        for rows in SIZES:
            file = Path(folder) / f"{rows}.parquet"
            made = (
                f"SELECT n AS id, 'r' || n % 10 AS region, n * 7919 % {rows // 10} AS customer, "
                "(n * 0.01)::DECIMAL(12,2) AS amount"
            )
            duckdb.sql(f"COPY ({made} FROM range({rows}) t(n)) TO '{file}' (FORMAT parquet)")
            for what, sql in GROWING.items():
                here, there = (
                    f"{who} over {rows:,} rows: {what}" for who in ("DuckDB", "Sail's local cluster")
                )
                contenders: dict[str, Callable[[], object]] = {
                    here: lambda file=file, sql=sql: duckdb.sql(
                        sql.replace("orders", f"'{file}'")
                    ).fetchall(),
                    there: lambda file=file, sql=sql: _at(engine, sql.replace("orders", f"parquet.`{file}`")),
                }
                timed = interleaved(contenders, rounds=5)
                yield timed[here].figure(here, here)
                yield timed[there].figure(there, here)
            file.unlink()


def _at(engine: Sail, sql: str) -> None:
    with (
        closing(flightsql.connect(engine.address, autocommit=True)) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(sql)
        cursor.fetch_arrow_table()


@contextmanager
def _chat(driver: str, address: str, user: str, key: str) -> Iterator[tuple[App, str, Path]]:
    with tempfile.TemporaryDirectory() as folder, open_app(Path(folder) / "data") as app:
        app.send(AddSource("warehouse", driver, address, user, key))
        assert app.send(TestSource("warehouse")).connected
        yield app, app.send(CreateChat()), Path(folder)


def _ask(app: App, chat_id: str, sql: str) -> None:
    call_id = app.send(RunTool(chat_id, "data-analyst:query", {"sql": sql, "source": "warehouse"}))
    assert app.chat(chat_id).calls[call_id].status == "success"


if __name__ == "__main__":
    main(measure)
