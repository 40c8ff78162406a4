"""Changes made to the log from outside are found, and events that are still in the journal are restored."""

import shutil
from pathlib import Path

import duckdb
import pytest

from events.catalog.chat import ChatCreated
from events.duckdb_log import DuckDBLog
from events.event import Event
from events.log import Append, LogDamaged, Verification
from events.log_files import DATABASE, JOURNAL, KEPT
from tests.support.long_cases import mostly_long


def written(home: Path, count: int = 9) -> list[Event]:
    log = DuckDBLog(home)
    events: list[Event] = [ChatCreated(title=f"chat {n}") for n in range(1, count + 1)]
    for event in events:
        log.append(Append("chat-a", [event]))
    log.close()
    return events


def tamper(home: Path, *statements: str) -> None:
    """Change the closed log's table like an attacker who knows of the triggers."""
    with duckdb.connect(str(home / DATABASE)) as connection:
        connection.execute("DROP TRIGGER no_update ON event_log; DROP TRIGGER no_delete ON event_log")
        for statement in statements:
            connection.execute(statement)


def verified(home: Path) -> Verification:
    log = DuckDBLog(home)
    try:
        return log.verify()
    finally:
        log.close()


def test_an_unchanged_log_passes_verification(tmp_path: Path) -> None:
    written(tmp_path)
    assert verified(tmp_path) == Verification(True, 9, 9)


@pytest.mark.parametrize(
    "statement",
    mostly_long(
        ["UPDATE event_log SET type = 'x'", "DELETE FROM event_log", "TRUNCATE event_log"], quick=(0,)
    ),
)
def test_the_table_refuses_changes(tmp_path: Path, statement: str) -> None:
    written(tmp_path)
    with (
        duckdb.connect(str(tmp_path / DATABASE)) as connection,
        pytest.raises(duckdb.Error, match="Events are never"),
    ):
        connection.execute(statement)
    assert verified(tmp_path).ok


@pytest.mark.parametrize(
    "change",
    mostly_long(
        [
            """payload = '{"title":"other"}'""",
            "type = 'ChatDeleted'",
            "occurred_at = occurred_at + INTERVAL 1 microsecond",
            "stream = 'chat-b'",
            "hash = unhex(repeat('00', 32))",
            "causation_id = uuid()",
        ],
        quick=(0, 4),
    ),
)
def test_a_changed_event_is_named(tmp_path: Path, change: str) -> None:
    written(tmp_path)
    tamper(tmp_path, f"UPDATE event_log SET {change} WHERE position = 4")
    found = verified(tmp_path)
    assert (found.ok, found.first_bad_position) == (False, 4)


def test_a_missing_event_is_named(tmp_path: Path) -> None:
    written(tmp_path)
    tamper(tmp_path, "DELETE FROM event_log WHERE position = 5")
    found = verified(tmp_path)
    assert (found.ok, found.first_bad_position, found.problem) == (False, 5, "Event 5 is missing.")


def test_swapped_events_are_reported_at_the_position_of_the_first_one(tmp_path: Path) -> None:
    written(tmp_path)
    tamper(
        tmp_path,
        "CREATE TABLE swapped AS SELECT * REPLACE (9 - position AS position, 9 - version AS version) FROM event_log "
        "WHERE position IN (4, 5)",
        "DELETE FROM event_log WHERE position IN (4, 5)",
        "INSERT INTO event_log FROM swapped",
    )
    found = verified(tmp_path)
    assert (found.ok, found.first_bad_position) == (False, 4)


def test_an_inserted_event_is_found(tmp_path: Path) -> None:
    written(tmp_path)
    tamper(
        tmp_path,
        "INSERT INTO event_log SELECT * REPLACE (10 AS position, 10 AS version, uuid() AS event_id) FROM event_log "
        "WHERE position = 9",
    )
    found = verified(tmp_path)
    assert (found.ok, found.first_bad_position) == (False, 10)


def test_events_lost_since_the_checkpoint_are_restored_from_the_journal(tmp_path: Path) -> None:
    events = written(tmp_path, 5)
    shutil.copy(tmp_path / DATABASE, tmp_path / "older")
    log = DuckDBLog(tmp_path)
    later: list[Event] = [ChatCreated(title="after the checkpoint"), ChatCreated(title="and another")]
    for event in later:
        log.append(Append("chat-a", [event]))
    shutil.copy(tmp_path / JOURNAL, tmp_path / "journal")
    log.close()
    (tmp_path / "older").replace(tmp_path / DATABASE)
    (tmp_path / "journal").replace(tmp_path / JOURNAL)

    reopened = DuckDBLog(tmp_path)
    assert reopened.restored == 2
    assert [r.event for r in reopened.read_all()] == events + later
    assert reopened.verify().ok
    with reopened.reads.reader() as cursor:
        assert cursor.execute("SELECT title FROM chats").fetchall() == [("and another",)]
    reopened.close()


def test_lost_events_that_cannot_be_restored_are_named_and_writing_stops(tmp_path: Path) -> None:
    written(tmp_path)
    tamper(tmp_path, "DELETE FROM event_log WHERE position > 7")
    shutil.rmtree(tmp_path / KEPT)
    log = DuckDBLog(tmp_path)
    found = log.verify()
    assert (found.ok, found.first_bad_position) == (False, 8)
    assert "events 8 to 9 are lost" in (found.problem or "")
    with pytest.raises(LogDamaged, match="reading only"):
        log.append(Append("chat-a", [ChatCreated()]))
    assert len(list(log.read_all())) == 7
    log.close()
    assert not verified(tmp_path).ok, "a second look must find it as well"


def test_a_database_of_another_log_is_recognized(tmp_path: Path) -> None:
    written(tmp_path / "one")
    written(tmp_path / "two")
    shutil.copy(tmp_path / "one" / DATABASE, tmp_path / "two" / DATABASE)
    assert verified(tmp_path / "two").first_bad_position == 9


def test_an_incomplete_last_write_to_the_journal_is_harmless(tmp_path: Path) -> None:
    events = written(tmp_path)
    with (tmp_path / JOURNAL).open("ab") as journal:
        journal.write(b"\x40\x00\x00\x00half a frame")
    log = DuckDBLog(tmp_path)
    assert log.damage is None
    assert [r.event for r in log.read_all()] == events
    log.close()
