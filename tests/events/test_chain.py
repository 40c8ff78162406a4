"""The fast check of the hash chain: it accepts an intact log, and no log that the slow check rejects."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from events import verification
from events.catalog.chat import ChatCreated, MessageAdded
from events.catalog.parts import TextPart
from events.duckdb_log import DuckDBLog
from events.log import Append
from events.log_files import DATABASE
from tests.support.long_cases import mostly_long

EVENTS = 9_000
BATCH = 8192


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("chain")
    log = DuckDBLog(home)
    texts = ["", "é – 漢字 🐧", 'a "quoted"\nline', "x" * 3_000]
    log.append(Append("chat-a", [ChatCreated(title=texts[n % 4]) for n in range(EVENTS - 1)]))
    part = TextPart(text="last")
    log.append(
        Append(
            "chat-b",
            [
                MessageAdded(
                    message_id="00000000-0000-7000-8000-000000000001",
                    parent_id=None,
                    role="user",
                    parts=(part,),
                )
            ],
        )
    )
    log.close()
    return home


@pytest.fixture
def copy(written: Path, tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    (tmp_path / DATABASE).write_bytes((written / DATABASE).read_bytes())
    with duckdb.connect(str(tmp_path / DATABASE)) as connection:
        connection.execute("DROP TRIGGER no_update ON event_log; DROP TRIGGER no_delete ON event_log")
        yield connection


@pytest.mark.long
def test_an_intact_log_is_walked_to_its_head(
    copy: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verification._walked(copy) == EVENTS
    monkeypatch.setattr(verification, "_FIRST_BAD", "SELECT error('the slow way was gone')")
    assert verification.verify_chain(copy).ok


@pytest.mark.parametrize(
    "change",
    mostly_long(
        [
            "payload = payload || ' '",
            "hash = unhex(repeat('00', 32))",
            "hash = hash || '\\x00'::BLOB",
            "hash = left(hex(hash), 62)::BLOB",
            "version = version + 100_000",
            "position = position + 100_000",
            "correlation_id = uuid()",
            "occurred_at = occurred_at + INTERVAL 1 microsecond",
        ],
        every=3,
    ),
)
@pytest.mark.parametrize("position", mostly_long([1, BATCH, BATCH + 1, EVENTS], quick=(1,)))
def test_a_changed_row_stops_the_walk(copy: duckdb.DuckDBPyConnection, position: int, change: str) -> None:
    copy.execute(f"UPDATE event_log SET {change} WHERE position = {position}")
    assert verification._walked(copy) < position
    assert not verification.verify_chain(copy).ok


@pytest.mark.parametrize("position", mostly_long([1, BATCH, BATCH + 1, EVENTS - 1], quick=(0, 2)))
def test_a_missing_event_stops_the_walk(copy: duckdb.DuckDBPyConnection, position: int) -> None:
    copy.execute(f"DELETE FROM event_log WHERE position = {position}")
    assert verification._walked(copy) < position
    assert verification.verify_chain(copy).first_bad_position == position


def test_rows_stored_in_another_order_are_still_an_intact_chain(copy: duckdb.DuckDBPyConnection) -> None:
    copy.execute("CREATE TABLE moved AS FROM event_log ORDER BY position DESC; DELETE FROM event_log")
    copy.execute("INSERT INTO event_log FROM moved")
    assert verification._walked(copy) == 0
    assert verification.verify_chain(copy).ok


def test_if_the_fast_walk_fails_the_slow_check_decides(
    copy: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "_WALK", "SELECT error('too large') AS text")
    assert verification.verify_chain(copy).ok
