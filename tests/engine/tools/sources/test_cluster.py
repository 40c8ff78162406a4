"""A distributed engine behind Flight SQL: it answers questions the same as DuckDB."""

import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlglot

from engine.app.app import App
from engine.app.queries.answers import answer
from engine.app.queries.catalog import ListSourceTables
from engine.commands.catalog import AddSource, TestSource
from engine.views.chat import CallView
from tests.engine.tools.sources.asking import asked, new_chat
from tests.support.sail import MISSING, Sail, running_sail

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(MISSING, reason="pysail is not installed: `make .venv/cluster.stamp` installs it"),
]

QUESTIONS = [
    "SELECT count(*) AS n FROM orders",
    "SELECT region, sum(amount) AS amount, avg(weight) AS weight FROM orders GROUP BY region ORDER BY region",
    "SELECT date_trunc('month', day) AS month, sum(amount) AS amount FROM orders GROUP BY 1 ORDER BY 1",
    "SELECT region, count(DISTINCT product) AS products FROM orders GROUP BY region ORDER BY region",
    "SELECT product, amount FROM orders ORDER BY amount DESC, id LIMIT 10",
    "SELECT region, amount, rank() OVER (PARTITION BY region ORDER BY amount DESC, id) AS place FROM orders "
    "QUALIFY place <= 3 ORDER BY region, place",
    "SELECT p.maker, sum(o.amount) AS amount FROM orders o JOIN products p ON p.product = o.product "
    "GROUP BY p.maker ORDER BY p.maker",
    "SELECT p.product, o.id FROM products p LEFT JOIN orders o ON o.product = p.product AND o.id < 5 ORDER BY 1, 2",
    "SELECT region, sum(CASE WHEN returned THEN amount ELSE 0 END) AS returned FROM orders GROUP BY 1 ORDER BY 1",
    "SELECT coalesce(note, 'none') AS note, count(*) AS n FROM orders GROUP BY 1 ORDER BY 1",
    "WITH m AS (SELECT region, sum(amount) AS a FROM orders GROUP BY 1) SELECT region FROM m ORDER BY a DESC LIMIT 1",
    "SELECT upper(region) AS region, length(product) AS l FROM orders WHERE product LIKE 'p1%' ORDER BY id LIMIT 5",
    "SELECT year(day) AS y, month(day) AS m, count(*) AS n FROM orders GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT min(day) AS first, max(day) AS last, stddev_samp(weight) AS s FROM orders",
    "SELECT region FROM orders WHERE amount > 900 INTERSECT SELECT region FROM orders WHERE returned ORDER BY 1",
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cluster")
    rows = 20_000
    orders = {
        "id": pa.array(range(rows), pa.int64()),
        "region": [("East", "West", "North")[n * 7 % 3] for n in range(rows)],
        "product": [f"p{n * 31 % 40}" for n in range(rows)],
        "amount": pa.array([Decimal(n * 7919 % 100_000) / 100 for n in range(rows)], pa.decimal128(12, 2)),
        "weight": [n * 0.1 for n in range(rows)],
        "day": pa.array([19_700 + n % 400 for n in range(rows)], pa.int32()).cast(pa.date32()),
        "returned": [n % 11 == 0 for n in range(rows)],
        "note": [None if n % 5 else f"note {n % 4}" for n in range(rows)],
    }
    products = {"product": [f"p{n}" for n in range(42)], "maker": [f"maker {n % 5}" for n in range(42)]}
    pq.write_table(pa.table(orders), folder / "orders.parquet")
    pq.write_table(pa.table(products), folder / "products.parquet")
    return folder


@pytest.fixture(scope="module")
def sail(data: Path) -> Iterator[Sail]:
    with running_sail(data) as engine:
        for table in ("orders", "products"):
            engine.run(f"CREATE TABLE {table} USING parquet LOCATION '{data / table}.parquet'")
        yield engine


@pytest.fixture
def chat_id(app: App, sail: Sail) -> str:
    app.send(AddSource("cluster", "flightsql", sail.address, max_seconds=300))
    told = app.send(TestSource("cluster"))
    assert told.connected, told.message
    return new_chat(app)


def cells(app: App, chat_id: str, call: CallView) -> list[tuple[object, ...]]:
    """The complete result as recorded."""
    assert call.status == "success", call.error
    sha256 = app.workspace.files(chat_id)[f"results/{call.result['table']}.parquet"].sha256
    table = pq.read_table(pa.BufferReader(app.workspace.read(chat_id, sha256)))
    return [tuple(row.values()) for row in table.to_pylist()]


def alike(one: object, other: object) -> bool:
    """Compare decimals, texts and dates exactly, and floats to 12 digits."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12)
    return str(one) == str(other) if hasattr(one, "isoformat") else one == other


def test_the_cluster_gives_the_answers_that_duckdb_gives(app: App, chat_id: str, data: Path) -> None:
    with duckdb.connect() as here:
        for table in ("orders", "products"):
            here.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{data / table}.parquet')")
        for question in QUESTIONS:
            expected = [tuple(row) for row in here.execute(question).fetchall()]
            (spark,) = sqlglot.transpile(question, read="duckdb", write="spark")
            found = cells(app, chat_id, asked(app, chat_id, spark, "cluster"))
            assert len(found) == len(expected), question
            for row, other in zip(found, expected, strict=True):
                assert all(map(alike, row, other)), (question, row, other)


def test_tables_of_the_cluster_are_listed_and_files_are_read_by_their_path(
    app: App, chat_id: str, data: Path
) -> None:
    listed = answer(app, ListSourceTables("cluster"))["tables"]
    assert {table["full_name"] for table in listed} >= {"default.orders", "default.products"}
    assert ("amount", "decimal128(12, 2)") in [
        (c["name"], c["type"]) for table in listed if table["name"] == "orders" for c in table["columns"]
    ]
    call = asked(app, chat_id, f"SELECT count(*) AS n FROM parquet.`{data}/orders.parquet`", "cluster")
    assert cells(app, chat_id, call) == [(20_000,)]


def test_statements_that_write_are_refused(app: App, chat_id: str, data: Path) -> None:
    before = (data / "orders.parquet").read_bytes()
    for sql in ("DELETE FROM orders", "INSERT INTO orders SELECT * FROM orders", "DROP TABLE orders",
                "CREATE TABLE x USING parquet LOCATION '/tmp/x' AS SELECT 1", "INSERT OVERWRITE orders SELECT 1",
                "INSERT OVERWRITE DIRECTORY '/tmp/x' USING parquet SELECT 1", "CACHE TABLE orders",
                "SET spark.x = 1", "ADD JAR '/tmp/x.jar'", "SELECT java_method('java.lang.System', 'exit', 1)",
                "SELECT reflect('java.lang.System', 'exit')", "FROM orders INSERT INTO products SELECT 1",
                "CREATE FUNCTION f AS 'x'", "LOAD DATA INPATH '/tmp/x' INTO TABLE orders"):  # fmt: skip
        assert asked(app, chat_id, sql, "cluster").status == "error", sql
    assert (data / "orders.parquet").read_bytes() == before


def test_a_missing_table_and_an_unreachable_engine_are_reported(app: App, tmp_path: Path) -> None:
    with running_sail(tmp_path) as engine:
        app.send(AddSource("cluster", "flightsql", engine.address))
        assert app.send(TestSource("cluster")).connected
        chat_id = new_chat(app)
        gone = asked(app, chat_id, "SELECT * FROM nope", "cluster")
        assert "Refresh the table list of cluster" in gone.error["message"]
        engine.kill()
        dead = asked(app, chat_id, "SELECT 1 AS one", "cluster")
    assert "nothing is listening on port" in dead.error["message"]


def test_a_slow_query_is_stopped(app: App, sail: Sail) -> None:
    app.send(AddSource("cluster", "flightsql", sail.address, max_seconds=2))
    app.send(TestSource("cluster"))
    slow = "SELECT count(*) FROM orders a, orders b, orders c WHERE a.id + b.id + c.id = 7"
    call = asked(app, new_chat(app), slow, "cluster")
    assert call.status == "error"
    assert "longer than the 2 seconds that cluster allows" in call.error["message"]
