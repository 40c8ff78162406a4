"""An app that trusts the test server `kitchen`, and a chat that uses it; also real servers from the registries."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import CreateChat, RegisterServer, RunTool, TrustServer
from engine.views.chat import CallView
from tests.support.mcp.installed import Installed, installed

SERVER = Path(__file__).parents[3] / "support" / "mcp" / "server.py"

Run = Callable[..., CallView]


def register_kitchen(app: App, server_id: str = "kitchen", **more: object) -> None:
    """Register the test server."""
    app.send(RegisterServer(server_id, sys.executable, [str(SERVER)], **more))  # type: ignore[arg-type]


def settled(app: App) -> None:
    """Wait until no server is connecting."""
    assert app.mcp.wait(lambda states: all(state.state != "connecting" for state in states), 600)


def ready(app: App, server_id: str = "kitchen") -> None:
    """Wait until a server is ready."""
    fits = app.mcp.wait(lambda states: any(s.id == server_id and s.state == "ready" for s in states), 600)
    assert fits, app.mcp.states()


@pytest.fixture(scope="session")
def servers() -> Installed:
    """Install the real servers in .cache, unless they are there."""
    return installed()


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An open data folder with the server `kitchen`."""
    with open_app(tmp_path_factory.mktemp("data")) as opened:
        register_kitchen(opened)
        opened.send(TrustServer("kitchen"))
        ready(opened)
        yield opened


@pytest.fixture
def run(app: App) -> Run:
    """Run a server's tool as the user, in a new chat, and return the call."""
    chat_id = app.send(CreateChat())

    def run(tool_id: str, *, yes: bool = True, **arguments: object) -> CallView:
        call_id = app.send(RunTool(chat_id, tool_id, arguments, allow_confirmations=yes))  # type: ignore[arg-type]
        return app.chat(chat_id).calls[call_id]

    run.chat_id = chat_id  # type: ignore[attr-defined]
    return run


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not count."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
