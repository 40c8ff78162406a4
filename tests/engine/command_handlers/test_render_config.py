"""The user's own choice of how a tool's results are shown: PRJ-1, "Show as …" of RND-7."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App, open_app
from engine.cli.main import run
from engine.commands.catalog import (
    CreateChat,
    InstallToolset,
    RegisterServer,
    RemoveServer,
    RunTool,
    SetRenderConfig,
    TrustServer,
    UninstallToolset,
)
from engine.errors import AnabranchError, Invalid, NotFound
from engine.rendering.plans import DocumentPlan, ErrorPlan, JsonPlan, RenderPlan, TablePlan
from events.json_value import JSONObject
from tests.support.long_cases import mostly_long
from tests.support.talk import KIT, install_kit, write_bundle

SERVER = Path(__file__).parents[2] / "support" / "mcp" / "server.py"
ROWS = {"rows": [{"island": "Dream", "n": 124}, {"island": "Biscoe", "n": 168}], "text": "# Islands"}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """An open data folder with the bundle `kit`."""
    with open_app(tmp_path / "data") as opened:
        install_kit(opened, tmp_path / "kit")
        yield opened


def shown(app: App, tool_id: str = "kit:put", arguments: JSONObject | None = None) -> RenderPlan | None:
    """The plan of a new call."""
    chat_id = app.send(CreateChat())
    given = {"back": ROWS} if arguments is None else arguments
    call_id = app.send(RunTool(chat_id, tool_id, given, allow_confirmations=True))
    call = app.chat(chat_id).calls[call_id]
    assert call.status == "success", call.error
    return call.plan


def test_the_users_renderer_replaces_the_renderer_of_the_toolset_for_later_calls(app: App) -> None:
    chat_id = app.send(CreateChat())
    before = app.send(RunTool(chat_id, "kit:put", {"back": ROWS}))
    app.send(SetRenderConfig("kit:put", "table", {"rows": "$return.rows"}))
    plan = shown(app)
    assert isinstance(plan, TablePlan)
    assert plan.rows == (("Dream", 124), ("Biscoe", 168))
    assert app.chat(chat_id).calls[before].plan == JsonPlan(), "what was shown stays shown as it was"
    rows = [row for row in app.read("tool_render_configs") if row["tool_id"] == "kit:put"]
    assert [(row["renderer"], row["priority"]) for row in rows] == [("table", 100)]


def test_withdrawing_a_choice_restores_the_renderer_of_the_toolset(app: App, tmp_path: Path) -> None:
    manifest = (
        KIT["toolset.yaml"]
        .replace("    id: put", "    id: put")
        .replace(
            "  - id: put\n",
            "  - id: put\n    renderer: {type: document, content: $return.text, priority: 5000}\n",
        )
    )
    manifest = manifest.replace('"1.0.0"', '"1.1.0"')
    app.send(InstallToolset(write_bundle(tmp_path / "shown", KIT | {"toolset.yaml": manifest}), "yes"))
    assert isinstance(shown(app), DocumentPlan)
    app.send(SetRenderConfig("kit:put", "table", {"rows": "$return.rows"}))
    assert isinstance(shown(app), TablePlan), "no manifest's priority is above the user's"
    app.send(SetRenderConfig("kit:put", None))
    assert isinstance(shown(app), DocumentPlan)


@pytest.mark.long
def test_making_the_same_choice_again_appends_nothing(app: App) -> None:
    app.send(SetRenderConfig("kit:put", None))
    head = app.log.head()
    app.send(SetRenderConfig("kit:put", "json"))
    app.send(SetRenderConfig("kit:put", "json"))
    assert app.log.head() == head + 1


@pytest.mark.parametrize(
    ("renderer", "config", "told"),
    mostly_long(
        [
            ("tabel", {}, "did you mean table?"),
            ("table", {}, "needs file or rows"),
            ("table", {"row": "$return"}, "did you mean rows?"),
            ("html", {"artifact": "page.html"}, "not in the bundle"),
            ("document", {"content": "x" * 20_000}, "the maximum is 16,384"),
            ("json", {"value": float("nan")}, "not JSON that can be stored"),
        ],
        quick=(0, 3),
    ),
)
def test_a_choice_with_nothing_to_show_is_refused_with_the_reason(
    app: App, renderer: str, config: dict[str, Any], told: str
) -> None:
    head = app.log.head()
    with pytest.raises(Invalid, match=told.replace("?", r"\?")):
        app.send(SetRenderConfig("kit:put", renderer, config))
    assert app.log.head() == head


@pytest.mark.long
def test_a_choice_that_does_not_fit_a_result_says_so_and_keeps_the_result(app: App) -> None:
    app.send(SetRenderConfig("kit:put", "table", {"rows": "$return.missing"}))
    plan = shown(app)
    assert isinstance(plan, ErrorPlan)
    assert "rows" in plan.keys


@pytest.mark.parametrize(
    "tool_id",
    mostly_long(["kit:none", "nothing:put", "read_skill", "pick_tools", "mcp:none:x"], quick=(0, 4)),
)
def test_no_renderer_can_be_chosen_for_a_tool_that_does_not_exist(app: App, tool_id: str) -> None:
    with pytest.raises(NotFound):
        app.send(SetRenderConfig(tool_id, "json"))


@pytest.mark.long
def test_the_choice_applies_to_a_built_in_tool_even_if_it_has_its_own_plan(app: App) -> None:
    app.send(SetRenderConfig("list_files", "document", {"content": "There are $return.files"}))
    plan = shown(app, "list_files", {})
    assert isinstance(plan, DocumentPlan)
    own = shown(app, "query_history", {"sql": "SELECT 1 AS one"})
    app.send(SetRenderConfig("query_history", "document", {"content": "$args.sql"}))
    chosen = shown(app, "query_history", {"sql": "SELECT 1 AS one"})
    assert isinstance(chosen, DocumentPlan)
    assert chosen != own


@pytest.mark.long
def test_the_choice_applies_to_a_servers_tool_until_the_server_is_removed(app: App) -> None:
    def register() -> None:
        app.send(RegisterServer("kitchen", sys.executable, [str(SERVER)]))
        app.send(TrustServer("kitchen"))

    register()
    app.send(SetRenderConfig("mcp:kitchen:echo", "document", {"content": "said: $return.text"}))
    plan = shown(app, "mcp:kitchen:echo", {"text": "hello"})
    assert isinstance(plan, DocumentPlan)
    assert plan.content is not None
    assert plan.content.startswith("said: ")
    app.send(RemoveServer("kitchen"))
    register()
    assert app.toolsets.rendering.shown("mcp:kitchen:echo") is None


@pytest.mark.long
def test_a_toolset_that_is_installed_again_uses_its_own_renderer_again(app: App, tmp_path: Path) -> None:
    app.send(SetRenderConfig("kit:put", "table", {"rows": "$return.rows"}))
    app.send(UninstallToolset("kit"))
    install_kit(app, tmp_path / "kit")
    assert app.toolsets.rendering.shown("kit:put") is None


def test_a_choice_survives_a_restart_and_an_upgrade(tmp_path: Path) -> None:
    upgrade = KIT | {"toolset.yaml": KIT["toolset.yaml"].replace('"1.0.0"', '"1.1.0"')}
    with open_app(tmp_path / "data") as app:
        install_kit(app, tmp_path / "kit")
        app.send(SetRenderConfig("kit:put", "json", {"title": "Raw"}))
        app.send(InstallToolset(write_bundle(tmp_path / "new", upgrade), "yes"))
    with open_app(tmp_path / "data") as again:
        render = again.toolsets.rendering.shown("kit:put")
        assert render is not None
        assert (render.renderer, dict(render.config), render.priority) == ("json", {"title": "Raw"}, 100)


@pytest.mark.long
def test_the_command_line_sets_shows_and_withdraws_choices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_app(tmp_path / "data") as app:
        install_kit(app, tmp_path / "kit")

    def render(*words: str) -> tuple[int, dict[str, Any]]:
        code = run(["tool", "render", "kit:put", *words, "--data", str(tmp_path / "data"), "--json"])
        return code, json.loads(capsys.readouterr().out)

    code, told = render("--as", "table", "--config", '{"rows": "$return.rows"}')
    assert (code, told["renderer"], told["chosen_by_user"]) == (0, "table", True)
    assert render()[1]["config"] == {"rows": "$return.rows"}
    assert render("--as", "tabel")[1]["error"]["code"] == "renderer_config"
    assert render("--as", "json", "--reset")[1]["error"]["code"] == "render_usage"
    assert render("--config", "[1]")[0] == 1
    code, told = render("--reset")
    assert (code, told["renderer"], told["chosen_by_user"]) == (0, None, False)


def test_the_refusal_of_a_choice_names_every_fault(app: App) -> None:
    with pytest.raises(AnabranchError) as refused:
        app.send(SetRenderConfig("kit:put", "table", {"row": 1, "colums": 2}))
    assert isinstance(refused.value, Invalid)
    assert {p.code for p in refused.value.problems} == {"unknown_key", "renderer_config"}
