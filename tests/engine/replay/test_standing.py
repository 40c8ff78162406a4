"""Standing questions: pinned answers run again with the chat's current files, and what each check reports."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Event, Thread
from typing import Any

import pytest

from engine.app.app import App, open_app
from engine.cli.cli_context import CliContext, calling
from engine.cli.main import run
from engine.cli.port import OpenEngine
from engine.command_handlers.file_triggers import FileTriggers
from engine.commands.catalog import (
    ApproveCall,
    BeginChat,
    CheckStandingQuestion,
    InstallToolset,
    MarkSeen,
    NameMoment,
    PinAnswer,
    RerunChat,
    StopTurn,
    UnpinAnswer,
    Upload,
)
from engine.errors import Refused
from engine.views.standing import StandingQuestion
from events.catalog.replay import RerunStarted
from events.event import Recorded
from tests.support.talk import Talk, call, script, write_bundle

AUGUST = b"region,revenue\nEast,90500\nWest,200\nNorth,50\n"
SEPTEMBER = b"region,revenue\nEast,84310\nWest,220\nNorth,500\n"
NORTH = b"region,revenue\nEast,10\nWest,220\nNorth,500\n"
BY_REGION = "SELECT region, sum(revenue) AS r FROM orders GROUP BY ALL ORDER BY r DESC"
LEADER = "SELECT region, r FROM by_region LIMIT 1"


def asked(app: App, folder: Path, text: str, data: bytes = AUGUST) -> Talk:
    """A chat with an answer from two calls; the second call reads the first one's table."""
    model = script(
        folder / f"script{len(list(folder.glob('script*')))}.json",
        [
            {"calls": [call("query", sql=BY_REGION, title="By region")]},
            {"calls": [call("query", sql=LEADER, title="Leader")]},
            {"text": text},
        ],
    )
    turn = app.send(BeginChat("How is the East doing?", [Upload("orders.csv", data)], model=model))
    app.wait(turn.turn_id)
    return Talk(app, folder, turn.chat_id)


def save(talk: Talk, data: bytes) -> None:
    """Change the file in the chat's folder."""
    talk.place.joinpath("orders.csv").write_bytes(data)


def question(talk: Talk) -> StandingQuestion:
    (found,) = [one for one in talk.app.standing_questions() if one.of.chat_id == talk.chat_id]
    return found


def check(talk: Talk, pin_id: str) -> StandingQuestion:
    talk.app.send(CheckStandingQuestion(talk.chat_id, pin_id))
    return question(talk)


@pytest.mark.long
def test_a_number_that_changed_is_reported_until_the_user_has_seen_it(app: App, tmp_path: Path) -> None:
    """The chat stays on its branch; the new result is on another one that can be compared."""
    talk = asked(app, tmp_path, "The East made **90,500**.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    leaf = app.chat(talk.chat_id).leaf
    new = question(talk)
    assert (new.of.value.text, new.of.group, new.of.verdict) == ("90,500", "same", "not checked")
    assert check(talk, pin_id).of.verdict == "same"
    events = len(talk.events())

    save(talk, SEPTEMBER)
    moved = check(talk, pin_id)
    assert (moved.of.group, moved.of.verdict, moved.of.value.text) == ("moved", "moved", "84,310")
    assert moved.change == -6190
    assert moved.of.leaf is not None
    assert app.chat(talk.chat_id).leaf == leaf
    assert moved.of.calls == 2
    assert moved.of.texts == ("90,500", "90,500", "84,310")
    assert len(talk.events()) > events

    app.send(MarkSeen(talk.chat_id, pin_id))
    seen = question(talk)
    assert (seen.of.group, seen.change) == ("same", 0)


def test_a_check_without_changes_leaves_two_events_and_no_branch(app: App, tmp_path: Path) -> None:
    talk = asked(app, tmp_path, "The East made **90,500**.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    before, messages = len(talk.events()), len(app.chat(talk.chat_id).messages)
    check(talk, pin_id)
    assert [event.type for event in talk.events()[before:]] == [
        "StandingQuestionCheckStarted",
        "StandingQuestionChecked",
    ]
    assert len(app.chat(talk.chat_id).messages) == messages


@pytest.mark.long
def test_a_sentence_with_a_changed_word_no_longer_follows_from_the_result(app: App, tmp_path: Path) -> None:
    talk = asked(app, tmp_path, "**East** leads.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    save(talk, NORTH)
    moved = check(talk, pin_id)
    assert (moved.of.verdict, moved.of.baseline.text, moved.of.value.text) == (
        "no longer follows",
        "East",
        "North",
    )


def test_a_changed_question_says_which_sentence_no_longer_follows_from_the_result(
    app: App, tmp_path: Path
) -> None:
    talk = asked(app, tmp_path, "The East made **90,500**. West made more than North.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    save(talk, SEPTEMBER)
    found = check(talk, pin_id)
    assert (found.of.verdict, found.broken) == ("moved", ("West made more than North.",))
    assert found.to_json()["sentences"] == [
        {"text": "The East made **90,500**.", "follows": True},
        {"text": "West made more than North.", "follows": False},
    ]


@pytest.mark.long
def test_a_file_that_lost_a_column_is_named_with_the_column(app: App, tmp_path: Path) -> None:
    """The last good value stays, and the check says how to fix the problem."""
    talk = asked(app, tmp_path, "**East** leads.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    save(talk, SEPTEMBER.replace(b"revenue", b"amount"))
    found = check(talk, pin_id).of
    assert (found.group, found.verdict) == ("needs you", "could not run")
    assert found.why.startswith("orders.csv has no column revenue. The call failed: ")
    assert (found.fix, found.path, found.value.text) == ("match columns", "orders.csv", "East")


@pytest.mark.long
def test_matched_columns_are_matched_in_later_checks_too(app: App, tmp_path: Path) -> None:
    talk = asked(app, tmp_path, "The East made **90,500**.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    answer = question(talk).of.message_id
    renamed = SEPTEMBER.replace(b"revenue", b"amount")
    save(talk, renamed)
    assert check(talk, pin_id).of.fix == "match columns"
    names = {"orders.csv": {"revenue": "amount"}}
    app.send(RerunChat(talk.chat_id, answer, [Upload("orders.csv", renamed)], names))

    save(talk, renamed.replace(b"84310", b"70000"))
    found = check(talk, pin_id).of
    assert (found.verdict, found.value.text, found.fix) == ("moved", "70,000", "")
    assert found.why == "In orders.csv, amount is read as revenue, as you matched them."
    assert found.leaf is not None
    started = talk.events("RerunStarted")[-1]
    assert isinstance(started, RerunStarted)
    assert started.columns == names
    save(talk, SEPTEMBER.replace(b"revenue", b"total"))
    assert check(talk, pin_id).of.why.startswith("orders.csv has no column revenue. ")
    save(talk, AUGUST)
    assert check(talk, pin_id).of.why == ""


@pytest.mark.long
def test_a_column_that_no_call_reads_may_be_missing_next_to_a_matched_one(app: App, tmp_path: Path) -> None:
    talk = asked(
        app, tmp_path, "The East made **90,500**.", b"region,revenue,notes\nEast,90500,x\nWest,200,y\n"
    )
    pin_id = app.send(PinAnswer(talk.chat_id))
    renamed = b"region,amount\nEast,90500\nWest,200\n"
    save(talk, renamed)
    answer = question(talk).of.message_id
    names = {"orders.csv": {"revenue": "amount"}}
    app.send(RerunChat(talk.chat_id, answer, [Upload("orders.csv", renamed)], names))
    save(talk, renamed.replace(b"90500", b"70000"))
    assert check(talk, pin_id).of.value.text == "70,000"


@pytest.mark.long
def test_a_missing_file_is_named(app: App, tmp_path: Path) -> None:
    talk = asked(app, tmp_path, "**East** leads.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    talk.place.joinpath("orders.csv").unlink()
    found = check(talk, pin_id).of
    assert (found.verdict, found.fix, found.path) == ("could not run", "find the file", "orders.csv")
    save(talk, AUGUST)
    assert check(talk, pin_id).of.verdict == "same"


@pytest.mark.long
def test_a_sentence_about_a_missing_row_no_longer_follows_from_the_result(app: App, tmp_path: Path) -> None:
    talk = asked(app, tmp_path, "The North made **50** of it.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    save(talk, b"region,revenue\nEast,1\nWest,2\n")
    found = check(talk, pin_id).of
    assert (found.verdict, found.group, found.value.text) == ("no longer follows", "moved", "50")


@pytest.mark.long
def test_an_answer_without_a_single_value_counts_changed_results(app: App, tmp_path: Path) -> None:
    """A result that changed once is not reported as changed again."""
    talk = asked(app, tmp_path, "See the table.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    assert question(talk).of.value is None
    save(talk, SEPTEMBER)
    found = check(talk, pin_id).of
    assert (found.verdict, found.moved, found.value) == ("moved", 2, None)
    unseen = check(talk, pin_id).of
    assert (unseen.verdict, unseen.last_verdict, unseen.moved) == ("moved", "same", 2)
    app.send(MarkSeen(talk.chat_id, pin_id))
    again = check(talk, pin_id).of
    assert (again.verdict, again.moved, again.group) == ("same", 0, "same")


@pytest.mark.long
def test_a_value_that_changed_back_counts_as_unchanged(app: App, tmp_path: Path) -> None:
    talk = asked(app, tmp_path, "The East made **90,500**.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    save(talk, SEPTEMBER)
    assert check(talk, pin_id).of.group == "moved"
    save(talk, SEPTEMBER + b"South,1\n")
    assert (check(talk, pin_id).of.group, question(talk).of.verdict) == ("moved", "moved")
    save(talk, AUGUST)
    assert check(talk, pin_id).of.group == "same"


def test_a_call_that_needs_approval_does_not_run_in_a_check(app: App, tmp_path: Path) -> None:
    model = script(
        tmp_path / "script.json", [{"calls": [call("ask_first", back={"n": 1})]}, {"text": "**1**."}]
    )
    turn = app.send(BeginChat("Ask", model=model))
    app.wait(turn.turn_id)
    talk = Talk(app, tmp_path, turn.chat_id)
    (waiting,) = talk.calls()
    resumed = app.send(ApproveCall(talk.chat_id, waiting.call_id))
    app.wait(resumed.turn_id)
    pin_id = app.send(PinAnswer(talk.chat_id))
    calls = len(talk.calls())
    found = check(talk, pin_id).of
    assert (found.verdict, found.why) == (
        "could not run",
        "ask_first asks before it runs, so it does not run here.",
    )
    assert len(talk.calls()) == calls


def test_an_answer_that_cannot_be_pinned_or_checked_is_refused(app: App, tmp_path: Path) -> None:
    talk = asked(app, tmp_path, "The East made **90,500**.")
    pin_id = app.send(PinAnswer(talk.chat_id))
    for command, code in (
        (PinAnswer(talk.chat_id), "already_pinned"),
        (PinAnswer(talk.chat_id, talk.branch()[0].message_id), "not_an_answer"),
        (PinAnswer(talk.chat_id, "nothing"), "message_not_found"),
        (CheckStandingQuestion(talk.chat_id, "nothing"), "pin_not_found"),
        (UnpinAnswer(talk.chat_id, "nothing"), "pin_not_found"),
        (CheckStandingQuestion("nothing", pin_id), "chat_not_found"),
    ):
        with pytest.raises(Refused) as refused:
            app.send(command)
        assert refused.value.code == code
    app.send(UnpinAnswer(talk.chat_id, pin_id))
    assert [one for one in app.standing_questions() if one.of.chat_id == talk.chat_id] == []


WAITING = {
    "toolset.yaml": """\
manifest_version: "1"
id: waiting
name: Waiting
version: "1.0.0"
description: Waits if its file says so.
tools:
  - id: read_mode
    name: Read mode
    description: Reads a file.
    entrypoint: tools.act:run
    effects: read
    timeout: 300
    input_schema: {type: object, properties: {}}
""",
    "tools/act.py": """\
import time

def run(workspace):
    ends = time.monotonic() + 250
    while (workspace / "mode.txt").read_text() == "wait" and time.monotonic() < ends:
        time.sleep(0.01)
    return {"columns": [{"name": "n"}], "rows": [[1]]}
""",
}


@contextmanager
def waits(app: App, folder: Path) -> Iterator[tuple[Talk, str]]:
    """A check that waits inside its call."""
    app.send(InstallToolset(write_bundle(folder / "bundle", WAITING), "yes"))
    model = script(folder / "waits.json", [{"calls": [call("read_mode")]}, {"text": "There is **1**."}])
    turn = app.send(BeginChat("How many?", [Upload("mode.txt", b"go")], model=model))
    app.wait(turn.turn_id)
    talk = Talk(app, folder, turn.chat_id)
    pin_id = app.send(PinAnswer(talk.chat_id))
    assert question(talk).of.value is not None
    talk.place.joinpath("mode.txt").write_text("wait")
    begun = Event()
    stop = app.log.watch(
        lambda found: (
            begun.set() if any(one.event.type == "StandingQuestionCheckStarted" for one in found) else None
        )
    )
    thread = Thread(target=lambda: app.send(CheckStandingQuestion(talk.chat_id, pin_id)))
    thread.start()
    begun.wait()
    stop()
    yield talk, pin_id
    thread.join()


@pytest.mark.long
def test_a_question_has_only_one_check_at_a_time_and_it_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second request waits for the running check and takes its result. A stopped check says so, and the question
    can be checked again."""
    waiting = Event()

    class Announced(Event):
        def wait(self, timeout: float | None = None) -> bool:
            waiting.set()
            return super().wait(timeout)

    monkeypatch.setattr("engine.command_handlers.running_checks.Event", Announced)
    with open_app(tmp_path / "data") as app:
        with waits(app, tmp_path) as (talk, pin_id), ThreadPoolExecutor() as threads:
            assert question(talk).running
            second = threads.submit(app.send, CheckStandingQuestion(talk.chat_id, pin_id))
            waiting.wait()
            app.send(StopTurn(talk.chat_id))
            second.result()
        (ended,) = talk.events("StandingQuestionChecked")
        assert second.result() == getattr(ended, "check_id", None)
        found = question(talk)
        assert (found.running, found.of.verdict, found.of.why) == (False, "could not run", "You stopped it.")
        talk.place.joinpath("mode.txt").write_text("went")
        assert check(talk, pin_id).of.verdict == "same"


@pytest.mark.long
def test_a_check_that_ended_with_the_app_is_reported_as_interrupted(tmp_path: Path) -> None:
    """It can be run again."""
    with open_app(tmp_path / "data") as app, waits(app, tmp_path) as (talk, pin_id):
        app.close()
    with open_app(tmp_path / "data") as app:
        (found,) = app.standing_questions()
        assert (found.of.group, found.of.verdict, found.running) == ("needs you", "interrupted", False)
        app.workspace.files(talk.chat_id)
        again = Talk(app, tmp_path, talk.chat_id)
        again.place.joinpath("mode.txt").write_text("went")
        assert check(again, pin_id).of.verdict == "same"


def checks(app: App, kind: str = "StandingQuestionChecked") -> Queue[Any]:
    """Collects the results of later checks, or that they start."""
    found: Queue[Any] = Queue()

    def told(recorded: Sequence[Recorded]) -> None:
        for one in recorded:
            if one.event.type == kind:
                found.put(one.event)

    app.log.watch(told)
    return found


@pytest.mark.long
def test_a_standing_question_is_checked_automatically_only_after_its_file_changed(tmp_path: Path) -> None:
    """In a process that stays open. A change that nobody noticed is found at the next start."""
    with open_app(tmp_path / "data") as app:
        talk = asked(app, tmp_path, "The East made **90,500**.")
        by_hand = asked(app, tmp_path, "The East made **90,500**.")
        app.send(PinAnswer(talk.chat_id))
        app.send(PinAnswer(by_hand.chat_id, trigger="by hand"))
        app.follow_files()
        found = checks(app)
        save(by_hand, SEPTEMBER)
        app.send(NameMoment(by_hand.chat_id, "later"))  # records what changed in the folder
        save(talk, SEPTEMBER)
        app.send(NameMoment(talk.chat_id, "later"))
        assert found.get().after.text == "84,310"
        assert question(by_hand).of.verdict == "not checked"
    with open_app(tmp_path / "data") as app:
        again = Talk(app, tmp_path, talk.chat_id)
        save(again, AUGUST)
        app.send(NameMoment(talk.chat_id, "back"))
        found = checks(app)
        app.follow_files()
        assert found.get().after.text == "90,500"


@pytest.mark.long
def test_a_change_that_the_user_has_checked_already_is_not_checked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's check ends just after the automatic check became due."""
    with open_app(tmp_path / "data") as app:
        talk = asked(app, tmp_path, "The East made **90,500**.")
        pin_id = app.send(PinAnswer(talk.chat_id))
        other = asked(app, tmp_path, "The East made **90,500**.")
        app.send(PinAnswer(other.chat_id))
        seen_due = FileTriggers._changed
        by_user: list[str] = []

        def slowly(self: FileTriggers, chat_id: str) -> list[str]:
            due = seen_due(self, chat_id)
            if due and chat_id == talk.chat_id and not by_user:
                by_user.append(app.send(CheckStandingQuestion(talk.chat_id, pin_id)))
            return due

        monkeypatch.setattr(FileTriggers, "_changed", slowly)
        app.follow_files()
        found = checks(app)
        for one in (talk, other):
            save(one, SEPTEMBER)
            app.send(NameMoment(one.chat_id, "later"))
        assert [found.get().check_id, found.get().pin_id == pin_id] == [by_user[0], False]


@pytest.mark.long
def test_standing_questions_can_be_checked_in_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 0: no change, 4: a change, 1: a question could not run."""
    data = tmp_path / "data"
    with open_app(data) as app:
        talk = asked(app, tmp_path, "The East made **90,500**.")

    def terminal(*words: str) -> tuple[int, list[dict[str, Any]]]:
        code = run([*words, "--data", str(data), "--json"])
        return code, json.loads(capsys.readouterr().out)

    assert terminal("rerun", "--pinned") == (0, [])
    assert terminal("send", "PinAnswer", f"chat_id={talk.chat_id}")[0] == 0
    code, (same,) = terminal("rerun", "--pinned")
    assert (code, same["check"], same["value"], same["question"]) == (
        0,
        "same",
        "90,500",
        "How is the East doing?",
    )
    talk.place.joinpath("orders.csv").write_bytes(SEPTEMBER)
    code, (moved,) = terminal("rerun", "--pinned")
    assert (code, moved["check"], moved["value"], moved["change"]) == (4, "moved", "84,310", -6190)
    code, (same,) = terminal("rerun", "--pinned")
    assert (code, same["check"], same["group"]) == (0, "same", "moved")
    talk.place.joinpath("orders.csv").unlink()
    code, (gone,) = terminal("rerun", "--pinned", talk.chat_id)
    assert (code, gone["check"], gone["fix"]) == (1, "could not run", "find the file")
    assert run(["rerun", "--data", str(data)]) == 1
    assert run(["rerun", "--pinned", "--live", "--data", str(data)]) == 1


@pytest.mark.long
def test_the_terminal_reports_changes_that_a_running_app_found_just_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The app checks a question by itself when its file changes, so the terminal's own check finds nothing new."""

    class Beside(OpenEngine):
        def send(self, command: Any) -> Any:
            if isinstance(command, CheckStandingQuestion):
                super().send(command)
            return super().send(command)

    with open_app(tmp_path / "data") as app:
        talk = asked(app, tmp_path, "See the table.")
        app.send(PinAnswer(talk.chat_id))
        save(talk, SEPTEMBER)
        caller = CliContext(
            Beside(app), False, lambda stream, text: print(text, end=""), lambda wanted, text: ""
        )
        with calling(caller):
            assert run(["rerun", "--pinned"]) == 4
            assert "2 results moved" in capsys.readouterr().out
            assert run(["rerun", "--pinned"]) == 0
            assert "0 results moved" in capsys.readouterr().out


@pytest.mark.long
def test_a_check_that_was_interrupted_twice_is_not_started_again_automatically(tmp_path: Path) -> None:
    """The check itself may end the app. Another change of the file, or the user, starts the next one."""
    with open_app(tmp_path / "data") as app:
        other = asked(app, tmp_path, "The East made **90,500**.")
        app.send(PinAnswer(other.chat_id))
        with waits(app, tmp_path) as (talk, pin_id):
            app.close()
    with open_app(tmp_path / "data") as app:
        begun = checks(app, "StandingQuestionCheckStarted")
        app.follow_files()
        assert begun.get().pin_id == pin_id
    with open_app(tmp_path / "data") as app:
        begun, ended = checks(app, "StandingQuestionCheckStarted"), checks(app)
        app.follow_files()
        save(Talk(app, tmp_path, other.chat_id), SEPTEMBER)
        app.send(NameMoment(other.chat_id, "later"))
        assert ended.get().after.text == "84,310"  # what changed is looked at in turn
        assert begun.get().pin_id != pin_id
        assert begun.empty()
        again = Talk(app, tmp_path, talk.chat_id)
        again.place.joinpath("mode.txt").write_text("went")
        app.send(NameMoment(talk.chat_id, "went"))
        assert (begun.get().pin_id, ended.get().verdict) == (pin_id, "same")
