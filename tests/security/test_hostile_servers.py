"""A hostile MCP server does what a malicious program would: it is confined as its install sheet says."""

from collections.abc import Iterator

import pytest

from engine.app.app import App
from engine.commands.catalog import TrustServer
from tests.security.serving import SERVER_ACTS, hostile_server, server_held, tried
from tests.support.long_cases import mostly_long

FULL = {"files", "system calls", "no network", "no privileges", "signals", "resource limits"}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app with the hostile server."""
    with hostile_server(tmp_path_factory.mktemp("hostile")) as opened:
        yield opened


@pytest.mark.parametrize("act", mostly_long(SERVER_ACTS, every=4))
def test_a_hostile_server_is_confined(app: App, act: str) -> None:
    assert server_held(app, act)


def test_the_confinement_of_a_server_is_recorded_with_each_call_and_cannot_be_forged(app: App) -> None:
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


def test_a_servers_claims_about_its_tools_are_ignored_until_it_is_trusted(app: App) -> None:
    assert all(t.requires_confirmation and t.effects == "write" for t in app.tools() if t.server)


def test_a_tool_that_changed_after_it_was_trusted_needs_approval_again(app: App) -> None:
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
