"""Servers that toolsets declare: registered, shared, upgraded and removed with their toolset (BND-5)."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import (
    ConfigureToolset,
    CreateChat,
    DisableToolset,
    EnableToolset,
    InstallToolset,
    RegisterServer,
    RemoveServer,
    RunTool,
    TrustServer,
    UninstallToolset,
)
from engine.errors import Refused
from events.event import Event
from tests.engine.tools.mcp.conftest import SERVER, is_alive, ready, settled
from tests.support.talk import write_bundle

MANIFEST = """\
manifest_version: "1"
id: {id}
name: {id}
version: "{version}"
mcp_servers:
  - id: shared
    command: "{command}"
    args: ["{script}"{more}]
{config}
"""


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """An app on an open data folder."""
    with open_app(tmp_path / "data") as opened:
        yield opened


def install(
    app: App, folder: Path, name: str, *, version: str = "1.0.0", more: str = "", config: str = ""
) -> None:
    """Install a bundle that only declares the test server."""
    text = MANIFEST.format(
        id=name, version=version, command=sys.executable, script=SERVER, more=more, config=config
    )
    app.send(InstallToolset(write_bundle(folder / f"{name}-{version}", {"toolset.yaml": text}), "yes"))


def told(app: App) -> list[str]:
    """The types of the server's events."""
    return [r.event.type for r in app.log.read_stream("mcp-shared")]


def last(app: App) -> Event:
    """The server's last event."""
    return app.log.read_stream("mcp-shared")[-1].event


def processes(app: App) -> list[int]:
    """The server's processes."""
    ready(app, "shared")
    chat_id = app.send(CreateChat())
    call_id = app.send(RunTool(chat_id, "mcp:shared:pids", allow_confirmations=True))
    return [int(pid) for pid in str(app.chat(chat_id).calls[call_id].result["text"]).split()]


def test_installing_a_bundle_without_tools_registers_its_server(app: App, tmp_path: Path) -> None:
    """Its server is registered and enabled in the same batch of events."""
    before = app.log.head()
    install(app, tmp_path, "one")
    events = [r.event.type for r in app.log.read_all(before)]
    assert events == ["ToolsetInstalled", "McpServerRegistered", "McpServerEnabled"]
    assert app.read("toolset_mcp_servers")[0]["server_id"] == "shared"
    ready(app, "shared")
    assert {t.home for t in app.tools() if t.server} == {"mcp:shared"}


@pytest.mark.long
def test_disabling_the_toolset_ends_its_server(app: App, tmp_path: Path) -> None:
    """Enabling it starts the server again."""
    install(app, tmp_path, "one")
    running = processes(app)
    app.send(DisableToolset("one"))
    assert not any(map(is_alive, running))
    state = app.mcp.states()[0]
    assert (state.state, state.detail) == ("off", "the toolset one: Disabled in settings")
    app.send(EnableToolset("one"))
    ready(app, "shared")


@pytest.mark.long
def test_uninstalling_removes_the_server_and_its_processes(app: App, tmp_path: Path) -> None:
    """No process of the server remains."""
    install(app, tmp_path, "one")
    running = processes(app)
    app.send(UninstallToolset("one"))
    assert not any(map(is_alive, running))
    assert told(app)[-1] == "McpServerRemoved"
    assert app.mcp.states() == ()
    assert not any(t.server for t in app.tools())


@pytest.mark.long
def test_a_shared_server_stays_while_another_toolset_declares_it(app: App, tmp_path: Path) -> None:
    """The same process serves both."""
    install(app, tmp_path, "one")
    running = processes(app)
    install(app, tmp_path, "two")
    assert app.mcp.states()[0].toolset_ids == ("one", "two")
    app.send(UninstallToolset("one"))
    assert all(map(is_alive, running))
    assert app.mcp.states()[0].toolset_ids == ("two",)
    app.send(UninstallToolset("two"))
    assert not any(map(is_alive, running))


def test_a_toolset_with_another_command_for_a_known_server_id_is_not_installed(
    app: App, tmp_path: Path
) -> None:
    """The error names the owner."""
    install(app, tmp_path, "one")
    with pytest.raises(Refused, match="from the toolset one"):
        install(app, tmp_path, "two", more=', "--other"')
    assert "two" not in {row["id"] for row in app.installed()}


@pytest.mark.long
def test_an_upgrade_that_changes_the_servers_command_is_not_trusted(app: App, tmp_path: Path) -> None:
    """An upgrade with the same command keeps the trust and the on/off state."""
    install(app, tmp_path, "one")
    app.send(TrustServer("shared"))
    install(app, tmp_path, "one", version="1.1.0")
    assert app.mcp.states()[0].trusted
    install(app, tmp_path, "one", version="1.2.0", more=', "--other"')
    state = app.mcp.states()[0]
    assert (state.trusted, state.enabled) == (False, True)
    assert "--other" in state.runs


@pytest.mark.long
def test_a_server_that_the_user_registered_too_survives_an_uninstall(app: App, tmp_path: Path) -> None:
    """A server that a toolset declares cannot be removed separately."""
    install(app, tmp_path, "one")
    with pytest.raises(Refused, match="belongs to the toolset one"):
        app.send(RemoveServer("shared"))
    app.send(RegisterServer("shared", sys.executable, [str(SERVER)]))
    app.send(UninstallToolset("one"))
    assert [state.toolset_ids for state in app.mcp.states()] == [()]
    app.send(RemoveServer("shared"))
    assert app.mcp.states() == ()


@pytest.mark.long
@pytest.mark.parametrize(
    "declared",
    ["\nconfig:\n  - {name: KITCHEN_KEY, secret: true, required: false}", ""],
    ids=["declared", "named"],
)
def test_a_servers_variables_come_from_its_toolsets_keys(app: App, tmp_path: Path, declared: str) -> None:
    """Missing keys are named. Setting a key starts the server, even if the key is not in `config:`."""
    config = "    env: {SECRET_OF_TEST: '${KITCHEN_KEY}'}" + declared
    install(app, tmp_path, "one", config=config)
    settled(app)
    assert app.mcp.states()[0].detail == "not configured: KITCHEN_KEY"
    (key,) = app.toolsets.configuration("one").states()
    assert (key.name, key.secret, key.source) == ("KITCHEN_KEY", True, None)
    app.send(ConfigureToolset("one", {"KITCHEN_KEY": "kit-0a1b2c3d4e5f"}))
    ready(app, "shared")
    assert all("kit-0a1b2c3d4e5f" not in str(one.event.payload()) for one in app.log.read_all())
    assert last(app).type == "McpServerEnabled"


def test_a_server_without_consent_is_installed_but_stays_off(app: App, tmp_path: Path) -> None:
    text = MANIFEST.format(
        id="asks", version="1.0.0", command=sys.executable, script=SERVER, more="", config=""
    )
    bundle = write_bundle(tmp_path / "asks", {"toolset.yaml": text})
    app.send(InstallToolset(bundle, "sheet", servers=[]))
    (state,) = app.mcp.states()
    assert (state.id, state.enabled, state.state) == ("shared", False, "off")
    app.send(UninstallToolset("asks"))
    app.send(InstallToolset(bundle, "sheet", servers=["shared"]))
    (state,) = app.mcp.states()
    assert state.enabled
