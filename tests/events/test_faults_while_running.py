"""What a running log reports and does if, after a fault, not all recorded events come back."""

import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from events.catalog.settings import SettingChanged
from events.duckdb_log import DuckDBLog
from events.log import Append, LogDamaged, LogFault
from events.log_files import DATABASE, JOURNAL
from events.projector import Projector


def changed(value: int) -> Append:
    return Append("settings", [SettingChanged(name="model", value=str(value))])


def zero(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def faulty(log: DuckDBLog, append: Append, monkeypatch: pytest.MonkeyPatch) -> None:
    """Append while writes to the database fail, but not to the journal."""

    def refused(*_: Any) -> None:
        raise duckdb.IOException("could not write file: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Projector, "write", refused)
        with pytest.raises(LogFault) as fault:
            log.append(append)
    assert fault.value.recorded


@pytest.mark.parametrize("rested", [True, False])
def test_losing_a_recorded_event_after_a_fault_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, rested: bool
) -> None:
    log = DuckDBLog(tmp_path)
    for number in range(3):
        log.append(changed(number))
    if rested:
        log.checkpoint()
    faulty(log, changed(3), monkeypatch)
    zero(tmp_path / JOURNAL)
    with pytest.raises(LogDamaged):
        log.append(changed(4))
    assert log.condition == "read_only"
    assert log.problem is not None
    assert log.head() == 3
    assert log.can_accept
    assert [one.position for one in log.accept()] == [4]
    assert log.append(changed(5))[0].version == 4
    assert log.verify().ok
    log.close()


def test_a_reopened_log_counts_versions_from_the_events_that_it_still_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB gave up the database, and an older one with fewer events came back."""
    home = tmp_path / "data"
    log = DuckDBLog(home, keeps=lambda _: False)
    log.append(changed(0))
    log.close()
    shutil.copy(home / DATABASE, tmp_path / "older")
    log = DuckDBLog(home, keeps=lambda _: False)
    for number in range(3):
        log.append(changed(number))
    assert log.stream_version("settings") == 4
    faulty(log, changed(3), monkeypatch)
    log._rows.database.connection.close()  # as DuckDB does where it cannot go on
    (home / f"{DATABASE}.wal").unlink(missing_ok=True)
    shutil.copy(tmp_path / "older", home / DATABASE)
    zero(home / JOURNAL)
    assert log.condition == "read_only"
    assert log.stream_version("settings") == len(log.read_stream("settings")) == 1
    log.accept()
    assert log.append(changed(9))[0].version == 2
    log.close()
