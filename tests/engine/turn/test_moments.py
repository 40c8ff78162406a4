"""Moments (TIM-12): states of the files with a name, which SQL and `python` read as schemas."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.app.app import App, open_app
from engine.commands.catalog import (
    ForgetMoment,
    ForkChat,
    NameMoment,
    RemoveFile,
    RewindChat,
    RunTool,
    SelectLeaf,
    UploadFiles,
    Upload,
)
from engine.errors import Invalid, NotFound, Refused
from events.catalog.moment import MomentNamed
from events.catalog.tool_call import ToolCallStarted
from tests.support.talk import Talk, call

BEFORE = "id,amount\n1,10\n2,20\n2,20\n3,30\n"
AFTER = "id,amount\n1,10\n2,20\n3,30\n"
QUERY, CHART, PYTHON = ("toolset__data-analyst__" + name for name in ("query", "chart", "python"))


@pytest.fixture
def app(tmp_path: Path):  # type: ignore[no-untyped-def]
    with open_app(tmp_path / "data") as app:
        yield app


@pytest.fixture
def talk(app: App, tmp_path: Path) -> Talk:
    """A chat with one table."""
    talk = Talk(app, tmp_path)
    upload(talk, BEFORE)
    return talk


def upload(talk: Talk, text: str, path: str = "orders.csv") -> None:
    talk.app.send(UploadFiles(talk.chat_id, [Upload(path, text.encode())]))


def replace_file(talk: Talk, text: str, path: str = "orders.csv") -> None:
    talk.app.send(RemoveFile(talk.chat_id, path))
    upload(talk, text, path)


def named(talk: Talk) -> list[str]:
    return [row["name"] for row in talk.app.read("moments", chat_id=talk.chat_id)]


def ran(talk: Talk, tool: str, **arguments: Any) -> Any:
    """Run a tool as the user; returns its result, or its error's message."""
    call_id = talk.app.send(RunTool(talk.chat_id, f"data-analyst:{tool}", arguments, allow_confirmations=True))
    made = talk.app.chat(talk.chat_id).calls[call_id]
    return made.result if made.status == "success" else str((made.error or {})["message"])


def rows(talk: Talk, sql: str) -> Any:
    found = ran(talk, "query", sql=sql)
    assert isinstance(found, dict), found
    return found["rows"]


def test_sql_compares_the_files_with_a_named_moment(talk: Talk) -> None:
    talk.app.send(NameMoment(talk.chat_id, "before_cleaning"))
    replace_file(talk, AFTER)
    assert rows(talk, "SELECT count(*) FROM orders") == [[3]]
    assert rows(talk, "SELECT count(*) FROM before_cleaning.orders") == [[4]]
    assert rows(talk, "SELECT * FROM Before_Cleaning.orders EXCEPT ALL SELECT * FROM orders") == [[2, 20]]
    code = """
old, new = tables["before_cleaning.orders"], tables["orders"]
both = sql("SELECT count(*) AS n FROM before_cleaning.orders o JOIN orders USING (id)")
print(len(old), len(new), both.n[0], len(tables))
"""
    assert "4 3 4 " in ran(talk, "python", code=code)["output"]
    assert ran(talk, "chart", table="before_cleaning.orders", mark="point", x="id", y="amount")
