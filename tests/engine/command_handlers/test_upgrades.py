"""A toolset is upgraded while chats use the older version: old results stay, new calls use the new one (BND-1)."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.app.app import App, open_app
from engine.cli.main import run
from engine.commands.catalog import CreateChat, InstallToolset, RunTool
from engine.rendering.plans import HtmlPlan
from tests.support.talk import KIT, Talk, call, write_bundle

_SHOWN = "    renderer: {type: html, artifact: page.html, data: $return}\n"
OLD = KIT | {
    "toolset.yaml": KIT["toolset.yaml"].replace("    effects: read\n", "    effects: read\n" + _SHOWN),
    "artifacts/page.html": "<p>one</p>",
}
NEW = OLD | {
    "toolset.yaml": OLD["toolset.yaml"]
    .replace('"1.0.0"', '"2.0.0"')
    .replace("- id: add\n", "- id: append\n")
    .replace("Effects write.", "Writes, as version 2 does."),
    "tools/act.py": KIT["tools/act.py"].replace('{"saw": seen}', '{"second": True}'),
    "artifacts/page.html": "<p>two</p>",
}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """An open data folder with the older version."""
    with open_app(tmp_path / "data") as opened:
        opened.send(InstallToolset(write_bundle(tmp_path / "old", OLD), "yes"))
        yield opened


@pytest.fixture
def talk(app: App, tmp_path: Path) -> Talk:
    """A chat that selected the older version's tools."""
    (tmp_path / "talk").mkdir()
    return Talk(app, tmp_path / "talk")


def upgrade(app: App, tmp_path: Path) -> None:
    app.send(InstallToolset(write_bundle(tmp_path / "new", NEW), "yes"))


def shown_page(app: App, chat_id: str, call_id: str) -> bytes:
    """The page that shows a call, from the chat's own store."""
    plan = app.chat(chat_id).calls[call_id].plan
    assert isinstance(plan, HtmlPlan)
    return app.workspace.read(chat_id, plan.artifact.sha256)


def test_old_results_are_shown_by_the_old_version_and_new_calls_by_the_new_one(
    app: App, tmp_path: Path
) -> None:
    chat_id = app.send(CreateChat())
    before = app.send(RunTool(chat_id, "kit:look", {}))
    upgrade(app, tmp_path)
    after = app.send(RunTool(chat_id, "kit:look", {}))
    calls = app.chat(chat_id).calls
    assert (calls[before].toolset_version, calls[after].toolset_version) == ("1.0.0", "2.0.0")
    assert (calls[before].result, calls[after].result) == ({"saw": {}}, {"second": True})
    assert shown_page(app, chat_id, before) == b"<p>one</p>"
    assert shown_page(app, chat_id, after) == b"<p>two</p>"


@pytest.mark.long
def test_a_running_call_ends_with_the_version_that_it_started_with(
    app: App, talk: Talk, tmp_path: Path
) -> None:
    talk.replies(
        {"calls": [call("put", wait=True)]},
        {"calls": [call("put")]},
        {"text": "Done."},
    )
    turn = talk.start()
    folder = talk.inside()
    upgrade(app, tmp_path)
    (folder / "go").write_text("")
    talk.ended(turn)
    first, second = app.chat(talk.chat_id).calls.values()
    assert (first.status, first.toolset_version, first.result) == ("success", "1.0.0", {"saw": {}})
    assert (second.status, second.toolset_version, second.result) == ("success", "2.0.0", {"second": True})


def test_the_old_versions_files_survive_gc_and_restarts_for_replays(
    app: App, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat_id = app.send(CreateChat())
    made = app.send(RunTool(chat_id, "kit:look", {}))
    upgrade(app, tmp_path)
    app.close()
    data = tmp_path / "data"
    assert run(["gc", "--data", str(data), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["removed"] == 0
    with open_app(data) as again:
        recorded = [row for row in again.read("tool_calls") if row["id"] == made]
        assert recorded
        versions = again.toolset_versions("kit")
        assert [version.version for version in versions] == ["2.0.0", "1.0.0"]
        for version, page in zip(versions, ("two", "one"), strict=True):
            folder = data / "toolsets" / "kit" / f"{version.version}-{version.content_hash[:12]}"
            assert (folder / "artifacts" / "page.html").read_text() == f"<p>{page}</p>"
        assert shown_page(again, chat_id, made) == b"<p>one</p>"


def test_the_changes_of_an_upgrade_are_shown_before_consent(app: App, tmp_path: Path) -> None:
    sheet = app.preview_toolset(write_bundle(tmp_path / "new", NEW)).sheet
    assert sheet.upgrade is not None
    assert (sheet.upgrade.old_version, sheet.version) == ("1.0.0", "2.0.0")
    assert (sheet.upgrade.tools_added, sheet.upgrade.tools_removed) == (("append",), ("add",))
    text = sheet.as_text()
    for told in ("1.0.0 → 2.0.0", "append", "add"):
        assert told in text


def test_an_old_chat_offers_neither_new_nor_removed_tools(app: App, talk: Talk, tmp_path: Path) -> None:
    upgrade(app, tmp_path)
    talk.replies({"text": "."})
    request = app.request(talk.chat_id, talk.ask("what have you?").turn_id, 1)
    kit = {tool.name.removeprefix("toolset__kit__") for tool in request.tools if "kit" in tool.name}
    assert kit == {"put", "look", "ask_first"}
    assert "add" in app.chat(talk.chat_id).selection["kit"], "the choice itself is kept"


def test_installing_the_older_version_again_is_an_upgrade_too(app: App, tmp_path: Path) -> None:
    upgrade(app, tmp_path)
    assert app.send(InstallToolset(tmp_path / "old", "yes")).outcome == "upgraded"
    chat_id = app.send(CreateChat())
    made = app.send(RunTool(chat_id, "kit:look", {}))
    assert app.chat(chat_id).calls[made].toolset_version == "1.0.0"
