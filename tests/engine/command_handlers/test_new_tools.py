"""A release adds tools: existing chats get them, and nothing else changes there."""

import json
import shutil
import zipfile
from pathlib import Path

from engine.app.app import open_app
from engine.commands.catalog import CreateChat, SelectTools
from tests.support.talk import Talk

STORE = Path(__file__).parents[2] / "golden" / "stores" / "0.1.0.zip"


def test_chats_of_an_older_release_get_the_new_tools_of_the_analyst_and_the_built_in_ones(
    tmp_path: Path,
) -> None:
    """Only if the toolset is in use; the order of chats by their last change stays."""
    with zipfile.ZipFile(STORE) as store:
        store.extractall(tmp_path / "data")
    with open_app(tmp_path / "data") as app:
        events = list(app.log.read_all())
        added = [record for record in events if record.event.type == "ToolsAdded"]
        assert added
        for row in app.read("chats"):
            for home, ticked in (row["selection"] or {}).items():
                there = {tool.name for tool in app.tools() if tool.home == home}
                if home == "builtin" and ticked:
                    assert {"view", "edit_file", "ask_user"} <= set(ticked)
                assert len(ticked) == len(set(ticked)), there
        for record in added:
            chat = next(row for row in app.read("chats") if f"chat-{row['chat_id']}" == record.stream)
            assert chat["updated_at"] < record.occurred_at.replace(tzinfo=None)
        assert app.log.verify().problem is None
    with open_app(tmp_path / "data") as app:
        assert [record.event.type for record in app.log.read_all()].count("ToolsAdded") == len(added)


def test_a_tool_that_the_user_removed_later_stays_removed(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        talk = Talk(app, tmp_path)
        app.send(SelectTools(talk.chat_id, {"data-analyst": ["query"], "builtin": ["list_files"]}))
    with open_app(tmp_path / "data") as app:
        assert app.chat(talk.chat_id).selection == {"data-analyst": ["query"], "builtin": ["list_files"]}


def test_a_new_chat_selects_only_one_tool_to_read_files_and_one_to_write_them(tmp_path: Path) -> None:
    """The bundle's own tools do the same, and can still be selected."""
    with open_app(tmp_path / "data") as app:
        selection = app.chat(app.send(CreateChat())).selection
        assert {"read_file", "write_file", "edit_file", "view", "ask_user"} <= set(selection["builtin"])
        assert not {"read_file", "write_file"} & set(selection["app-builder"])
        assert "app-builder:read_file" in [tool.tool_id for tool in app.tools()]
        assert json.dumps(selection)
    shutil.rmtree(tmp_path / "data")
