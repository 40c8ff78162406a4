"""`--data` before a command is the default of the command's own `--data`."""

import json
from pathlib import Path

import pytest

from engine.cli.main import run


def names(data: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The terms of the definitions in a data folder."""
    capsys.readouterr()
    assert run(["definition", "list", "--json", "--data", str(data)]) == 0
    return [one["term"] for one in json.loads(capsys.readouterr().out)]


def test_data_before_the_command_applies_to_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANABRANCH_DATA", str(tmp_path / "usual"))
    before, after = tmp_path / "before", tmp_path / "after"
    assert run(["--data", str(before), "definition", "set", "one", "1"]) == 0
    assert run(["--data", str(before), "definition", "set", "two", "2", "--data", str(after)]) == 0
    assert names(before, capsys) == ["one"]
    assert names(after, capsys) == ["two"]
    assert not (tmp_path / "usual").exists()


@pytest.mark.parametrize("words", [["--data", "", "chat", "list"], ["chat", "list", "--data", ""]])
def test_an_empty_data_path_is_a_usage_error(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 2
    assert capsys.readouterr().err == "Invalid value for '--data': The path is empty. See --help.\n"


def test_without_a_command_serve_reads_its_own_environment_variables(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANABRANCH_PORT", "many")
    assert run([]) == 2
    assert "ANABRANCH_PORT" in capsys.readouterr().err
