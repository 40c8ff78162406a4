"""Published servers from the registries: time and git for Python, everything and filesystem for Node."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from socket import create_connection, create_server
from threading import Thread

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import CreateChat, RegisterServer, RunTool, TrustServer
from engine.views.chat import CallView
from tests.engine.tools.mcp.conftest import ready
from tests.support.mcp.installed import Installed


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, servers: Installed) -> Iterator[App]:
    """An app with four real servers over stdio."""
    shared = tmp_path_factory.mktemp("shared")
    (shared / "a.txt").write_text("in a file")
    subprocess.run(["git", "init", "-q", str(shared)], check=True)
    node = servers.node("mcp-server-filesystem")
    every = servers.node("mcp-server-everything")
    with open_app(tmp_path_factory.mktemp("data")) as opened:
        opened.send(RegisterServer("time", servers.program("mcp-server-time"), ["--local-timezone", "UTC"]))
        opened.send(
            RegisterServer(
                "git",
                servers.program("mcp-server-git"),
                ["--repository", str(shared)],
                paths=[f"{shared}:rw"],
            )
        )
        opened.send(RegisterServer("files", node[0], [*node[1:], str(shared)], paths=[f"{shared}:rw"]))
        opened.send(RegisterServer("every", every[0], [*every[1:], "stdio"]))
        for name in ("time", "git", "files", "every"):
            ready(opened, name)
        yield opened


def run(app: App, tool_id: str, **arguments: object) -> CallView:
    """Run a tool as the user."""
    chat_id = app.send(CreateChat())
    call_id = app.send(RunTool(chat_id, tool_id, arguments, allow_confirmations=True))  # type: ignore[arg-type]
    return app.chat(chat_id).calls[call_id]


@pytest.mark.long
def test_the_time_server_tells_the_time(app: App) -> None:
    """In the requested time zone."""
    done = run(app, "mcp:time:get_current_time", timezone="Europe/Berlin")
    assert done.status == "success", done.error
    assert "Europe/Berlin" in str(done.result)


@pytest.mark.long
def test_the_git_server_sees_the_repository(app: App, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Failures are reported in the server's own words."""
    state = app.mcp.state("git")
    assert state is not None
    repository = state.runs.split("--repository ")[1]
    assert "a.txt" in str(run(app, "mcp:git:git_status", repo_path=repository).result)
    refused = run(app, "mcp:git:git_status", repo_path=str(tmp_path_factory.getbasetemp()))
    assert refused.status == "error"


def test_the_filesystem_server_reads_only_the_folder_it_was_given(app: App) -> None:
    """Its annotations count once it is trusted; until then all of its tools need approval."""
    state = app.mcp.state("files")
    assert state is not None
    root = state.runs.rsplit(" ", 1)[1]
    assert "in a file" in str(run(app, "mcp:files:read_text_file", path=f"{root}/a.txt").result)
    assert run(app, "mcp:files:read_text_file", path="/etc/hostname").status == "error"
    asks = {t.name: (t.requires_confirmation, t.effects) for t in app.tools() if t.server == "files"}
    assert asks["read_text_file"] == asks["write_file"] == (True, "write")
    app.send(TrustServer("files"))
    asks = {t.name: (t.requires_confirmation, t.effects) for t in app.tools() if t.server == "files"}
    assert (asks["read_text_file"], asks["write_file"]) == ((False, "read"), (False, "write"))


def test_the_everything_server_sends_each_kind_of_content(app: App) -> None:
    """Pictures, resources, links and structured content."""
    picture = run(app, "mcp:every:get-tiny-image")
    assert picture.render_plan["renderer"] == "images"
    assert picture.result["files"][0]["media_type"] == "image/png"
    structured = run(app, "mcp:every:get-structured-content", location="New York")
    assert "temperature" in structured.result["structured"]
    assert run(app, "mcp:every:get-resource-links", count=2).result["links"]
    assert run(app, "mcp:every:get-resource-reference", resourceType="Text", resourceId=1).result["resources"]


def test_real_servers_are_shown_by_name_and_version(app: App) -> None:
    """As the servers report them."""
    assert all(state.server for state in app.mcp.states())


@contextmanager
def everything_over_http(servers: Installed) -> Iterator[str]:
    """The everything server on a free port of loopback; yields its address."""
    with create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    words = [*servers.node("mcp-server-everything"), "streamableHttp"]
    environ = {"PATH": servers.path, "PORT": str(port)}
    process = subprocess.Popen(
        words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    lines: Queue[str] = Queue()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)

    reader = Thread(target=read, daemon=True)
    reader.start()
    try:
        while "listening" not in lines.get(timeout=600).lower():
            pass
        create_connection(("127.0.0.1", port), timeout=120).close()
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()
        reader.join(timeout=600)
        assert process.stdout is not None
        process.stdout.close()


@pytest.mark.long
def test_the_everything_server_works_over_http(servers: Installed, tmp_path: Path) -> None:
    """Streamable HTTP: calls work, a lost server is reported, and the connection is tried again."""
    with open_app(tmp_path) as app:
        with everything_over_http(servers) as url:
            app.send(RegisterServer("every", url=url))
            app.send(TrustServer("every"))
            ready(app, "every")
            state = app.mcp.state("every")
            assert state is not None
            assert state.transport == "http"
            assert run(app, "mcp:every:echo", message="over http").result["text"] == "Echo: over http"
        gone = run(app, "mcp:every:echo", message="gone")
        assert (gone.status, gone.error["kind"]) == ("error", "server_gone")
        assert app.mcp.wait(lambda states: states[0].state == "failed", 30)
