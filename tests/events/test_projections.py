"""The read models: live, rebuilt and computed for a position, they are always the same."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.catalog.chat import ChatCreated, LeafSelected, MessageAdded
from events.catalog.event_types import EVENT_TYPES
from events.catalog.parts import OpaquePart
from events.catalog.tool_call import ToolCallApproved, ToolCallFinished, ToolCallRequested, ToolCallStarted
from events.catalog.toolset import ToolDisabled, ToolsetEnabled, ToolsetInstalled, ToolsetUninstalled
from events.catalog.turn import TurnFinished, TurnStarted
from events.catalog.workspace import File, ManifestRecorded
from events.codec import encode
from events.duckdb_log import DuckDBLog
from events.event import Event, Inline, Recorded
from events.log import Append
from events.projections.chats import CHAT_STATE
from events.projections.decoded_event import decoded_event
from events.projections.registers import Last
from events.projections.registry import TABLES
from events.read_models import PUBLIC, chat_reads, read_model
from events.stored_row import GENESIS, ID_COLUMNS
from tests.events.test_damage import tamper
from tests.support.histories import chat_events, histories
from tests.support.long_cases import mostly_long

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
IDS = [str(UUID(int=n)) for n in range(1, 1000)]
ONE, TWO, THREE = (f"00000000-0000-7000-8000-00000000000{n}" for n in (1, 2, 3))


def dump(
    log: DuckDBLog, *, at: int | None = None, chat_id: str | None = None
) -> dict[str, list[dict[str, Any]]]:
    with log.reads.reader() as cursor:
        return {name: read_model(cursor, name, at=at, chat_id=chat_id) for name in PUBLIC}


def registers(log: DuckDBLog) -> dict[str, list[tuple[Any, ...]]]:
    with log.reads.reader() as cursor:
        return {t.name: cursor.execute(f"FROM {t.name} ORDER BY {t.key}").fetchall() for t in TABLES}


def rows(tmp_path: Path, given_events: Iterable[Append], name: str) -> list[dict[str, Any]]:
    log = DuckDBLog(tmp_path)
    for append in given_events:
        log.append(append)
    with log.reads.reader() as cursor:
        found = read_model(cursor, name)
    log.close()
    return found


@settings(max_examples=4)
@given(history=histories)
def test_live_rebuilt_and_past_states_are_the_same_at_every_position(
    tmp_path_factory: Any, history: list[Append]
) -> None:
    states_agree(tmp_path_factory, history)


@pytest.mark.long
@pytest.mark.timeout(7200)
@settings(max_examples=500)
@given(history=histories)
def test_states_agree_for_many_histories(tmp_path_factory: Any, history: list[Append]) -> None:
    states_agree(tmp_path_factory, history)


def states_agree(tmp_path_factory: Any, history: list[Append]) -> None:
    """Assert that live, rebuilt and past states are the same at every position."""
    log = DuckDBLog(tmp_path_factory.mktemp("log"))
    lived: dict[int, dict[str, Any]] = {}
    for append in history:
        log.append(append)
        lived[log.head()] = dump(log)
    live = registers(log)
    for position, state in lived.items():
        assert dump(log, at=position) == state
    log.reads.rebuild()
    assert registers(log) == live
    assert dump(log) == lived[log.head()]
    assert log.verify().ok
    log.close()


@pytest.mark.long
@settings(max_examples=4)
@given(events=st.lists(chat_events, min_size=30, max_size=60), before=histories)
def test_a_large_batch_is_projected_like_single_events(
    tmp_path_factory: Any, events: list[Event], before: list[Append]
) -> None:
    states = []
    for sizes in ([len(events)], [1] * len(events)):
        log = DuckDBLog(tmp_path_factory.mktemp("log"), clock=lambda: NOON, new_id=iter(IDS).__next__)
        for append in before:
            log.append(append)
        rest = list(events)
        for size in sizes:
            log.append(Append("chat-a", rest[:size]))
            del rest[:size]
        states.append(registers(log))
        log.close()
    assert states[0] == states[1]


def without_what_two_chats_share(history: list[Append]) -> list[Append]:
    """Leave out events that give a turn, call or the like of chat `a` to another chat too, as no command does."""

    def ids(append: Append) -> set[str]:
        names = {*ID_COLUMNS, "definition_id"}
        return {v for e in append.events for k, v in e.payload().items() if k in names and v}

    own = {i for append in history if append.stream == "chat-a" for i in ids(append)}
    return [append for append in history if append.stream == "chat-a" or not ids(append) & own]


@pytest.mark.long
@settings(max_examples=4)
@given(history=histories)
def test_a_chat_read_separately_has_the_same_state_as_among_all_chats(
    tmp_path_factory: Any, history: list[Append]
) -> None:
    log = DuckDBLog(tmp_path_factory.mktemp("log"))
    for append in without_what_two_chats_share(history):
        log.append(append)
    assert dump(log, at=log.head(), chat_id="a") == dump(log, chat_id="a")
    for at in (None, log.head(), log.head() // 2):
        state = dump(log, at=at, chat_id="a")
        with log.reads.reader() as cursor, chat_reads(cursor, "a", at=at) as read:
            names = ("chats", "messages", "turns", "tool_calls", "workspace_manifests", "manifest_files")
            for name in (*names, "definitions", "definition_versions", "step_definitions"):
                assert read(name, at=at, chat_id="a") == state[name]
    log.close()


@settings(max_examples=100)
@given(events=st.lists(chat_events, max_size=12))
def test_folding_the_last_events_of_each_type_equals_folding_all_events(events: list[Event]) -> None:
    decoded = [
        decoded_event(
            encode(
                event,
                position=position,
                stream="chat-a",
                version=position,
                event_id=IDS[position],
                occurred_at=NOON + timedelta(seconds=position),
                correlation_id=None,
                causation_id=None,
                previous=GENESIS,
                salt=b"",
            )
        )
        for position, event in enumerate(events, 1)
    ]
    of_type = {event.type: [one for one in decoded if one.type == event.type] for event in decoded}
    assert CHAT_STATE.fold_stream(of_type) == CHAT_STATE.fold(decoded)


@pytest.mark.long
@settings(max_examples=4)
@given(history=histories)
def test_call_statuses_and_chat_leaves_equal_those_of_a_simple_fold(
    tmp_path_factory: Any, history: list[Append]
) -> None:
    log = DuckDBLog(tmp_path_factory.mktemp("log"))
    for append in history:
        log.append(append)
    statuses, leaves = fold(log.read_all())
    state = dump(log)
    assert {row["id"]: row["status"] for row in state["tool_calls"]} == statuses
    assert {row["chat_id"]: row["active_leaf_message_id"] for row in state["chats"]} == leaves
    log.close()


def fold(recorded: Iterable[Recorded]) -> tuple[dict[str, str], dict[str, str | None]]:
    """Statuses of calls and leaves of chats, in plain Python."""
    statuses: dict[str, str] = {}
    waits: dict[str, bool] = {}
    leaves: dict[str, str | None] = {}
    moving = {"ToolCallRequested": "pending", "ToolCallApproved": "pending", "ToolCallDenied": "denied"}
    for record in recorded:
        event: Any = record.event
        chat_id = record.stream.removeprefix("chat-")
        if record.stream.startswith("chat-") and event.type in CHAT_STATE.event_types:
            leaves.setdefault(chat_id, None)
        if isinstance(event, LeafSelected) or (isinstance(event, MessageAdded) and event.becomes_leaf):
            leaves[chat_id] = event.message_id
        if event.type in moving:
            statuses[event.call_id] = moving[event.type]
            waits[event.call_id] = event.type == "ToolCallRequested" and event.needs_confirmation
        elif isinstance(event, ToolCallStarted):
            statuses[event.call_id] = "running"
        elif isinstance(event, ToolCallFinished):
            statuses[event.call_id] = event.status
    shown = {c: "awaiting_confirmation" if s == "pending" and waits[c] else s for c, s in statuses.items()}
    return shown, leaves


def requested(**more: Any) -> ToolCallRequested:
    facts = {"message_id": TWO, "turn_id": None, "index": 0, "tool_id": "data-analyst:query"}
    return ToolCallRequested(call_id=ONE, arguments=Inline(value={"sql": "SELECT 1"}), **facts | more)


def test_a_call_that_needs_approval_waits_until_it_is_approved(tmp_path: Path) -> None:
    asking = requested(needs_confirmation=True)
    (waiting,) = rows(tmp_path / "a", [Append("chat-a", [asking])], "tool_calls")
    assert waiting["status"] == "awaiting_confirmation"
    approved = ToolCallApproved(call_id=ONE, arguments=Inline(value={"sql": "SELECT 2"}), by="user")
    (pending,) = rows(tmp_path / "b", [Append("chat-a", [asking, approved])], "tool_calls")
    assert (pending["status"], pending["args"]) == ("pending", {"sql": "SELECT 2"})


def test_a_finished_call_shows_arguments_result_and_times(tmp_path: Path) -> None:
    history = [
        requested(commentary="Counting."),
        ToolCallStarted(call_id=ONE, pre_manifest_id=TWO),
        ToolCallFinished(
            call_id=ONE, status="success", result=Inline(value={"rows": 3}), post_manifest_id=THREE
        ),
    ]
    (call,) = rows(tmp_path, [Append("chat-a", history)], "tool_calls")
    assert (call["args"], call["result"], call["commentary"]) == (
        {"sql": "SELECT 1"},
        {"rows": 3},
        "Counting.",
    )
    assert (call["pre_manifest_id"], call["post_manifest_id"]) == (TWO, THREE)
    assert call["error"] is None
    assert call["started_at"] <= call["finished_at"]


def manifest(manifest_id: str, parent: str | None, **changes: Any) -> ManifestRecorded:
    facts: dict[str, Any] = {
        "added": {},
        "changed": {},
        "removed": (),
        "source": "user_upload",
        "message_id": None,
    }
    return ManifestRecorded(manifest_id=manifest_id, parent_id=parent, **facts | changes)


def test_the_full_file_map_of_a_state_follows_from_its_ancestors(tmp_path: Path) -> None:
    a, b = File(sha256="aa" * 32, size=1), File(sha256="bb" * 32, size=2, executable=True)
    history = [
        manifest(ONE, None, added={"x.csv": a, "y.csv": a}),
        manifest(TWO, ONE, changed={"x.csv": b}, removed=("y.csv",)),
        manifest(THREE, ONE, added={"z/é.csv": b}),
    ]
    found = rows(tmp_path, [Append("chat-a", history)], "manifest_files")
    maps: dict[str, dict[str, int]] = {}
    for row in found:
        maps.setdefault(row["manifest_id"], {})[row["path"]] = row["size"]
    assert maps == {
        ONE: {"x.csv": 1, "y.csv": 1},
        TWO: {"x.csv": 2},
        THREE: {"x.csv": 1, "y.csv": 1, "z/é.csv": 2},
    }
    assert {row["executable"] for row in found if row["size"] == 2} == {True}


def installed(version: str = "1.0.0") -> ToolsetInstalled:
    tool = {"id": "query", "name": "Query", "effects": "read", "renderer": {"type": "table", "config": {}}}
    facts: dict[str, Any] = {"name": "A", "description": "", "manifest_version": "1", "content_hash": "aa"}
    return ToolsetInstalled(
        **facts, version=version, source_type="zip", source_ref="a.zip", manifest={"tools": [tool]}, files=()
    )


def test_a_toolset_that_is_installed_again_has_its_tools_enabled(tmp_path: Path) -> None:
    history = [
        installed(),
        ToolDisabled(tool="query"),
        ToolsetUninstalled(),
        installed("2.0.0"),
        ToolsetEnabled(),
    ]
    (toolset,) = rows(tmp_path / "a", [Append("toolset-a", history)], "toolsets")
    assert (toolset["version"], toolset["enabled"]) == ("2.0.0", True)
    (tool,) = rows(tmp_path / "b", [Append("toolset-a", history)], "tools")
    assert (tool["tool_id"], tool["enabled"]) == ("a:query", True)
    assert rows(tmp_path / "c", [Append("toolset-a", history[:3])], "tools") == []


def test_a_chat_is_read_in_one_consistent_state_while_others_write(tmp_path: Path) -> None:
    log = DuckDBLog(tmp_path)
    log.append(Append("chat-a", [requested()]))
    with log.reads.reader() as cursor, chat_reads(cursor, "a") as read:
        log.append(Append("chat-a", [requested(tool_id="other", index=1), ChatCreated(title="later")]))
        assert [call["tool_id"] for call in read("tool_calls", at=None, chat_id="a")] == [
            "data-analyst:query"
        ]
        assert read("chats", at=None, chat_id="a") == []
    log.close()


def test_flags_that_registers_read_come_first_in_their_payloads() -> None:
    """A field whose name sorts before a flag would hide it from every rebuild."""
    flags = {
        (event_type, flag)
        for table in TABLES
        for declared in table.columns.values()
        if isinstance(declared.register, Last)
        for event_type, flag in (declared.register.where or {}).items()
    }
    assert flags
    for event_type, flag in flags:
        stored = set(EVENT_TYPES[event_type].model_fields) - {"type", *ID_COLUMNS}
        assert min(stored) == flag


def test_a_second_catch_up_changes_nothing(tmp_path: Path) -> None:
    log = DuckDBLog(tmp_path)
    log.append(Append("chat-a", [ChatCreated(title="x")]))
    before = dump(log)
    log.close()
    again = DuckDBLog(tmp_path)
    assert dump(again) == before
    again.close()


def test_read_models_with_other_declarations_are_rebuilt_at_open(tmp_path: Path) -> None:
    log = DuckDBLog(tmp_path)
    log.append(Append("chat-a", [ChatCreated(title="x")]))
    before = dump(log)
    log.close()
    with duckdb.connect(str(tmp_path / "anabranch.duckdb")) as other:
        other.execute(
            "UPDATE chat_state SET title = 'y'; UPDATE projection_declared SET fingerprint = 'older'"
        )
    again = DuckDBLog(tmp_path)
    assert dump(again) == before
    again.close()


def test_a_chat_with_a_deeply_nested_payload_is_read(tmp_path: Path) -> None:
    deep: Any = 1
    for _ in range(210):
        deep = [deep]
    part = OpaquePart(provider="elsewhere", data={"deep": deep})
    log = DuckDBLog(tmp_path)
    log.append(
        Append(
            "chat-a",
            [ChatCreated(), MessageAdded(message_id=ONE, parent_id=None, role="user", parts=(part,))],
        )
    )
    with log.reads.of_chat("a") as read:
        (message,) = read("messages", at=None, chat_id="a")
    log.close()
    assert message["message_id"] == ONE
    assert message["parts"][0]["data"]["deep"]


@pytest.mark.parametrize("payload", mostly_long(["[1]", "null", '"text"', "7"], quick=(1,)))
def test_a_payload_that_is_not_an_object_is_ignored_and_the_chat_is_read(
    tmp_path: Path, payload: str
) -> None:
    log = DuckDBLog(tmp_path)
    log.append(Append("chat-a", [ChatCreated(title="a"), requested()]))
    log.close()
    tamper(tmp_path, f"UPDATE event_log SET payload = '{payload}' WHERE position = 2")
    log = DuckDBLog(tmp_path)
    for at in (None, 2):
        with log.reads.of_chat("a", at=at) as read:
            names = ("chats", "messages", "turns", "tool_calls", "workspace_manifests")
            assert {name: read(name, at=at, chat_id="a") for name in names} == {
                name: log.reads.read(name, at=2, chat_id="a") for name in names
            }
    log.close()


@pytest.mark.parametrize("tokens", mostly_long([10**19, -(10**19), 12], quick=(0,)))
def test_a_count_that_is_too_large_for_its_column_is_none_in_both_ways_of_reading(
    tmp_path: Path, tokens: int
) -> None:
    log = DuckDBLog(tmp_path)
    started = TurnStarted(turn_id=ONE, message_id=TWO, model="offline")
    log.append(
        Append("chat-a", [ChatCreated(), started, TurnFinished(turn_id=ONE, reason="stop", tokens_in=tokens)])
    )
    with log.reads.of_chat("a") as read:
        found = read("turns", at=None, chat_id="a")
    assert found == log.reads.read("turns", chat_id="a")
    assert found[0]["tokens_in"] == (12 if tokens == 12 else None)
    log.close()
