"""The user's own runs are part of a chat: its document, the terminal and each export show them in their place."""

from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App
from engine.app.queries.answers import answer
from engine.app.queries.catalog import ExportChat, GetChat
from engine.commands.catalog import Ask, BeginChat, CreateChat, RunTool, SaveFile, Upload
from engine.views.chart_versions import CHART
from tests.engine.views.test_programs import run_sql, unpacked
from tests.support.talk import Talk, script

SALES = b"region,units\nEast,7\nWest,5\n"


def ran(app: App, chat_id: str, column: str, tool: str = "query") -> str:
    sql = {"sql": f"SELECT sum(units) AS {column} FROM sales"}
    call_id: str = app.send(RunTool(chat_id, f"data-analyst:{tool}", sql))
    return call_id


def chat_with_runs(app: App, folder: Path) -> tuple[Talk, list[str], list[str]]:
    """A chat with a run before, between and after two questions; the last run fails."""
    model = script(folder / "script.json", [{"text": "First answer."}, {"text": "Second answer."}])
    chat_id = app.send(CreateChat(model=model))
    app.send(SaveFile(chat_id, "sales.csv", SALES, None))
    runs, answers = [ran(app, chat_id, "before_all")], []
    for words, column in (("First?", "in_between"), ("Second?", "nothing_like_it FROM sales WHERE wrong")):
        app.wait(app.send(Ask(chat_id, words)).turn_id)
        talk = Talk(app, folder, chat_id)
        answers.append(talk.branch()[-1].message_id)
        runs.append(ran(app, chat_id, column))
    return talk, runs, answers


def exported(talk: Talk, kind: Any, **more: Any) -> str:
    made: bytes = answer(talk.app, ExportChat(talk.chat_id, kind, **more))
    return made.decode()


@pytest.mark.long
def test_a_chats_document_names_the_message_before_each_run(app: App, tmp_path: Path) -> None:
    talk, runs, answers = chat_with_runs(app, tmp_path)
    found = answer(app, GetChat(talk.chat_id))["own_runs"]
    places = [(run["id"], run["after_message_id"], run["status"]) for run in found]
    assert places == [
        (runs[0], None, "success"),
        (runs[1], answers[0], "success"),
        (runs[2], answers[1], "error"),
    ]


@pytest.mark.long
def test_pages_and_markdown_have_each_run_at_its_place(app: App, tmp_path: Path) -> None:
    talk, _, answers = chat_with_runs(app, tmp_path)
    for kind in ("html", "md"):
        text = exported(talk, kind)
        order = [
            "before_all",
            "First answer",
            "in_between",
            "Second answer",
            "data-analyst:query has no result",
        ]
        places = [text.index(words) for words in order]
        assert places == sorted(places)
        assert "2 questions, 3 runs without a question" in text
        chosen = exported(talk, kind, answers=[answers[0]])
        assert "in_between" not in chosen


@pytest.mark.long
def test_a_script_includes_the_users_runs(app: App, tmp_path: Path, monkeypatch: Any) -> None:
    talk, _, _ = chat_with_runs(app, tmp_path)
    said = run_sql(unpacked(talk, "sql", tmp_path / "out"), monkeypatch)
    assert len(said) == 2
    assert set(said.values()) == {"same as recorded"}


@pytest.mark.long
def test_a_script_includes_results_that_were_edited_on_a_card(
    app: App, tmp_path: Path, monkeypatch: Any
) -> None:
    chat_id = app.send(CreateChat())
    app.send(SaveFile(chat_id, "sales.csv", SALES, None))
    card = ran(app, chat_id, "the_sum")
    edited = {"sql": "SELECT max(units) AS the_most FROM sales"}
    app.send(RunTool(chat_id, "data-analyst:query", edited, from_call_id=card))
    chart = {"table": "sales", "mark": "bar", "x": "region", "y": "units", "aggregate": "sum"}
    drawn = app.send(RunTool(chat_id, CHART, {**chart, "title": "First look"}))
    app.send(RunTool(chat_id, CHART, {**chart, "title": "Better title"}, from_call_id=drawn))
    script_file = unpacked(Talk(app, tmp_path, chat_id), "sql", tmp_path / "out")
    assert set(run_sql(script_file, monkeypatch).values()) == {"same as recorded"}
    text = script_file.read_text()
    assert "the_most" in text
    assert "Better title" in text
    assert "First look" not in text


def test_a_chat_with_only_runs_can_be_exported(app: App) -> None:
    chat_id = app.send(CreateChat(title="Only runs"))
    app.send(SaveFile(chat_id, "sales.csv", SALES, None))
    ran(app, chat_id, "the_sum")
    page = answer(app, ExportChat(chat_id, "html")).decode()
    assert "the_sum" in page
    assert "1 run without a question" in page


def test_a_table_has_the_same_title_as_its_card(app: App, tmp_path: Path) -> None:
    turn = app.send(
        BeginChat(
            "Hello?", [Upload("sales.csv", SALES)], model=script(tmp_path / "s.json", [{"text": "Hi."}])
        )
    )
    app.wait(turn.turn_id)
    sql = "SELECT region, sum(units) AS units FROM sales GROUP BY region"
    app.send(RunTool(turn.chat_id, "data-analyst:query", {"sql": sql}))
    page = answer(app, ExportChat(turn.chat_id, "html")).decode()
    assert "Units by region" in page


def test_each_version_of_a_file_has_its_rows_and_columns(app: App, tmp_path: Path) -> None:
    chat_id = app.send(CreateChat())
    app.send(SaveFile(chat_id, "sales.csv", SALES, None))
    ran(app, chat_id, "one")
    old = app.workspace.files(chat_id)["sales.csv"].sha256
    app.send(SaveFile(chat_id, "sales.csv", SALES + b"North,1\n", old))
    ran(app, chat_id, "two")
    page = answer(app, ExportChat(chat_id, "html")).decode()
    for rows in (2, 3):
        assert f'<td>sales.csv</td><td class="n">{rows}</td><td class="n">2</td>' in page
