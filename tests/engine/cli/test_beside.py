"""The command line while an app runs (LOG-8): same output and exit codes as without it, or a clear error."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from engine.app.app import open_app
from engine.cli.main import command_names, main, program
from engine.system.data_folder_lock import LOCK
from tests.engine.cli.served import ROOT, Served, command, served
from tests.support.talk import KIT, call, install_kit, script, write_bundle

KEY = "GEMINI_API_KEY"


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A served app with the bundle `kit`."""
    top = tmp_path_factory.mktemp("beside")
    with open_app(top / "data") as app:
        install_kit(app, top / "kit")
    with served(top / "data", top / "config") as service:
        yield service


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the same bundle, but without a running app."""
    top = tmp_path_factory.mktemp("alone")
    with open_app(top / "data") as app:
        install_kit(app, top / "kit")
    return top / "data"


def shape(value: Any) -> Any:
    """The keys and types of a document, regardless of the number of rows."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def prepared(folder: Path) -> dict[str, str]:
    """The arguments of the commands, below the folder that they run in."""
    write_bundle(
        folder / "bundle", KIT | {"toolset.yaml": KIT["toolset.yaml"].replace("id: kit\n", "id: other\n", 1)}
    )
    (folder / "given.csv").write_text("n\n1\n2\n")
    script(folder / "s.json", [{"calls": [call("put", files={"a": "1"})]}, {"text": "Done."}])
    return {}


SAME: list[tuple[str, list[str], int]] = [
    ("ask", ["ask", "go", "--model", "scripted:s.json", "--file", "given.csv"], 0),
    ("ask", ["ask", "go", "--file", "missing.csv"], 1),
    ("ask", ["ask", "  "], 1),
    ("chat-list", ["chat", "list"], 0),
    ("send", ["send"], 0),
    ("send", ["send", "CreateChat", "title=sent"], 0),
    ("send", ["send", "RenameChat", "chat_id=nope", "title=t"], 1),
    ("send", ["send", "RenameChat", "name=t"], 1),
    ("send", ["send", "ChangeSetting", "name=max_tool_iterations", "value=7"], 0),
    ("send", ["send", "RegisterServer", "server_id=x"], 1),
    ("send", ["send", "BeginChat", "text=", "files=@given.csv"], 1),
    ("chat-show", ["chat", "show", "nope"], 1),
    ("chat-fork", ["chat", "fork", "nope"], 1),
    ("chat-archive", ["chat", "archive", "nope"], 1),
    ("chat-rewind", ["chat", "rewind", "nope", "--at", "1"], 1),
    ("chat-approve", ["chat", "approve", "nope"], 1),
    ("chat-save-file", ["chat", "save-file", "nope", "given.csv=given.csv"], 1),
    ("chat-save-file", ["chat", "save-file", "nope", "given.csv"], 1),
    ("chat-answer", ["chat", "answer", "nope", "yes"], 1),
    ("chat-deny", ["chat", "deny", "nope"], 1),
    ("definition-set", ["definition", "set", "revenue", "net of returns"], 0),
    ("definition-list", ["definition", "list"], 0),
    ("definition-forget", ["definition", "forget", "revenue"], 0),
    ("definition-forget", ["definition", "forget", "revenue"], 1),
    ("link-add", ["link", "add", "nope", "/nowhere"], 1),
    ("link-list", ["link", "list"], 0),
    ("link-browse", ["link", "browse", "/nowhere"], 1),
    ("link-forget", ["link", "forget", "/nowhere"], 1),
    ("source-add", ["source", "add", "till", "--driver", "sqlite", "--address", "/nowhere.sqlite"], 0),
    ("source-list", ["source", "list"], 0),
    ("source-show", ["source", "show", "till"], 0),
    ("source-test", ["source", "test", "till"], 1),
    ("source-tables", ["source", "tables", "till"], 1),
    ("source-profile", ["source", "profile", "till", "main.sales"], 1),
    ("source-remove", ["source", "remove", "till"], 0),
    ("toolset-install", ["toolset", "install", "bundle"], 3),
    ("toolset-install", ["toolset", "install", "bundle", "--yes"], 0),
    ("toolset-install", ["toolset", "install", "not-there"], 1),
    ("toolset-list", ["toolset", "list"], 0),
    ("toolset-show", ["toolset", "show", "other"], 0),
    ("toolset-disable", ["toolset", "disable", "other"], 0),
    ("toolset-enable", ["toolset", "enable", "other"], 0),
    ("toolset-configure", ["toolset", "configure", "image-studio"], 0),
    ("toolset-export", ["toolset", "export", "other", "-o", "out.zip"], 0),
    ("toolset-export", ["toolset", "export", "other", "-o", "no/out.zip"], 1),
    ("toolset-validate", ["toolset", "validate", "bundle"], 0),
    ("toolset-new", ["toolset", "new", "fresh"], 0),
    ("toolset-new", ["toolset", "new", "fresh"], 1),
    ("toolset-test", ["toolset", "test", "fresh"], 0),
    ("toolset-pack", ["toolset", "pack", "fresh"], 0),
    ("toolset-restore", ["toolset", "restore", "kit"], 0),
    ("toolset-uninstall", ["toolset", "uninstall", "other"], 0),
    ("tool-run", ["tool", "run", "kit:put", "--file", "given.csv"], 0),
    ("tool-run", ["tool", "run", "kit:put", "--args", "["], 1),
    ("tool-render", ["tool", "render", "kit:put", "--as", "json"], 0),
    ("tool-render", ["tool", "render", "kit:put", "--as", "nothing"], 1),
    ("log-verify", ["log", "verify"], 0),
    ("log-stats", ["log", "stats"], 0),
    ("log-tail", ["log", "tail", "-n", "2"], 0),
    ("log-export", ["log", "export", "log.parquet"], 0),
    ("log-checkpoint", ["log", "checkpoint", "note.txt"], 0),
    ("log-accept", ["log", "accept"], 0),
    ("state", ["state", "--at", "5"], 0),
    ("state", ["state", "--at", "5", "--chat", "zzz"], 1),
    ("rebuild", ["rebuild"], 0),
    ("gc", ["gc"], 0),
    ("check", ["check"], 0),
    ("doctor", ["doctor"], 0),
    ("key-list", ["key", "list"], 0),
    ("replay", ["replay", "nope"], 1),
    ("rerun", ["rerun", "nope", "--file", "given.csv=given.csv"], 1),
    ("rerun", ["rerun", "nope", "--file", "given.csv"], 1),
    ("compare", ["compare", "nope", "nope@3"], 1),
    ("why", ["why", "nope:1"], 1),
    ("why", ["why", "nope"], 1),
    ("why", ["why", "nope:file.csv"], 1),
    ("why", ["why", "nope:1", "--rows"], 1),
    ("chat-export", ["chat", "export", "nope", "--html"], 1),
    ("chat-export", ["chat", "export", "nope"], 1),
    ("chat-moments", ["chat", "moments", "nope"], 1),
    ("chat-name-moment", ["chat", "name-moment", "nope", "here"], 1),
    ("chat-forget-moment", ["chat", "forget-moment", "nope", "here"], 1),
]


@pytest.mark.long
@pytest.mark.timeout(600)
def test_every_command_gives_the_same_result_with_and_without_a_running_app(
    beside: Served,
    alone: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        prepared(folder)
    monkeypatch.setenv("ANABRANCH_CONFIG", str(beside.config))
    differ = []
    for _, words, code in SAME:
        monkeypatch.chdir(here)
        ours = CliRunner().invoke(program, [*words, "--json", "--data", str(alone)])
        monkeypatch.chdir(there)
        monkeypatch.setattr("sys.argv", ["anabranch", *words, "--json", "--data", str(beside.data)])
        with pytest.raises(SystemExit) as ended:
            main()
        theirs = capsys.readouterr()
        assert (ours.exit_code, ended.value.code) == (code, code), (words, ours.output, theirs)
        assert theirs.err == "", words
        if words[0] in ("ask", "tool"):
            a, b = json.loads(ours.stdout), json.loads(theirs.out)
            if list(a) != list(b):
                differ.append(words)
        elif shape(json.loads(ours.stdout)) != shape(json.loads(theirs.out)) and words[:2] != [
            "log",
            "stats",
        ]:
            differ.append(words)
    assert differ == []
    assert sorted(p.name for p in there.iterdir()) == sorted(p.name for p in here.iterdir())
    assert (there / "out.zip").read_bytes() == (here / "out.zip").read_bytes()


def test_every_command_is_compared_or_tested_elsewhere() -> None:
    """Commands for servers and keys, the page, and commands for a folder without a running app are tested elsewhere."""
    tried = {name for name, _, _ in SAME} | {"log-salvage"}
    elsewhere = {name for name in command_names() if name.split("-")[0] in ("mcp", "key", "serve")}
    assert set(command_names()) - tried - elsewhere == set()


@pytest.mark.long
def test_text_output_and_errors_are_the_same_with_a_running_app(beside: Served, tmp_path: Path) -> None:
    assert beside.run("chat", "show", "nope").stderr.startswith("There is no chat nope.")
    asked = beside.run("toolset", "install", write_bundle(tmp_path / "b", {"toolset.yaml": "x"}))
    assert asked.returncode == 1
    assert len(asked.stderr.splitlines()) >= 1
    wrong = beside.run("chat", "nope")
    assert (wrong.returncode, wrong.stdout) == (2, "")


def test_secrets_are_read_from_the_callers_standard_input(beside: Served) -> None:
    done = beside.run(
        "toolset",
        "configure",
        "image-studio",
        "--secret",
        "GEMINI_API_KEY",
        "--json",
        input="sesame-1234567\n",
    )
    assert done.returncode == 0, done
    (key,) = [k for k in json.loads(done.stdout)["keys"] if k["name"] == KEY]
    assert key["source"] in ("file", "keyring")
    assert "sesame" not in done.stdout


def test_serving_a_folder_that_is_already_served_gives_its_address(beside: Served) -> None:
    told = beside.run("serve")
    assert told.returncode == 0
    assert told.stdout.startswith(f"Anabranch is already running at {beside.url}")


def test_ctrl_c_stops_the_turn_and_reports_its_result(beside: Served, tmp_path: Path) -> None:
    name = script(tmp_path / "s.json", [{"calls": [call("put", wait=True)]}, {"text": "Never."}])
    words = command(beside.data, "ask", "go", "--model", name, "--json")
    asking = subprocess.Popen(
        words, cwd=ROOT, env=beside.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with httpx.Client(base_url=f"{beside.url}/v1", headers=beside.bearer, trust_env=False) as client:
        while "running" not in [call["status"] for call in client.get("/state").json()["tool_calls"]]:
            assert asking.poll() is None
            Event().wait(0.05)
    asking.send_signal(signal.SIGINT)
    out, err = asking.communicate(timeout=600)
    assert (asking.returncode, err) == (1, "")
    assert json.loads(out)["finish"] == "cancelled"


@pytest.mark.long
def test_a_wrong_token_is_reported_and_nothing_is_executed(beside: Served, tmp_path: Path) -> None:
    none = beside.run("chat", "list", env={"ANABRANCH_CONFIG": str(tmp_path / "none")})
    assert (none.returncode, "There is no token in" in none.stderr) == (1, True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "service-token").write_text("x" * 43)
    wrong = beside.run("chat", "list", "--json", env={"ANABRANCH_CONFIG": str(tmp_path / "other")})
    told = json.loads(wrong.stdout)["error"]
    assert (wrong.returncode, told["code"]) == (1, "token_wrong")
    assert f"process {beside.process.pid}" in told["message"]


@pytest.mark.long
def test_open_streams_do_not_keep_the_server_from_stopping(tmp_path: Path) -> None:
    with served(tmp_path / "data", tmp_path / "config") as service:
        headers = {**service.bearer, "accept": "text/event-stream"}
        with httpx.stream(
            "GET", f"{service.url}/v1/events", headers=headers, trust_env=False, timeout=600
        ) as events:
            assert next(events.iter_lines()).startswith("id: 1")
            assert service.end() < 8
        assert service.run("chat", "list", "--json").stdout == "[]\n"


@pytest.mark.long
def test_after_the_service_is_killed_the_command_line_opens_the_log_itself(tmp_path: Path) -> None:
    with served(tmp_path / "data", tmp_path / "config") as service:
        assert service.run("ask", "hello", "--json").returncode == 0
        service.end(signal.SIGKILL)
        found = service.run("log", "verify", "--json")
        assert (found.returncode, json.loads(found.stdout)["ok"]) == (0, True)
        assert len(json.loads(service.run("chat", "list", "--json").stdout)) == 1


@pytest.mark.long
def test_a_service_that_does_not_answer_is_named_with_its_process(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app, socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        service = Served("", tmp_path / "data", tmp_path / "config", subprocess.Popen(["true"]))
        service.config.mkdir()
        (service.config / "service-token").write_text("x" * 43)
        app.serve_at(f"http://127.0.0.1:{silent.getsockname()[1]}")
        told = json.loads(service.run("chat", "list", "--json").stdout)["error"]
        assert told["code"] == "service_unreachable"
        assert f"process {os.getpid()}" in told["message"]
        app.serve_at("http://evil.example:80")
        assert json.loads(service.run("chat", "list", "--json").stdout)["error"]["code"] == "service_foreign"
        service.process.wait()
    assert (tmp_path / "data" / LOCK).stat().st_mode & 0o777 == 0o600
