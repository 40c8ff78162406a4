"""The command line as a client of a running app: which app it trusts, what it sends, and what Ctrl C stops."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from engine.app.app import open_app
from engine.app.queries.catalog import GetChat
from engine.cli.loopback_client import BrokenOff, LoopbackClient
from engine.cli.remote_engine import error_of, remote_engine
from engine.commands.carried import INLINE_BYTES
from engine.commands.catalog import CreateChat, InstallToolset, RenameChat, Upload, UploadFiles
from engine.errors import AnabranchError, Invalid, NotFound, Problem, Refused, Unavailable
from tests.engine.cli.served import ROOT, Served, command, served
from tests.support.long_cases import mostly_long
from tests.support.talk import call, install_kit, script, write_bundle


@contextmanager
def answering(health: dict[str, Any]) -> Iterator[str]:
    """The address of a loopback server that answers every request with `health`."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(health).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("health", "code"),
    mostly_long(
        [
            ({"version": "0.0.1", "pid": os.getpid()}, "version_differs"),
            ({"version": "0.0.1", "pid": 1}, "service_unreachable"),
            ({"hello": "there"}, "service_unreachable"),
        ],
        quick=(0,),
    ),
)
def test_only_the_expected_app_in_the_same_version_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, health: dict[str, Any], code: str
) -> None:
    config = tmp_path / "config"
    config.mkdir()
    (config / "service-token").write_text("x" * 43)
    monkeypatch.setenv("ANABRANCH_CONFIG", str(config))
    with open_app(tmp_path / "data") as app, answering(health) as address:
        app.serve_at(address)
        with pytest.raises(AnabranchError) as refused, remote_engine(tmp_path / "data"):
            pass
    assert refused.value.code == code


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A served app with the bundle `kit`."""
    top = tmp_path_factory.mktemp("beside")
    with open_app(top / "data") as app:
        install_kit(app, top / "kit")
    with served(top / "data", top / "config") as service:
        yield service


def test_listing_chats_loads_neither_the_engine_nor_pydantic(beside: Served) -> None:
    """The app's answer is JSON already, so the command takes a quarter of a second."""
    told = "atexit.register(lambda: print(*(n for n, m in sys.modules.items() if m), file=sys.stderr))"
    words = command(beside.data, "chat", "list", "--json")
    words[2] = f"import atexit, sys; {told}; {words[2]}"
    done = subprocess.run(words, cwd=ROOT, env=beside.environment, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert isinstance(json.loads(done.stdout), list)
    assert "engine.cli.remote_engine" in loaded
    assert (
        loaded & {"duckdb", "pydantic", "typer", "httpx", "engine.app.app", "engine.commands.catalog"}
        == set()
    )


@pytest.mark.long
def test_large_files_and_progress_are_passed_on(
    beside: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANABRANCH_CONFIG", str(beside.config))
    large = tmp_path / "large.csv"
    large.write_bytes(b"n\n" + b"1\n" * INLINE_BYTES)
    with remote_engine(beside.data) as engine:
        chat_id = engine.send(CreateChat("files"))
        names = engine.send(UploadFiles(chat_id, [Upload("large.csv", large), Upload("s.csv", b"n\n1\n")]))
        assert names == ["large.csv", "s.csv"]
        manifest = (
            'manifest_version: "1"\nid: fresh\nname: Fresh\nversion: "1.0.0"\ndescription: Fresh.\ntools:\n'
            "  - {id: go, description: Goes., entrypoint: 'tools.go:run', effects: read}\n"
        )
        code = {"toolset.yaml": manifest, "tools/go.py": "def run(workspace):\n    return {}\n"}
        said: list[str] = []
        done = engine.send(InstallToolset(write_bundle(tmp_path / "b", code), "yes", progress=said.append))
        assert (done.toolset_id, done.outcome) == ("fresh", "installed")


@pytest.mark.long
def test_texts_with_any_line_ends_and_names_with_any_bytes_are_passed_on(
    beside: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANABRANCH_CONFIG", str(beside.config))
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.csv"))
    odd.write_bytes(b"n\n" + b"1\n" * INLINE_BYTES)
    title = "one\u2028two\u2029three\x85four"
    with remote_engine(beside.data) as engine:
        chat_id = engine.send(CreateChat(title))
        assert engine.read(GetChat(chat_id))["title"] == title
        assert len(engine.send(UploadFiles(chat_id, [Upload(odd.name, odd)]))) == 1
        engine.send(RenameChat(chat_id, "half \udcff of it"))
        assert "\udcff" not in engine.read(GetChat(chat_id))["title"]


def test_the_apps_errors_arrive_as_they_were_raised(
    beside: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANABRANCH_CONFIG", str(beside.config))
    with remote_engine(beside.data) as engine:
        with pytest.raises(NotFound, match="There is no chat nope") as missing:
            engine.send(UploadFiles("nope", [Upload("a", b"1")]))
        assert missing.value.code == "chat_not_found"
        broken = write_bundle(tmp_path / "broken", {"toolset.yaml": "x"})
        with pytest.raises(Invalid) as invalid:
            engine.send(InstallToolset(broken, "yes"))
        assert invalid.value.problems
        assert all(isinstance(problem, Problem) for problem in invalid.value.problems)


@pytest.mark.parametrize(
    ("status", "kind"),
    [(404, NotFound), (409, Refused), (422, Invalid), (429, Unavailable), (503, Unavailable)],
)
def test_a_problem_is_turned_back_into_the_original_error(status: int, kind: type[AnabranchError]) -> None:
    error = error_of({"status": status, "code": "c", "detail": "What happened."})
    assert (type(error), error.code, error.message) == (kind, "c", "What happened.")


@pytest.mark.long
def test_a_command_that_follows_a_turn_ends_if_the_server_stops(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        install_kit(app, tmp_path / "kit")
    waits = [{"calls": [call("put", files={"inside.txt": "1"}, wait=True)]}, {"text": "Never."}]
    model = script(tmp_path / "s.json", waits)
    with served(tmp_path / "data", tmp_path / "config") as service:
        words = command(service.data, "ask", "go", "--model", model, "--json")
        asking = subprocess.Popen(
            words,
            cwd=ROOT,
            env=service.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        _until_inside(service.data, asking)
        service.process.send_signal(signal.SIGTERM)
        out, _ = asking.communicate(timeout=600)
        assert asking.returncode == 1
        assert json.loads(out)["error"]["code"] in ("closing", "service_ended", "service_unreachable")
        assert service.process.wait(timeout=600) is not None


def _until_inside(data: Path, running: "subprocess.Popen[str]") -> None:
    """Wait until the tool has written its file, just before it waits."""
    while not [*data.glob("chats/*/*/**/inside.txt")]:
        assert running.poll() is None, running.communicate()
        Event().wait(0.05)


@pytest.mark.long
@pytest.mark.parametrize("is_served", [True, False])
def test_ctrl_c_stops_a_tool_and_reports_the_outcome(beside: Served, tmp_path: Path, is_served: bool) -> None:
    data = beside.data
    if not is_served:
        data = tmp_path / "data"
        with open_app(data) as app:
            install_kit(app, tmp_path / "kit")
    arguments = json.dumps({"files": {"inside.txt": "1"}, "wait": True})
    words: Sequence[str] = command(data, "tool", "run", "kit:put", "--args", arguments, "--json")
    running = subprocess.Popen(
        words, cwd=ROOT, env=beside.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    _until_inside(data, running)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=600)
    assert (running.returncode, err) == (1, "")
    assert json.loads(out)["status"] == "cancelled"


def test_a_reply_that_ends_too_early_is_an_error() -> None:
    """Python's own client would return the part that has arrived."""

    class CutOff(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-length", "100")
            self.end_headers()
            self.wfile.write(b"ten bytes.")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), CutOff) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        client = LoopbackClient(f"http://127.0.0.1:{server.server_port}", "token")
        try:
            with client.get("/") as reply, pytest.raises(BrokenOff):
                list(reply.pieces())
            with client.get("/") as reply, pytest.raises(BrokenOff):
                reply.read()
        finally:
            server.shutdown()
            thread.join()
