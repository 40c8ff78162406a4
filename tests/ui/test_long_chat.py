"""A long chat is drawn from its end, and older questions on demand."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.app.process_state import close_app, shared_app
from engine.commands.catalog import Ask, BeginChat, SelectModel
from tests.support.talk import script

PAGE = str(Path(__file__).resolve().parents[2] / "ui" / "main.py")


@pytest.fixture
def chats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """A chat of nine questions, and one of a single question."""
    monkeypatch.setenv("ANABRANCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("ANABRANCH_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("ANABRANCH_KEYRING", "off")
    app = shared_app(tmp_path / "data")
    model = script(tmp_path / "replies.json", [{"text": "Said."}] * 9)
    begun = [app.send(BeginChat("Question 0", model=model)) for _ in range(2)]
    for one in begun:
        app.wait(one.turn_id)
    for number in range(1, 9):
        app.wait(app.send(Ask(begun[0].chat_id, f"Question {number}")).turn_id)
    yield begun[0].chat_id, begun[1].chat_id
    close_app()


def questions(page: AppTest) -> list[str]:
    assert not page.exception
    return [
        one.proto.body.split('ab-bubble">')[1].split("<")[0].strip()
        for one in page.get("html")
        if 'ab-bubble">' in one.proto.body
    ]


def test_the_last_six_questions_are_drawn_then_more_and_six_again_after_a_switch_of_chats(
    chats: tuple[str, str],
) -> None:
    long, short = chats
    page = AppTest.from_file(PAGE, default_timeout=600)
    page.query_params["chat"] = long
    assert questions(page.run()) == [f"Question {number}" for number in range(3, 9)]
    earlier = page.button(key="earlier")
    assert earlier.label == "Show 3 earlier questions"
    assert questions(earlier.click().run()) == [f"Question {number}" for number in range(9)]
    assert questions(page.button(key=f"open-{short}").click().run()) == ["Question 0"]
    page.button(key=f"open-{long}").click().run()
    assert questions(page) == [f"Question {number}" for number in range(3, 9)]


def test_answers_with_results_count_as_two_of_the_six(chats: tuple[str, str], tmp_path: Path) -> None:
    long, _ = chats
    query = {"name": "query", "arguments": {"sql": "SELECT 1 AS one", "title": "One"}}
    model = script(
        tmp_path / "calls.json", [{"text": "Said."}] * 9 + [{"calls": [query]}, {"text": "One."}] * 2
    )
    app = shared_app(tmp_path / "data")
    app.send(SelectModel(long, model))
    for number in (9, 10):
        app.wait(app.send(Ask(long, f"Question {number}")).turn_id)
    page = AppTest.from_file(PAGE, default_timeout=600)
    page.query_params["chat"] = long
    assert questions(page.run()) == ["Question 7", "Question 8", "Question 9", "Question 10"]
