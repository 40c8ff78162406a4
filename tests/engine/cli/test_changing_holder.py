"""An app opens or closes a data folder while a command starts: the command runs all the same."""

import json
import os
import socket
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from threading import Thread

import pytest

from engine.app.app import App, open_app
from engine.cli import folder_engine
from engine.cli.main import run
from engine.commands.catalog import CreateChat
from tests.engine.cli.served import Served, served


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A served app."""
    top = tmp_path_factory.mktemp("beside")
    with served(top / "data", top / "config") as service:
        yield service


@pytest.mark.long
def test_a_command_is_executed_by_an_app_that_opened_the_folder_meanwhile(
    beside: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    looked: list[Path] = []
    is_served = folder_engine.is_served

    def not_at_first(folder: Path) -> bool:
        looked.append(folder)
        return len(looked) > 1 and is_served(folder)

    monkeypatch.setattr(folder_engine, "is_served", not_at_first)
    monkeypatch.setenv("ANABRANCH_CONFIG", str(beside.config))
    assert run(["definition", "set", "one", "1", "--data", str(beside.data)]) == 0
    assert capsys.readouterr() == ("one = 1 (version 1, in all chats)\n", "")
    assert len(looked) > 1


def test_a_command_is_executed_here_if_the_app_ended_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, config = tmp_path / "data", tmp_path / "config"
    config.mkdir()
    (config / "service-token").write_text("x" * 43)
    monkeypatch.setenv("ANABRANCH_CONFIG", str(config))
    with open_app(data) as app, socket.create_server(("127.0.0.1", 0)) as listening:
        app.send(CreateChat(title="mine"))
        app.serve_at(f"http://127.0.0.1:{listening.getsockname()[1]}")
        ending = Thread(target=end_at_the_first_answer, args=[app, listening])
        ending.start()
        assert run(["chat", "list", "--json", "--data", str(data)]) == 0
        ending.join()
    said = capsys.readouterr()
    assert [chat["title"] for chat in json.loads(said.out)] == ["mine"]
    assert said.err == ""


def end_at_the_first_answer(app: App, listening: socket.socket) -> None:
    """Report that the app is healthy, although it has ended already."""
    connection, _ = listening.accept()
    with connection:
        connection.recv(1 << 16)
        listening.close()
        app.close()
        body = json.dumps({"version": version("anabranch"), "pid": os.getpid()})
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n"
        connection.sendall(f"{head}{body}".encode())
