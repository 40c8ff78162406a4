"""Every shipped bundle through a whole life: installed, exported, removed, imported again, and run (SMP-5)."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.commands.catalog import (
    ConfigureToolset,
    CreateChat,
    InstallToolset,
    RunTool,
    TrustServer,
    UninstallToolset,
    Upload,
    UploadFiles,
)
from engine.config import SHIPPED, shipped_bundles
from tests.support.image_endpoints import Reply, image_server, openai_picture, png
from tests.support.long_cases import mostly_long
from tests.support.mcp.installed import stand_in_for_uvx

BUNDLES = sorted(path.parent.name for path in shipped_bundles().glob("*/toolset.yaml"))
KEY = "made-up-key-0123456789"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app with a stand-in for uvx, which starts the same server without a network."""
    uvx = stand_in_for_uvx(tmp_path_factory.mktemp("bin"))
    path = f"{uvx.parent}{os.pathsep}{os.environ['PATH']}"
    opened = App(tmp_path_factory.mktemp("data"), environ={**os.environ, "PATH": path})
    yield opened
    opened.close()


def offered(app: App, toolset_id: str) -> list[dict[str, Any]]:
    """The tools of a toolset, without the time of its installation."""
    (row,) = [row for row in app.installed() if row["id"] == toolset_id]
    return [row["tools"], row["manifest"], row["version"], row["skill"]]


def answer(path: str) -> Reply:
    """The answers of an image server or an Exa on loopback."""
    if path.endswith("/images/generations"):
        return openai_picture(png())
    return Reply({"results": [{"url": "https://example.org", "title": "One", "text": "Found."}]})


@pytest.mark.parametrize("name", mostly_long(BUNDLES, quick=(1, 2, 4)))
def test_a_shipped_bundle_is_the_same_after_export_and_import_and_runs(app: App, name: str) -> None:
    source = shipped_bundles() / name
    if name in SHIPPED:
        app.send(UninstallToolset(name))
    assert app.send(InstallToolset(source, "yes")).outcome == "installed"
    before = offered(app, name)
    first, second = app.toolsets.export(name), app.toolsets.export(name)
    assert first == second
    app.send(UninstallToolset(name))
    assert name not in {row["id"] for row in app.installed()}
    assert app.send(InstallToolset(first, "yes", f"{name}.zip")).outcome == "installed"
    assert offered(app, name) == before
    assert app.toolsets.export(name) == first
    with image_server(lambda asked: answer(asked.path)) as elsewhere:
        for key, values in {
            "image-studio": {"OPENAI_API_KEY": KEY, "IMAGE_BASE_URL": f"{elsewhere.url}/v1"},
            "web-search": {"EXA_API_KEY": KEY, "EXA_BASE_URL": elsewhere.url},
        }.items():
            if key == name:
                app.send(ConfigureToolset(name, values))
        for tool_id, arguments in runs(app, name):
            chat_id = app.send(CreateChat())
            app.send(
                UploadFiles(chat_id, [Upload("t.csv", b"a,b\n1,2\n3,4\n"), Upload("page.html", b"<p>x</p>")])
            )
            call_id = app.send(RunTool(chat_id, tool_id, arguments, allow_confirmations=True))
            call = app.chat(chat_id).calls[call_id]
            assert call.status == "success", (tool_id, call.error)
    app.send(UninstallToolset(name))


def runs(app: App, name: str) -> list[tuple[str, dict[str, Any]]]:
    """A call of each tool, and of a tool of each server."""
    given: dict[str, dict[str, Any]] = {
        "data-analyst:query": {"sql": "SELECT sum(a) AS a FROM t"},
        "data-analyst:describe": {"table": "t"},
        "data-analyst:chart": {"sql": "SELECT a, b FROM t", "mark": "bar", "x": "a", "y": "b"},
        "data-analyst:python": {"code": "tables['t'].sum()"},
        "app-builder:write_file": {"path": "a.txt", "content": "x"},
        "app-builder:read_file": {"path": "t.csv"},
        "app-builder:run_command": {"command": f'"{Path(sys.executable).resolve()}" --version'},
        "app-builder:preview": {"path": "page.html"},
        "app-builder:report": {"title": "T"},
        "image-studio:generate_images": {"prompt": "A fox", "count": 1},
        "web-search:search": {"query": "penguins"},
        "web-search:get_contents": {"urls": ["https://example.org"]},
        "mcp:time:get_current_time": {"timezone": "UTC"},
    }
    (row,) = [row for row in app.installed() if row["id"] == name]
    tools = [tool["tool_id"] for tool in row["tools"]]
    for server in row["manifest"]["mcp_servers"]:
        app.send(TrustServer(server["id"]))
        tools += [tool_id for tool_id in given if tool_id.startswith(f"mcp:{server['id']}:")]
    assert tools
    return [(tool_id, given[tool_id]) for tool_id in tools]
