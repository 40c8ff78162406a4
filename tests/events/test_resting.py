"""Bringing the log to rest: cheap where nothing happened, put off while someone reads, in time without being asked."""

from pathlib import Path

import pytest

from events import duckdb_log
from events.catalog.chat import ChatCreated
from events.duckdb_log import DATABASE, JOURNAL, DuckDBLog
from events.log import Append


def chat(title: str = "") -> Append:
    return Append("chat-a", [ChatCreated(title=title)])


def test_resting_twice_writes_nothing(tmp_path: Path) -> None:
    log = DuckDBLog(tmp_path)
    log.append(chat())
    log.checkpoint()
    before = (tmp_path / JOURNAL).stat().st_ino, (tmp_path / DATABASE).stat().st_mtime_ns
    log.checkpoint()
    assert ((tmp_path / JOURNAL).stat().st_ino, (tmp_path / DATABASE).stat().st_mtime_ns) == before
    log.close()


def test_a_reader_of_what_stood_before_puts_it_off_and_writing_goes_on(tmp_path: Path) -> None:
    """DuckDB refuses a checkpoint then: that is no fault of the disk."""
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


def test_the_journal_begins_anew_when_it_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody need call `checkpoint`."""
    monkeypatch.setattr(duckdb_log, "_FULL", 20_000)
    log = DuckDBLog(tmp_path)
    sizes = []
    for n in range(60):
        log.append(chat("x" * 1_000 + str(n)))
        sizes.append((tmp_path / JOURNAL).stat().st_size)
    assert max(sizes) < 22_000
    assert sizes[-1] < max(sizes)
    assert log.verify().events == 60
    log.close()


def test_after_a_crash_the_read_models_are_computed_anew(tmp_path: Path) -> None:
    """Their position is written when the log rests; until then it is known to be an older one."""
    log = DuckDBLog(tmp_path)
    log.append(chat("one"))
    log.checkpoint()
    log.append(chat("two"))
    with log.reader() as cursor:
        (stored,) = cursor.execute("SELECT position FROM projection_position").fetchall()[0]
    assert stored == 1
    live = log.registers()
    for name in (DATABASE, f"{DATABASE}.wal", JOURNAL):
        (tmp_path / "crashed").mkdir(exist_ok=True)
        (tmp_path / "crashed" / name).write_bytes((tmp_path / name).read_bytes())
    log.close()
    again = DuckDBLog(tmp_path / "crashed")
    assert again.registers() == live
    again.close()
