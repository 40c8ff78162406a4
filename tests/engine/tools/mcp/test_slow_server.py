"""A server that answers slowly or never is shown as starting, and everything else continues without it."""

import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.app.app import App, open_app
from engine.cli.main import program
from engine.commands.catalog import RegisterServer
from engine.tools.mcp import server_supervisor
from engine.tools.mcp.values import ServerState
from tests.engine.tools.mcp.conftest import ready
from tests.support.talk import Talk

SLOW = Path(__file__).parents[3] / "support" / "mcp" / "slow.py"


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def data(tmp_path: Path, gate: Path) -> Path:
    """A data folder with the server `slow`, which waits for the gate file."""
    with open_app(tmp_path / "data") as app:
        app.send(RegisterServer("slow", sys.executable, [str(SLOW), str(gate)], unconfined=True))
    return tmp_path / "data"


@pytest.fixture
def app(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    monkeypatch.setattr(server_supervisor, "_SLOW", 0.0)
    with open_app(data) as opened:
        yield opened


def the_one(app: App) -> ServerState:
    (state,) = app.mcp.states()
    return state


def test_the_first_list_of_tools_does_not_wait_for_a_slow_server(app: App) -> None:
    state = the_one(app)
    assert (state.state, state.tools) == ("connecting", ())
    assert "chats continue without its tools until it answers" in state.detail
    assert "disable it" in state.detail


@pytest.mark.long
def test_the_last_output_of_a_slow_server_is_shown(app: App) -> None:
    assert app.mcp.wait(lambda states: "(Fetching what I need.)" in states[0].detail, 300)


def test_a_slow_servers_tools_appear_once_it_answers(app: App, gate: Path) -> None:
    assert the_one(app).state == "connecting"
    gate.touch()
    ready(app, "slow")
    assert [tool.name for tool in the_one(app).tools] == ["late"]
    assert the_one(app).detail == ""


@pytest.mark.long
def test_a_question_is_answered_without_a_server_that_never_answers(app: App, tmp_path: Path) -> None:
    talk = Talk(app, tmp_path)
    talk.replies({"text": "Without it."})
    assert talk.ask().reason == "stop"
    assert the_one(app).state == "connecting"


@pytest.mark.long
def test_listing_tools_never_waits_for_the_loop_that_starts_the_servers(app: App) -> None:
    """On a busy machine the loop may take long to load the SDK, and listing raised a TimeoutError then."""
    app.mcp.wake()
    loop = app.mcp._loop
    blocked, go = threading.Event(), threading.Event()

    def block() -> None:
        blocked.set()
        go.wait()

    loop.soon(block)
    assert blocked.wait(300)
    try:
        app.send(RegisterServer("another", sys.executable, [str(SLOW), "never"], unconfined=True))
        assert [state.id for state in app.mcp.states()] == ["another", "slow"]
        assert [state.state for state in app.mcp.states()] == ["connecting", "connecting"]
    finally:
        go.set()


@pytest.mark.long
def test_a_server_that_still_writes_output_is_not_given_up(
    data: Path, gate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its time counts from its last output: some servers fetch large packages, and report that."""
    monkeypatch.setattr(server_supervisor, "_CONNECTING", 600.0)
    with open_app(data) as app:
        assert app.mcp.wait(lambda states: "Fetching" in states[0].stderr, 300)
        one = app.mcp._owners["slow"]
        limit = one._limit
        assert limit is not None
        before = limit.deadline
        app.mcp._loop.soon(lambda: one._wrote(b"Still fetching.\n"))
        assert app.mcp.wait(lambda states: "Still" in states[0].stderr, 300)
        assert limit.deadline > before
        gate.touch()
        ready(app, "slow")
        assert limit.deadline == float("inf")


@pytest.mark.long
def test_the_list_of_servers_includes_a_server_that_never_answers(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_supervisor, "_SLOW", 0.0)
    monkeypatch.setattr("engine.app.queries.answers._SERVERS_WAIT", 0.5)
    done = CliRunner().invoke(program, ["mcp", "list", "--data", str(data), "--json"])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)
    assert row["state"] == "connecting"
    assert "starting for" in row["detail"]
