"""`query_history`: a chat's own events and read models as tables, and nothing else."""

from pathlib import Path

import pytest

from engine.app.app import App
from engine.commands.catalog import ChangeSetting
from engine.views.chat import CallView
from tests.support.talk import Talk, call


def queried(talk: Talk, sql: str, **more: int) -> CallView:
    said = len([m for m in talk.branch() if m.role == "assistant"])
    talk.replies(*[{"text": "."}] * said, {"calls": [call("query_history", sql=sql, **more)]}, {"text": "."})
    talk.ask()
    return talk.calls()[-1]


@pytest.mark.long
def test_a_chat_queries_its_own_events_and_calls(talk: Talk) -> None:
    talk.replies({"calls": [call("look", say="hello")]}, {"text": "."})
    talk.ask("first")
    made = queried(talk, "SELECT tool_id, args->>'$.say' AS said FROM tool_calls ORDER BY position")
    assert isinstance(made.result, dict)
    assert made.result["rows"] == [["kit:look", "hello"], ["query_history", None]]
    counted = queried(talk, "SELECT count(*) FROM events WHERE type = 'TurnStarted'")
    assert isinstance(counted.result, dict)
    assert counted.result["rows"] == [[3]]
    assert counted.pre_manifest_id == counted.post_manifest_id


def test_other_chats_are_hidden_unless_the_user_allowed_them(talk: Talk, app: App, tmp_path: Path) -> None:
    other = Talk(app, tmp_path)
    other.replies({"text": "."})
    other.ask("a question of another chat")
    sql = "SELECT count(*) FROM messages WHERE CAST(parts AS VARCHAR) LIKE '%of another chat\"%'"
    alone = queried(talk, sql)
    assert isinstance(alone.result, dict)
    assert alone.result["rows"] == [[0]]
    app.send(ChangeSetting("history_of_all_chats", True))
    try:
        both = queried(talk, sql)
    finally:
        app.send(ChangeSetting("history_of_all_chats", None))
    assert isinstance(both.result, dict)
    assert both.result["rows"] == [[1]]


@pytest.mark.long
def test_query_history_can_neither_read_files_nor_write(talk: Talk) -> None:
    for sql in ("SELECT * FROM read_csv('/etc/passwd')", "COPY events TO 'stolen.csv'", "SELECT nothing"):
        made = queried(talk, sql)
        assert made.status == "error"
        assert made.error is not None
        named = made.error["message"].partition("The tables are: ")[2].rstrip(".").split(", ")
        assert {"chats", "events", "messages", "tool_calls"} <= set(named)
    assert talk.files() == {}
