"""The calls of one step: their order, their files, and the events of each call."""

from itertools import pairwise

import pytest

from engine.commands.catalog import RunTool
from engine.errors import NotFound
from engine.models.messages import ToolMessage
from engine.views.chat import CallView
from events.catalog.tool_call import ToolCallApproved, ToolCallFinished, ToolCallStarted
from events.catalog.workspace import ManifestRecorded
from events.json_value import JSON
from tests.support.long_cases import mostly_long
from tests.support.talk import Talk, call


def states(talk: Talk) -> list[ManifestRecorded]:
    return [e for e in talk.events() if isinstance(e, ManifestRecorded)]


def test_a_started_call_is_durable_before_its_process_runs_and_each_call_ends_once(talk: Talk) -> None:
    talk.replies({"calls": [call("put", wait=True), call("nothing"), call("look", fail="x")]}, {"text": "."})
    turn_id = talk.start()
    place = talk.inside()
    running = [e for e in talk.events() if isinstance(e, ToolCallStarted)]
    (place / "go").touch()
    talk.ended(turn_id)
    finished = [e.call_id for e in talk.events() if isinstance(e, ToolCallFinished)]
    assert [e.call_id for e in running] == [talk.calls()[0].call_id]
    assert sorted(finished) == sorted(c.call_id for c in talk.calls())


def test_an_exception_is_an_error_with_the_tools_own_traceback_and_the_tools_files_are_kept(
    talk: Talk,
) -> None:
    talk.replies({"calls": [call("put", files={"half.txt": "1"}, fail="out of paper")]}, {"text": "Sorry."})
    assert talk.ask().reason == "stop"
    (made,) = talk.calls()
    assert made.status == "error"
    assert made.error is not None
    assert made.error["message"] == "ValueError: out of paper"
    assert "tools/act.py" in made.error["traceback"]
    assert "engine/" not in made.error["traceback"]
    assert made.post_manifest_id == states(talk)[-1].manifest_id
    assert talk.files() == talk.on_disk() == {"half.txt": "1"}


def test_consecutive_reads_and_creates_run_at_the_same_time(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("look", wait=True), call("add", wait=True, files={"a": "1"}), call("look", wait=True)]},
        {"text": "."},
    )  # fmt: skip
    turn_id = talk.start()
    places = [talk.inside() for _ in range(3)]  # none of them has been let go on
    for place in reversed(places):
        (place / "go").touch()
    talk.ended(turn_id)
    assert len(set(places)) == 3
    assert [c.status for c in talk.calls()] == ["success"] * 3
    assert talk.files() == {"a": "1"}


def test_writes_run_one_after_the_other_and_see_each_others_files(talk: Talk) -> None:
    talk.replies(
        {
            "calls": [
                call("look"),
                call("put", files={"a": "1"}),
                call("put", files={"b": "2"}),
                call("look"),
                call("put", remove=["a"]),
            ]
        },
        {"text": "."},
    )
    talk.ask()
    assert [sorted(c.result["saw"]) for c in talk.calls()] == [[], [], ["a"], ["a", "b"], ["a", "b"]]  # type: ignore[call-overload, index, arg-type]
    order = talk.events("ToolCallStarted", "ToolCallFinished")
    assert all(a.call_id == b.call_id for a, b in list(pairwise(order))[::2])  # type: ignore[attr-defined]
    assert talk.files() == talk.on_disk() == {"b": "2"}


@pytest.mark.parametrize("others", mostly_long([0, 1], quick=(0,)))
def test_a_read_that_changes_files_is_an_error_and_its_changes_are_dropped(talk: Talk, others: int) -> None:
    scribbling = call("look", files={"a": "mine", "new": "x"}, say="scribble")
    talk.replies(
        {"calls": [call("put", files={"a": "1"}), scribbling, *[call("look", say="too")] * others]},
        {"text": "."},
    )
    talk.ask()
    made = talk.calls()[1]
    assert made.error is not None
    assert (made.status, made.error["kind"]) == ("error", "read_changed_files")
    assert "changed new, a" in made.error["message"]
    assert made.post_manifest_id == made.pre_manifest_id
    assert talk.files() == talk.on_disk() == {"a": "1"}


@pytest.mark.parametrize("change", mostly_long([{"files": {"a": "other"}}, {"remove": ["a"]}], quick=(0,)))
def test_a_create_call_that_changes_existing_files_fails(talk: Talk, change: dict[str, object]) -> None:
    talk.replies({"calls": [call("put", files={"a": "1"}), call("add", **change)]}, {"text": "."})
    talk.ask()
    made = talk.calls()[1]
    assert made.error is not None
    assert (made.status, made.error["kind"]) == ("error", "create_changed_files")
    assert talk.files() == talk.on_disk() == {"a": "1"}


def test_of_two_calls_that_create_the_same_file_the_first_wins_and_the_second_is_reported(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("add", files=files) for files in ({"a": "1", "b": "1"}, {"a": "2"}, {"c": "3"})]},
        {"text": "."},
    )  # fmt: skip
    talk.ask()
    assert [c.status for c in talk.calls()] == ["success", "error", "success"]
    made = talk.calls()[1]
    assert made.error is not None
    assert made.error["message"].startswith("Another call of this step made a first.")
    assert talk.files() == talk.on_disk() == {"a": "1", "b": "1", "c": "3"}
    aside = next(s for s in states(talk) if not s.joined)
    assert (aside.call_id, sorted(aside.added), aside.removed) == (made.call_id, ["a"], ())
    assert aside.parent_id == made.pre_manifest_id


@pytest.mark.parametrize("others", mostly_long([0, 1], quick=(0,)))
def test_files_of_a_failed_create_are_kept_aside_and_not_joined(talk: Talk, others: int) -> None:
    failing = call("add", files={"half": "1"}, fail="no")
    talk.replies({"calls": [failing, *[call("add", files={"whole": "2"})] * others]}, {"text": "."})
    talk.ask()
    made = talk.calls()[0]
    (aside,) = (s for s in states(talk) if not s.joined)
    assert (made.status, made.post_manifest_id) == ("error", aside.manifest_id)
    assert sorted(aside.added) == ["half"]
    assert talk.files() == talk.on_disk() == ({"whole": "2"} if others else {})


def test_if_a_tool_that_only_reads_fails_after_writing_both_errors_are_reported(talk: Talk) -> None:
    talk.replies({"calls": [call("look", files={"a": "1"}, fail="out of paper")]}, {"text": "."})
    talk.ask()
    error = talk.calls()[0].error
    assert error is not None
    assert error["message"].startswith("ValueError: out of paper This tool declares that it only reads")


def test_a_failing_call_does_not_stop_others_and_results_go_to_the_model_in_call_order(talk: Talk) -> None:
    talk.replies(
        {"calls": [call("look", back={"n": 1}), call("look", fail="no"), call("nothing"), call("put", back={"n": 4})]},
        {"text": "."},
    )  # fmt: skip
    turn = talk.ask()
    sent = [m for m in talk.app.request(talk.chat_id, turn.turn_id, 2).messages if isinstance(m, ToolMessage)]
    assert [m.status for m in sent] == ["success", "error", "error", "success"]
    assert (sent[0].content, sent[3].content) == ({"n": 1}, {"n": 4})


def test_a_tool_that_needs_approval_runs_if_all_tools_were_allowed_in_advance(talk: Talk) -> None:
    talk.replies({"calls": [call("ask_first", files={"a": "1"})]}, {"text": "."})
    talk.ask(allow_confirmations=True)
    assert talk.calls()[0].status == "success"
    (approved,) = (e for e in talk.events() if isinstance(e, ToolCallApproved))
    assert approved.by == "yes"
    assert approved.arguments.model_dump() == {"value": {"files": {"a": "1"}}}


def test_long_output_is_shortened_in_the_event(talk: Talk) -> None:
    talk.replies({"calls": [call("look", say="a" * 40_000 + "the end")]}, {"text": "."})
    talk.ask()
    (finished,) = (e for e in talk.events() if isinstance(e, ToolCallFinished))
    assert len(finished.stdout) < 10_000
    assert finished.stdout.endswith("the end\n")
    assert "characters are left out here" in finished.stdout


def test_the_user_runs_a_tool_without_a_model(talk: Talk) -> None:
    def run(tool: str, **arguments: JSON) -> CallView:
        call_id = talk.app.send(RunTool(talk.chat_id, tool, arguments))
        return talk.app.chat(talk.chat_id).calls[call_id]

    made = run("kit:put", files={"a": "1"})
    assert (made.status, made.message_id) == ("success", None)
    assert talk.files() == talk.on_disk() == {"a": "1"}
    asked, wrong = run("kit:ask_first"), run("kit:put", say=1)
    assert (asked.status, asked.args) == ("denied", {})
    assert (wrong.status, wrong.args) == ("error", {"say": 1})


def test_a_tool_or_chat_that_does_not_exist_is_refused_without_leaving_a_folder(talk: Talk) -> None:
    head = talk.app.log.head()
    with pytest.raises(NotFound, match=r"There is no tool kit:gone. The tools are: list_files"):
        talk.app.send(RunTool(talk.chat_id, "kit:gone"))
    for chat_id in ("0000", "../../outside", ""):
        with pytest.raises(NotFound, match="chat"):
            talk.app.send(RunTool(chat_id, "kit:put"))
        with pytest.raises(NotFound, match="chat"):
            talk.app.chat(chat_id)
    assert talk.app.log.head() == head
    assert not (talk.app.data / "chats" / "0000").exists()
    assert not (talk.app.data.parent / "outside").exists()
