"""The mark outside the data folder reveals that the folder was replaced or rewritten (LOG-10)."""

import json
import shutil
from pathlib import Path

import duckdb
import pytest

from events import at_rest, second_copy
from events.anchor import AnchorFile
from events.catalog.chat import ChatCreated
from events.catalog.log import LogAccepted
from events.chain import chained
from events.duckdb_log import DuckDBLog
from events.journal import begin_journal
from events.log import Append, LogDamaged
from events.log_files import DATABASE, JOURNAL, KEPT
from events.merkle import Frontier
from events.second_copy import KeptJournal
from events.signed_notes import BadNote, public_key, verified
from tests.events.test_damage import tamper
from tests.events.test_hash_formats import rows_of

SEED = bytes(range(32))


def opened(home: Path) -> DuckDBLog:
    return DuckDBLog(home, anchor=AnchorFile(home.parent / "marks", home, lambda: SEED))


def write(home: Path, count: int) -> None:
    log = opened(home)
    for number in range(count):
        log.append(Append("chat-a", [ChatCreated(title=f"chat {number}")]))
    log.close()


def problem_of(home: Path) -> str:
    """The problem that is reported at opening; verifying must report the same, and writing must fail."""
    log = opened(home)
    try:
        assert log.problem is not None
        assert log.verify().problem == log.problem
        with pytest.raises(LogDamaged):
            log.append(Append("chat-a", [ChatCreated()]))
        return log.problem
    finally:
        log.close()


def rewrite(home: Path) -> None:
    """Change event 4 like an attacker who knows of the triggers and the hashes."""
    rows = rows_of(home)
    tamper(home, 'UPDATE event_log SET payload = \'{"title":"forged"}\' WHERE position = 4')
    changed = rows_of(home)
    previous = rows[2].hash
    with duckdb.connect(str(home / DATABASE)) as connection:
        for row in changed[3:]:
            again = chained(previous, row)
            previous = again.hash
            connection.execute(
                "UPDATE event_log SET hash = unhex(?), payload_hash = unhex(?) WHERE position = ?",
                [again.hash, again.payload_hash, row.position],
            )
    begin_journal(home / JOURNAL, rows_of(home)[-1])
    shutil.rmtree(home / KEPT)


def test_an_older_copy_with_its_journal_is_found_and_can_be_accepted(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 12)
    shutil.copytree(home, tmp_path / "backup")
    write(home, 13)
    shutil.rmtree(home)
    shutil.copytree(tmp_path / "backup", home)
    assert "had reached event 25" in problem_of(home)
    assert "ends at event 12 now" in problem_of(home)

    log = opened(home)
    (accepted,) = log.accept()
    assert isinstance(accepted.event, LogAccepted)
    assert (accepted.position, accepted.event.head, accepted.event.acknowledged) == (13, 12, 25)
    log.append(Append("chat-a", [ChatCreated(title="it goes on")]))
    log.close()
    again = opened(home)
    assert again.problem is None
    assert again.verify().ok
    assert again.head() == 14
    again.close()


def test_a_history_with_all_hashes_recomputed_is_found(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 9)
    rewrite(home)
    plain = DuckDBLog(home)
    assert plain.verify().ok, "the chain alone cannot know"
    plain.close()
    assert "event 9 is different now: history was rewritten" in problem_of(home)


@pytest.mark.long
def test_a_database_deleted_from_a_folder_with_chats_is_noticed_even_without_a_mark(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 5)
    (home / "chats" / "a" / "blobs").mkdir(parents=True)
    for name in (DATABASE, JOURNAL):
        (home / name).unlink()
    shutil.rmtree(home / "kept-journal")
    assert "contains chats, but the log has no events" in problem_of(home)
    shutil.rmtree(tmp_path / "marks")
    assert "contains chats, but the log has no events" in problem_of(home)


def test_a_deleted_folder_starts_a_new_log_with_one_notice(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 5)
    shutil.rmtree(home)
    log = opened(home)
    assert log.problem is None
    assert "with 5 events, is missing" in log.notices()[0]
    log.append(Append("chat-a", [ChatCreated()]))
    assert log.verify().ok
    log.close()
    again = opened(home)
    assert (again.problem, again.notices()) == (None, ())
    again.close()


def test_another_log_in_the_same_place_is_found(tmp_path: Path) -> None:
    write(tmp_path / "data", 5)
    write(tmp_path / "other", 9)
    shutil.rmtree(tmp_path / "data")
    shutil.copytree(tmp_path / "other", tmp_path / "data")
    assert "Another log was in this folder" in problem_of(tmp_path / "data")


@pytest.mark.long
def test_a_copy_opens_and_warns_only_if_the_original_is_gone_and_had_more_events(
    tmp_path: Path,
) -> None:
    home = tmp_path / "data"
    write(home, 5)
    shutil.copytree(home, tmp_path / "older")
    write(home, 5)
    shutil.copytree(tmp_path / "older", tmp_path / "copy")
    for name, expected in (("copy", ()), ("older", ("had reached event 10",))):
        copy = opened(tmp_path / name)
        assert copy.problem is None
        assert len(copy.notices()) == len(expected)
        assert all(words in notice for words, notice in zip(expected, copy.notices(), strict=True))
        copy.close()
        if name == "copy":
            shutil.rmtree(home)


def test_the_mark_contains_a_checkpoint_that_others_can_verify(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 11)
    document = json.loads(next((tmp_path / "marks").glob("*.json")).read_text())
    found = verified(document["checkpoint"], public_key(SEED))
    leaves = [bytes.fromhex(row.hash) for row in rows_of(home)]
    assert (found.size, found.root) == (11, Frontier().extended(leaves).root())
    with pytest.raises(BadNote, match="not signed by the expected key"):
        verified(document["checkpoint"], public_key(bytes(32)))
    with pytest.raises(BadNote, match="or was changed since"):
        verified(document["checkpoint"].replace("\n11\n", "\n12\n"), public_key(SEED))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 7, 8, 20, 33])
def test_a_tree_that_grows_in_steps_equals_the_tree_of_the_standard(size: int) -> None:
    """RFC 9162, 2.1.1: split at the largest power of two below the size."""
    from hashlib import sha256  # noqa: PLC0415 - for the definition alone

    def root(leaves: list[bytes]) -> bytes:
        if len(leaves) < 2:
            return sha256(b"\0" + leaves[0]).digest() if leaves else sha256().digest()
        split = 1 << (len(leaves) - 1).bit_length() - 1
        return sha256(b"\1" + root(leaves[:split]) + root(leaves[split:])).digest()

    leaves = [sha256(bytes([n])).digest() for n in range(size)]
    grown = Frontier()
    for leaf in leaves:
        grown = Frontier.from_hex(grown.size, grown.to_hex()).extended([leaf])
    assert grown.root() == root(leaves) == Frontier().extended(leaves).root()


def test_lost_events_are_noticed_if_both_the_database_and_the_journal_are_damaged(tmp_path: Path) -> None:
    """13 of 25 events were missing, although the hash chain was valid."""
    home = tmp_path / "data"
    write(home, 12)
    log = opened(home)
    for number in range(13):
        log.append(Append("chat-a", [ChatCreated(title=f"since then {number}")]))
    shutil.copytree(home, tmp_path / "killed")
    log.close()
    shutil.rmtree(home)
    shutil.copytree(tmp_path / "killed", home)
    wal = home / f"{DATABASE}.wal"
    wal.write_bytes(wal.read_bytes()[:40])
    journal = bytearray((home / JOURNAL).read_bytes())
    for at in range(200, len(journal), 60):
        journal[at] ^= 0x10
    (home / JOURNAL).write_bytes(journal)
    assert "are lost and cannot be restored" in problem_of(home)


def older_database(home: Path) -> None:
    """Replace the database and the journal by those from halfway through, and nothing else."""
    write(home, 12)
    older = {name: (home / name).read_bytes() for name in (DATABASE, JOURNAL)}
    for _ in range(13):
        write(home, 1)
    for name, content in older.items():
        (home / name).write_bytes(content)


@pytest.mark.long
def test_an_older_database_gets_its_later_events_from_the_second_copy(tmp_path: Path) -> None:
    home = tmp_path / "data"
    older_database(home)
    log = opened(home)
    assert (log.problem, log.restored, log.head()) == (None, 13, 25)
    live = log.reads.registers()
    log.reads.rebuild()
    assert log.reads.registers() == live
    assert log.verify().ok
    log.close()


@pytest.mark.long
def test_missing_events_are_noticed_even_if_a_damaged_second_copy_cannot_restore_them(tmp_path: Path) -> None:
    home = tmp_path / "data"
    older_database(home)
    shutil.rmtree(tmp_path / "marks")
    path = next((home / KEPT).glob("*.rows"))
    content = bytearray(path.read_bytes())
    frames = [row.position for row in KeptJournal(home / KEPT).read().rows]
    assert frames[-1] == 25
    content[len(content) // 2 - 40 : len(content) // 2] = bytes(40)
    path.write_bytes(content)
    assert "second copy of the log reaches event 25" in problem_of(home)
    log = opened(home)
    log.accept()
    log.close()
    assert [path.name for path in home.glob(f"{KEPT}.*")] == [f"{KEPT}.set-aside-1"], (
        "nothing of it is thrown away"
    )
    assert opened(home).problem is None


@pytest.mark.long
def test_a_damaged_second_copy_is_rewritten(tmp_path: Path) -> None:
    home = tmp_path / "data"
    write(home, 12)
    write(home, 12)
    path = next((home / KEPT).glob("*.rows"))
    whole = path.read_bytes()
    path.write_bytes(whole[:30] + bytes([whole[30] ^ 4]) + whole[31:])
    log = opened(home)
    assert log.mend_copy()
    assert not log.mend_copy()
    log.close()
    assert [row.position for row in KeptJournal(home / KEPT).read().rows] == list(range(1, 25))


@pytest.mark.long
def test_an_older_log_gets_its_second_copy_over_several_checkpoints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_rest, "_AT_ONCE", 10)
    monkeypatch.setattr(at_rest, "_PIECE", 5)
    monkeypatch.setattr(second_copy, "_FILE_BYTES", 500)
    home = tmp_path / "data"
    keeps = False
    log = DuckDBLog(home, keeps=lambda _: keeps)
    for number in range(25):
        log.append(Append("chat-a", [ChatCreated(title=f"chat {number}")]))
    log.checkpoint()
    keeps = True
    reached = []
    for number in range(4):
        log.append(Append("chat-a", [ChatCreated(title=f"later {number}")]))
        log.checkpoint()
        reached.append(len(KeptJournal(home / KEPT).read().rows))
    log.close()
    assert reached == [10, 20, 28, 29]
    assert len(list((home / KEPT).glob("*.rows"))) > 1
