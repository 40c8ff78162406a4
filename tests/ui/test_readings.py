"""The parts of a reading on the page: menus if they are needed, otherwise text, with missing parts marked."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.app.app import App
from engine.app.process_state import close_app, shared_app
from engine.commands.catalog import Ask, BeginChat, CreateChat, Retry, Upload
from ui.widgets.build_query import Draft

PAGE = str(Path(__file__).resolve().parents[2] / "ui" / "main.py")
ORDERS = b"region,revenue\n" + b"".join(b"%s,%d\n" % (b"NSW"[n % 3 : n % 3 + 1], n) for n in range(1, 13))


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    monkeypatch.setenv("ANABRANCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("ANABRANCH_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("ANABRANCH_KEYRING", "off")
    yield shared_app(tmp_path / "data")
    close_app()


@pytest.fixture
def chat_id(app: App) -> str:
    """A chat with two answers of the offline analyst."""
    begun = app.send(BeginChat("total revenue by region", [Upload("orders.csv", ORDERS)], model="offline"))
    app.wait(begun.turn_id)
    app.wait(app.send(Ask(begun.chat_id, "number of rows in orders")).turn_id)
    return str(begun.chat_id)


def opened(chat_id: str, **state: Any) -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=600)
    page.query_params["chat"] = chat_id
    for name, value in state.items():
        page.session_state[f"ab-{name}"] = value
    page.run()
    assert not page.exception
    return page


def menus(page: AppTest) -> list[list[dict[str, Any]]]:
    """The pills in each row that has menus."""
    drawn = [json.loads(one.proto.json) for one in page.get("bidi_component") if one.proto.json]
    return [row["pills"] for data in drawn if "token" in data for row in data["rows"]]


def text(page: AppTest) -> str:
    return " ".join(one.proto.body for one in page.get("html"))


def question(app: App, chat_id: str) -> str:
    return next(message.message_id for message in app.chat(chat_id).branch() if message.role == "user")


@pytest.mark.long
def test_only_the_last_answer_has_menus_until_an_older_one_is_edited(app: App, chat_id: str) -> None:
    page = opened(chat_id)
    assert [[pill["text"] for pill in row] for row in menus(page)] == [["orders", "number of rows", ""]]
    assert "<i>by</i> region" in text(page)
    page.button(key=f"change-{question(app, chat_id)}").click().run()
    assert [pill["name"] for pill in menus(page)[0]][:2] == ["Measure: total revenue", "Group: by region"]


@pytest.mark.long
def test_a_part_with_a_missing_column_says_so_and_offers_others(app: App, chat_id: str) -> None:
    form = {"table": "orders", "measures": [{"aggregate": "count"}], "groups": [{"column": "city"}]}
    app.wait(app.send(Retry(chat_id, question(app, chat_id), form=form)).turn_id)
    (pills,) = menus(opened(chat_id))
    problems = {pill["text"]: pill["problem"] for pill in pills}
    assert problems["city"] == "The table orders has no column city."
    assert problems["number of rows"] == ""
    assert ["region", "3 values"] in next(pill["choices"] for pill in pills if pill["text"] == "city")


@pytest.mark.long
def test_the_builder_starts_with_a_table_and_asks_what_to_show(chat_id: str) -> None:
    page = opened(chat_id, **{f"building-{chat_id}": True})
    builder = menus(page)[-2:]
    assert [[pill["text"] for pill in row] for row in builder] == [["orders"], ["Measure"]]
    assert "Choose what to show." in text(page)
    assert page.button(key="ask-query").disabled


def test_the_builder_says_what_to_add_to_a_chat_without_tables(app: App) -> None:
    chat_id = app.send(CreateChat())
    page = opened(chat_id, **{f"building-{chat_id}": True})
    assert "There are no tables in this chat." in text(page)
    page.button(key="type-instead").click().run()
    assert page.chat_input


def test_a_draft_shows_its_sql_and_can_be_turned_into_typed_text(chat_id: str) -> None:
    form: dict[str, Any] = {
        "table": "orders",
        "measures": [{"aggregate": "mean", "of": {"column": "revenue"}}],
    }
    page = opened(chat_id, **{f"building-{chat_id}": True, f"query-{chat_id}": Draft(form)})
    assert "“Average revenue in orders”" in text(page)
    assert "avg(revenue)" in page.code[-1].value
    page.button(key="type-instead").click().run()
    assert page.chat_input[0].proto.value == "Average revenue in orders"
