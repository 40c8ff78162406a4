"""An MCP server made for these tests: its answers are stored and shown, and its faults are reported."""

import base64
import subprocess
import sys
from pathlib import Path
from queue import Queue
from threading import Thread, Timer
from typing import Any

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import (
    CreateChat,
    DisableServer,
    EnableServer,
    RegisterServer,
    RemoveServer,
    RunTool,
    SelectTools,
    StopTurn,
    TrustServer,
)
from engine.errors import Invalid, Refused
from engine.system.cancellation import Cancellation
from engine.tools.naming import wire_name
from tests.engine.tools.mcp.conftest import SERVER, Run, is_alive, ready, register_kitchen, settled
from tests.support.mcp.server import PNG
from tests.support.talk import Talk, call


def tool(name: str) -> str:
    """The id of a tool of the test server."""
    return f"mcp:kitchen:{name}"


def pids(run: Run) -> list[int]:
    """The server's process, and the process that supervises it."""
    return [int(pid) for pid in str(run(tool("pids")).result["text"]).split()]


@pytest.mark.long
def test_text_is_the_result_and_is_shown_unchanged(run: Run) -> None:
    """It is not parsed."""
    done = run(tool("echo"), text="a\nb")
    assert (done.status, done.result) == ("success", {"text": "a\nb"})
    assert done.render_plan["renderer"] == "code"
    assert done.render_plan["content"] == "a\nb"


@pytest.mark.long
def test_a_picture_is_stored_as_a_blob_and_shown(app: App, run: Run) -> None:
    """The result names it; no event contains base64."""
    done = run(tool("picture"))
    shown = done.render_plan["images"][0]["file"]
    assert done.result["files"][0]["sha256"] == shown["sha256"]
    assert app.workspace.read(run.chat_id, shown["sha256"]) == base64.b64decode(PNG)  # type: ignore[attr-defined]
    told = [r.event.model_dump_json() for r in app.log.read_stream(f"chat-{run.chat_id}")]  # type: ignore[attr-defined]
    assert not any(PNG[:40] in event for event in told)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("embedded", {"resources": [{"uri": "notes://one", "media_type": "text/plain", "text": "Noted."}]}),
        ("link", {"links": [{"uri": "notes://two", "name": "Two"}]}),
        ("structured", {"structured": {"n": 1}}),
    ],
)
def test_resources_links_and_structured_content_have_separate_keys_in_the_result(
    run: Run, name: str, expected: dict[str, Any]
) -> None:
    """Text that only repeats the structured content is left out."""
    assert run(tool(name)).result == expected


def test_sound_and_binary_resources_are_files_of_the_call(app: App, run: Run) -> None:
    """Named by hash, with their type."""
    audio, binary = run(tool("audio")).result["files"][0], run(tool("binary")).result
    assert audio["media_type"] == "audio/wav"
    assert binary["resources"][0]["file"] == binary["files"][0]["name"] == "1-b.bin"
    assert app.workspace.read(run.chat_id, binary["files"][0]["sha256"]) == b"\x00\x01"  # type: ignore[attr-defined]


def test_a_tool_that_fails_is_reported_in_its_own_words(run: Run) -> None:
    """`isError` is an error of the call."""
    done = run(tool("fail"))
    assert (done.status, done.error["message"]) == ("error", "The disk of the server is full.")


def test_arguments_are_checked_against_the_servers_schema(run: Run) -> None:
    """Before the server is called."""
    assert run(tool("echo"), text=1).error["kind"] == "invalid_arguments"


def test_a_tool_with_an_invalid_or_huge_schema_accepts_any_object_and_says_why(app: App) -> None:
    """The tool can still be called."""
    odd, huge = (next(t for t in app.tools() if t.name.startswith(name)) for name in ("odd_schema_", "huge"))
    assert odd.input_schema == huge.input_schema == {"type": "object"}
    assert "not valid" in odd.description
    assert "bytes and was left out" in huge.description
    assert odd.remote_name == "odd schema"


def test_tool_names_fit_every_provider(app: App) -> None:
    """`mcp__{server}__{tool}`."""
    names = [wire_name(t) for t in app.tools() if t.server]
    assert "mcp__kitchen__echo" in names
    assert all(len(name) <= 64 for name in names)


@pytest.mark.long
def test_annotations_count_only_after_the_user_trusted_the_server(tmp_path: Path) -> None:
    """Calls of tools that a server describes as read-only need approval like any others."""
    with open_app(tmp_path) as app:
        register_kitchen(app)
        ready(app)
        asks = {t.name: (t.effects, t.requires_confirmation) for t in app.tools() if t.server}
        assert asks["echo"] == asks["destroy"] == asks["unannotated"] == ("write", True)
        app.send(TrustServer("kitchen"))
        asks = {t.name: (t.effects, t.requires_confirmation) for t in app.tools() if t.server}
        assert asks["echo"] == ("read", False)
        assert asks["destroy"] == asks["unannotated"] == ("write", False)
        app.send(TrustServer("kitchen", trusted=False))
        assert any(t.requires_confirmation for t in app.tools() if t.server)


@pytest.mark.long
def test_a_model_calls_a_servers_tools_like_any_other(app: App, tmp_path: Path) -> None:
    """In the model's order, with events and without touching the files; read-only calls run at the same time."""
    talk = Talk(app, tmp_path)
    app.send(SelectTools(talk.chat_id, {"mcp:kitchen": ["echo", "destroy"]}))
    calls = [
        call("mcp__kitchen__echo", text="one"),
        call("mcp__kitchen__echo", text="two"),
        call("mcp__kitchen__destroy"),
    ]
    talk.replies({"calls": calls}, {"text": "Done."})
    assert talk.ask().reason == "stop"
    assert [c.status for c in talk.calls()] == ["success"] * 3
    assert [c.result["text"] for c in talk.calls()] == ["one", "two", "did destroy"]
    assert all(c.pre_manifest_id == c.post_manifest_id for c in talk.calls())
    assert talk.events("ManifestRecorded") == []


def test_a_hanging_call_ends_at_its_timeout_and_the_server_keeps_running(app: App, run: Run) -> None:
    """The app does not wait for the server."""
    outcome, _ = app.mcp.call(
        "kitchen", "hang", {}, seconds=0.3, cancel=Cancellation(), progress=lambda *_: None
    )
    assert outcome.status == "timed_out"
    assert outcome.seconds < 60
    assert run(tool("echo"), text="still here").status == "success"


def test_a_hanging_call_ends_promptly_when_it_is_stopped(app: App, run: Run) -> None:
    """The next call runs."""
    chat_id = run.chat_id  # type: ignore[attr-defined]
    begun: Queue[object] = Queue()
    app.watch(
        chat_id, lambda s: begun.put(s) if s["type"] == "call" and s["call"]["status"] == "running" else None
    )
    thread = Thread(target=lambda: app.send(RunTool(chat_id, tool("hang"))))
    thread.start()
    begun.get(timeout=600)
    assert app.send(StopTurn(chat_id)) == 1
    thread.join(timeout=600)
    assert not thread.is_alive()
    assert [c.status for c in app.chat(chat_id).calls.values()] == ["cancelled"]
    assert run(tool("echo"), text="x").status == "success"


@pytest.mark.long
def test_a_server_that_dies_during_a_call_is_reported_and_started_again(app: App, run: Run) -> None:
    """The call is not repeated; the next one waits for the new process."""
    before = pids(run)
    died = run(tool("die"))
    assert (died.status, died.error["kind"]) == ("error", "server_gone")
    assert "may have been carried out in part" in died.error["message"]
    assert run(tool("echo"), text="back").result == {"text": "back"}
    assert pids(run)[0] != before[0]


def test_the_servers_error_output_is_kept(app: App, run: Run) -> None:
    """The end of its stderr."""
    run(tool("complain"))
    assert app.mcp.wait(lambda states: "I do not like this." in states[0].stderr, 600)


def test_a_changed_list_of_tools_is_adopted(app: App, run: Run) -> None:
    """Without asking the user."""
    run(tool("grow"))
    assert app.mcp.wait(lambda states: any(t.name == "grown" for t in states[0].tools), 600)


@pytest.mark.long
def test_a_variable_without_a_value_is_named_and_the_server_is_not_started(tmp_path: Path) -> None:
    """Once the variable has a value, the server starts by itself."""
    with open_app(tmp_path) as app:
        register_kitchen(app, env={"SECRET_OF_TEST": "${KITCHEN_TOKEN}"})
        settled(app)
        state = app.mcp.states()[0]
        assert (state.state, state.detail) == ("not_configured", "not configured: KITCHEN_TOKEN")
        app.vault.set("mcp/kitchen/KITCHEN_TOKEN", "tok-4f8a-kitchen-9d2c")
        ready(app)


@pytest.mark.long
def test_a_secret_reaches_the_server_and_is_stored_nowhere(tmp_path: Path) -> None:
    """It is not in the log, a state, a result, a repr or the remembered tools."""
    secret = "tok-4f8a-kitchen-9d2c"
    with open_app(tmp_path / "data") as app:
        command = RegisterServer(
            "kitchen",
            sys.executable,
            [str(SERVER)],
            env={"SECRET_OF_TEST": "${KITCHEN_TOKEN}"},
            secrets={"KITCHEN_TOKEN": secret},
        )
        app.send(command)
        ready(app)
        talk = Talk(app, tmp_path)
        call_id = app.send(RunTool(talk.chat_id, tool("echo"), {"text": "hello"}, allow_confirmations=True))
        assert app.chat(talk.chat_id).calls[call_id].result == {"text": "hello [secret:KITCHEN_TOKEN]"}
        told = f"{command!r}{app.mcp.states()!r}{app.read('mcp_servers')!r}"
        app.send(RemoveServer("kitchen"))
        assert "mcp/kitchen/KITCHEN_TOKEN" not in app.vault.names()
    assert secret not in told
    kept = [p for p in (tmp_path / "data").rglob("*") if p.is_file()]
    assert [p.name for p in kept if secret.encode() in p.read_bytes()] == []


def test_a_literal_secret_is_refused_with_the_syntax_to_use(app: App) -> None:
    """Because nothing can be deleted from the log."""
    headers = {"Authorization": "Bearer ghp_1234567890abcdefghij"}
    with pytest.raises(Invalid, match=r"\$\{AUTHORIZATION\}") as refused:
        app.send(RegisterServer("away", url="https://example.org/mcp", headers=headers))
    assert refused.value.code == "mcp_literal_secret"


def test_a_command_that_does_not_exist_is_named(tmp_path: Path) -> None:
    """With a way to fix it."""
    with open_app(tmp_path) as app:
        app.send(RegisterServer("none", "no-such-program-of-anybody"))
        settled(app)
        state = app.mcp.states()[0]
        assert state.state == "failed"
        assert "no-such-program-of-anybody was not found" in state.detail
        assert state.next_try is not None


@pytest.mark.long
def test_a_call_to_a_named_tool_waits_for_its_server_after_the_tools_were_listed(tmp_path: Path) -> None:
    """The server starts only once the file `go` exists, which is after the tools were first listed."""
    go = tmp_path / "go"
    slow = f'until [ -e "{go}" ]; do sleep 0.02; done; exec "{sys.executable}" "{SERVER}"'
    with open_app(tmp_path / "data") as app:
        app.send(RegisterServer("kitchen", "/bin/sh", ["-c", slow], unconfined=True))
        assert tool("echo") not in {one.tool_id for one in app.tools()}
        chat_id = app.send(CreateChat())
        starting = Timer(0.5, go.touch)
        starting.start()
        call_id = app.send(RunTool(chat_id, tool("echo"), {"text": "here"}, allow_confirmations=True))
        starting.join()
        assert app.chat(chat_id).calls[call_id].result == {"text": "here"}


@pytest.mark.long
def test_disabling_or_removing_a_server_leaves_no_process(tmp_path: Path) -> None:
    """Closing the app leaves none either."""
    with open_app(tmp_path) as app:
        register_kitchen(app)
        app.send(TrustServer("kitchen"))
        ready(app)
        talk = Talk(app, tmp_path)

        def processes() -> list[int]:
            call_id = app.send(RunTool(talk.chat_id, tool("pids"), allow_confirmations=True))
            return [int(pid) for pid in str(app.chat(talk.chat_id).calls[call_id].result["text"]).split()]

        first = processes()
        app.send(DisableServer("kitchen"))
        assert not any(map(is_alive, first))
        assert app.mcp.states()[0].state == "off"
        with pytest.raises(Refused, match="Disabled in settings"):
            app.send(RunTool(talk.chat_id, tool("echo"), {"text": "x"}))
        app.send(EnableServer("kitchen"))
        second = processes()
        assert (tmp_path / "mcp" / "kitchen").is_dir()
        app.send(RemoveServer("kitchen"))
        assert not any(map(is_alive, second))
        assert not (tmp_path / "mcp" / "kitchen").exists()
        assert app.mcp.states() == ()
        register_kitchen(app)
        third = processes()
    assert not any(map(is_alive, third))


@pytest.mark.long
def test_opening_the_app_does_not_start_servers(app: App, tmp_path: Path) -> None:
    """They start when their tools are first needed."""
    with open_app(tmp_path) as first:
        register_kitchen(first)
        ready(first)
    with open_app(tmp_path) as again:
        assert again.mcp._owners == {}
        names = {t.name for t in again.tools() if t.server}
        assert "echo" in names, "what it offered last is known before it is connected"


@pytest.mark.long
def test_killing_the_engine_ends_its_servers(tmp_path: Path) -> None:
    """The kernel notifies the process that supervises the server."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom engine.app.app import App\nfrom engine.commands.catalog import *\n"
        "from tests.engine.tools.mcp.conftest import register_kitchen, ready\n"
        f"app = App(Path({str(tmp_path)!r}))\n"
        "register_kitchen(app)\nready(app)\nchat = app.send(CreateChat())\n"
        "c = app.send(RunTool(chat, 'mcp:kitchen:pids', allow_confirmations=True))\n"
        "print(app.chat(chat).calls[c].result['text'], flush=True)\nsys.stdin.read()"
    )
    engine = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with engine:
        assert engine.stdout is not None
        running = [int(pid) for pid in engine.stdout.readline().split()]
        assert len(running) == 2
        assert all(map(is_alive, running))
        engine.kill()
        engine.wait()
        waited = subprocess.run(
            ["timeout", "10", "tail", "-f", "/dev/null", *(f"--pid={pid}" for pid in running)], check=False
        )
    assert waited.returncode == 0
