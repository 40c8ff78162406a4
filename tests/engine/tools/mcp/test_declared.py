"""Servers that toolsets declare: registered, shared, upgraded and taken away with them (BND-5)."""

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
    """An open data folder."""
    with open_app(tmp_path / "data") as opened:
        yield opened


def install(
    app: App, folder: Path, name: str, *, version: str = "1.0.0", more: str = "", config: str = ""
) -> None:
    """Install a bundle that declares the test server and nothing else."""
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


def test_a_bundle_without_tools_of_its_own_brings_its_server(app: App, tmp_path: Path) -> None:
    """Registered and enabled in the batch that installs it, next to each other in the log."""
    before = app.log.head()
    install(app, tmp_path, "one")
    events = [r.event.type for r in app.log.read_all(before)]
    assert events == ["ToolsetInstalled", "McpServerRegistered", "McpServerEnabled"]
    assert app.read("toolset_mcp_servers")[0]["server_id"] == "shared"
    ready(app, "shared")
    assert {t.home for t in app.tools() if t.server} == {"mcp:shared"}


@pytest.mark.long
def test_disabling_the_toolset_ends_its_server(app: App, tmp_path: Path) -> None:
    """And enabling it starts it again."""
    install(app, tmp_path, "one")
    running = processes(app)
    app.send(DisableToolset("one"))
    assert not any(map(is_alive, running))
    state = app.mcp.states()[0]
    assert (state.state, state.detail) == ("off", "the toolset one: Disabled in settings")
    app.send(EnableToolset("one"))
    ready(app, "shared")


@pytest.mark.long
def test_uninstalling_removes_the_server_and_its_process(app: App, tmp_path: Path) -> None:
    """With every process of it."""
    install(app, tmp_path, "one")
    running = processes(app)
    app.send(UninstallToolset("one"))
    assert not any(map(is_alive, running))
    assert told(app)[-1] == "McpServerRemoved"
    assert app.mcp.states() == ()
    assert not any(t.server for t in app.tools())


@pytest.mark.long
def test_a_shared_server_stays_as_long_as_one_toolset_declares_it(app: App, tmp_path: Path) -> None:
    """The very same process serves both."""
    install(app, tmp_path, "one")
    running = processes(app)
    install(app, tmp_path, "two")
    assert app.mcp.states()[0].toolset_ids == ("one", "two")
    app.send(UninstallToolset("one"))
    assert all(map(is_alive, running))
    assert app.mcp.states()[0].toolset_ids == ("two",)
    app.send(UninstallToolset("two"))
    assert not any(map(is_alive, running))


def test_another_command_under_the_same_id_is_refused_and_leaves_nothing(app: App, tmp_path: Path) -> None:
    """The error names the owner."""
    install(app, tmp_path, "one")
    with pytest.raises(Refused, match="from the toolset one"):
        install(app, tmp_path, "two", more=', "--other"')
    assert "two" not in {row["id"] for row in app.installed()}


@pytest.mark.long
def test_an_upgrade_that_starts_something_else_is_not_trusted(app: App, tmp_path: Path) -> None:
    """One that starts the same keeps trust and switch."""
    install(app, tmp_path, "one")
    app.send(TrustServer("shared"))
    install(app, tmp_path, "one", version="1.1.0")
    assert app.mcp.states()[0].trusted
    install(app, tmp_path, "one", version="1.2.0", more=', "--other"')
    state = app.mcp.states()[0]
    assert (state.trusted, state.enabled) == (False, True)
    assert "--other" in state.runs


@pytest.mark.long
def test_a_server_that_the_user_registered_too_stays(app: App, tmp_path: Path) -> None:
    """One that a toolset declares cannot be removed by itself."""
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
def test_a_servers_variables_are_its_toolsets_keys(app: App, tmp_path: Path, declared: str) -> None:
    """Missing ones are named; a key that is set starts the server, also one that is in no `config:`."""
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


def test_a_server_that_was_not_agreed_to_is_installed_and_stays_off(app: App, tmp_path: Path) -> None:
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
