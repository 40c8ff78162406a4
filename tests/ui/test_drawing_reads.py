"""Drawing uses what is known already: no card reads a toolset's folder or waits for a server."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.app.app import App, open_app
from engine.commands.catalog import CreateChat, InstallToolset, RunTool
from events.catalog.toolset import ToolsetUpgraded
from tests.engine.toolsets.bundles import folder

MANIFEST = b"""\
manifest_version: "1"
id: live
name: Live
version: "1.0.0"
tools:
  - id: say
    description: Says which version it is.
    entrypoint: tools.say:run
    effects: create
    input_schema: {type: object}
"""


def card(call: "Any") -> None:
    """The parts of a call's cards that need to know its tool."""
    from ui.widgets.cards.sql import sql_face  # noqa: PLC0415 - the function is a script of its own
    from ui.widgets.show_as import show_as  # noqa: PLC0415

    show_as("chat", call, "key")
    sql_face("chat", call, "SELECT 1", "key")


def upgrades(app: App) -> int:
    return sum(isinstance(r.event, ToolsetUpgraded) for r in app.log.read_stream("toolset-live"))


def test_drawing_a_card_does_not_upgrade_a_toolset_whose_folder_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = b"def run(workspace):\n    return {'said': 'one'}\n"
    source = folder(tmp_path / "live", {"toolset.yaml": MANIFEST, "tools/say.py": code})
    with open_app(tmp_path / "data") as app:
        for module in ("ui.widgets.show_as", "ui.widgets.cards.sql"):
            monkeypatch.setattr(f"{module}.app", lambda: app)
        app.send(InstallToolset(source, "yes"))
        (source / "tools" / "say.py").write_bytes(code.replace(b"one", b"two"))
        known = SimpleNamespace(tool_id="live:say", args={}, result={"said": "one"}, call_id="call")
        shown = AppTest.from_function(card, default_timeout=600, args=(known,)).run()
        assert not shown.exception
        assert [code.value for code in shown.code] == ["SELECT 1"]
        assert upgrades(app) == 0
        app.send(RunTool(app.send(CreateChat()), "live:say", {}))
        assert upgrades(app) == 1
