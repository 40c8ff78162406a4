"""A hostile MCP server tries what a stranger's program would: it is held as its sheet says, and so it is recorded."""

import json
import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import pytest

from engine.app import App, open_app
from engine.commands import CreateChat, RegisterServer, RunTool, TrustServer
from engine.views.chat import CallView

SERVER = Path(__file__).parents[1] / "support" / "mcp" / "hostile.py"
ACTS = re.findall(r"(?m)^def (\w+)\(\) -> str:", SERVER.read_text())
FULL = {"files", "system calls", "no network", "no privileges", "signals", "resource limits"}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app whose server `hostile` is granted nothing but its program, with victims laid out."""
    root = tmp_path_factory.mktemp("hostile")
    home = root / "home"
    home.mkdir()
    (home / "notes.txt").write_text("private")
    (root / "data" / "mcp" / "other").mkdir(parents=True)
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        at_path = stack.enter_context(socket.socket(socket.AF_UNIX))
        at_path.bind(str(root / "s"))
        at_path.listen()
        stack.enter_context(
            patch.dict(os.environ, {"ENGINE_SECRET": "kept", "ANABRANCH_CONFIG": str(root / "config")})
        )
        opened = stack.enter_context(open_app(root / "data"))
        (root / "config").mkdir(exist_ok=True)
        (root / "config" / "token").write_text("token")
        there = {
            "home": str(home),
            "log": str(next((root / "data").glob("*.duckdb"))),
            "token": str(root / "config" / "token"),
            "other_home": str(root / "data" / "mcp" / "other"),
            "port": listener.getsockname()[1],
            "unix": str(root / "s"),
            "engine": os.getpid(),
        }
        told = root / "there.json"
        told.write_text(json.dumps(there))
        opened.send(RegisterServer("hostile", sys.executable, [str(SERVER), str(told)]))
        assert opened.mcp.wait(lambda states: all(s.state == "ready" for s in states), 60), (
            opened.mcp.states()
        )
        yield opened


def tried(app: App, act: str) -> CallView:
    """Run one of its tools as the user."""
    chat_id = app.send(CreateChat())
    call_id = app.send(RunTool(chat_id, f"mcp:hostile:{act}", allow_confirmations=True))
    return app.chat(chat_id).calls[call_id]


@pytest.mark.parametrize("act", ACTS)
def test_a_server_is_held(app: App, act: str) -> None:
    done = tried(app, act)
    assert done.status == "success", done.error
    assert str(done.result["text"]).startswith("held"), done.result


def test_what_holds_it_is_recorded_with_each_call_and_cannot_be_forged(app: App) -> None:
    tried(app, "forge_what_holds")
    done = tried(app, "read_home")
    (ended,) = (
        r.event
        for r in app.log.read_all()
        if getattr(r.event, "call_id", "") == done.call_id and r.event.type == "ToolCallFinished"
    )
    layers = {layer.partition(" (")[0] for layer in ended.confined.layers}
    assert layers >= FULL
    assert "everything" not in layers


def test_what_it_says_of_itself_counts_for_nothing_until_it_is_trusted(app: App) -> None:
    assert all(t.requires_confirmation and t.effects == "write" for t in app.tools() if t.server)


def test_a_tool_that_changed_after_it_was_trusted_asks_again(app: App) -> None:
    app.send(TrustServer("hostile"))
    assert not any(tool.requires_confirmation for tool in app.tools() if tool.server)
    tried(app, "turn_coat")
    changed = app.mcp.wait(
        lambda states: any("author" in tool.description for s in states for tool in s.tools), 60
    )
    assert changed
    asks = {tool.name: tool for tool in app.tools() if tool.requires_confirmation and tool.server}
    assert [*asks] == ["forget_me"]
    assert "asks first" in (asks["forget_me"].note or "")
    app.send(TrustServer("hostile", trusted=False))
