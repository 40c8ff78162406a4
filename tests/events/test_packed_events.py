"""Packs of a long chat's events: the chat reads the same as from the log, and a changed pack is noticed."""

import zlib
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.catalog.chat import ChatCreated
from events.duckdb_log import DuckDBLog
from events.event import Event
from events.log import Append, LogFault
from events.log_files import DATABASE
from events.read_models import chat_reads, read_model
from tests.support.histories import chat_events

MODELS = ("chats", "messages", "tool_calls", "definition_versions", "moments")


def packed(log: DuckDBLog) -> list[tuple[str, int]]:
    with log.reads.reader() as cursor:
        sql = "SELECT stream, last_version FROM packed_events ORDER BY stream, last_version"
        return cursor.execute(sql).fetchall()


def titles(home: Path, many: int, chat: str = "a") -> None:
    """Write a chat with that many events, and another chat in between; then make a checkpoint."""
    log = DuckDBLog(home)
    for n in range(0, many, 100):
        some = [ChatCreated(title=f"title {m}") for m in range(n, min(n + 100, many))]
        log.append(Append(f"chat-{chat}", some))
        log.append(Append("chat-other", [ChatCreated(title=f"other {n}")]))
    log.close()


def title(log: DuckDBLog, chat: str = "a", at: int | None = None) -> str:
    with log.reads.of_chat(chat, at=at) as read:
        [row] = read("chats", at=at, chat_id=chat)
    return str(row["title"])


@settings(max_examples=2)
@given(events=st.lists(chat_events, min_size=20, max_size=40))
def test_a_packed_chat_reads_like_the_log_at_any_position(
    tmp_path_factory: pytest.TempPathFactory, events: list[Event]
) -> None:
    log = DuckDBLog(tmp_path_factory.mktemp("log"))
    for _ in range(1_150 // len(events)):
        log.append(Append("chat-a", events), Append("chat-b", [ChatCreated(title="other")]))
    log.checkpoint()
    assert packed(log) == [("chat-a", 500), ("chat-a", 1000)]
    log.append(Append("chat-a", events))
    with log.reads.reader() as cursor:
        borders = "SELECT position FROM event_log WHERE stream = 'chat-a' AND version IN (1, 499, 500, 501, 1000, 1001)"
        places = [position for (position,) in cursor.execute(borders).fetchall()]
    for at in (None, 0, *places, log.head()):
        with log.reads.reader() as cursor, chat_reads(cursor, "a", at=at) as read:
            for name in MODELS:
                expected = read_model(cursor, name, at=log.head() if at is None else at, chat_id="a")
                assert read(name, at=at, chat_id="a") == expected, (name, at)
    log.close()


def test_a_short_chat_has_no_pack_until_it_has_grown(tmp_path: Path) -> None:
    titles(tmp_path, 490)
    log = DuckDBLog(tmp_path)
    assert packed(log) == []
    log.append(Append("chat-a", [ChatCreated(title=f"later {n}") for n in range(20)]))
    assert packed(log) == []
    log.checkpoint()
    assert packed(log) == [("chat-a", 500)]
    assert title(log) == "later 19"
    log.close()


def test_a_changed_pack_is_found_and_a_rebuild_creates_it_again(tmp_path: Path) -> None:
    titles(tmp_path, 500)
    with duckdb.connect(str(tmp_path / DATABASE)) as connection:
        (pack,) = connection.execute("SELECT events FROM packed_events").fetchone() or ()
        forged = zlib.compress(zlib.decompress(pack).replace(b"title 499", b"title 500"))
        connection.execute("UPDATE packed_events SET events = ?", [forged])
    log = DuckDBLog(tmp_path)
    found = log.verify()
    assert not found.ok
    assert "packed copy of the events of chat-a" in (found.problem or "")
    log.reads.rebuild()
    assert title(log) == "title 499"
    assert log.verify().ok
    log.close()
    log = DuckDBLog(tmp_path)
    assert packed(log) == [("chat-a", 500)]
    assert log.verify().ok
    log.close()


def test_a_pack_with_events_that_the_log_does_not_have_is_found(tmp_path: Path) -> None:
    titles(tmp_path, 500)
    with duckdb.connect(str(tmp_path / DATABASE)) as connection:
        connection.execute("UPDATE packed_events SET stream = 'chat-nobody'")
    log = DuckDBLog(tmp_path)
    assert "chat-nobody" in (log.verify().problem or "")
    log.close()


def damage_a_block(home: Path) -> None:
    """Flip a bit in the block of the database that contains the packs."""
    file = home / DATABASE
    with duckdb.connect(str(file)) as connection:
        [pack, *_] = [pack for (pack,) in connection.execute("SELECT events FROM packed_events").fetchall()]
    stored = bytearray(file.read_bytes())
    stored[stored.index(pack[100:150])] ^= 1
    file.write_bytes(stored)


def test_a_chat_is_read_from_the_log_if_a_block_of_its_packs_is_damaged(tmp_path: Path) -> None:
    titles(tmp_path, 1_000)
    damage_a_block(tmp_path)
    log = DuckDBLog(tmp_path)
    assert title(log) == "title 999"
    assert title(log, at=101) == "title 99"
    assert "packed copies are damaged" in (log.verify().problem or "")
    log.reads.rebuild()
    assert log.verify().ok
    log.close()


def test_a_damaged_block_of_packs_is_replaced_at_the_next_start_and_reported(tmp_path: Path) -> None:
    titles(tmp_path, 1_000)
    damage_a_block(tmp_path)
    log = DuckDBLog(tmp_path)
    log.append(Append("chat-a", [ChatCreated(title=f"later {n}") for n in range(600)]))
    with pytest.raises(LogFault, match="damaged"):
        log.checkpoint()
    log.append(Append("chat-a", [ChatCreated(title="the last")]))
    log.close()
    log = DuckDBLog(tmp_path)
    assert [notice for notice in log.notices() if "read models" in notice]
    assert (log.condition, title(log), log.head()) == ("well", "the last", 1_611)
    assert log.verify().ok
    log.close()
    log = DuckDBLog(tmp_path)
    assert log.notices() == ()
    assert packed(log) == [("chat-a", 500), ("chat-a", 1000), ("chat-a", 1500)]
    log.close()


@pytest.mark.parametrize("damaged", [b"", b"not compressed", zlib.compress(b"[1, 2"), zlib.compress(b"{}")])
def test_a_damaged_pack_is_not_used(tmp_path: Path, damaged: bytes) -> None:
    titles(tmp_path, 510)
    with duckdb.connect(str(tmp_path / DATABASE)) as connection:
        connection.execute("UPDATE packed_events SET events = ?", [damaged])
    log = DuckDBLog(tmp_path)
    assert title(log) == "title 509"
    assert title(log, at=101) == "title 99"
    assert not log.verify().ok
    log.close()
