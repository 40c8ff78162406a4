"""Checkpoints of the log: cheap if nothing happened, postponed during a read, and automatic."""

from pathlib import Path

import duckdb
import pytest

from events import durable_rows
from events.catalog.chat import ChatCreated
from events.duckdb_log import DuckDBLog
from events.log import Append
from events.log_files import DATABASE, JOURNAL
from events.projector import Projector
from tests.support.long_cases import mostly_long


def chat(title: str = "") -> Append:
    return Append("chat-a", [ChatCreated(title=title)])


def test_a_second_checkpoint_without_new_events_writes_nothing(tmp_path: Path) -> None:
    log = DuckDBLog(tmp_path)
    log.append(chat())
    log.checkpoint()
    before = (tmp_path / JOURNAL).stat().st_ino, (tmp_path / DATABASE).stat().st_mtime_ns
    log.checkpoint()
    assert ((tmp_path / JOURNAL).stat().st_ino, (tmp_path / DATABASE).stat().st_mtime_ns) == before
    log.close()


@pytest.mark.long
def test_an_open_read_postpones_a_checkpoint_but_not_writes(tmp_path: Path) -> None:
    """DuckDB refuses a checkpoint during a read; that is not a fault of the disk."""
    log = DuckDBLog(tmp_path)
    log.append(Append("chat-a", [ChatCreated(title=str(n)) for n in range(5_000)]))
    reading = log.read_all()
    next(reading)
    log.append(chat("meanwhile"))
    log.checkpoint()
    log.append(chat("after"))
    assert len(list(reading)) == 4_999
    kept = (tmp_path / JOURNAL).stat().st_size
    log.checkpoint()
    assert (tmp_path / JOURNAL).stat().st_size < kept
    log.close()
    again = DuckDBLog(tmp_path)
    assert again.head() == 5_002
    assert again.verify().ok
    again.close()


@pytest.mark.long
def test_a_full_journal_is_started_again_without_a_call_to_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log itself makes the checkpoint."""
    monkeypatch.setattr(durable_rows, "_FULL", 20_000)
    log = DuckDBLog(tmp_path)
    sizes = []
    for n in range(60):
        log.append(chat("x" * 1_000 + str(n)))
        sizes.append((tmp_path / JOURNAL).stat().st_size)
    assert max(sizes) < 22_000
    assert sizes[-1] < max(sizes)
    assert log.verify().events == 60
    log.close()


def crashed(home: Path, *names: str) -> Path:
    """A copy of a log as a killed process leaves it."""
    copy = home / "crashed"
    copy.mkdir()
    for name in names or (DATABASE, f"{DATABASE}.wal", JOURNAL):
        (copy / name).write_bytes((home / name).read_bytes())
    return copy


def stands_at(log: DuckDBLog) -> list[tuple[int]]:
    with log.reads.reader() as cursor:
        return cursor.execute("SELECT position FROM projection_state").fetchall()


def test_after_a_crash_the_read_models_are_at_the_position_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their position is committed with their rows, so nothing has to be recomputed."""
    log = DuckDBLog(tmp_path)
    log.append(chat("one"))
    log.checkpoint()
    log.append(chat("two"))
    assert stands_at(log) == [(2,)]
    live, copy = log.reads.registers(), crashed(tmp_path)
    log.close()
    monkeypatch.setattr(Projector, "rebuild", lambda *_: pytest.fail("computed anew"))
    again = DuckDBLog(copy)
    assert stands_at(again) == [(2,)]
    assert again.reads.registers() == live
    again.close()


@pytest.mark.parametrize("lost", mostly_long([1, 40], quick=(0,)))
def test_events_restored_from_the_journal_are_projected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    log = DuckDBLog(tmp_path)
    log.append(chat("one"))
    log.checkpoint()
    for number in range(lost):
        log.append(chat(f"more {number}"))
    live, copy = log.reads.registers(), crashed(tmp_path, DATABASE, JOURNAL)
    log.close()
    monkeypatch.setattr(Projector, "rebuild", lambda *_: pytest.fail("computed anew"))
    again = DuckDBLog(copy)
    assert again.restored == lost
    assert stands_at(again) == [(1 + lost,)]
    assert again.reads.registers() == live
    again.close()


def test_read_models_of_an_older_release_are_recomputed(tmp_path: Path) -> None:
    log = DuckDBLog(tmp_path)
    log.append(chat("one"))
    live = log.reads.registers()
    log.close()
    with duckdb.connect(str(tmp_path / DATABASE)) as older:
        older.execute("CREATE TABLE projection_position (position BIGINT, fingerprint VARCHAR)")
        older.execute("DELETE FROM chat_state")
    again = DuckDBLog(tmp_path)
    assert again.reads.registers() == live
    with again.reads.reader() as cursor:
        assert (
            cursor.execute("FROM duckdb_tables() WHERE table_name = 'projection_position'").fetchall() == []
        )
    again.close()
