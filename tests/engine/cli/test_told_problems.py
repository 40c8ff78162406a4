"""Problems with a data folder, a configuration folder or a running app are reported by the commands that find them."""

import json
import shutil
import socket
from pathlib import Path

import pytest

from engine.app.app import open_app
from engine.cli.main import run
from engine.commands.catalog import CreateChat


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a chat."""
    with open_app(tmp_path / "data") as app:
        app.send(CreateChat(title="mine"))
    return tmp_path / "data"


def failed(data: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The checks of `doctor` that failed; nothing else may have been printed."""
    capsys.readouterr()
    run(["doctor", "--json", "--data", str(data)])
    said = capsys.readouterr()
    assert said.err == ""
    return {check["name"]: check["detail"] for check in json.loads(said.out)["checks"] if not check["ok"]}


def test_the_doctor_names_files_that_cannot_be_written(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(data / "kept-journal")
    (data / "kept-journal").touch(mode=0o600)
    (tmp_path / "file").touch()
    monkeypatch.setenv("ANABRANCH_CONFIG", str(tmp_path / "file"))
    assert failed(data, capsys) == {
        "configuration": f"The folder with your keys {tmp_path / 'file'} cannot be used: it is not a folder. Set "
        "ANABRANCH_CONFIG to another folder.",
        "second copy": f"{data / 'kept-journal'} is not a folder, so there is no copy; remove it",
    }


def test_the_doctor_says_that_a_folder_is_read_only(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.app.app.is_read_only", lambda _: True)
    assert failed(data, capsys)["log"].endswith(
        f"; You cannot write to the data folder {data}, so nothing is recorded."
    )


def test_listing_a_folder_without_its_database_says_what_is_lost(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data / "anabranch.duckdb").unlink()
    for words in (["chat", "list"], ["log", "tail"]):
        assert run([*words, "--data", str(data)]) == 0
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("The database ends at event 0, but ")


def test_an_app_that_does_not_answer_does_not_block_a_command(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.cli.loopback_client._ANSWERS", 0.1)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "service-token").write_text("x" * 43)
    monkeypatch.setenv("ANABRANCH_CONFIG", str(tmp_path / "config"))
    with open_app(data) as app, socket.create_server(("127.0.0.1", 0)) as suspended:
        app.serve_at(f"http://127.0.0.1:{suspended.getsockname()[1]}")
        assert run(["chat", "list", "--data", str(data)]) == 1
    assert "but does not answer there. End that process" in capsys.readouterr().err
