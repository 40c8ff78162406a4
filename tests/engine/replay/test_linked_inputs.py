"""Replays over linked files: only files that a call names can explain a different result."""

from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.app.queries.answers import answer
from engine.app.queries.catalog import GetReplay
from engine.commands.catalog import AllowLocation, CreateChat, ReplayChat, RunTool, Upload, UploadFiles


def linked(app: App, folder: Path, sql: str) -> str:
    """Return a chat with the links `a` and `b`, and a query."""
    chat_id = app.send(CreateChat())
    for name in ("a", "b"):
        (folder / f"{name}.csv").write_text("x\n1\n2\n")
        link = app.send(AllowLocation(str(folder / f"{name}.csv")))
        app.send(UploadFiles(chat_id, [Upload(link.name, link.text.encode())]))
    app.send(RunTool(chat_id, "data-analyst:query", {"sql": sql}))
    return chat_id


def replayed(app: App, chat_id: str) -> dict[str, Any]:
    (one,) = answer(app, GetReplay(chat_id, app.send(ReplayChat(chat_id))))["calls"]
    return dict(one)


@pytest.mark.long
def test_a_linked_file_that_a_call_does_not_name_is_not_given_as_a_reason(app: App, tmp_path: Path) -> None:
    chat_id = linked(app, tmp_path, "SELECT sum(x) + random() AS n FROM a")
    (tmp_path / "b.csv").write_text("x\n1\n2\n3\n")
    found = replayed(app, chat_id)
    assert found["verdict"] == "not_deterministic"
    assert "b.link" not in found["reason"]


def test_a_replay_reports_a_change_of_a_linked_file_in_its_sql(app: App, tmp_path: Path) -> None:
    chat_id = linked(app, tmp_path, "SELECT sum(x) AS n FROM a")
    (tmp_path / "b.csv").write_text("x\n1\n2\n3\n")
    assert replayed(app, chat_id)["verdict"] == "identical"
    (tmp_path / "a.csv").write_text("x\n1\n2\n3\n")
    found = replayed(app, chat_id)
    assert found["verdict"] == "differs"
    assert "The files behind a.link have changed since" in found["reason"]
    assert "b.link" not in found["reason"]
