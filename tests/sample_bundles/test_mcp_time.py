"""The bundle `mcp-time`, which contains only a server."""

import os
from pathlib import Path

import pytest

from engine.app.app import App
from engine.commands.catalog import CreateChat, InstallToolset, RunTool, TrustServer, UninstallToolset
from engine.config import SHIPPED, shipped_bundles
from tests.support.mcp.installed import stand_in_for_uvx


@pytest.mark.long
def test_the_server_tells_the_time_and_is_removed_with_its_bundle(tmp_path: Path) -> None:
    """Its sheet shows the full command. A stand-in for uvx starts the same server without a network."""
    (tmp_path / "bin").mkdir()
    uvx = stand_in_for_uvx(tmp_path / "bin")
    app = App(
        tmp_path / "data", environ={**os.environ, "PATH": f"{uvx.parent}{os.pathsep}{os.environ['PATH']}"}
    )
    try:
        source = shipped_bundles() / "mcp-time"
        assert "time: uvx mcp-server-time@2026.10.19" in app.preview_toolset(source).sheet.as_text()
        app.send(InstallToolset(source, "yes"))
        exported = app.toolsets.export("mcp-time")
        app.send(TrustServer("time"))
        chat_id = app.send(CreateChat())
        call_id = app.send(RunTool(chat_id, "mcp:time:get_current_time", {"timezone": "UTC"}))
        call = app.chat(chat_id).calls[call_id]
        assert call.status == "success", call.error
        app.send(UninstallToolset("mcp-time"))
        assert app.mcp.states() == ()
        app.send(InstallToolset(exported, "yes"))
        assert app.toolsets.export("mcp-time") == exported
        assert app.mcp.states()[0].runs == "uvx mcp-server-time@2026.10.19"
    finally:
        app.close()


def test_the_bundle_is_not_installed_on_first_run() -> None:
    """It starts a program from the network."""
    assert "mcp-time" not in SHIPPED
