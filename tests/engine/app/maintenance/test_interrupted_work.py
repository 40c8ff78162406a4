"""What stays if the engine is killed or closed while it works, and who may open a data folder."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import Ask, CreateChat, RunTool, SelectModel
from engine.errors import Unavailable
from events.catalog.tool_call import ToolCallFinished, ToolCallStarted
from events.catalog.workspace import ManifestRecorded
from events.json_value import JSON
from events.projections.turns import UNFINISHED_CHATS
from tests.support.talk import Talk, call, install_kit, script

ROOT = Path(__file__).parents[4]
CHILD = """
import sys
from pathlib import Path
from engine.app.app import App
from tests.support.talk import Talk, install_kit
import json
from threading import Thread
from engine.commands.catalog import RunTool
data, replies, inside = Path(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])
app = App(data)
install_kit(app, data.parent / "kit")
talk = Talk(app, data.parent)
talk.replies({"calls": [{"name": "put", "arguments": {"files": {"before": "0"}}}]}, {"text": "Ready."}, *replies)
talk.ask("prepare")
(talk.place / "own.txt").write_text("the user's")
if inside:
    talk.start("go")
else:
    command = RunTool(talk.chat_id, "kit:put", {"files": {"half": "1"}, "wait": True})
    Thread(target=app.send, args=(command,), daemon=True).start()
places = [talk.inside() for _ in range(inside or 1)]
print(talk.chat_id, flush=True)
sys.stdin.read()
"""


def killed(tmp_path: Path, *replies: Mapping[str, Any], inside: int = 1) -> tuple[Path, str]:
    """Run an engine in a separate process until its tools are inside their calls, and kill it there.

    With `inside` 0 it is the user who runs one.
    """
    data = tmp_path / "data"
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(data), json.dumps(replies), str(inside)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as child:  # fmt: skip
        assert child.stdout is not None
        chat_id = child.stdout.readline().strip()
        child.send_signal(signal.SIGKILL)
    assert chat_id, "the child did not come so far"
    return data, chat_id


@pytest.mark.long
def test_a_write_call_that_was_killed_ends_as_interrupted_with_its_files_and_is_not_run_again(
    tmp_path: Path,
) -> None:
    data, chat_id = killed(
        tmp_path, {"calls": [call("put", files={"half": "1"}, wait=True)]}, {"text": "After."}
    )
    with open_app(data) as app:
        talk = Talk(app, tmp_path, chat_id)
        view = app.chat(chat_id)
        last = talk.calls()[-1]
        assert last.status == "interrupted"
        assert [t.reason for t in view.turns.values()] == ["stop", "interrupted"]
        post = view.manifests[last.post_manifest_id or ""]
        assert (post["source"], post["source_ref"]) == ("tool_run", last.call_id)
        assert list(post["changes"]["added"]) == ["half"]
        assert talk.files() == talk.on_disk() == {"before": "0", "own.txt": "the user's", "half": "1"}
        edits = [e for e in talk.events() if isinstance(e, ManifestRecorded) and e.source == "edit"]
        assert [sorted(e.added) for e in edits] == [["own.txt"]], (
            "what the call wrote is no edit of the user's"
        )
        turn = talk.ask("and now?")
        assert (turn.reason, talk.branch()[-1].content) == ("stop", "After.")
        assert len([e for e in talk.events() if isinstance(e, ToolCallStarted)]) == 2
        assert app.log.verify().ok


@pytest.mark.long
def test_files_of_killed_calls_in_copies_are_recorded_separately_and_the_copies_are_removed(
    tmp_path: Path,
) -> None:
    adds = [call("add", files={name: "1"}, wait=True) for name in "ab"]
    data, chat_id = killed(tmp_path, {"calls": adds}, {"text": "After."}, inside=2)
    with open_app(data) as app:
        talk = Talk(app, tmp_path, chat_id)
        assert [c.status for c in talk.calls()] == ["success", "interrupted", "interrupted"]
        aside = [e for e in talk.events() if isinstance(e, ManifestRecorded) and not e.joined]
        assert sorted(path for e in aside for path in e.added) == ["a", "b"]
        assert talk.files() == talk.on_disk() == {"before": "0", "own.txt": "the user's"}
        assert not list((data / "chats" / chat_id).glob("calls/*"))
        assert talk.ask("and now?").reason == "stop"


@pytest.mark.long
def test_files_of_a_killed_create_call_in_the_chats_own_folder_are_kept_aside_too(tmp_path: Path) -> None:
    data, chat_id = killed(
        tmp_path, {"calls": [call("add", files={"half": "1"}, wait=True)]}, {"text": "After."}
    )
    with open_app(data) as app:
        talk = Talk(app, tmp_path, chat_id)
        (aside,) = (e for e in talk.events() if isinstance(e, ManifestRecorded) and not e.joined)
        assert sorted(aside.added) == ["half"]
        assert talk.files() == talk.on_disk() == {"before": "0", "own.txt": "the user's"}


@pytest.mark.long
def test_a_users_own_call_that_was_killed_ends_as_interrupted_with_its_files(tmp_path: Path) -> None:
    data, chat_id = killed(tmp_path, inside=0)
    with open_app(data) as app:
        talk = Talk(app, tmp_path, chat_id)
        (own,) = (c for c in app.chat(chat_id).calls.values() if c.message_id is None)
        assert own.status == "interrupted"
        left = next(e for e in talk.events() if isinstance(e, ManifestRecorded) and e.call_id == own.call_id)
        assert sorted(left.added) == ["half"]
        assert talk.files() == talk.on_disk() == {"before": "0", "own.txt": "the user's", "half": "1"}


@pytest.mark.long
def test_a_second_opening_after_a_crash_changes_nothing_more(tmp_path: Path) -> None:
    data, chat_id = killed(tmp_path, {"calls": [call("put", wait=True), call("put")]})
    with open_app(data) as app:
        head = app.log.head()
        talk = Talk(app, tmp_path, chat_id)
        assert [c.status for c in talk.calls()[1:]] == ["interrupted", "interrupted"]
        assert talk.calls()[2].started_at is None
    with open_app(data) as app:
        assert app.log.head() == head
        with app.reads.reader() as cursor:
            assert cursor.execute(UNFINISHED_CHATS).fetchall() == []


def test_closing_during_a_turn_interrupts_the_turn_and_its_call(tmp_path: Path) -> None:
    data = tmp_path / "data"
    app = App(data)
    install_kit(app, tmp_path / "kit")
    talk = Talk(app, tmp_path)
    talk.replies({"calls": [call("put", files={"half": "1"}, wait=True)]}, {"text": "After."})
    turn_id = talk.start()
    talk.inside()
    app.close()
    app.close()
    with open_app(data) as again:
        talk = Talk(again, tmp_path, talk.chat_id)
        assert again.chat(talk.chat_id).turns[turn_id].reason == "interrupted"
        assert [c.status for c in talk.calls()] == ["interrupted"]
        assert talk.files() == talk.on_disk() == {"half": "1"}
        assert [e.status for e in talk.events() if isinstance(e, ToolCallFinished)] == ["interrupted"]
        assert talk.ask("and now?").reason == "stop"


def test_closing_while_the_users_own_call_runs_interrupts_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    app = App(data)
    install_kit(app, tmp_path / "kit")
    talk = Talk(app, tmp_path)
    with ThreadPoolExecutor(1) as thread:
        arguments: dict[str, JSON] = {"files": {"half": "1"}, "wait": True}
        running = thread.submit(app.send, RunTool(talk.chat_id, "kit:put", arguments))
        talk.inside()
        app.close()
        call_id = running.result(timeout=600)
    with open_app(data) as again:
        assert again.chat(talk.chat_id).calls[call_id].status == "interrupted"
        assert Talk(again, tmp_path, talk.chat_id).files() == {"half": "1"}


def test_a_folder_that_this_process_has_open_cannot_be_opened_twice(tmp_path: Path) -> None:
    with open_app(tmp_path), pytest.raises(Unavailable, match=f"in use by process {os.getpid()}"):
        App(tmp_path)
    with open_app(tmp_path) as again:
        assert again.log.verify().ok


def test_the_lock_file_of_a_dead_process_blocks_nobody(tmp_path: Path) -> None:
    (tmp_path / "anabranch.lock").write_text('{"pid": 1, "address": "http://127.0.0.1:1"}')
    with open_app(tmp_path) as app:
        assert app.log.head() > 0


def test_a_database_file_that_is_not_a_log_is_named_and_the_folder_is_released(tmp_path: Path) -> None:
    (tmp_path / "anabranch.duckdb").write_bytes(b"not a database" * 1000)
    for _ in range(2):
        with pytest.raises(Unavailable, match=str(tmp_path)) as refused:
            App(tmp_path)
        assert refused.value.code == "log_unreadable"


def test_a_question_after_closing_is_refused_and_leaves_no_turn_open(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        chat_id = app.send(CreateChat())
        app.send(SelectModel(chat_id, script(tmp_path / "s.json", [{"text": "x"}])))
        app._turns.close()
        with pytest.raises(Unavailable, match="closing"):
            app.send(Ask(chat_id, "late"))
        assert [t.reason for t in app.chat(chat_id).turns.values()] == ["interrupted"]
