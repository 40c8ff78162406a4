"""Anabranch as an MCP server, driven over its standard input and output by the SDK's own client."""

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from engine.app.app import open_app
from tests.support.talk import install_kit

PROGRAM = ["-c", "from engine.cli.main import main; main()"]
Use = Callable[[Client], Awaitable[None]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with the bundle `kit`."""
    with open_app(tmp_path / "data") as app:
        install_kit(app, tmp_path / "kit")
    return tmp_path / "data"


def served(data: Path, use: Use, *words: str, mode: str = "auto", **callbacks: Any) -> None:
    """Start `anabranch mcp serve` and talk to it."""
    parameters = StdioServerParameters(
        command=sys.executable,
        args=[*PROGRAM, "mcp", "serve", "--data", str(data), *words],
        env=dict(os.environ),
    )

    async def talk() -> None:
        async with Client(stdio_client(parameters), mode=mode, **callbacks) as client:
            await use(client)

    anyio.run(talk)


def text_of(result: types.CallToolResult) -> str:
    """The result's first text."""
    first = result.content[0]
    assert isinstance(first, types.TextContent)
    return first.text


def calls(data: Path) -> list[dict[str, Any]]:
    """The recorded calls."""
    with open_app(data) as app:
        return app.read("tool_calls")


@pytest.mark.long
def test_tools_are_listed_with_their_schemas_and_hints(data: Path) -> None:
    """Under the same names as for models."""

    async def use(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert "toolset__kit__put" in tools
        assert "read_file" in tools
        hints = tools["toolset__kit__look"].annotations
        assert hints is not None
        assert hints.read_only_hint
        assert tools["read_file"].input_schema["required"] == ["path"]

    served(data, use)


def test_a_call_runs_and_is_recorded(data: Path) -> None:
    """In a new chat, as a call of the user."""

    async def use(client: Client) -> None:
        done = await client.call_tool("toolset__kit__put", {"files": {"a.txt": "A"}, "back": {"n": 1}})
        assert not done.is_error, done
        assert json.loads(text_of(done)) == done.structured_content == {"n": 1}
        again = await client.call_tool("read_file", {"path": "a.txt"})
        assert "A" in text_of(again)

    served(data, use)
    assert [(c["tool_id"], c["status"]) for c in calls(data)] == [
        ("kit:put", "success"),
        ("read_file", "success"),
    ]


@pytest.mark.long
def test_an_invalid_call_is_reported_and_does_not_run(data: Path) -> None:
    """Arguments that do not match the schema, and unknown tools."""

    async def use(client: Client) -> None:
        bad = await client.call_tool("read_file", {"path": 1})
        assert bad.is_error
        assert "path" in text_of(bad)
        unknown = await client.call_tool("nothing", {})
        assert unknown.is_error
        assert "There is no tool nothing" in text_of(unknown)
        failed = await client.call_tool("toolset__kit__put", {"fail": "no luck"})
        assert failed.is_error
        assert "no luck" in text_of(failed)

    served(data, use)
    assert [c["status"] for c in calls(data)] == ["error"]


@pytest.mark.long
def test_a_tool_that_needs_approval_is_refused_if_the_client_cannot_ask(data: Path) -> None:
    """The error says what to do; `--yes` allows the call."""

    async def refused(client: Client) -> None:
        done = await client.call_tool("toolset__kit__ask_first", {})
        assert done.is_error
        assert "--yes" in text_of(done)

    async def allowed(client: Client) -> None:
        assert not (await client.call_tool("toolset__kit__ask_first", {})).is_error

    served(data, refused)
    assert calls(data) == []
    served(data, allowed, "--yes")
    assert [c["status"] for c in calls(data)] == ["success"]


@pytest.mark.long
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_clients_user_can_approve_or_deny_a_call(data: Path, mode: str) -> None:
    """Approval uses elicitation, in both versions of the protocol; the question shows the arguments."""
    asked: list[str] = []
    answers = iter(
        [types.ElicitResult(action="decline"), types.ElicitResult(action="accept", content={"approve": True})]
    )

    async def answer(_context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return next(answers)

    async def use(client: Client) -> None:
        declined = await client.call_tool("toolset__kit__ask_first", {"say": "hello"})
        assert declined.is_error
        assert "did not approve" in text_of(declined)
        assert not (await client.call_tool("toolset__kit__ask_first", {"say": "hello"})).is_error

    served(data, use, mode=mode, elicitation_callback=answer)
    assert ['"say": "hello"' in words for words in asked] == [True, True]
    assert [c["status"] for c in calls(data)] == ["success"]


@pytest.mark.long
def test_servers_are_listed_and_managed_from_the_command_line(data: Path) -> None:
    """`mcp add`, `trust`, `list --json`, `disable`, `remove`."""
    server = Path(__file__).parents[3] / "support" / "mcp" / "server.py"

    def cli(*words: str) -> Any:
        line = [sys.executable, *PROGRAM, "mcp", *words, "--data", str(data), "--json"]
        done = subprocess.run(line, capture_output=True, text=True, timeout=600, check=False)
        return json.loads(done.stdout)

    assert cli("add", "kitchen", "--command", sys.executable, "--arg", str(server))["enabled"]
    assert cli("trust", "kitchen")["trusted"]
    listed = cli("list")[0]
    assert (listed["id"], listed["state"], listed["toolset"], listed["trusted"]) == (
        "kitchen",
        "ready",
        None,
        True,
    )
    assert "mcp:kitchen:echo" in listed["tools"]
    cli("disable", "kitchen")
    assert cli("list")[0]["state"] == "off"
    cli("remove", "kitchen")
    assert cli("list") == []
    assert cli("remove", "kitchen")["error"]["code"] == "mcp_server_not_found"
