"""A hostile MCP server in a real app, granted nothing but its program, with targets prepared for it."""

import json
import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

from engine.app.app import App, open_app
from engine.commands.catalog import CreateChat, RegisterServer, RunTool
from engine.views.chat import CallView

__all__ = ["SERVER_ACTS", "hostile_server", "server_held", "tried"]

_SERVER = Path(__file__).parents[1] / "support" / "mcp" / "hostile.py"
SERVER_ACTS = re.findall(r"(?m)^def (\w+)\(\) -> str:", _SERVER.read_text())
"""Names of its tools, each of which tries something."""


@contextmanager
def hostile_server(root: Path) -> Iterator[App]:
    """An app whose server `hostile` is ready, for the duration of the block."""
    home = root / "home"
    home.mkdir()
    (home / "notes.txt").write_text("private")
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        at_path = stack.enter_context(socket.socket(socket.AF_UNIX))
        at_path.bind(str(root / "s"))
        at_path.listen()
        stack.enter_context(
            patch.dict(os.environ, {"ENGINE_SECRET": "kept", "ANABRANCH_CONFIG": str(root / "config")})
        )
        opened = stack.enter_context(open_app(root / "data"))
        (root / "data" / "mcp" / "other").mkdir(parents=True)
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
        opened.send(RegisterServer("hostile", sys.executable, [str(_SERVER), str(told)], paths=[str(told)]))
        assert opened.mcp.wait(lambda states: all(s.state == "ready" for s in states), 60), (
            opened.mcp.states()
        )
        yield opened


def tried(app: App, act: str) -> CallView:
    """Run one of the server's tools as the user."""
    chat_id = app.send(CreateChat())
    call_id = app.send(RunTool(chat_id, f"mcp:hostile:{act}", allow_confirmations=True))
    return app.chat(chat_id).calls[call_id]


def server_held(app: App, act: str) -> bool:
    """Whether an act of the server came to nothing."""
    done = tried(app, act)
    assert done.status == "success", done.error
    return str(done.result["text"]).startswith("held")
