"""A folder that is removed while its log is open, and what can still be read from a damaged journal."""

import shutil
from pathlib import Path

import pytest

from engine.app.app import open_app
from engine.commands.catalog import CreateChat
from engine.errors import Unavailable
from events.catalog.chat import ChatCreated
from events.duckdb_log import DuckDBLog
from events.log import Append, LogFault
from events.log_files import DATABASE, JOURNAL
from tests.support.long_cases import mostly_long


def written_and_killed(tmp_path: Path, before: int = 6, after: int = 6) -> Path:
    """A folder as left behind by a killed process: `after` events are only in the write-ahead log and the journal."""
    log = DuckDBLog(tmp_path / "live")
    for number in range(before + after):
        if number == before:
            log.checkpoint()
        log.append(Append("chat-a", [ChatCreated(title=f"chat {number}")]))
    shutil.copytree(tmp_path / "live", tmp_path / "killed")
    log.close()
    return tmp_path / "killed"


def test_a_folder_removed_while_an_app_runs_is_reported_correctly(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        app.send(CreateChat(title="before"))
        (tmp_path / "data").rename(tmp_path / "elsewhere")
        with pytest.raises(Unavailable, match="was removed or replaced while Anabranch was running"):
            app.send(CreateChat(title="lost"))
        assert app.upkeep.condition == "folder_gone"
        (tmp_path / "data").mkdir()
        assert "Put the folder back" in (app.upkeep.problem or "")
        (tmp_path / "data").rmdir()
        (tmp_path / "elsewhere").rename(tmp_path / "data")
        assert app.upkeep.condition == "well"
        app.send(CreateChat(title="after"))
    with open_app(tmp_path / "data") as app:
        assert [chat["title"] for chat in app.chats()] == ["after", "before"]


def test_a_running_log_does_not_write_to_a_folder_that_replaced_its_own(tmp_path: Path) -> None:
    log = DuckDBLog(tmp_path / "data")
    log.append(Append("chat-a", [ChatCreated()]))
    shutil.rmtree(tmp_path / "data")
    shutil.copytree(written_and_killed(tmp_path), tmp_path / "data")
    before = {path.name: path.read_bytes() for path in (tmp_path / "data").iterdir() if path.is_file()}
    with pytest.raises(LogFault, match="removed or replaced"):
        log.append(Append("chat-a", [ChatCreated()]))
    log.close()
    assert {
        path.name: path.read_bytes() for path in (tmp_path / "data").iterdir() if path.is_file()
    } == before


@pytest.mark.parametrize(
    "at", mostly_long([0, 2, 6, 30, 90, 130, 300, 700, -900, -300, -40, -1], quick=(1, 6, 11))
)
def test_damage_to_the_journal_is_reported_and_loses_nothing_while_the_database_is_intact(
    at: int, tmp_path: Path
) -> None:
    home = written_and_killed(tmp_path)
    journal = bytearray((home / JOURNAL).read_bytes())
    journal[at] ^= 0x04
    (home / JOURNAL).write_bytes(journal)
    log = DuckDBLog(home)
    assert "bytes of the journal could not be read" in log.notices()[0]
    assert (log.problem, log.head()) == (None, 12)
    log.append(Append("chat-a", [ChatCreated()]))
    log.close()
    again = DuckDBLog(home)
    assert (again.notices(), again.verify().ok) == ((), True)
    again.close()


@pytest.mark.parametrize("at", mostly_long([150, 400, 900, -900, -300], quick=(0, 3)))
def test_if_the_write_ahead_log_is_lost_too_each_event_is_restored_or_named(at: int, tmp_path: Path) -> None:
    home = written_and_killed(tmp_path)
    (home / f"{DATABASE}.wal").unlink()
    journal = bytearray((home / JOURNAL).read_bytes())
    journal[at] ^= 0x04
    (home / JOURNAL).write_bytes(journal)
    log = DuckDBLog(home)
    titles = [record.event.title for record in log.read_all() if isinstance(record.event, ChatCreated)]
    assert titles == [f"chat {number}" for number in range(len(titles))], "no event has changed"
    assert len(titles) == 12 or "events " in (log.problem or ""), "no event is lost without a notice"
    assert log.verify().ok == (len(titles) == 12)
    log.close()


def test_a_flip_in_the_header_of_a_frame_loses_no_event(tmp_path: Path) -> None:
    """The length or checksum is wrong, but the rows after it are intact."""
    home = written_and_killed(tmp_path, after=1)
    (home / f"{DATABASE}.wal").unlink()
    journal = bytearray((home / JOURNAL).read_bytes())
    last = journal.rindex(b'[7,"chat-a"')
    journal[last - 2] ^= 0x10  # in the checksum
    (home / JOURNAL).write_bytes(journal)
    log = DuckDBLog(home)
    assert (log.restored, log.head(), log.problem) == (1, 7, None)
    log.close()
