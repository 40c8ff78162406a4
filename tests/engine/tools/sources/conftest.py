"""Sources for tests: a PostgreSQL server with a read-only user, and a SQLite file."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from engine.app.app import App
from engine.app.queries.answers import answer
from engine.app.queries.catalog import ListSources
from engine.commands.catalog import RemoveSource
from tests.support.postgres import READER_KEY, Postgres, running_postgres

_MADE = (
    f"CREATE ROLE reader LOGIN PASSWORD '{READER_KEY}'",
    "CREATE SCHEMA sales",
    "CREATE SCHEMA staff",
    "CREATE TABLE sales.orders (id int PRIMARY KEY, region text, amount numeric(12,2), day date)",
    "INSERT INTO sales.orders SELECT n, CASE WHEN n % 2 = 0 THEN 'East' ELSE 'West' END, n * 0.01, "
    "date '2026-01-01' + n % 90 FROM generate_series(1, 1000) n",
    "CREATE TABLE sales.refunds (id int PRIMARY KEY, order_id int REFERENCES sales.orders, amount numeric(12,2))",
    "INSERT INTO sales.refunds SELECT n, n * 10, n * 0.01 FROM generate_series(1, 20) n",
    "CREATE TABLE staff.salaries (name text, salary int)",
    "CREATE TABLE sales.private (secret text)",
    "GRANT USAGE ON SCHEMA sales, staff TO reader",
    "GRANT SELECT ON sales.orders, sales.refunds, staff.salaries TO reader",
    "ANALYZE",
)


@contextmanager
def _opened(root: Path) -> Iterator[App]:
    environ = {**os.environ, "ANABRANCH_CONFIG": str(root / "config")}
    with closing(App(root / "data", environ=environ)) as app:
        yield app


@pytest.fixture
def own_app(tmp_path: Path) -> Iterator[App]:
    """An app with its own data and keys."""
    with _opened(tmp_path) as app:
        yield app


@pytest.fixture(scope="module")
def _one_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with _opened(tmp_path_factory.mktemp("sources")) as app:
        yield app


@pytest.fixture
def app(_one_app: App) -> Iterator[App]:
    """An app without sources; each test leaves it as it was."""
    yield _one_app
    for source in answer(_one_app, ListSources()):
        _one_app.send(RemoveSource(source["name"]))


@pytest.fixture(scope="session")
def _server() -> Iterator[Postgres]:
    with running_postgres() as server:
        yield server


@pytest.fixture
def postgres(_server: Postgres) -> Postgres:
    """A running PostgreSQL server with its tables in their initial state."""
    _server.run("DROP SCHEMA IF EXISTS sales, staff CASCADE", "DROP ROLE IF EXISTS reader", *_MADE)
    return _server


@pytest.fixture
def till(tmp_path: Path) -> Path:
    """A SQLite file."""
    file = tmp_path / "till.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.executescript(
            "CREATE TABLE sales (id INTEGER PRIMARY KEY, article TEXT, amount REAL);"
            "CREATE TABLE staff (name TEXT);"
            "CREATE VIEW articles AS SELECT DISTINCT article FROM sales;"
            "INSERT INTO sales VALUES (1, 'bread', 2.5), (2, 'milk', 1.25), (3, 'bread', 3.0);"
        )
    return file
