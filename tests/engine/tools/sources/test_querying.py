"""Queries to databases: the SQL runs there, the whole result is captured, and nothing else is sent."""

import io
import os
import socket
import sqlite3
import threading
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from engine.app.app import App
from engine.app.queries.answers import answer
from engine.app.queries.catalog import ExplainCall, ExportChat, GetReplay, ListSources
from engine.commands.catalog import (
    AddSource,
    BeginChat,
    ChangeSource,
    ForkChat,
    RemoveSource,
    ReplayChat,
    RerunChat,
    RunTool,
    StopTurn,
    TestSource,
)
from events.canonical import canonical_json
from tests.engine.tools.sources.asking import asked, new_chat, rows, until, with_warehouse
from tests.support.postgres import READER_KEY, Postgres
from tests.support.talk import call as call_of
from tests.support.talk import script

BY_REGION = "SELECT region, sum(amount) AS amount FROM sales.orders GROUP BY 1 ORDER BY 1"
SLOW = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b"


def test_a_result_of_a_source_is_a_table_that_can_be_joined_with_files(app: App, postgres: Postgres) -> None:
    with_warehouse(app, postgres)
    chat_id = new_chat(app, targets="region,target\nEast,2400\nWest,2600\n")

    call = asked(app, chat_id, BY_REGION, name="by_region")
    assert rows(call) == [["East", 2505.0], ["West", 2500.0]]
    assert call.result["table"] == "by_region"
    source = call.result["source"]
    assert source["name"] == "warehouse"
    assert source["server"] == "PostgreSQL 16.14"
    assert source["tables"] == ["sales.orders"]
    assert source["snapshot"].count(":") == 2
    assert "sum(amount)" in source["sql"]

    joined = asked(
        app,
        chat_id,
        "SELECT region, amount - target FROM by_region JOIN targets USING (region) ORDER BY 1",
        None,
    )
    assert [region for region, _ in rows(joined)] == ["East", "West"]
    assert float(rows(joined)[0][1]) == 105.0


@pytest.mark.long
def test_a_captured_result_stays_after_the_source_changes_and_disappears(
    app: App, postgres: Postgres
) -> None:
    chat_id = with_warehouse(app, postgres)
    asked(app, chat_id, BY_REGION, name="by_region")
    postgres.run("DROP TABLE sales.refunds, sales.orders")

    gone = asked(app, chat_id, BY_REGION)
    assert gone.status == "error"
    assert "it was dropped or renamed. Refresh the table list of warehouse" in gone.error["message"]
    app.send(RemoveSource("warehouse"))
    kept = asked(app, chat_id, "SELECT sum(amount) FROM by_region", None)
    assert float(rows(kept)[0][0]) == 5005.0


@pytest.mark.long
def test_a_call_that_reads_a_source_cannot_read_the_chats_files(app: App, postgres: Postgres) -> None:
    """Its process has the network and a driver in C, so it contains nothing that a hostile server could take."""
    with_warehouse(app, postgres)
    chat_id = new_chat(app, orders="a\n1\n")
    taken = asked(app, chat_id, "SELECT 1 AS one", name="orders")

    assert taken.result["table"] == "orders_2"  # its name is free, though it did not see the file
    assert asked(app, chat_id, "SELECT a FROM orders", None).status == "success"


def test_values_come_back_unchanged(app: App, postgres: Postgres) -> None:
    chat_id = with_warehouse(app, postgres)
    made = asked(
        app,
        chat_id,
        "SELECT 12345678901234567890.12::numeric AS big, amount, day, 1 AS same, 2 AS same, ARRAY[1.5] AS list, "
        "'10.0.0.1'::inet AS address, '{\"a\": 1}'::jsonb AS doc, interval '1 day' AS span, NULL AS nothing, "
        "timestamptz '2026-01-01 12:00+02' AS noon, 'NaN'::numeric AS nan, sum(amount) OVER () AS total "
        "FROM sales.orders WHERE id = 7",
        name="kinds",
    )
    assert made.status == "success", made.error
    read = asked(app, chat_id, "SELECT column_name, column_type FROM (DESCRIBE kinds)", None)
    assert dict(rows(read)) == {
        "big": "DECIMAL(38,2)", "amount": "DECIMAL(12,2)", "day": "DATE", "same": "INTEGER", "same_2": "INTEGER",
        "list": "VARCHAR", "address": "VARCHAR", "doc": "VARCHAR", "span": "VARCHAR", "nothing": "VARCHAR",
        "noon": "TIMESTAMP", "nan": "VARCHAR", "total": "DECIMAL(38,2)",
    }  # fmt: skip
    read = asked(
        app, chat_id, "SELECT big::text, list, address, doc, nan, noon::text, total::text FROM kinds", None
    )
    assert rows(read) == [
        [
            "12345678901234567890.12",
            "{1.5}",
            "10.0.0.1/32",
            '{"a": 1}',
            "nan",
            "2026-01-01 10:00:00",
            "0.07",
        ]
    ]


@pytest.mark.long
def test_a_result_above_the_limit_is_refused_completely(app: App, postgres: Postgres) -> None:
    chat_id = with_warehouse(app, postgres, max_rows=999)
    call = asked(app, chat_id, "SELECT * FROM sales.orders")

    assert call.status == "error"
    assert "more than the 999 rows" in call.error["message"]
    assert "none of it was kept" in call.error["message"]
    app.send(ChangeSource("warehouse", max_rows=1000))
    assert asked(app, chat_id, "SELECT * FROM sales.orders").result["row_count"] == 1000


def test_a_slow_query_is_stopped_at_the_server(app: App, postgres: Postgres) -> None:
    chat_id = with_warehouse(app, postgres, max_seconds=1)
    call = asked(app, chat_id, SLOW)

    assert call.status == "error"
    assert (
        "longer than the 1 seconds that warehouse allows, so the server stopped it" in call.error["message"]
    )
    assert postgres.at_work() == []


def _begun(app: App, postgres: Postgres, chat_id: str) -> threading.Thread:
    """Start the slow query, and wait until the server runs it."""
    running = threading.Thread(target=lambda: asked(app, chat_id, SLOW))
    running.start()
    until(lambda: any("generate_series" in query for query in postgres.at_work()))
    return running


def test_stop_reaches_the_database_server(app: App, postgres: Postgres) -> None:
    chat_id = with_warehouse(app, postgres, max_seconds=3600)
    running = _begun(app, postgres, chat_id)
    app.send(StopTurn(chat_id))
    running.join()

    until(lambda: not postgres.at_work())
    (call,) = app.chat(chat_id).calls.values()
    assert call.status == "cancelled"


@pytest.mark.long
def test_a_server_that_dies_during_a_query_is_reported_and_can_be_queried_again(app: App) -> None:
    from tests.support.postgres import running_postgres  # noqa: PLC0415 - one of its own, to kill

    with running_postgres() as server:
        app.send(AddSource("warehouse", "postgresql", server.address, "admin", "canary-admin-Kx81-zq"))
        assert app.send(TestSource("warehouse")).connected
        chat_id = new_chat(app)
        running = _begun(app, server, chat_id)
        server.kill()
        running.join()
        (call,) = app.chat(chat_id).calls.values()

        assert call.status == "error"
        assert "The connection to warehouse was lost" in call.error["message"]
        again = asked(app, chat_id, "SELECT 1 AS one")
        assert "nothing is listening on port" in again.error["message"]


WRITES = [
    "INSERT INTO sales.orders VALUES (0)",
    "UPDATE sales.orders SET amount = 0",
    "DELETE FROM sales.orders",
    "TRUNCATE sales.orders",
    "DROP TABLE sales.orders",
    "CREATE TABLE sales.new (a int)",
    "ALTER TABLE sales.orders ADD a int",
    "MERGE INTO sales.orders o USING sales.refunds r ON o.id = r.id WHEN MATCHED THEN DELETE",
    "WITH gone AS (DELETE FROM sales.orders RETURNING *) SELECT * FROM gone",
    "WITH RECURSIVE a AS (SELECT 1), b AS (UPDATE sales.orders SET amount = 0 RETURNING 1) SELECT * FROM a",
    "SELECT * INTO sales.copied FROM sales.orders",
    "SELECT * FROM sales.orders FOR UPDATE",
    "SELECT 1; DELETE FROM sales.orders",
    "COPY sales.orders TO PROGRAM 'id'",
    "COPY sales.orders FROM '/etc/passwd'",
    "DO $$ BEGIN DELETE FROM sales.orders; END $$",
    "CALL sales.clear()",
    "SELECT sales.clear()",
    "SELECT set_config('transaction_read_only', 'off', false)",
    "SET TRANSACTION READ WRITE",
    "COMMIT; DELETE FROM sales.orders",
    "SELECT lo_import('/etc/passwd')",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_catalog.pg_ls_dir('/')",
    "SELECT query_to_xml('DELETE FROM sales.orders', true, true, '')",
    "SELECT nextval('sales.numbers')",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
    "SELECT * FROM dblink('dbname=postgres', 'DELETE FROM sales.orders') AS t(a int)",
    "LOCK TABLE sales.orders",
    "EXPLAIN ANALYZE DELETE FROM sales.orders",
    "PREPARE p AS DELETE FROM sales.orders",
    "VACUUM sales.orders",
    "NOTIFY channel",
    "GRANT ALL ON sales.orders TO public",
    "SELECT '\\'; DELETE FROM sales.orders; --'",
    "SELECT $1 FROM sales.orders",
]


@pytest.mark.long
def test_no_statement_that_writes_is_accepted(app: App, postgres: Postgres) -> None:
    """Tried as the administrator, who may write: the check refuses, and so would the connection."""
    postgres.run(
        "CREATE SEQUENCE sales.numbers",
        "CREATE FUNCTION sales.clear() RETURNS int LANGUAGE sql AS 'DELETE FROM sales.orders; SELECT 1'",
    )
    app.send(AddSource("warehouse", "postgresql", postgres.address, "admin", "canary-admin-Kx81-zq"))
    app.send(TestSource("warehouse"))
    chat_id = new_chat(app)
    before = postgres.run("SELECT count(*), sum(amount) FROM sales.orders")

    came_through = [sql for sql in WRITES if asked(app, chat_id, sql).status != "error"]
    assert came_through == []
    assert postgres.run("SELECT count(*), sum(amount) FROM sales.orders") == before
    assert postgres.run("SELECT to_regclass('sales.new'), to_regclass('sales.copied')") == [(None, None)]
    assert postgres.run("SELECT is_called FROM sales.numbers") == [(False,)]


def test_the_connection_itself_refuses_to_write(app: App, postgres: Postgres) -> None:
    """A function that the check accepts, but that writes: the transaction is read-only."""
    postgres.run(
        "CREATE FUNCTION sales.lower(text) RETURNS text LANGUAGE sql AS 'DELETE FROM sales.orders; SELECT $1'",
        "ALTER ROLE admin SET search_path = sales, pg_catalog",
    )
    app.send(AddSource("warehouse", "postgresql", postgres.address, "admin", "canary-admin-Kx81-zq"))
    app.send(TestSource("warehouse"))
    call = asked(app, new_chat(app), "SELECT lower('A')")
    postgres.run("ALTER ROLE admin RESET search_path")

    assert "cannot execute DELETE in a read-only transaction" in call.error["message"]


UNREADABLE = [
    "SELECT * FROM staff.salaries",
    "SELECT * FROM salaries",
    "SELECT * FROM pg_authid",
    "SELECT * FROM pg_catalog.pg_shadow",
    "SELECT * FROM information_schema.tables",
    "WITH salaries AS (SELECT * FROM staff.salaries) SELECT * FROM salaries",
    "WITH a AS (SELECT * FROM pg_authid), pg_authid AS (SELECT 1) SELECT * FROM a",
    "SELECT (SELECT max(salary) FROM staff.salaries), o.* FROM sales.orders o",
    "SELECT * FROM sales.orders o, LATERAL (SELECT salary FROM staff.salaries) s",
    "SELECT count(*) FROM sales.orders UNION ALL SELECT max(salary) FROM staff.salaries",
    "TABLE staff.salaries",
]


@pytest.mark.long
def test_tables_that_are_not_allowed_cannot_be_read(app: App, postgres: Postgres) -> None:
    chat_id = with_warehouse(app, postgres, allowed=["sales"])
    for sql in UNREADABLE:
        call = asked(app, chat_id, sql)
        assert call.status == "error", sql
        assert "is not among the tables of warehouse that may be read" in call.error["message"]


@pytest.mark.long
def test_a_table_is_found_without_its_schema_or_with_the_name_of_its_source(
    app: App, postgres: Postgres
) -> None:
    chat_id = with_warehouse(app, postgres, allowed=["sales"])
    for table in ("orders", "warehouse.sales.orders", "warehouse.orders", '"sales"."orders"', "Sales.Orders"):
        assert rows(asked(app, chat_id, f"SELECT count(*) FROM {table}")) == [[1000]]


@pytest.mark.long
def test_a_sqlite_file_is_read_in_place_and_never_written(app: App, till: Path) -> None:
    app.send(AddSource("till", "sqlite", str(till)))
    app.send(TestSource("till"))
    chat_id = new_chat(app)
    before = till.read_bytes()

    assert rows(
        asked(app, chat_id, "SELECT article, sum(amount) FROM sales GROUP BY 1 ORDER BY 1", "till")
    ) == [
        ["bread", 5.5],
        ["milk", 1.25],
    ]
    for sql in ("DELETE FROM sales", "PRAGMA user_version = 7", "ATTACH '/tmp/x.sqlite' AS x",
                "SELECT load_extension('x')", "VACUUM INTO '/tmp/x.sqlite'", "SELECT writefile('/tmp/x', 'x')",
                "SELECT * FROM pragma_database_list"):  # fmt: skip
        assert asked(app, chat_id, sql, "till").status == "error"
    assert till.read_bytes() == before


def test_a_sqlite_file_can_be_read_while_another_program_writes_to_it(app: App, till: Path) -> None:
    app.send(AddSource("till", "sqlite", str(till)))
    chat_id = new_chat(app)
    with closing(sqlite3.connect(till)) as writing:
        writing.execute("PRAGMA journal_mode = WAL")
        writing.execute("INSERT INTO sales VALUES (4, 'eggs', 9.0)")
        writing.commit()
        first = asked(app, chat_id, "SELECT count(*) FROM sales", "till")
        assert rows(first) == [[4]]
        writing.execute("INSERT INTO sales VALUES (5, 'eggs', 9.0)")
        writing.commit()
        second = asked(app, chat_id, "SELECT count(*) FROM sales", "till")
    assert rows(second) == [[5]]
    assert first.result["source"]["snapshot"] != second.result["source"]["snapshot"]


def test_describe_lists_a_sources_tables_and_finds_them(app: App, postgres: Postgres) -> None:
    chat_id = with_warehouse(app, postgres)
    call_id = app.send(RunTool(chat_id, "data-analyst:describe", {"source": "warehouse", "like": "refund"}))
    told = app.chat(chat_id).calls[call_id].result

    assert told["sql"] == "PostgreSQL"
    assert told["tables"] == [
        {
            "name": "sales.refunds",
            "kind": "table",
            "about_rows": 20,
            "columns": ["id integer (key)", "order_id integer (→ sales.orders)", "amount numeric(12,2)"],
        }
    ]


@pytest.mark.long
def test_a_list_of_hundreds_of_tables_fits_into_eight_kilobytes(app: App, postgres: Postgres) -> None:
    postgres.run("CREATE SCHEMA many", "GRANT USAGE ON SCHEMA many TO reader",
                 *(f"CREATE TABLE many.table_with_a_long_name_{n} (a int, b text)" for n in range(400)),
                 "GRANT SELECT ON ALL TABLES IN SCHEMA many TO reader")  # fmt: skip
    chat_id = with_warehouse(app, postgres)
    call_id = app.send(RunTool(chat_id, "data-analyst:describe", {"source": "warehouse"}))
    told = app.chat(chat_id).calls[call_id].result
    postgres.run("DROP SCHEMA many CASCADE")

    assert len(canonical_json(told).encode()) <= 8_100
    assert told["tables_left_out"] + len(told["tables"]) == 403
    assert "many: 400 tables" in told["schemas"]


def test_after_the_last_source_is_removed_the_tools_are_as_before(app: App, postgres: Postgres) -> None:
    def told() -> str:
        return canonical_json([[t.description, t.input_schema] for t in app.tools()])

    before = told()
    chat_id = with_warehouse(app, postgres)
    assert told() != before
    asked(app, chat_id, "SELECT 1 AS one")
    app.send(RemoveSource("warehouse"))
    assert told() == before
    assert "source" not in before


def test_only_the_shipped_query_tool_gets_a_connection_and_only_during_its_call(
    app: App, postgres: Postgres
) -> None:
    chat_id = with_warehouse(app, postgres)
    code = (
        "import os, sys\nfrom anabranch_tool.context import given\n"
        "print(sorted(given), [k for k in os.environ if 'KEY' in k], open('/proc/self/cmdline').read())"
    )
    call_id = app.send(RunTool(chat_id, "data-analyst:python", {"code": code}))
    told = app.chat(chat_id).calls[call_id].result

    assert "'source'" not in told["output"]
    assert READER_KEY not in canonical_json(told)
    refused = app.send(RunTool(chat_id, "data-analyst:chart", {"sql": "SELECT 1", "source": "warehouse"}))
    assert app.chat(chat_id).calls[refused].status == "error"


def test_no_process_shows_the_key_while_a_query_runs(app: App, postgres: Postgres) -> None:
    """Neither in its command line nor in its environment."""
    chat_id = with_warehouse(app, postgres, max_seconds=3600)
    running = _begun(app, postgres, chat_id)
    seen = b""
    for process in Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            try:
                seen += (process / name).read_bytes()
            except OSError:
                continue
    app.send(StopTurn(chat_id))
    running.join()

    assert READER_KEY.encode() not in seen
    assert os.getpid() > 0


@pytest.mark.long
def test_a_fork_contains_the_results_of_a_source(app: App, postgres: Postgres) -> None:
    chat_id = with_warehouse(app, postgres)
    asked(app, chat_id, BY_REGION, name="by_region")
    forked = app.send(ForkChat(chat_id))

    assert float(rows(asked(app, forked, "SELECT sum(amount) FROM by_region", None))[0][0]) == 5005.0


@pytest.mark.long
def test_a_replay_verifies_the_captured_result_and_queries_again_only_on_request(
    app: App, postgres: Postgres
) -> None:
    chat_id = with_warehouse(app, postgres)
    asked(app, chat_id, BY_REGION, name="by_region")

    def verdict(live: bool) -> Mapping[str, object]:
        replay_id = app.send(ReplayChat(chat_id, None, (), live))
        (call,) = answer(app, GetReplay(chat_id, replay_id))["calls"]
        return call

    recorded = verdict(live=False)
    assert recorded["verdict"] == "skipped"
    assert "The recorded result is complete; the source was not asked again." in recorded["reason"]
    assert verdict(live=True)["verdict"] == "identical"
    postgres.run("UPDATE sales.orders SET amount = amount + 1 WHERE region = 'East'")
    moved = verdict(live=True)
    assert moved["verdict"] == "differs"
    assert rows(asked(app, chat_id, "SELECT max(amount)::DOUBLE FROM by_region", None)) == [[2505.0]]


@pytest.mark.long
def test_a_damaged_captured_result_fails_the_replay(app: App, postgres: Postgres) -> None:
    chat_id = with_warehouse(app, postgres)
    asked(app, chat_id, BY_REGION, name="by_region")
    sha256 = app.workspace.files(chat_id)["results/by_region.parquet"].sha256
    blob = app.data / "chats" / chat_id / "blobs" / sha256[:2] / sha256
    blob.chmod(0o600)
    blob.write_bytes(b"PAR1")

    replay_id = app.send(ReplayChat(chat_id))
    (call,) = answer(app, GetReplay(chat_id, replay_id))["calls"]
    assert call["verdict"] == "failed"
    assert "its file is damaged" in call["reason"]


def test_a_model_queries_a_source_and_a_rerun_queries_it_again(
    app: App, postgres: Postgres, tmp_path: Path
) -> None:
    with_warehouse(app, postgres)
    told = {"sql": BY_REGION, "source": "warehouse", "name": "by_region"}
    model = script(tmp_path / "s.json", [{"calls": [call_of("query", **told)]}, {"text": "East leads."}])
    turn = app.send(BeginChat("Who leads?", model=model))
    app.wait(turn.turn_id)
    (before,) = app.chat(turn.chat_id).calls.values()
    assert rows(before) == [["East", 2505.0], ["West", 2500.0]]
    postgres.run("UPDATE sales.orders SET amount = 1")

    app.send(RerunChat(turn.chat_id, call_id=before.call_id, arguments=told))
    again = [c for c in app.chat(turn.chat_id).calls.values() if c.call_id != before.call_id]
    assert [rows(one) for one in again] == [[["East", 500.0], ["West", 500.0]]]


@pytest.mark.long
def test_a_request_names_the_sources_and_a_few_tables(app: App, postgres: Postgres, tmp_path: Path) -> None:
    with_warehouse(app, postgres, allowed=["sales"])
    model = script(tmp_path / "s.json", [{"text": "Hello."}])
    turn = app.send(BeginChat("Hi", model=model))
    app.wait(turn.turn_id)
    (step,) = [r.event for r in app.log.read_stream(f"chat-{turn.chat_id}") if r.event.type == "StepStarted"]
    told = app.workspace.read(turn.chat_id, step.data.sha256).decode()

    assert "warehouse (PostgreSQL; write PostgreSQL):" in told
    assert "sales.refunds [table, about 20 rows]: id integer [key], order_id integer [→ sales.orders]" in told
    assert "staff" not in told
    assert "127.0.0.1" not in told


@pytest.mark.long
def test_a_file_and_a_table_of_a_source_with_the_same_name_are_kept_apart(
    app: App, postgres: Postgres
) -> None:
    """The file of the chat is not an input of the source's result."""
    with_warehouse(app, postgres)
    chat_id = new_chat(app, orders="region,amount\nEast,1\n")
    call = asked(app, chat_id, BY_REGION.replace("sales.orders", "orders"), name="by_region")
    assert rows(call) == [["East", 2505.0], ["West", 2500.0]]

    told = answer(app, ExplainCall(call.call_id))
    assert told["inputs"] == []
    assert told["changed"] == []
    assert "they are at the source warehouse" in canonical_json(told)


@pytest.mark.long
def test_values_that_do_not_fit_a_column_of_a_file_are_read_as_text_and_that_is_reported(
    app: App, postgres: Postgres
) -> None:
    """Otherwise an infinite time would be read as a day long before Christ."""
    chat_id = with_warehouse(app, postgres)
    sql = (
        "SELECT * FROM (VALUES ('infinity'::date, '-infinity'::timestamp, 'infinity'::timestamptz, "
        "'$1,234.50'::money, 1::oid, 'a'::text), "
        "('2026-01-02', '2026-01-02 03:04', '2026-01-02 03:04+01', '$-0.01', 2, 'b'), "
        "('4713-01-01 BC', '5000-01-01', NULL, NULL, NULL, NULL)) AS v(day, moment, zoned, cash, number, words)"
    )
    made = asked(app, chat_id, sql, name="odd")
    assert rows(made) == [
        ["infinity", "-infinity", "infinity", 1234.5, 1, "a"],
        ["2026-01-02", "2026-01-02 03:04:00.000000", "2026-01-02 02:04:00.000000", -0.01, 2, "b"],
        ["-4712-01-01", "5000-01-01 00:00:00.000000", None, None, None, None],
    ]
    assert made.result["notes"] == [
        "Times are in UTC: zoned.",
        "These columns were read as text, because Parquet does not have their type or cannot store all of their "
        "values: day, moment, zoned.",
    ]
    kinds = {column["name"]: column["type"] for column in made.result["columns"]}
    assert (kinds["cash"], kinds["number"]) == ("DECIMAL(38,2)", "BIGINT")


@pytest.mark.long
def test_values_of_different_types_in_a_sqlite_column_keep_their_types(app: App, till: Path) -> None:
    with closing(sqlite3.connect(till)) as writing:
        writing.execute("CREATE TABLE mixed (a, b)")
        writing.executemany(
            "INSERT INTO mixed VALUES (?, ?)",
            [(1, 2), ("two", 0.5), (b"\x00\xff", 2**62 + 1), *((n, 2**62 + 1) for n in range(30_000))],
        )
        writing.commit()
    app.send(AddSource("till", "sqlite", str(till)))
    chat_id = new_chat(app)
    call = asked(app, chat_id, "SELECT * FROM mixed", "till", name="mixed")
    assert call.status == "success", call.error
    assert rows(call)[:3] == [["1", "2"], ["two", "0.5"], ["00ff", str(2**62 + 1)]]
    assert "cannot store all of their values: a, b." in canonical_json(call.result["notes"])
    kept = asked(app, chat_id, f"SELECT count(*) FROM mixed WHERE b = '{2**62 + 1}'", None)
    assert rows(kept) == [[30_001]]


@pytest.mark.long
def test_a_server_that_accepts_connections_but_never_answers_is_given_up(app: App) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        port = silent.getsockname()[1]
        app.send(AddSource("slow", "postgresql", f"127.0.0.1:{port}/shop", "reader", READER_KEY))
        told = app.send(TestSource("slow"))
    assert (told.kind, told.connected) == ("cannot_connect", False)
    assert "did not answer within 10 seconds" in (told.message or "")


@pytest.mark.long
def test_a_source_can_be_removed_during_a_query(app: App, postgres: Postgres) -> None:
    chat_id = with_warehouse(app, postgres, max_seconds=3600)
    running = _begun(app, postgres, chat_id)
    app.send(RemoveSource("warehouse"))
    app.send(StopTurn(chat_id))
    running.join()

    (call,) = app.chat(chat_id).calls.values()
    assert call.status == "cancelled"
    until(lambda: not postgres.at_work())
    gone = asked(app, chat_id, "SELECT 1 AS one")
    assert gone.status == "error"
    assert "source" in gone.error["message"]


@pytest.mark.long
def test_two_apps_can_read_the_same_source(app: App, till: Path, tmp_path: Path) -> None:
    environ = {**os.environ, "ANABRANCH_CONFIG": str(tmp_path / "other-config")}
    with closing(App(tmp_path / "other", environ=environ)) as other:
        for one in (app, other):
            one.send(AddSource("till", "sqlite", str(till)))
        found = [asked(one, new_chat(one), "SELECT count(*) FROM sales", "till") for one in (app, other)]
    assert [rows(call) for call in found] == [[[3]], [[3]]]


@pytest.mark.long
def test_no_key_of_a_source_is_in_files_logs_or_exports(
    own_app: App, postgres: Postgres, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The canary of SRC-2, after queries that worked, failed and named the key."""
    caplog.set_level("DEBUG")
    with_warehouse(own_app, postgres)
    calls = [
        call_of("query", sql=BY_REGION, source="warehouse", name="by_region"),
        call_of("query", sql=f"SELECT '{READER_KEY}' AS pasted", source="warehouse"),
        call_of("query", sql="SELECT * FROM sales.private", source="warehouse"),
        call_of("query", sql=f'SELECT 1 AS "{READER_KEY}", nonsense', source="warehouse"),
    ]
    model = script(
        tmp_path / "s.json", [*({"calls": [one]} for one in calls), {"text": f"It is {READER_KEY}."}]
    )
    turn = own_app.send(BeginChat("Who leads?", model=model))
    own_app.wait(turn.turn_id)
    own_app.send(ReplayChat(turn.chat_id, live=True))
    own_app.send(ChangeSource("warehouse", key="another-canary-key-55"))
    assert own_app.send(TestSource("warehouse")).kind == "wrong_key"
    exported = [answer(own_app, ExportChat(turn.chat_id, kind)) for kind in ("html", "md")]
    exported += [
        opened.read(name)
        for kind in ("notebook", "sql")
        for opened in [zipfile.ZipFile(io.BytesIO(answer(own_app, ExportChat(turn.chat_id, kind))))]
        for name in opened.namelist()
    ]
    listed = canonical_json(answer(own_app, ListSources())).encode()
    own_app.close()
    (tmp_path / "s.json").unlink()

    kept = [file.read_bytes() for file in own_app.data.rglob("*") if file.is_file()]
    written = [*kept, *exported, listed, caplog.text.encode()]
    for secret in (READER_KEY, "another-canary-key-55", "canary-reader-p%40ss%2Fw0rd%2677"):
        assert not [content for content in written if secret.encode() in content]
