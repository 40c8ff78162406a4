"""What a command opens in a data folder that no app serves."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine.app.app import open_app
from engine.cli.main import program
from engine.commands.catalog import ChangeSetting, CreateChat
from events.log_files import KEPT
from tests.engine.app.maintenance.test_interrupted_work import killed
from tests.support.talk import call


def listed(data: Path) -> list[dict[str, Any]]:
    result = CliRunner().invoke(program, ["chat", "list", "--json", "--data", str(data)])
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


@pytest.mark.long
def test_listing_chats_first_ends_turns_that_a_crash_interrupted(tmp_path: Path) -> None:
    data, chat_id = killed(tmp_path, {"calls": [call("put", wait=True)]})
    (row,) = listed(data)
    assert (row["chat_id"], row["running_turn_id"], row["ended_as"]) == (chat_id, None, "interrupted")
    with open_app(data) as app:
        head = app.log.head()
    assert listed(data) == [row]
    with open_app(data) as app:
        assert app.log.head() == head


def test_listing_chats_creates_no_second_copy_of_the_log_if_that_is_off(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with open_app(data) as app:
        app.send(CreateChat(title="one"))
        app.send(ChangeSetting("keep_journal", False))
    assert not list((data / KEPT).glob("*.rows"))
    assert [row["title"] for row in listed(data)] == ["one"]
    assert not list((data / KEPT).glob("*.rows"))
