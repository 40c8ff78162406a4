"""Changes that someone else made to a log, and how each one is reported or repaired."""

import json
import shutil
from pathlib import Path

import pytest

from events.anchor import AnchorFile
from events.catalog.chat import ChatCreated
from events.duckdb_log import DuckDBLog
from events.durable_rows import DurableRows
from events.journal import Journal
from events.log import Append, LogFault
from events.log_files import DATABASE, JOURNAL, KEPT
from events.salvage import salvage
from events.second_copy import KeptJournal
from events.stored_row import Row
from tests.events.test_anchor import opened, problem_of, write
from tests.support.long_cases import mostly_long


def killed(tmp_path: Path, before: int = 5, after: int = 5) -> Path:
    """A folder with its marks as left behind by a killed process, with `after` events since the last checkpoint."""
    home = tmp_path / "data"
    log = opened(home)
    for number in range(before + after):
        if number == before:
            log.checkpoint()
        log.append(Append("chat-a", [ChatCreated(title=f"chat {number}")]))
    shutil.copytree(home, tmp_path / "killed")
    shutil.copytree(tmp_path / "marks", tmp_path / "marks-then")
    log.close()
    for name, then in (("data", "killed"), ("marks", "marks-then")):
        shutil.rmtree(tmp_path / name)
        (tmp_path / then).rename(tmp_path / name)
    return home


@pytest.mark.parametrize("journal", mostly_long(["deleted", "emptied", "zeroed"], quick=(0, 2)))
@pytest.mark.parametrize("ahead", ["deleted", "overwritten"])
def test_events_since_the_last_checkpoint_are_not_lost_silently(
    tmp_path: Path, journal: str, ahead: str
) -> None:
    home = killed(tmp_path)
    wal = home / f"{DATABASE}.wal"
    wal.unlink() if ahead == "deleted" else wal.write_bytes(b"\xff" * wal.stat().st_size)
    path = home / JOURNAL
    size = path.stat().st_size
    path.unlink()
    if journal != "deleted":
        path.write_bytes(b"" if journal == "emptied" else bytes(size))
    assert "is lost" in problem_of(home)


@pytest.mark.long
def test_the_same_folder_under_another_name_has_the_same_mark(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 5)
    shutil.copytree(home, tmp_path / "backup")
    write(home, 5)
    shutil.rmtree(home)
    shutil.copytree(tmp_path / "backup", home)
    (tmp_path / "link").symlink_to(home)
    assert "had reached event 10" in problem_of(tmp_path / "link")
    assert "had reached event 10" in problem_of(tmp_path / "link" / ".." / "data")


@pytest.mark.parametrize("damage", mostly_long(["cut", "digit", "empty", "folder"], quick=(0, 3)))
def test_a_mark_that_cannot_be_used_is_reported_and_rewritten(tmp_path: Path, damage: str) -> None:
    home = tmp_path / "data"
    write(home, 10)
    (mark,) = (tmp_path / "marks").glob("*.json")
    text = mark.read_text()
    mark.unlink()
    if damage == "folder":
        mark.mkdir()
    else:
        changed = json.dumps(json.loads(text) | {"position": 12})
        mark.write_text({"cut": text[:40], "digit": changed, "empty": ""}[damage])
    log = opened(home)
    assert log.problem is None
    assert "cannot be used" in log.notices()[0]
    log.append(Append("chat-a", [ChatCreated()]))
    log.close()
    again = opened(home)
    assert bool(again.notices()) == (damage == "folder"), "what cannot be written is said again"
    again.close()


def test_a_configuration_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "marks").write_text("no folder")
    log = opened(tmp_path / "data")
    log.append(Append("chat-a", [ChatCreated()]))
    log.checkpoint()
    assert log.condition == "well"
    assert "an older copy of the log would not be detected" in log.notices()[-1]
    log.close()


@pytest.mark.long
def test_accepting_a_log_fails_if_its_mark_cannot_be_written(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 5)
    shutil.copytree(home, tmp_path / "backup")
    write(home, 5)
    shutil.rmtree(home)
    shutil.copytree(tmp_path / "backup", home)

    def refuse() -> bytes:
        raise PermissionError(13, "Permission denied")

    log = DuckDBLog(home, anchor=AnchorFile(tmp_path / "marks", home, refuse))
    with pytest.raises(LogFault, match="could not be recorded"):
        log.accept()
    log.close()
    assert "had reached event 10" in problem_of(home)


def test_a_log_that_comes_back_after_another_one_took_its_place_is_recognized(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 5)
    home.rename(tmp_path / "away")
    write(home, 3)
    shutil.rmtree(home)
    (tmp_path / "away").rename(home)
    log = opened(home)
    assert (log.problem, log.head()) == (None, 5)
    log.close()


@pytest.mark.long
def test_two_folders_that_swap_places_are_both_recognized(tmp_path: Path) -> None:
    write(tmp_path / "a", 5)
    write(tmp_path / "b", 7)
    (tmp_path / "a").rename(tmp_path / "c")
    (tmp_path / "b").rename(tmp_path / "a")
    log = opened(tmp_path / "a")
    assert (log.problem, log.head()) == (None, 7)
    log.close()


@pytest.mark.long
def test_a_log_opens_even_if_its_second_copy_cannot_be_read(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 5)
    path = next((home / KEPT).glob("*.rows"))
    path.unlink()
    path.symlink_to(path)  # reading it is refused, whoever asks
    log = opened(home)
    log.append(Append("chat-a", [ChatCreated()]))
    assert log.verify().ok
    log.close()


@pytest.mark.long
def test_salvage_follows_the_accepted_history(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 5)
    shutil.copytree(home, tmp_path / "backup")
    write(home, 10)
    shutil.rmtree(home)
    shutil.copytree(tmp_path / "backup", home)
    shutil.copytree(home / KEPT, tmp_path / "kept-of-the-backup")
    log = opened(home)
    log.accept()
    log.append(Append("chat-b", [ChatCreated(title="since then")]))
    log.close()
    before = list(DuckDBLog(home).read_all())
    abandoned = tmp_path / "abandoned"
    write(abandoned, 15)
    shutil.copytree(abandoned / KEPT, home / f"{KEPT}.set-aside-9")
    for case in ("whole", "without a copy"):
        if case == "without a copy":
            shutil.rmtree(home / KEPT)
        done = salvage(home, tmp_path / case)
        assert (done.whole, done.events) == (True, 7), case
        log = DuckDBLog(tmp_path / case)
        assert list(log.read_all()) == before
        log.close()


@pytest.mark.long
def test_salvage_skips_what_cannot_be_read(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 5)
    (home / DATABASE).unlink()
    (home / DATABASE).symlink_to(home / DATABASE)
    (home / JOURNAL).unlink()
    (home / JOURNAL).mkdir()
    done = salvage(home, tmp_path / "new")
    assert (done.whole, done.events) == (True, 5)
    assert any(DATABASE in one for one in done.unreadable)


def test_an_interrupted_write_is_undone_or_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl C at the worst moments, in a process that continues."""
    home = tmp_path / "data"
    log = opened(home)
    log.append(Append("chat-a", [ChatCreated(title="before")]))
    whole, insert = Journal.append, DurableRows._insert

    def after_the_journal(self: Journal, rows: list[Row]) -> None:
        whole(self, rows)
        raise KeyboardInterrupt

    def before_the_insert(self: DurableRows, rows: list[Row]) -> None:
        raise KeyboardInterrupt

    for target, name, act, back in (
        (Journal, "append", after_the_journal, whole),
        (DurableRows, "_insert", before_the_insert, insert),
    ):
        monkeypatch.setattr(target, name, act)
        with pytest.raises(KeyboardInterrupt):
            log.append(Append("chat-a", [ChatCreated(title="interrupted")]))
        monkeypatch.setattr(target, name, back)
        log.append(Append("chat-a", [ChatCreated(title="after")]))
    shutil.copytree(home, tmp_path / "killed")
    head = log.head()
    log.close()
    again = DuckDBLog(tmp_path / "killed")
    assert (again.problem, again.head()) == (None, head)
    assert again.verify().ok
    again.close()


@pytest.mark.long
def test_a_second_copy_full_of_zeros_is_reported_and_rewritten(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 6)
    path = next((home / KEPT).glob("*.rows"))
    path.write_bytes(bytes(path.stat().st_size))
    log = opened(home)
    assert [notice for notice in log.notices() if "second copy" in notice]
    log.append(Append("chat-a", [ChatCreated()]))
    log.close()
    again = opened(home)
    assert not again.notices()
    again.close()
    assert [row.position for row in KeptJournal(home / KEPT).read().rows] == list(range(1, 8))


def test_the_second_copy_is_not_rewritten_from_a_log_that_lost_events(tmp_path: Path) -> None:
    """The copy may be the better one of the two."""
    home = tmp_path / "data"
    write(home, 4)
    older = (home / DATABASE).read_bytes()
    write(home, 8)
    path = next((home / KEPT).glob("*.rows"))
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(bytes(whole))
    (home / DATABASE).write_bytes(older)
    log = opened(home)
    assert log.problem is not None
    assert not log.mend_copy()
    log.close()
    assert path.read_bytes() == bytes(whole)
