"""Starting `anabranch serve`: other programs that use the folder or the port, Ctrl C, and wrong paths."""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from engine.cli.main import run
from engine.system.data_folder_lock import DataFolderLock
from tests.engine.cli.served import MAIN, ROOT, command

PATIENT = f"import engine.cli.waiting as w; w._COMMAND_ENDS = w._APP_SETTLES = 600; w._SILENT = 0; {MAIN}"
HASTY = f"import engine.cli.waiting as w; w._COMMAND_ENDS = w._APP_SETTLES = 0; {MAIN}"


@contextmanager
def started(top: Path, *words: object, program: str = MAIN, **more: Any) -> Iterator["subprocess.Popen[str]"]:
    """A command in a process, which is killed after the block if it still runs."""
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "ANABRANCH_CONFIG": str(top / "config"), **more.pop("env", {})
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=ROOT, env=environment, text=True,
        **({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more),
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        with suppress(ValueError):  # its output was read already
            process.communicate(timeout=600)


def ended(top: Path, *words: object, **more: Any) -> tuple[int, str, str]:
    """The exit code of a command, its output and its errors."""
    with started(top, *words, **more) as process:
        out, err = process.communicate(timeout=600)
    return process.returncode, out, err


def line(stream: Any) -> str:
    """The next line of output."""
    return str(stream.readline()).rstrip("\n")


def a_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until_it_listens(port: int, process: "subprocess.Popen[str]") -> None:
    """Wait until connections to the port are accepted."""
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        assert process.poll() is None
        Event().wait(0.02)


@pytest.mark.long
def test_three_apps_that_start_at_once_share_a_folder_and_find_free_ports(tmp_path: Path) -> None:
    port = a_port()
    words = [("serve", "--port", port, "--data", tmp_path / name) for name in ("one", "one", "other")]
    with (
        started(tmp_path, *words[0], program=PATIENT) as a,
        started(tmp_path, *words[1], program=PATIENT) as b,
        started(tmp_path, *words[2], program=PATIENT) as c,
    ):
        first, second, other = (line(process.stdout) for process in (a, b, c))
        late = b if second.startswith("Anabranch is already") else a
        if late is a:
            first, second = second, first
        address = first.removeprefix("Anabranch is running at ").split()[0]
        assert second.startswith(
            f"Anabranch is already running at {address} (data in {tmp_path / 'one'}, process"
        )
        assert late.wait(timeout=600) == 0
        assert other.startswith("Anabranch is running at http://127.0.0.1:")
        assert address not in other
        listed = command(tmp_path / "one", "chat", "list", "--json")[3:]
        assert ended(tmp_path, *listed) == (0, "[]\n", "")


@pytest.mark.long
def test_serve_waits_for_a_command_that_uses_the_folder(tmp_path: Path) -> None:
    data = tmp_path / "data"
    lock = DataFolderLock(data)
    words = ("serve", "--port", a_port(), "--data", data)
    with started(tmp_path, *words, program=PATIENT) as server:
        waits = f"Waiting for process {os.getpid()}, which is using the data folder {data}."
        assert line(server.stderr) == waits
        lock.release()
        assert line(server.stdout).startswith("Anabranch is running at ")
    lock = DataFolderLock(data)
    code, out, err = ended(tmp_path, *words, program=HASTY)
    lock.release()
    assert (code, out) == (1, "")
    assert err.startswith(f"The data folder {data} is in use by process {os.getpid()}.")


def test_a_command_waits_for_an_app_that_is_starting(tmp_path: Path) -> None:
    data = tmp_path / "data"
    lock = DataFolderLock(data, serves=True)
    words = ("definition", "set", "one", "1", "--data", data)
    with started(tmp_path, *words, program=PATIENT) as waiting:
        assert line(waiting.stderr).startswith(f"Waiting for process {os.getpid()}")
        lock.release()
        assert line(waiting.stdout) == "one = 1 (version 1, in all chats)"
    lock = DataFolderLock(data, serves=True)
    for one in (words, ("serve", "--port", a_port(), "--data", data)):
        code, out, err = ended(tmp_path, *one, program=HASTY)
        assert (code, out) == (1, "")
        assert f"process {os.getpid()}, an app that is starting or shutting down. Try again" in err
    lock.release()


def test_ctrl_c_ends_a_server_that_is_loading(tmp_path: Path) -> None:
    port = a_port()
    with started(tmp_path, "serve", "--port", port, "--data", tmp_path / "data") as server:
        until_it_listens(port, server)
        server.send_signal(signal.SIGINT)
        _, err = server.communicate(timeout=600)
    assert (server.returncode, err) == (128 + signal.SIGINT, "Anabranch has ended.\n")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_opening_its_folder_ends_at_once_on_a_signal(
    tmp_path: Path, how: signal.Signals
) -> None:
    port, data = a_port(), tmp_path / "data"
    data.mkdir(mode=0o700)
    os.mkfifo(data / "anabranch.duckdb", 0o600)  # opening it takes until somebody writes
    with started(tmp_path, "serve", "--port", port, "--data", data) as server:
        until_it_listens(port, server)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=600) as answer:
            assert answer.status == 200
        server.send_signal(how)
        out, err = server.communicate(timeout=600)
    ends = {signal.SIGINT: (130, "Anabranch has ended.\n"), signal.SIGTERM: (-15, "")}
    assert (out, server.returncode, err) == ("", *ends[how])


@pytest.mark.long
def test_serve_works_with_closed_output_and_ignores_streamlit_variables(tmp_path: Path) -> None:
    port = a_port()
    reading, writing = os.pipe()
    os.close(reading)
    odd = {"STREAMLIT_SERVER_BASE_URL_PATH": "/elsewhere", "STREAMLIT_LOGGER_LEVEL": "nonsense"}
    words = ("serve", "--port", port, "--data", tmp_path / "data")
    with started(tmp_path, *words, env=odd, stdout=writing) as server:
        os.close(writing)
        until_it_listens(port, server)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/health", timeout=600) as answer:
            assert json.load(answer)["ok"]
        server.send_signal(signal.SIGINT)
        assert server.communicate(timeout=600)[1] == "Anabranch has ended.\n"
    assert server.returncode == 128 + signal.SIGINT


@pytest.mark.long
def test_an_unusable_path_or_option_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "keys").mkdir(mode=0o700)
    (tmp_path / "keys" / "service-token").touch(mode=0o600)
    (tmp_path / "loop").symlink_to("loop")
    data, keys = "The data folder", "The folder with your keys"
    other, way = "Choose another with --data.", "Set ANABRANCH_CONFIG to another folder."
    long, nobody, odd = tmp_path / ("x" * 300), "~nobody-here", os.fsdecode(b"a\xffb")
    cases: list[tuple[list[object], dict[str, str], str]] = [
        (
            ["--data", tmp_path / "file"],
            {},
            f"{data} {tmp_path}/file cannot be used: it is not a folder. {other}",
        ),
        (
            ["--data", tmp_path / "file/in"],
            {},
            f"{data} {tmp_path}/file/in cannot be used: Not a directory. {other}",
        ),
        (
            ["--data", tmp_path / "loop"],
            {},
            f"{data} {tmp_path}/loop cannot be used: {os.strerror(errno.ELOOP)}. {other}",
        ),
        (["--data", long], {}, f"{data} {long} cannot be used: File name too long. {other}"),
        (
            ["--data", odd],
            {},
            rf"{data} {ROOT}/a\xffb cannot be used: its path is not UTF-8 text. {other}",
        ),
        (
            ["--data", f"{nobody}/x"],
            {},
            f"{data} {nobody}/x cannot be used: {nobody} has no home folder. {other}",
        ),
        (
            [],
            {"ANABRANCH_CONFIG": f"{tmp_path}/file"},
            f"{keys} {tmp_path}/file cannot be used: it is not a folder. {way}",
        ),
        (
            [],
            {"ANABRANCH_CONFIG": f"{tmp_path}/keys"},
            f"The token file {tmp_path}/keys/service-token is damaged. Delete it and start the app again.",
        ),
    ]
    for words, env, said in cases:
        found = ended(tmp_path, "serve", *words, env={"ANABRANCH_DATA": str(tmp_path / "data"), **env})
        assert found == (1, "", f"{said}\n"), words


@pytest.mark.parametrize("port", ["0", "70000", "-1", "many"])
def test_an_invalid_port_is_a_usage_error(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--port", port]) == 2
    assert capsys.readouterr().err.startswith("Invalid value for '--port'")


@pytest.mark.long
def test_a_command_whose_output_is_closed_still_does_its_work(tmp_path: Path) -> None:
    words = command(tmp_path / "data", "definition", "set", "one", "1")[3:]
    closed = 'exec "$0" -c "$1" "${@:2}" <&- >&-'
    done = subprocess.run(
        ["bash", "-c", closed, sys.executable, MAIN, *words],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, check=False, timeout=600,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    listed = ended(tmp_path, "definition", "list", "--json", "--data", tmp_path / "data")
    assert [one["term"] for one in json.loads(listed[1])] == ["one"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_output_that_cannot_be_written_is_reported_in_one_line(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        code, _, err = ended(tmp_path, "--help", stdout=full)
    assert (code, err) == (1, "The output could not be written: No space left on device.\n")


@pytest.mark.long
def test_a_demo_prints_its_address_and_the_limits_that_it_could_not_read(tmp_path: Path) -> None:
    port = a_port()
    odd = {"ANABRANCH_DEMO": "1", "ANABRANCH_DEMO_VISITORS": "many"}
    with started(tmp_path, "serve", "--port", port, env=odd) as server:
        assert line(server.stdout) == (
            f"Anabranch is running at http://127.0.0.1:{port} as a public demo. Press Ctrl+C to stop it."
        )
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=600)
    assert (server.returncode, out) == (128 + signal.SIGINT, "")
    assert err == (
        "ANABRANCH_DEMO_VISITORS is 'many', which is not a positive number. The default applies.\n"
        "Anabranch has ended.\n"
    )
