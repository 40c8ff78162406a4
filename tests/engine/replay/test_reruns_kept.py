"""Re-runs together with other features: forks, copied folders, retention, and MCP servers."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import (
    BeginChat,
    NameMoment,
    RegisterServer,
    ReplayChat,
    RerunChat,
    SelectLeaf,
    TrustServer,
    Upload,
)
from tests.support.talk import Talk, call, script

SERVER = Path(__file__).parents[2] / "support" / "mcp" / "server.py"
TOTAL = [{"calls": [call("query", sql="SELECT sum(x) AS s FROM data", title="Total")]}, {"text": "There."}]


def summed(app: App, folder: Path) -> Talk:
    begun = app.send(
        BeginChat("Total?", [Upload("data.csv", b"x\n1\n2\n")], model=script(folder / "s.json", TOTAL))
    )
    app.wait(begun.turn_id)
    return Talk(app, folder, begun.chat_id)


def verdicts(talk: Talk, **more: Any) -> list[str]:
    document: Any = talk.app.replay(talk.chat_id, talk.app.send(ReplayChat(talk.chat_id, **more)))
    return [one["verdict"] for one in document["calls"]]


@pytest.mark.long
def test_a_chat_with_replays_reruns_and_moments_verifies_in_a_copied_folder(tmp_path: Path) -> None:
    """The folder is copied like a backup; the read models are recomputed there."""
    with open_app(tmp_path / "data") as app:
        talk = summed(app, tmp_path)
        first = app.chat(talk.chat_id).leaf
        app.send(NameMoment(talk.chat_id, "original"))
        assert verdicts(talk) == ["identical"]
        new = [Upload("data.csv", b"y\n10\n20\n")]
        app.send(RerunChat(talk.chat_id, files=new, columns={"data.csv": {"x": "y"}}))
        assert verdicts(talk) == ["identical"]
    shutil.copytree(tmp_path / "data", tmp_path / "elsewhere" / "data", symlinks=True)
    with open_app(tmp_path / "elsewhere" / "data") as app:
        there = Talk(app, tmp_path, talk.chat_id)
        app.reads.rebuild()
        assert verdicts(there) == ["identical"]
        assert len(app.chat(there.chat_id).reruns) == 1
        assert app.checking.check().ok
        assert first is not None
        app.send(SelectLeaf(there.chat_id, first))
        assert verdicts(there) == ["identical"]


@pytest.mark.long
def test_retention_keeps_contents_that_both_branches_of_a_rerun_need(tmp_path: Path) -> None:
    """Including the new file as uploaded, which only the event names."""
    with open_app(tmp_path / "data") as app:
        talk = summed(app, tmp_path)
        first = app.chat(talk.chat_id).leaf
        new = [Upload("data.csv", b"y\n10\n20\n")]
        app.send(RerunChat(talk.chat_id, files=new, columns={"data.csv": {"x": "y"}}))
        assert app.retention.collect().removed == 0
        app.retention.collect(datetime.now(UTC) + timedelta(days=1))
        assert app.checking.check().ok
        assert verdicts(talk) == ["identical"]
        assert first is not None
        app.send(SelectLeaf(talk.chat_id, first))
        assert verdicts(talk) == ["identical"]


CUT_OFF = """
import sys
from pathlib import Path
from engine.app.app import App
from engine.commands.catalog import RerunChat, Upload, UploadFiles
from tests.support.talk import Talk, call, install_kit
app = App(Path(sys.argv[1]))
install_kit(app, Path(sys.argv[2]) / "kit")
talk = Talk(app, Path(sys.argv[2]))
app.send(UploadFiles(talk.chat_id, [Upload("data.txt", b"old")]))
talk.replies({"calls": [call("look")]}, {"calls": [call("look", wait=True)]}, {"text": "Done."})
turn = talk.start()
(talk.inside() / "go").touch()
talk.ended(turn)
print(talk.chat_id, flush=True)
app.watch(talk.chat_id, lambda signal: print("inside", flush=True) if "inside" in str(signal) else None)
app.send(RerunChat(talk.chat_id, files=[Upload("data.txt", b"new")]))
"""


@pytest.mark.long
def test_a_killed_rerun_is_reported_and_can_be_repeated(tmp_path: Path) -> None:
    """The report says how many calls ended, and gives the command to repeat it."""
    child = subprocess.Popen(
        [sys.executable, "-c", CUT_OFF, str(tmp_path / "data"), str(tmp_path)],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    chat_id = child.stdout.readline().strip()
    assert child.stdout.readline().strip() == "inside"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    with open_app(tmp_path / "data") as app:
        talk = Talk(app, tmp_path, chat_id)
        found = app.chat(chat_id).cut_off_rerun()
        assert found is not None
        assert (found[1], found[0].asked) == (1, 2)
        assert {turn.reason for turn in app.chat(chat_id).turns.values()} == {"stop", "interrupted"}
        done: list[Any] = []
        command = app.rerun_again(chat_id, found[0].rerun_id)
        again = Thread(target=lambda: done.append(app.rerun(chat_id, app.send(command))))
        again.start()
        (talk.inside() / "go").touch()
        again.join()
        assert [one["status"] for one in done[0]["calls"]] == ["ran", "ran"]
        assert app.chat(chat_id).cut_off_rerun() is None
        assert talk.files() == {"data.txt": "new"}


@pytest.fixture
def kitchen(tmp_path: Path) -> Iterator[App]:
    """An app with a trusted MCP server."""
    with open_app(tmp_path / "data") as app:
        app.send(RegisterServer("kitchen", sys.executable, [str(SERVER)]))
        app.send(TrustServer("kitchen"))
        assert app.mcp.wait(lambda states: any(s.state == "ready" for s in states), 600)
        yield app


@pytest.mark.long
def test_a_servers_call_runs_again_only_if_that_is_allowed(kitchen: App, tmp_path: Path) -> None:
    """Otherwise it is skipped with the reason, and a re-run uses its recorded result."""
    echo = [{"calls": [call("echo", text="hello")]}, {"text": "There."}]
    begun = kitchen.send(
        BeginChat("Say it.", model=script(tmp_path / "s.json", echo), selection={"mcp:kitchen": ["echo"]})
    )
    kitchen.wait(begun.turn_id)
    talk = Talk(kitchen, tmp_path, begun.chat_id)
    (one,) = talk.calls()
    assert one.status == "success", one.error
    document: Any = kitchen.replay(talk.chat_id, kitchen.send(ReplayChat(talk.chat_id)))
    (skipped,) = document["calls"]
    assert (skipped["verdict"], skipped["reaches_out"]) == ("skipped", True)
    assert "MCP server" in skipped["reason"]
    assert verdicts(talk, live=True) == ["identical"]
    kept: Any = kitchen.rerun(talk.chat_id, kitchen.send(RerunChat(talk.chat_id)))
    assert [one["status"] for one in kept["calls"]] == ["kept"]
    ran: Any = kitchen.rerun(talk.chat_id, kitchen.send(RerunChat(talk.chat_id, live=True)))
    assert [(one["status"], one["moved"]) for one in ran["calls"]] == [("ran", False)]
