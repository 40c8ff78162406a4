"""The administrator's file overrides all switches, and its reason is shown before any other (BND-6)."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.app.app import App
from engine.cli.main import run
from engine.commands.catalog import (
    CreateChat,
    DisableToolset,
    EnableServer,
    EnableTool,
    EnableToolset,
    RegisterServer,
    RunTool,
)
from engine.errors import Refused
from tests.support.long_cases import mostly_long
from tests.support.talk import install_kit

SERVER = Path(__file__).parents[2] / "support" / "mcp" / "server.py"
WORD = "Disabled by administrator"

Opened = Callable[[], App]


@contextmanager
def opened(tmp_path: Path, text: str | None) -> Iterator[App]:
    file = tmp_path / "admin.toml"
    if text is not None:
        file.write_text(text)
    app = App(tmp_path / "data", environ={**os.environ, "ANABRANCH_ADMIN": str(file)})
    try:
        if not any(row["id"] == "kit" for row in app.installed()):
            install_kit(app, tmp_path / "kit")
        yield app
    finally:
        app.close()


def reason(app: App, toolset_id: str) -> str | None:
    (row,) = [row for row in app.installed() if row["id"] == toolset_id]
    assert row["available"] is (row["reason"] is None)
    found: str | None = row["reason"]
    return found


def test_a_toolset_that_the_file_disables_stays_disabled_whatever_the_user_does(tmp_path: Path) -> None:
    with opened(tmp_path, 'disabled_toolsets = ["image-studio", "kit"]') as app:
        assert (reason(app, "image-studio"), reason(app, "web-search")) == (WORD, "API key not configured")
        app.send(DisableToolset("kit"))
        assert reason(app, "kit") == WORD
        app.send(EnableToolset("kit"))
        assert reason(app, "kit") == WORD
        assert "kit" not in app.next_selection()
        with pytest.raises(Refused, match=WORD):
            app.send(RunTool(app.send(CreateChat()), "kit:put", {}))


def test_single_tools_and_built_in_tools_can_be_disabled_separately(tmp_path: Path) -> None:
    with opened(tmp_path, 'disabled_tools = ["kit:put", "read_file"]') as app:
        app.send(EnableTool("kit:put"))
        assert {tool.tool_id for tool in app.tools() if tool.reason == WORD} == {"kit:put", "read_file"}
        assert reason(app, "kit") is None
        (tmp_path / "admin.toml").write_text('disabled_toolsets = ["builtin"]')
        assert {t.reason for t in app.tools() if t.home == "builtin"} == {WORD}
        assert {t.reason for t in app.tools() if t.home == "kit"} == {None}


def test_a_disabled_server_is_not_started(tmp_path: Path) -> None:
    with opened(tmp_path, 'disabled_servers = ["kitchen"]') as app:
        app.send(RegisterServer("kitchen", sys.executable, [str(SERVER)]))
        app.send(EnableServer("kitchen"))
        (state,) = app.mcp.states()
        assert (state.state, state.detail) == ("off", WORD)
        with pytest.raises(Refused):
            app.runnable("mcp:kitchen:echo")


def test_the_current_content_of_the_file_applies(tmp_path: Path) -> None:
    with opened(tmp_path, "") as app:
        assert reason(app, "kit") is None
        (tmp_path / "admin.toml").write_text('disabled_toolsets = ["*"]')
        assert {row["reason"] for row in app.installed()} == {WORD}


@pytest.mark.parametrize(
    ("text", "told"),
    mostly_long(
        [
            ("disabled_toolsets = [", "is not TOML"),
            ('disabled_toolset = ["kit"]', "which is not known; the keys are disabled_toolsets"),
            ('disabled_tools = "kit:put"', "must be a list of ids"),
            ("disabled_tools = [1]", "must be a list of ids"),
            ("x" * 2_000_000, "more than 1,048,576 bytes"),
            (None, "cannot be read: No such file"),
        ],
        quick=(0, 5),
    ),
)
def test_an_invalid_file_disables_everything_and_the_doctor_says_why(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str | None,
    told: str,
) -> None:
    with opened(tmp_path, text) as app:
        assert {tool.reason for tool in app.tools()} == {WORD}
        assert app.next_selection() == {}
    monkeypatch.setenv("ANABRANCH_ADMIN", str(tmp_path / "admin.toml"))
    assert run(["doctor", "--data", str(tmp_path / "data"), "--json"]) == 1
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert told in checks["administrator"]["detail"]
    assert not checks["administrator"]["ok"]


def test_the_doctor_lists_what_is_disabled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "admin.toml").write_text(
        'disabled_tools = ["app-builder:run_command"]\ndisabled_servers = ["time"]'
    )
    monkeypatch.setenv("ANABRANCH_ADMIN", str(tmp_path / "admin.toml"))
    assert run(["doctor", "--data", str(tmp_path / "data"), "--json"]) == 0
    checks = {check["name"]: check["detail"] for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["administrator"] == "disables app-builder:run_command, mcp:time"
