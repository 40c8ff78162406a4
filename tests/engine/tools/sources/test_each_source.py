"""The same steps for each kind of source: add, browse, query, draw, join, stop, change its tables, query again."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.app.app import App
from engine.app.queries.answers import answer
from engine.app.queries.catalog import FindRows, GetReplay, ListSourceTables
from engine.commands.catalog import (
    AddSource,
    BeginChat,
    RefreshSourceTables,
    ReplayChat,
    RerunChat,
    StopTurn,
    TestSource,
    Upload,
)
from engine.errors import Refused
from engine.tools.shaping.writing import quote
from events.json_value import JSON
from tests.engine.tools.sources.asking import asked, new_chat, rows, until
from tests.support.long_cases import mostly_long
from tests.support.postgres import READER_KEY, Postgres
from tests.support.sail import MISSING, running_sail
from tests.support.talk import call as call_of
from tests.support.talk import script

ROWS = [("East", 10), ("West", 20), ("East", 5)]
BY_REGION = "SELECT region, sum(amount) AS amount FROM sold GROUP BY region ORDER BY region"


@dataclass
class Kind:
    """A source with the table `sold`."""

    add: AddSource
    table: str
    """As it is listed."""
    run: Callable[[str], object]
    """Runs a statement there as somebody who may write."""
    slow: str
    end: Callable[[], object]
    """Ends the server, or takes the file away."""
    columns: tuple[str, str]
    """The types of `region` and `amount`, as the source calls them."""


def _sqlite(tmp_path: Path) -> Kind:
    file = tmp_path / "shop.sqlite"

    def run(statement: str) -> None:
        with closing(sqlite3.connect(file)) as database:
            database.execute(statement)
            database.commit()

    run("CREATE TABLE sold (region TEXT, amount INTEGER)")
    run(f"INSERT INTO sold VALUES {', '.join(map(str, ROWS))}")
    slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    added = AddSource("shop", "sqlite", str(file), max_seconds=3600)
    return Kind(added, "main.sold", run, slow, file.unlink, ("TEXT", "INTEGER"))


def _postgresql(server: Postgres) -> Kind:
    server.run("CREATE TABLE sales.sold (region text, amount int)",
               f"INSERT INTO sales.sold VALUES {', '.join(map(str, ROWS))}",
               "GRANT SELECT ON sales.sold TO reader")  # fmt: skip
    slow = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b"
    added = AddSource("shop", "postgresql", server.address, "reader", READER_KEY, max_seconds=3600)
    return Kind(added, "sales.sold", server.run, slow, lambda: None, ("text", "integer"))


def _cluster(folder: Path, closes: ExitStack) -> Kind:
    (folder / "sold").mkdir()
    (folder / "many").mkdir()
    regions, amounts = zip(*ROWS, strict=True)
    pq.write_table(
        pa.table({"region": regions, "amount": pa.array(amounts, pa.int32())}), folder / "sold/a.parquet"
    )
    pq.write_table(pa.table({"n": range(100_000)}), folder / "many/a.parquet")
    engine = closes.enter_context(running_sail(folder))
    for table in ("sold", "many"):
        engine.run(f"CREATE TABLE {table} USING parquet LOCATION '{folder / table}'")
    slow = "SELECT count(*) FROM many a, many b, many c WHERE a.n + b.n + c.n = 7"
    added = AddSource("shop", "flightsql", engine.address, max_seconds=3600)
    return Kind(added, "default.sold", engine.run, slow, engine.kill, ("string", "int32"))


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgresql", marks=pytest.mark.long),  # `test_querying` asks one in each quick run
        pytest.param(
            "flightsql",
            marks=[pytest.mark.long, pytest.mark.skipif(MISSING, reason="pysail is not installed")],
        ),
    ]
)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kind]:
    with ExitStack() as closes:
        if request.param == "sqlite":
            yield _sqlite(tmp_path)
        elif request.param == "postgresql":
            yield _postgresql(request.getfixturevalue("postgres"))
        else:
            yield _cluster(tmp_path, closes)


@pytest.fixture
def chat_id(app: App, kind: Kind) -> str:
    """A chat with the source, and with a file whose table has the same name as the source's."""
    app.send(kind.add)
    told = app.send(TestSource("shop"))
    assert told.connected, told.message
    return new_chat(app, targets="region,target\nEast,12\nWest,25\n", sold="region,amount\nNorth,1\n")


def test_a_source_is_browsed_queried_drawn_and_joined_with_a_file(app: App, kind: Kind, chat_id: str) -> None:
    (listed,) = answer(app, ListSourceTables("shop", "sold"))["tables"]
    assert listed["full_name"] == kind.table
    assert tuple(column["type"] for column in listed["columns"]) == kind.columns

    assert rows(asked(app, chat_id, BY_REGION, "shop", name="by_region")) == [["East", 15], ["West", 20]]
    join = "SELECT region, amount - target AS over FROM by_region JOIN targets USING (region) ORDER BY 1"
    assert rows(asked(app, chat_id, join, None)) == [["East", 3], ["West", -5]]
    drawn = asked(
        app,
        chat_id,
        "SELECT * FROM by_region",
        None,
        "data-analyst:chart",
        mark="bar",
        x="region",
        y="amount",
    )
    assert drawn.status == "success", drawn.error
    assert [(row["region"], row["amount"]) for row in drawn.plan.data] == [("East", 15), ("West", 20)]  # type: ignore[union-attr]


def test_a_question_for_the_rows_behind_a_cell_is_refused_with_the_reason(
    app: App, kind: Kind, chat_id: str
) -> None:
    call = asked(
        app, chat_id, BY_REGION.replace("region, sum", "region AS `r`, sum").replace("`", '"'), "shop"
    )
    with pytest.raises(Refused) as refused:
        answer(app, FindRows(call.call_id, 0, "amount"))
    assert "they are at the source shop, and only its answer is recorded" in refused.value.message


@pytest.mark.long
def test_after_a_table_was_dropped_queries_fail_until_it_is_created_again(
    app: App, kind: Kind, chat_id: str
) -> None:
    kept = asked(app, chat_id, BY_REGION, "shop", name="by_region")
    kind.run("DROP TABLE " + kind.table)
    gone = asked(app, chat_id, BY_REGION, "shop")
    assert "efresh the table list of shop" in gone.error["message"]
    assert app.send(RefreshSourceTables("shop")).connected
    assert not answer(app, ListSourceTables("shop", "sold"))["tables"]
    assert rows(asked(app, chat_id, "SELECT sum(amount) FROM by_region", None)) == [[35]]

    replayed = verdict(app, chat_id, kept.call_id, live=True)
    assert replayed["verdict"] == "differs"
    assert replayed["reason"].startswith("Asked shop again. It fails now: ")
    assert verdict(app, chat_id, kept.call_id, live=False)["verdict"] == "skipped"


def test_stop_ends_a_slow_query_and_the_source_answers_the_next_one(
    app: App, kind: Kind, chat_id: str
) -> None:
    asking = threading.Thread(target=lambda: asked(app, chat_id, kind.slow, "shop"))
    asking.start()
    until(lambda: "running" in [call.status for call in app.chat(chat_id).calls.values()])
    app.send(StopTurn(chat_id))
    asking.join()
    (call,) = app.chat(chat_id).calls.values()
    assert call.status == "cancelled"
    assert rows(asked(app, chat_id, "SELECT count(*) AS n FROM sold", "shop")) == [[3]]


def test_a_source_that_fails_during_a_query_is_reported_and_earlier_results_stay(
    app: App, kind: Kind, chat_id: str, tmp_path: Path
) -> None:
    """PostgreSQL uses a separate server for this, in `test_querying`."""
    if kind.add.driver == "postgresql":
        return
    asked(app, chat_id, BY_REGION, "shop", name="by_region")
    model = script(
        tmp_path / "model.json",
        [{"calls": [call_of("query", sql=kind.slow, source="shop")]}, {"text": "Gone."}],
    )
    turn = app.send(BeginChat("How many?", model=model))
    began = "Asking shop" if kind.add.driver == "sqlite" else "is running the query"
    until(lambda: began in str(app.running(turn.chat_id)))
    if kind.add.driver == "sqlite":  # an open file outlives its name, so this one would read on
        app.send(StopTurn(turn.chat_id))
        app.wait(turn.turn_id)
    kind.end()
    app.wait(turn.turn_id)
    (call,) = app.chat(turn.chat_id).calls.values()
    if kind.add.driver == "sqlite":
        assert call.status == "cancelled"
    else:
        assert "The connection to shop broke while it was reading" in call.error["message"]

    gone = asked(app, chat_id, "SELECT 1 AS one", "shop")
    said = "does not exist" if kind.add.driver == "sqlite" else "nothing is listening on port"
    assert said in gone.error["message"]
    assert rows(asked(app, chat_id, "SELECT sum(amount) FROM by_region", None)) == [[35]]


def verdict(app: App, chat_id: str, call_id: str, *, live: bool) -> dict[str, JSON]:
    replay_id = app.send(ReplayChat(chat_id, None, (call_id,), live))
    (call,) = answer(app, GetReplay(chat_id, replay_id))["calls"]
    return call  # type: ignore[no-any-return]


@pytest.mark.long
def test_a_live_replay_reports_what_has_changed_at_the_source(app: App, kind: Kind, chat_id: str) -> None:
    call = asked(app, chat_id, BY_REGION, "shop", name="by_region")
    joined = asked(app, chat_id, "SELECT sum(amount) AS n FROM by_region", None)
    assert "its answer has not changed since" in str(verdict(app, chat_id, call.call_id, live=True)["reason"])

    kind.run(f"INSERT INTO {kind.table} VALUES ('East', 1), ('North', 7)")
    moved = verdict(app, chat_id, call.call_id, live=True)
    assert moved["verdict"] == "differs"
    assert str(moved["reason"]).startswith("shop has changed since ")
    assert "1 of 2 rows changed, 1 row new" in str(moved["reason"])
    assert "not asked again" in str(verdict(app, chat_id, call.call_id, live=False)["reason"])
    assert (
        verdict(app, chat_id, joined.call_id, live=True)["verdict"] == "identical"
    )  # over what was recorded


@pytest.mark.long
@pytest.mark.parametrize("what", mostly_long(["changed call", "other file", "again"], quick=(0,)))
def test_every_rerun_queries_the_source_again(
    app: App, kind: Kind, chat_id: str, tmp_path: Path, what: str
) -> None:
    told = {"sql": BY_REGION, "source": "shop", "name": "by_region"}
    model = script(tmp_path / "model.json", [{"calls": [call_of("query", **told)]}, {"text": "West leads."}])
    turn = app.send(BeginChat("Who leads?", [Upload("t.csv", b"a\n1\n")], model=model))
    app.wait(turn.turn_id)
    (before,) = app.chat(turn.chat_id).calls.values()
    kind.run(f"INSERT INTO {kind.table} VALUES ('North', 7)")
    different = {
        "changed call": {"call_id": before.call_id, "arguments": told | {"sql": BY_REGION + " LIMIT 3"}},
        "other file": {"files": [Upload("t.csv", b"a\n2\n")]},
        "again": {},
    }
    app.send(RerunChat(turn.chat_id, **different[what]))  # type: ignore[arg-type]
    (again,) = [one for one in app.chat(turn.chat_id).calls.values() if one.call_id != before.call_id]
    assert rows(again) == [["East", 15], ["North", 7], ["West", 20]]
    assert again.result["source"]["read_at"] > before.result["source"]["read_at"]


WRITES = {
    "sqlite": (
        "INSERT INTO sold VALUES ('a', 1)", "REPLACE INTO sold VALUES ('a', 1)", "UPDATE sold SET amount = 0",
        "DELETE FROM sold", "DROP TABLE sold", "ALTER TABLE sold ADD COLUMN x", "CREATE TABLE x (a)",
        "CREATE TABLE x AS SELECT * FROM sold", "CREATE TEMP TABLE x (a)", "CREATE INDEX x ON sold (region)",
        "CREATE VIEW x AS SELECT 1", "CREATE TRIGGER x AFTER INSERT ON sold BEGIN SELECT 1; END", "VACUUM",
        "VACUUM INTO '/tmp/x.sqlite'", "REINDEX", "ANALYZE", "ATTACH '/tmp/x.sqlite' AS x", "DETACH main",
        "PRAGMA user_version = 7", "PRAGMA writable_schema = ON", "SELECT load_extension('x')",
        "SELECT writefile('/tmp/x', 'x')", "SELECT edit('x', 'sh')", "SELECT * FROM pragma_journal_mode('wal')",
        "WITH x AS (SELECT 1) DELETE FROM sold", "SELECT 1; DELETE FROM sold", "BEGIN; DELETE FROM sold; COMMIT",
        "SAVEPOINT x", "DELETE FROM sold RETURNING *", "EXPLAIN DELETE FROM sold",
    ),
    "flightsql": (
        "INSERT INTO sold VALUES ('a', 1)", "INSERT OVERWRITE sold SELECT 'a', 1", "UPDATE sold SET amount = 0",
        "DELETE FROM sold", "MERGE INTO sold s USING many m ON s.amount = m.n WHEN MATCHED THEN DELETE",
        "DROP TABLE sold", "TRUNCATE TABLE sold", "ALTER TABLE sold ADD COLUMN x int", "CREATE TABLE x (a int)",
        "CREATE TABLE x USING parquet LOCATION '/tmp/x' AS SELECT 1", "CREATE OR REPLACE TEMP VIEW sold AS SELECT 1",
        "INSERT OVERWRITE DIRECTORY '/tmp/x' USING parquet SELECT 1", "CACHE TABLE sold", "UNCACHE TABLE sold",
        "REFRESH TABLE sold", "SET spark.x = 1", "RESET", "ADD JAR '/tmp/x.jar'", "USE other", "CREATE DATABASE x",
        "LOAD DATA INPATH '/tmp/x' INTO TABLE sold", "CREATE FUNCTION f AS 'x'",
        "ANALYZE TABLE sold COMPUTE STATISTICS",
        "SELECT java_method('java.lang.System', 'exit', 1)", "SELECT reflect('java.lang.System', 'exit')",
        "FROM sold INSERT INTO many SELECT 1", "SELECT 1; DELETE FROM sold", "EXPLAIN DELETE FROM sold",
        "COMMENT ON TABLE sold IS 'x'", "MSCK REPAIR TABLE sold",
    ),
}  # fmt: skip
"""PostgreSQL's are in `test_querying`."""


def test_no_statement_that_writes_is_accepted(app: App, kind: Kind, chat_id: str) -> None:
    tried = WRITES.get(kind.add.driver, ())
    came_through = [sql for sql in tried if asked(app, chat_id, sql, "shop").status != "error"]
    assert came_through == []
    assert rows(asked(app, chat_id, BY_REGION, "shop")) == [["East", 15], ["West", 20]]


ODD_NAMES = ["my.table", 'quo"te', "Upper", "group", "😀 sold", "n" * 63, "per%cent", "new\nline", "Größe"]


@pytest.mark.long
def test_tables_with_any_name_are_listed_and_can_be_queried(app: App, kind: Kind, chat_id: str) -> None:
    if kind.add.driver == "flightsql":
        return  # Spark's names are letters, digits and _
    schema = kind.table.partition(".")[0]
    for name in ODD_NAMES:
        made = f"{quote(schema)}.{quote(name)}" if schema == "sales" else quote(name)
        kind.run(f"CREATE TABLE {made} ({quote(name)} int)")
        kind.run(f"INSERT INTO {made} VALUES (7)")
        if schema == "sales":
            kind.run(f"GRANT SELECT ON {made} TO reader")
    app.send(RefreshSourceTables("shop"))
    assert {one["name"] for one in answer(app, ListSourceTables("shop"))["tables"]} >= set(ODD_NAMES)
    for name in ODD_NAMES:
        call = asked(app, chat_id, f"SELECT {quote(name)} FROM {quote(name)}", "shop")
        assert rows(call) == [[7]], name
        assert call.result["source"]["tables"] == [f"{schema}.{name}"]
