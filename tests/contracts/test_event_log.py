"""Rules that every event log follows: in memory, on disk, or in a file that several processes append to."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from engine.chats.conflicts import retry_conflicts
from events.catalog.chat import ChatCreated, ChatRenamed, MessageAdded
from events.catalog.parts import TextPart
from events.catalog.settings import SettingChanged
from events.duckdb_log import DuckDBLog
from events.event import Recorded
from events.log import Append, EventLog, LogClosed, VersionConflict
from events.memory_log import MemoryLog
from tests.support.shared_log import SharedLog

MESSAGE = "00000000-0000-7000-8000-000000000001"


@pytest.fixture(params=["memory", "duckdb", "shared"])
def log(request: pytest.FixtureRequest, tmp_path: Path, clock: Callable) -> Iterator[EventLog]:
    opened: EventLog
    match request.param:
        case "memory":
            opened = MemoryLog(clock)
        case "duckdb":
            opened = DuckDBLog(tmp_path, clock=clock)
        case _:
            opened = SharedLog(tmp_path / "log", clock)
    yield opened
    opened.close()


def created(title: str = "") -> ChatCreated:
    return ChatCreated(title=title)


def test_an_appended_event_is_read_back_as_it_was(log: EventLog) -> None:
    event = MessageAdded(
        message_id=MESSAGE, parent_id=None, role="user", parts=(TextPart(text="naïve \U0001f600 ?"),)
    )
    (recorded,) = log.append(Append("chat-1", [event], correlation_id=MESSAGE))
    (read,) = log.read_stream("chat-1")
    assert read == recorded
    assert read.event == event
    assert (read.position, read.version, read.correlation_id) == (1, 1, MESSAGE)
    assert read.occurred_at.isoformat() == "2026-01-05T09:00:01+00:00"


def test_positions_have_no_gaps_and_versions_count_up_within_each_stream(log: EventLog) -> None:
    log.append(Append("chat-1", [created(), created()]), Append("chat-2", [created()]))
    log.append(Append("chat-1", [created()]))
    places = [(r.position, r.stream, r.version) for r in log.read_all()]
    assert places == [(1, "chat-1", 1), (2, "chat-1", 2), (3, "chat-2", 1), (4, "chat-1", 3)]
    assert log.head() == 4
    assert (log.stream_version("chat-1"), log.stream_version("chat-9")) == (3, 0)


def test_a_wrong_expected_version_is_refused_and_no_event_of_the_batch_is_written(log: EventLog) -> None:
    log.append(Append("chat-1", [created()]))
    with pytest.raises(VersionConflict) as refused:
        log.append(Append("chat-2", [created()]), Append("chat-1", [created()], expected=0))
    assert (refused.value.stream, refused.value.expected, refused.value.found) == ("chat-1", 0, 1)
    assert "chat-1" in str(refused.value)
    assert log.head() == 1


def test_the_correct_expected_version_is_accepted(log: EventLog) -> None:
    log.append(Append("chat-1", [created()], expected=0))
    log.append(Append("chat-1", [ChatRenamed(title="b")], expected=1))
    assert log.stream_version("chat-1") == 2


def test_appending_the_same_event_ids_again_does_nothing(log: EventLog) -> None:
    append = Append("chat-1", [created("a")], expected=0, event_ids=[MESSAGE])
    first = log.append(append)
    again = log.append(append)
    assert again == first
    assert log.head() == 1


def test_event_ids_are_uuids_of_version_7_in_ascending_order(log: EventLog) -> None:
    ids = [r.event_id for _ in range(50) for r in log.append(Append("chat-1", [created()]))]
    assert ids == sorted(ids)
    assert {UUID(i).version for i in ids} == {7}


def test_a_large_batch_reads_back_like_a_small_one(log: EventLog) -> None:
    events = [created(f"chat {n}") for n in range(300)]
    log.append(Append("chat-1", events))
    assert [r.event for r in log.read_all()] == events
    assert [r.event for r in log.read_all(after=100, limit=3)] == events[100:103]
    assert [r.event for r in log.read_stream("chat-1", after=298)] == events[298:]
    assert log.verify().ok


def test_a_watcher_sees_each_batch_in_order_until_it_stops(log: EventLog) -> None:
    seen: list[list[int]] = []
    stop = log.watch(lambda batch: seen.append([r.position for r in batch]))
    log.append(Append("chat-1", [created(), created()]))
    log.append(Append("chat-1", [created()]))
    stop()
    log.append(Append("chat-1", [created()]))
    assert seen == [[1, 2], [3]]


def test_an_event_that_json_cannot_represent_is_refused_and_leaves_nothing(log: EventLog) -> None:
    with pytest.raises(ValueError):
        log.append(Append("settings", [SettingChanged(name="x", value=float("nan"))]))
    assert log.head() == 0


def test_lone_surrogates_are_replaced_instead_of_breaking_the_log(log: EventLog) -> None:
    log.append(Append("chat-1", [created("half \ud83d of a pair")]))
    (read,) = log.read_stream("chat-1")
    assert isinstance(read.event, ChatCreated)
    assert read.event.title == "half � of a pair"
    assert log.verify().ok


def test_a_closed_log_accepts_no_more_events(log: EventLog) -> None:
    log.close()
    with pytest.raises(LogClosed):
        log.append(Append("chat-1", [created()]))


def test_each_hash_covers_the_hash_before_it(log: EventLog) -> None:
    first: list[Recorded] = log.append(Append("chat-1", [created()]))
    second = log.append(Append("chat-1", [created()]))
    assert first[0].hash != second[0].hash
    report = log.verify()
    assert (report.ok, report.events, report.head_position) == (True, 2, 2)


def test_a_subscription_catches_up_and_then_gives_new_events_in_order(log: EventLog) -> None:
    log.append(Append("chat-1", [created() for _ in range(5)]))
    follows = log.subscribe(after=2)
    assert [row.position for row in follows.take()] == [3, 4, 5]
    assert follows.take() == []
    log.append(Append("chat-2", [created()]), Append("chat-1", [created()]))
    assert [(row.position, row.stream) for row in follows.take()] == [(6, "chat-2"), (7, "chat-1")]


def test_a_waiting_reader_gets_events_as_soon_as_they_are_appended(log: EventLog) -> None:
    follows = log.subscribe(after=0)
    with ThreadPoolExecutor(1) as others:
        waiting = others.submit(follows.take, None)
        log.append(Append("chat-1", [created()]))
        assert [row.position for row in waiting.result()] == [1]


def test_closing_a_subscription_releases_its_waiting_reader(log: EventLog) -> None:
    follows = log.subscribe()
    with ThreadPoolExecutor(1) as others:
        waiting = others.submit(follows.take, None)
        follows.close()
        assert waiting.result() == []


def test_two_writers_conflict_until_they_have_seen_each_other(log: EventLog) -> None:
    log.append(Append("chat-1", [created()]))
    seen = log.stream_version("chat-1")
    log.append(Append("chat-1", [ChatRenamed(title="first")], expected=seen))
    second = Append("chat-1", [ChatRenamed(title="second")], expected=seen)
    with pytest.raises(VersionConflict):
        log.append(second)
    log.append(replace(second, expected=log.stream_version("chat-1")))
    assert [e.event.title for e in log.read_stream("chat-1", after=1)] == ["first", "second"]  # type: ignore[attr-defined]


def test_many_writers_at_once_leave_no_gap_and_lose_no_event(log: EventLog) -> None:
    def write(writer: int) -> None:
        for _ in range(10):
            retry_conflicts(
                lambda: log.append(
                    Append("chat-1", [created(str(writer))], expected=log.stream_version("chat-1"))
                )
            )

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, range(4)))
    assert [r.version for r in log.read_stream("chat-1")] == list(range(1, 41))
    assert log.verify().ok


def test_verifying_while_others_append_finds_nothing_wrong(log: EventLog) -> None:
    with ThreadPoolExecutor(1) as writer:
        writing = writer.submit(lambda: [log.append(Append("chat-1", [created()])) for _ in range(60)])
        found = [log.verify()]
        while not writing.done():
            found.append(log.verify())
        writing.result()
    assert all(one.ok for one in found), found
    assert log.verify().events == 60


def test_closing_the_log_releases_readers_that_wait_for_events(log: EventLog) -> None:
    follows = log.subscribe()
    with ThreadPoolExecutor(1) as others:
        waiting = others.submit(follows.take, None)
        log.close()
        assert waiting.result() == []


def test_a_read_with_a_limit_returns_at_most_that_many_events(log: EventLog) -> None:
    log.append(Append("chat-1", [created(), created()]))
    assert [len(list(log.read_all(limit=most))) for most in (0, 1, 2, 3)] == [0, 1, 2, 2]
