"""A turn that is stopped, and turns that run at the same time."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.chats.signals import Signal
from engine.commands.catalog import RunTool, SelectLeaf, StopTurn
from events.json_value import JSON
from tests.support.talk import Talk, call


def first_text(signal: Signal) -> bool:
    return bool(signal["type"] == "text")


@pytest.mark.long
def test_stop_in_the_middle_of_the_text_keeps_the_text_and_marks_it(talk: Talk) -> None:
    talk.replies({"text": "One " + "word " * 10_000, "seconds_per_word": 0.005})
    turn_id = talk.start()
    talk.signal(first_text)
    assert talk.app.send(StopTurn(talk.chat_id)) == 1
    assert talk.ended(turn_id).reason == "cancelled"
    answer = talk.branch()[-1]
    assert answer.finish == "cancelled"
    assert answer.text.startswith("One ")
    assert len(answer.text) < 40_000


def test_stop_during_a_tool_kills_the_tool_and_the_next_turn_works(talk: Talk) -> None:
    talk.replies(
        {"text": "I wait.", "calls": [call("put", files={"half": "1"}, wait=True), call("put", files={"never": "1"})]},
        {"text": "Here."},
    )  # fmt: skip
    turn_id = talk.start()
    talk.inside()
    talk.app.send(StopTurn(talk.chat_id))
    assert talk.ended(turn_id).reason == "cancelled"
    assert [c.status for c in talk.calls()] == ["cancelled", "cancelled"]
    assert talk.files() == talk.on_disk() == {"half": "1"}
    turn = talk.ask("still there?")
    request = talk.app.request(talk.chat_id, turn.turn_id, 1)
    assert [getattr(m, "status", "") or m.role for m in request.messages] == [  # type: ignore[union-attr]
        "user", "assistant", "cancelled", "cancelled", "user"
    ]  # fmt: skip
    assert (turn.reason, talk.branch()[-1].content) == ("stop", "Here.")


def test_stop_before_the_first_word_leaves_no_empty_message(talk: Talk) -> None:
    talk.replies({"text": "Late.", "seconds_per_word": 30})
    turn_id = talk.start()
    talk.signal(lambda s: s["type"] == "turn")
    talk.app.send(StopTurn(talk.chat_id))
    assert talk.ended(turn_id).reason == "cancelled"
    assert [m.role for m in talk.branch()] == ["user"]


def test_stop_does_nothing_if_nothing_is_running(talk: Talk) -> None:
    head = talk.app.log.head()
    assert talk.app.send(StopTurn(talk.chat_id)) == 0
    assert talk.app.log.head() == head


@pytest.mark.long
def test_turns_on_two_branches_run_at_the_same_time_each_with_its_own_files(talk: Talk) -> None:
    talk.replies({"calls": [call("put", files={"mine": "first"}, wait=True)]}, {"text": "One."})
    first = talk.start("one")
    one = talk.inside()
    talk.app.send(SelectLeaf(talk.chat_id, None))
    talk.replies({"calls": [call("put", files={"mine": "second"}, wait=True)]}, {"text": "Two."})
    second = talk.start("two")
    two = talk.inside()
    assert one == talk.place != two
    (two / "go").touch()
    assert talk.ended(second).reason == "stop"
    assert talk.files() == {"mine": "second"}
    (one / "go").touch()
    assert talk.ended(first).reason == "stop"
    assert not two.exists()
    assert [m.text for m in talk.branch()][-1] == "Two."
    assert talk.files() == talk.on_disk() == {"mine": "second"}


def test_switching_branches_during_a_turn_changes_the_folder_when_the_turn_ends(talk: Talk) -> None:
    talk.replies({"calls": [call("put", files={"a": "1"})]}, {"text": "First."})
    talk.ask("first")
    stood = talk.branch()[-1].message_id
    talk.replies({}, {}, {"calls": [call("put", files={"b": "2"}, wait=True)]}, {"text": "Second."})
    running = talk.start("second")
    place = talk.inside()
    talk.app.send(SelectLeaf(talk.chat_id, stood))
    assert talk.files() == {"a": "1"}
    assert (place / "b").exists(), "the folder is the turn's while it runs"
    (place / "go").touch()
    talk.ended(running)
    view = talk.app.chat(talk.chat_id)
    assert view.leaf == stood
    assert talk.files() == talk.on_disk() == {"a": "1"}
    latest = max(view.messages.values(), key=lambda m: m.position)
    talk.app.send(SelectLeaf(talk.chat_id, latest.message_id))
    assert talk.files() == talk.on_disk() == {"a": "1", "b": "2"}


def test_a_tool_that_the_user_runs_can_be_stopped_too(talk: Talk) -> None:
    with ThreadPoolExecutor(1) as thread:
        arguments: dict[str, JSON] = {"files": {"half": "1"}, "wait": True}
        running = thread.submit(talk.app.send, RunTool(talk.chat_id, "kit:put", arguments))
        talk.inside()
        assert talk.app.send(StopTurn(talk.chat_id)) == 1
        call_id = running.result(timeout=600)
    assert talk.app.chat(talk.chat_id).calls[call_id].status == "cancelled"
    assert talk.files() == talk.on_disk() == {"half": "1"}


def test_gc_removes_no_files_of_a_tool_that_the_user_runs(talk: Talk) -> None:
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(talk.app.send, RunTool(talk.chat_id, "kit:put", {"wait": True}))
        place = talk.inside()
        coming = talk.app.workspace.path(talk.chat_id, "ab" * 32)
        coming.parent.mkdir(exist_ok=True)
        coming.write_bytes(b"on its way into an event")
        assert talk.app.retention.collect().removed == 0
        (place / "go").touch()
        running.result(timeout=600)
    assert talk.app.retention.collect().removed == 1
