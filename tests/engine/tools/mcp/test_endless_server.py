"""A server that tries to cause endless work fails: the app answers, and each call ends with a message."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import CreateChat, RegisterServer, RunTool, TrustServer
from engine.system.input_limits import MCP_DESCRIPTION, MCP_TOOLS
from engine.views.chat import CallView
from tests.engine.tools.mcp.conftest import ready
from tests.support.long_cases import mostly_long

SERVER = Path(__file__).parents[3] / "support" / "mcp" / "endless.py"
Run = Callable[..., CallView]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An open data folder with the server `endless`."""
    with open_app(tmp_path_factory.mktemp("data")) as opened:
        opened.send(RegisterServer("endless", sys.executable, [str(SERVER)]))
        opened.send(TrustServer("endless"))
        ready(opened, "endless")
        yield opened


@pytest.fixture
def run(app: App) -> Run:
    """Run a tool of the server and return the call."""
    chat_id = app.send(CreateChat())

    def run(name: str, **arguments: object) -> CallView:
        ready(app, "endless")
        call_id = app.send(RunTool(chat_id, f"mcp:endless:{name}", arguments))  # type: ignore[arg-type]
        return app.chat(chat_id).calls[call_id]

    return run


def description(app: App, name: str) -> str:
    """The description of a tool as users and models get it."""
    return next(tool.description for tool in app.tools() if tool.tool_id == f"mcp:endless:{name}")


def test_a_pattern_with_exponential_backtracking_is_matched_in_linear_time(run: Run) -> None:
    began = process_time()
    assert "does not match" in str(run("evil_pattern", text="a" * 50_000 + "!").error)
    assert process_time() - began < 5


def test_a_pattern_that_cannot_be_bounded_is_left_to_the_server_and_that_is_reported(
    app: App, run: Run
) -> None:
    assert "Only the server checks the pattern" in description(app, "looks_around")
    assert run("looks_around", text="no digit").status == "success"
    assert 'n: "x" is not of type "integer"' in str(run("looks_around", n="x").error)


def test_a_schema_that_grows_exponentially_is_left_out_and_that_is_reported(app: App, run: Run) -> None:
    assert "too many cases" in description(app, "tree")
    assert run("tree", any=1).status == "success"


def test_results_are_not_matched_against_the_servers_own_patterns(run: Run) -> None:
    done = run("result")
    assert (done.status, done.result["structured"]) == ("success", {"text": "a" * 60 + "!"})


@pytest.mark.parametrize("levels", mostly_long([150, 500, 50_000], quick=(1,)))
def test_a_deeply_nested_result_is_an_error_of_the_call(app: App, run: Run, levels: int) -> None:
    done = run("deep", levels=levels)
    assert done.status == "error"
    assert "nested" in str(done.error)
    assert run("deep", levels=50).status == "success"


@pytest.mark.long
def test_an_endless_message_closes_the_connection_but_not_the_app(app: App, run: Run) -> None:
    done = run("long", megabytes=64)
    assert done.status == "error"
    assert "ended during this call" in str(done.error)
    ready(app, "endless")
    assert run("more_1").status == "success"


def test_a_result_of_several_megabytes_is_refused_with_its_size(run: Run) -> None:
    assert "at most 8,388,608 are kept" in str(run("long", megabytes=12).error)


@pytest.mark.long
def test_a_flood_of_notifications_does_not_delay_calls(run: Run) -> None:
    assert run("floods").status == "success"


def test_many_files_in_one_answer_are_refused(run: Run) -> None:
    assert "1,000 files, and at most 100 are allowed" in str(run("many_files").error)


def test_long_names_descriptions_and_lists_are_cut(app: App) -> None:
    offered = [tool for tool in app.tools() if tool.server == "endless"]
    assert len(offered) == MCP_TOOLS
    assert len(description(app, "described")) <= MCP_DESCRIPTION
    (state,) = app.mcp.states()
    assert len(state.server) < 250
