"""Adding, testing, changing and removing databases that are queried in place."""

import socket
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from engine.app.app import App
from engine.app.queries.answers import answer
from engine.app.queries.catalog import ListSources, ListSourceTables
from engine.commands.catalog import AddSource, ChangeSource, RemoveSource, SourceAnswer, TestSource
from engine.deciders.source_addresses import read_address
from engine.deciders.source_drivers import DRIVERS
from engine.errors import AnabranchError, Invalid, NotFound, Refused
from events.canonical import canonical_json
from tests.support.ask_offline import ROOT
from tests.support.flight_server import flight_server
from tests.support.postgres import READER_KEY, Postgres

sys.path.insert(0, str(ROOT / "engine/runtime/library"))

from anabranch_tool import source_connections

from tests.support.long_cases import mostly_long


def added(app: App, server: Postgres, **more: object) -> SourceAnswer:
    app.send(AddSource("warehouse", "postgresql", server.address, "reader", READER_KEY, **more))  # type: ignore[arg-type]
    return app.send(TestSource("warehouse"))


def tables(app: App, name: str, like: str = "") -> list[str]:
    return [table["full_name"] for table in answer(app, ListSourceTables(name, like))["tables"]]


def test_a_postgresql_database_is_added_tested_and_browsed(app: App, postgres: Postgres) -> None:
    told = added(app, postgres)

    assert told.connected
    assert told.server == "PostgreSQL 16.14"
    assert (told.tables, told.schemas) == (3, 2)
    assert tables(app, "warehouse") == ["sales.orders", "sales.refunds", "staff.salaries"]
    (found,) = answer(app, ListSourceTables("warehouse", "refund"))["tables"]
    assert found["rows"] == 20
    assert [(c["name"], c["type"], c["note"]) for c in found["columns"]] == [
        ("id", "integer", "key"),
        ("order_id", "integer", "→ sales.orders"),
        ("amount", "numeric(12,2)", ""),
    ]
    (row,) = answer(app, ListSources())
    assert (row["connected"], row["server"], row["has_key"]) == (True, "PostgreSQL 16.14", True)


def test_a_sqlite_file_is_a_source_without_a_driver_or_a_key(app: App, till: Path) -> None:
    app.send(AddSource("till", "sqlite", str(till)))

    assert app.send(TestSource("till")).connected
    assert tables(app, "till") == ["main.articles", "main.sales", "main.staff"]


def test_only_allowed_tables_are_listed(app: App, postgres: Postgres) -> None:
    assert added(app, postgres, allowed=["sales.refunds", "staff"]).tables == 2
    assert tables(app, "warehouse") == ["sales.refunds", "staff.salaries"]


@pytest.mark.parametrize(
    ("changed", "kind", "words"),
    mostly_long(
        [
            ({"key": "not-the-password"}, "wrong_key", "The address answers, so the network is fine."),
            ({"user": "nobody_here"}, "wrong_key", "refused the password for “nobody_here”"),
            ({"address": "127.0.0.1:{port}/nowhere"}, "no_database", "has no database nowhere"),
            ({"address": "127.0.0.1:{closed}/postgres"}, "cannot_connect", "nothing is listening on port"),
        ],
        quick=(0, 3),
    ),
)
def test_a_problem_with_a_source_is_reported_with_a_way_to_fix_it(
    app: App, postgres: Postgres, changed: dict[str, str], kind: str, words: str
) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))  # taken, and nobody listens
        closed = listening.getsockname()[1]
        given = {name: value.format(port=postgres.port, closed=closed) for name, value in changed.items()}
        given = {"address": postgres.address, "user": "reader", "key": READER_KEY} | given
        app.send(AddSource("warehouse", "postgresql", **given))
        told = app.send(TestSource("warehouse"))

    assert not told.connected
    assert told.kind == kind
    assert words in (told.message or "")
    (row,) = answer(app, ListSources())
    assert (row["connected"], row["kind"], row["problem"]) == (False, kind, told.message)


def test_a_password_in_an_address_is_stored_as_a_key(app: App, postgres: Postgres) -> None:
    address = f"postgresql://reader:canary-reader-p%40ss%2Fw0rd%2677@{postgres.address}?sslmode=prefer"
    app.send(AddSource("warehouse", "postgresql", address))

    assert app.send(TestSource("warehouse")).connected
    (row,) = answer(app, ListSources())
    assert (row["address"], row["user"]) == (f"{postgres.address}?sslmode=prefer", "reader")
    assert app.vault.get("source/warehouse") == READER_KEY


def test_a_key_is_not_sent_to_a_changed_address(app: App, postgres: Postgres) -> None:
    added(app, postgres)
    app.send(ChangeSource("warehouse", address=f"localhost:{postgres.port}/postgres"))

    assert app.send(TestSource("warehouse")).kind == "wrong_key"
    app.send(ChangeSource("warehouse", key=READER_KEY))
    assert app.send(TestSource("warehouse")).connected


@pytest.mark.parametrize("token", ["canary-refused-token", None])
def test_an_error_does_not_contain_the_wrong_token_and_the_right_token_connects(
    app: App, token: str | None
) -> None:
    with flight_server("canary-right-token") as address:
        app.send(AddSource("cluster", "flightsql", address, key=token))
        told = app.send(TestSource("cluster"))

        assert (told.connected, told.kind) == (False, "wrong_key")
        assert "refused the password or token" in (told.message or "")
        assert "canary" not in canonical_json(asdict(told))
        app.send(ChangeSource("cluster", key="canary-right-token"))
        told = app.send(TestSource("cluster"))
        assert (told.connected, told.tables) == (True, 0), told.message


def test_a_removed_source_disappears_with_its_key(app: App, postgres: Postgres) -> None:
    added(app, postgres)
    app.send(RemoveSource("warehouse"))

    assert answer(app, ListSources()) == []
    assert "source/warehouse" not in app.vault.names()
    with pytest.raises(NotFound):
        app.send(TestSource("warehouse"))
    assert not list((app.data / "cache/sources").glob("*"))


def test_a_source_keeps_no_trace_of_its_key(own_app: App, postgres: Postgres) -> None:
    """The canary of SRC-2: it is in no file of the data folder, no event, no answer."""
    added(own_app, postgres)
    own_app.send(ChangeSource("warehouse", address="127.0.0.1:1/postgres", key="another-canary-key-55"))
    told = [asdict(own_app.send(TestSource("warehouse"))), *answer(own_app, ListSources())]
    events = [record.event.payload() for record in own_app.log.read_stream("source-warehouse", 0)]
    own_app.close()

    written = canonical_json(told) + canonical_json(events)  # type: ignore[arg-type]
    kept = [file.read_bytes() for file in own_app.data.rglob("*") if file.is_file()]
    for secret in (READER_KEY, "another-canary-key-55", "canary-reader-p%40ss%2Fw0rd%2677"):
        assert secret not in written
        assert not [content for content in kept if secret.encode() in content]


@pytest.mark.parametrize(
    ("name", "driver", "address", "code"),
    mostly_long(
        [
            ("Warehouse", "postgresql", "h/d", "source_name"),
            ("public", "postgresql", "h/d", "source_name"),
            ("a", "oracle", "h/d", "driver_unknown"),
            ("a", "postgresql", "h", "source_address"),
            ("a", "postgresql", "h/d?options=-csession_replication_role=replica", "source_address"),
            ("a", "postgresql", "h/d?sslkey=/etc/passwd", "source_address"),
            ("a", "postgresql", "host=h password=secret123", "source_address"),
            ("a", "postgresql", "/var/run/postgresql", "source_address"),
            ("a", "sqlite", "till.sqlite", "source_address"),
            ("a", "flightsql", "grpc://h:1/path", "source_address"),
            ("a", "flightsql", "http://h:1", "source_address"),
        ],
        quick=(0, 3, 5, 6),
    ),
)
def test_an_invalid_source_is_refused(app: App, name: str, driver: str, address: str, code: str) -> None:
    with pytest.raises(AnabranchError) as refused:
        app.send(AddSource(name, driver, address, key="some-password"))

    assert refused.value.code == code
    assert "secret123" not in refused.value.message
    assert answer(app, ListSources()) == []
    assert not app.vault.names()


def test_a_name_can_be_used_only_once_and_limits_are_checked(app: App, till: Path) -> None:
    app.send(AddSource("till", "sqlite", str(till)))
    with pytest.raises(Refused) as taken:
        app.send(AddSource("till", "sqlite", str(till)))
    assert taken.value.code == "source_taken"
    with pytest.raises(Invalid) as limit:
        app.send(ChangeSource("till", max_rows=0))
    assert limit.value.code == "source_limit"


def test_addresses_are_split_into_their_parts() -> None:
    postgresql, flight = DRIVERS["postgresql"], DRIVERS["flightsql"]

    assert read_address(postgresql, "postgres://u:p%40w@[::1]/d b").text == "[::1]:5432/d%20b"
    assert read_address(postgresql, "h/d?user=u&password=pw").key == "pw"
    assert read_address(flight, "grpc+tls://token:abc@h").text == "grpc+tls://h:50051"
    assert "p@w" not in repr(read_address(postgresql, "postgres://u:p%40w@h/d"))


def test_a_missing_driver_is_named_with_the_command_that_installs_it(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.send(AddSource("warehouse", "postgresql", "h/d", "reader"))
    monkeypatch.setattr("engine.tools.sources.access.find_spec", lambda _: None)
    (row,) = answer(app, ListSources())
    assert (row["installed"], row["install"]) == (False, "pip install 'anabranch[postgresql]'")

    told = {"driver": "postgresql", "title": "PostgreSQL", "install": row["install"]}
    monkeypatch.setattr(source_connections, "DRIVERS", {"postgresql": "no_such_module"})
    with pytest.raises(ValueError, match="PostgreSQL needs a driver: pip install"):
        source_connections.connect(told)
