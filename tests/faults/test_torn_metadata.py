"""kill -9 while DuckDB writes its metadata: the block is rewritten in place, so it is partly new and partly old."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from engine.app.app import open_app
from engine.cli.main import program
from events.catalog.chat import ChatCreated
from events.duckdb_log import DuckDBLog
from events.log import Append, LogDamaged
from events.log_files import DATABASE
from tests.faults.test_crashes import CUT_OFF, ROOT
from tests.support.long_cases import mostly_long

BEGIN, SIZE = 12_288, 262_144
"""Where the first block of a DuckDB file begins, which contains its metadata, and how long it is."""
EVENTS = ["before", *(f"event {n}" for n in range(20))]


def block(data: Path) -> bytes:
    return (data / DATABASE).read_bytes()[BEGIN : BEGIN + SIZE]


def titles(log: DuckDBLog) -> list[str]:
    return [r.event.title for r in log.read_all() if isinstance(r.event, ChatCreated)]


def tear(data: Path, part: float) -> None:
    """Leave the block as if its process was killed after writing `part` of a checkpoint's changes to it."""
    old = block(data)
    ended = subprocess.run(
        [sys.executable, "-c", CUT_OFF, data, "after_free_list_write"], cwd=ROOT, check=False
    )
    assert ended.returncode == 7, "the checkpoint was not cut off"
    new = block(data)
    changed = [at for at in range(SIZE) if old[at] != new[at]]
    end = changed[round(part * (len(changed) - 1))]
    with (data / DATABASE).open("r+b") as file:
        file.seek(BEGIN)
        file.write(new[:end] + old[end:])
    with pytest.raises(duckdb.Error, match="checksum"):
        duckdb.connect(str(data / DATABASE))


@pytest.fixture
def torn(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A data folder whose last checkpoint was interrupted within the metadata."""
    with closing(DuckDBLog(tmp_path)) as log:
        log.append(Append("chat-a", [ChatCreated(title="before")]))
    tear(tmp_path, getattr(request, "param", 0.5))
    return tmp_path


@pytest.mark.parametrize("torn", mostly_long([0.001, 0.1, 0.5, 0.9, 1.0], quick=(1, 4)), indirect=True)
def test_a_checkpoint_interrupted_within_its_metadata_loses_nothing(torn: Path) -> None:
    with closing(DuckDBLog(torn)) as log:
        assert titles(log) == EVENTS
        assert log.verify().ok
        assert [notice for notice in log.notices() if "metadata was damaged" in notice]
    with closing(DuckDBLog(torn)) as log:
        assert (titles(log), log.notices()) == (EVENTS, ())


@pytest.mark.long
def test_the_metadata_is_repaired_again_if_the_next_start_is_killed_too(torn: Path) -> None:
    with closing(DuckDBLog(torn)):
        pass
    tear(torn, 0.5)
    with closing(DuckDBLog(torn)) as log:
        assert titles(log) == [*EVENTS, *EVENTS[1:]]


@pytest.mark.parametrize(
    "copy", mostly_long(["missing", "cut", "changed", "of an earlier checkpoint"], quick=(0,))
)
def test_without_the_copy_of_the_metadata_the_damage_is_reported_and_nothing_is_changed(
    tmp_path: Path, copy: str
) -> None:
    kept = tmp_path / f"{DATABASE}.metadata"
    with closing(DuckDBLog(tmp_path)) as log:
        earlier = kept.read_bytes()
        log.append(Append("chat-a", [ChatCreated(title="before")]))
    tear(tmp_path, 0.5)
    whole = kept.read_bytes()
    if copy == "missing":
        kept.unlink()
    elif copy == "of an earlier checkpoint":
        kept.write_bytes(earlier)
    else:
        kept.write_bytes(whole[:-100] if copy == "cut" else whole[:-100] + bytes(100))
    before = (tmp_path / DATABASE).read_bytes()
    with pytest.raises(LogDamaged, match="log salvage"):
        DuckDBLog(tmp_path)
    assert (tmp_path / DATABASE).read_bytes() == before
    kept.write_bytes(whole)
    with closing(DuckDBLog(tmp_path)) as log:
        assert titles(log) == EVENTS


@pytest.mark.long
def test_the_app_opens_and_reports_what_was_restored(tmp_path: Path) -> None:
    with open_app(tmp_path / "data"):
        pass
    tear(tmp_path / "data", 0.5)
    with open_app(tmp_path / "data") as app:
        assert app.log.verify().ok
        assert [notice for notice in app.upkeep.notices() if "metadata was damaged" in notice]


@pytest.mark.long
def test_the_command_line_reports_only_once_what_was_restored(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with open_app(data):
        pass
    tear(data, 0.5)
    told = [CliRunner().invoke(program, ["chat", "list", "--data", str(data), "--json"]) for _ in range(2)]
    assert [one.exit_code for one in told] == [0, 0]
    assert ["metadata was damaged" in one.stderr for one in told] == [True, False]
    assert [isinstance(json.loads(one.stdout), dict | list) for one in told] == [True, True]
