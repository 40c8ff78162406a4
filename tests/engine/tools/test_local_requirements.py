"""What a manifest requires, resolved for this machine: approval of calls, and packages that are not installed."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.commands.catalog import InstallToolset
from engine.runtime.protocol import Confinement, Level
from engine.tools.local_requirements import asks_first
from engine.toolsets.manifest import Manifest
from engine.toolsets.upgrade import wants_more
from tests.support.talk import KIT, write_bundle

LACKING = "Python's analysis packages are not installed (scipy missing). `make run` installs them; by hand: pip install"


def kit(asks: str, runtime: str = "plain", version: str = "1.0.0") -> dict[str, str]:
    """The bundle `kit` whose tool has this value of `ask_first`."""
    manifest = KIT["toolset.yaml"].replace("requires_confirmation: true", f"requires_confirmation: {asks}")
    manifest = manifest.replace("timeout: 30", f"runtime: {runtime}\n    timeout: 30").replace(
        "1.0.0", version
    )
    return {**KIT, "toolset.yaml": manifest}


@pytest.mark.parametrize(
    ("asked", "level", "asks"),
    [
        ("unless_confined", "full", False),
        ("unless_confined", "filesystem only", True),
        ("unless_confined", "process only", True),
        ("unless_confined", None, True),
        (True, "full", True),
        (False, "process only", False),
    ],
)
def test_a_tool_marked_unless_confined_needs_approval_if_the_sandbox_is_less_than_full(
    asked: bool | str, level: Level | None, asks: bool
) -> None:
    """Also if no tool process could be tried."""
    toolset = {"manifest": {"tools": [{"id": "act", "requires_confirmation": asked}]}}
    row: dict[str, Any] = {"tool_name": "act", "requires_confirmation": asked is not False}
    assert asks_first(toolset, row, lambda: Confinement(level) if level else None) is asks


def test_the_sandbox_is_not_tried_if_nothing_depends_on_it() -> None:
    """Trying it starts a process."""

    def never() -> Confinement:
        raise AssertionError("the sandbox was tried")

    toolset = {"manifest": {"tools": [{"id": "act", "requires_confirmation": True}]}}
    assert asks_first(toolset, {"tool_name": "act", "requires_confirmation": True}, never)


def test_the_tools_projection_says_that_a_tool_may_ask_and_the_app_says_whether_it_does(
    tmp_path: Path,
) -> None:
    """The column stays true or false, for users who query it."""
    app = App(tmp_path / "data")
    app.send(InstallToolset(write_bundle(tmp_path / "kit", kit("unless_confined")), "yes"))
    stored = {row["tool_id"]: row["requires_confirmation"] for row in app.read("tools")}
    assert (stored["kit:ask_first"], stored["kit:put"]) == (True, False)
    held = app.try_tool_process()
    told = {tool.tool_id: tool.requires_confirmation for tool in app.tools()}
    assert told["kit:ask_first"] is (held is None or held.level != "full")
    (row,) = [row for row in app.installed() if row["id"] == "kit"]
    assert {t["tool_id"]: t["requires_confirmation"] for t in row["tools"]}["kit:ask_first"] is told[
        "kit:ask_first"
    ]
    app.close()


def test_an_upgrade_whose_tools_ask_less_often_needs_consent() -> None:
    """From always to only if unconfined, and from there to never."""

    def manifest(asks: bool | str) -> Manifest:
        tool = {"id": "act", "description": "", "entrypoint": "tools.act:run", "requires_confirmation": asks}
        return Manifest.from_json(
            {"manifest_version": "1", "id": "kit", "name": "Kit", "version": "1.0.0", "tools": [tool]}
        )

    always, sometimes, never = manifest(True), manifest("unless_confined"), manifest(False)
    assert wants_more(always, sometimes) == ["act no longer asks first if the sandbox is full"]
    assert wants_more(sometimes, never) == ["act no longer asks first"]
    assert wants_more(never, sometimes) == wants_more(sometimes, always) == []


def test_without_the_analysis_packages_a_tool_that_needs_them_is_unavailable_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulates an installation of requirements.txt only. Tools of the plain runtime stay available."""
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "engine.runtime.hosts.find_spec", lambda name: None if name == "scipy" else found(name)
    )
    app = App(tmp_path / "data")
    app.send(InstallToolset(write_bundle(tmp_path / "kit", kit("false", "analysis")), "yes"))
    tools = {tool.tool_id: tool for tool in app.tools()}
    assert not tools["kit:put"].available
    assert (tools["kit:put"].reason or "").startswith(LACKING)
    assert tools["data-analyst:query"].available
    assert "data-analyst:python" not in {
        f"{home}:{name}" for home, names in app.next_selection().items() for name in names
    }
    app.close()
