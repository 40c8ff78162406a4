"""Rows name their hash format, and a log of format 1 continues in format 2 (LOG-4, LOG-9)."""

import json
import zipfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import duckdb
import pytest

from engine.app.app import open_app
from events.catalog.chat import ChatCreated
from events.catalog.settings import SettingChanged
from events.chain import chained
from events.duckdb_log import DuckDBLog
from events.event import UnknownEvent, UnreadableEvent
from events.log import Append, Verification
from events.log_files import DATABASE
from events.schema import SELECT_ROWS, insert_rows, to_row
from events.stored_row import Row
from tests.events.test_damage import tamper, verified, written
from tests.golden.write_store import STORES
from tests.support.long_cases import mostly_long


def rows_of(home: Path) -> list[Row]:
    with duckdb.connect(str(home / DATABASE)) as connection:
        return [to_row(found) for found in connection.execute(f"{SELECT_ROWS} ORDER BY position").fetchall()]


def add(home: Path, **changed: object) -> None:
    """Add one more row to a closed log, correctly hashed."""
    last = rows_of(home)[-1]
    bare = replace(
        last,
        position=last.position + 1,
        version=last.version + 1,
        event_id="00000000-0000-7000-8000-00000000abcd",
        **changed,
    )
    with duckdb.connect(str(home / DATABASE)) as connection:
        insert_rows(connection, [chained(last.hash, bare)])


def test_the_hashes_of_format_2_follow_the_specification(tmp_path: Path) -> None:
    written(tmp_path, 2)
    first, row = rows_of(tmp_path)
    payload = '{"title":"chat 2"}'
    assert json.loads(row.payload)["title"] == json.loads(payload)["title"]
    salted = bytes.fromhex(row.salt or "") + row.payload.encode()
    named = {
        "previous": first.hash,
        "format": "2",
        "position": "2",
        "stream": "chat-a",
        "version": "2",
        "event_id": row.event_id,
        "type": "ChatCreated",
        "schema_version": "1",
        "occurred_at": str(row.occurred_at),
        "payload": sha256(salted).hexdigest(),
    }
    text = "\n".join(f"{name}:{value}" for name, value in named.items())
    assert row.hash == sha256(text.encode()).hexdigest()


def test_the_same_payload_stored_twice_has_two_different_salts_of_16_bytes(tmp_path: Path) -> None:
    log = DuckDBLog(tmp_path)
    log.append(Append("chat-a", [ChatCreated(title="same"), ChatCreated(title="same")]))
    log.close()
    one, two = rows_of(tmp_path)
    assert one.payload == two.payload
    assert one.payload_hash != two.payload_hash
    assert {len(bytes.fromhex(row.salt or "")) for row in (one, two)} == {16}


@pytest.mark.parametrize("release", mostly_long(["0.1.0", "0.2.0"], quick=(1,)))
def test_a_log_of_format_1_continues_in_format_2_and_nothing_is_rewritten(
    release: str, tmp_path: Path
) -> None:
    with zipfile.ZipFile(STORES / f"{release}.zip") as archive:
        archive.extractall(tmp_path)
    with duckdb.connect(str(tmp_path / DATABASE), read_only=True) as connection:
        before = connection.execute("SELECT position, hash, payload FROM event_log ORDER BY 1").fetchall()
    log = DuckDBLog(tmp_path)
    log.append(Append("chat-new", [ChatCreated(title="in format 2")]))
    found = log.verify()
    log.close()
    assert found == Verification(True, len(before) + 1, len(before) + 1)
    rows = rows_of(tmp_path)
    assert [(row.position, bytes.fromhex(row.hash), row.payload) for row in rows[:-1]] == before
    assert [row.format for row in rows] == [1] * len(before) + [2]


@pytest.mark.parametrize(
    "change",
    mostly_long(
        [
            "salt = unhex(repeat('00', 16))",
            "salt = NULL",
            "payload_hash = unhex(repeat('00', 32))",
            "payload_hash = NULL",
            "payload = 'null'",
            "format = 1",
            "format = NULL",
            "schema_version = 2",
        ],
        quick=(0, 3, 4, 6),
    ),
)
def test_any_change_to_a_row_in_format_2_is_found(tmp_path: Path, change: str) -> None:
    written(tmp_path)
    tamper(tmp_path, f"UPDATE event_log SET {change} WHERE position = 4")
    found = verified(tmp_path)
    assert (found.ok, found.first_bad_position) == (False, 4)


def test_an_unknown_hash_format_is_reported_as_one_of_a_newer_release(tmp_path: Path) -> None:
    written(tmp_path)
    tamper(tmp_path, "UPDATE event_log SET format = 3 WHERE position = 9")
    found = verified(tmp_path)
    assert found.first_bad_position == 9
    assert "hash format 3, and this release knows formats 1 to 2" in (found.problem or "")


def test_sql_also_treats_an_event_of_a_newer_version_as_unknown(tmp_path: Path) -> None:
    """SQL used to read it as version 1, so a setting seemed to have a value that may have another meaning now."""
    log = DuckDBLog(tmp_path)
    log.append(Append("settings", [SettingChanged(name="model", value="offline")]))
    log.close()
    add(tmp_path, schema_version=7, payload='{"name":"model","value":"of another meaning"}')
    with open_app(tmp_path) as app:
        for _ in range(2):
            assert [row["value"] for row in app.read("settings") if row["name"] == "model"] == ["offline"]
            app.reads.rebuild()
        assert isinstance(list(app.log.read_stream("settings"))[1].event, UnknownEvent)
        assert app.log.verify().ok


@pytest.mark.parametrize(
    "payload",
    mostly_long(['{"name":["a","list"]}', '"no object"', "[1]", '{"name":"model","other":1}'], quick=(1, 3)),
)
def test_a_payload_that_differs_from_its_declaration_is_reported_and_reading_continues(
    tmp_path: Path, payload: str
) -> None:
    log = DuckDBLog(tmp_path)
    log.append(Append("settings", [SettingChanged(name="model", value="offline")]))
    log.close()
    add(tmp_path, payload=payload)
    log = DuckDBLog(tmp_path)
    log.append(Append("chat-a", [ChatCreated(title="after it")]))
    events = [(record.position, record.event) for record in log.read_all()]
    log.reads.rebuild()
    log.close()
    assert len(events) == 3
    position, unreadable = events[1]
    assert position == 2
    assert isinstance(unreadable, UnreadableEvent)
    assert unreadable.text == payload
    assert unreadable.problem
