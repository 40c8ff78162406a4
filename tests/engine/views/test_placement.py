"""Where results appear in an answer: where the text names them, and the others below it (SEAT-6)."""

import json
from time import process_time
from typing import Any

import pytest

from engine.commands.catalog import Upload, UploadFiles
from engine.rendering.plans import ChartPlan, PartsPlan, RenderPlan, TablePlan, plan_to_json
from engine.views.chat import CallView, MessageView
from engine.views.placement import Missing, Placed, Words, place_results, results_of, without_places
from tests.support.long_cases import mostly_long
from tests.support.talk import Talk, call

SALES = b"city,amount\nRome,1\nOslo,2\n"


def step(call_id: str, plan: RenderPlan) -> MessageView:
    """A step whose only call showed `plan`."""
    facts: dict[str, Any] = dict.fromkeys(CallView.__dataclass_fields__)
    facts |= {"call_id": call_id, "status": "success", "render_plan": plan_to_json(plan)}
    more: dict[str, Any] = dict.fromkeys(MessageView.__dataclass_fields__)
    return MessageView(**more | {"message_id": call_id, "parts": (), "calls": (CallView(**facts),)})


def query(name: str, sql: str = "SELECT * FROM sales") -> dict[str, Any]:
    """A call that creates a table of this name."""
    return call("query", sql=sql, name=name)


def chart(title: str) -> dict[str, Any]:
    """A call that draws a chart."""
    return call("chart", sql="SELECT city, amount FROM sales", mark="bar", x="city", y="amount", title=title)


@pytest.fixture
def shop(talk: Talk) -> Talk:
    """A chat with a table."""
    talk.app.send(UploadFiles(talk.chat_id, [Upload("sales.csv", SALES)]))
    return talk


def pieces_of(talk: Talk) -> tuple[list[str], list[str]]:
    """The titles or names of the latest answer's placed results, and of those below it."""
    branch = talk.branch()
    start = max(n for n, message in enumerate(branch) if message.role == "user")
    steps = branch[start + 1 :]
    earlier = [c for message in branch[:start] for c in message.calls]
    pieces, below = place_results(steps[-1].content, steps, lambda: earlier)
    shown = [
        piece.text.strip()
        if isinstance(piece, Words)
        else f"<{piece.result.plan.name or piece.result.plan.title}>"
        if isinstance(piece, Placed)
        else f"?{piece.name}{list(piece.near)}"
        for piece in pieces
    ]
    return shown, [str(result.plan.name or result.plan.title) for result in below]


@pytest.mark.long
def test_every_chart_of_a_turn_is_shown_and_the_tables_of_its_last_step(shop: Talk) -> None:
    """The page used to show one of five charts from five steps."""
    shop.replies(
        {"calls": [query("first")]},
        {"calls": [chart("A")]},
        {"calls": [chart("B"), query("second")]},
        {"calls": [chart("C")]},
        {"calls": [query("third")]},
        {"text": "Done."},
    )
    shop.ask()
    shown, below = pieces_of(shop)
    assert shown == ["Done."]
    assert len(below) == 4
    assert below[-1] == "third"


def test_a_result_is_shown_where_the_answer_places_it_and_not_again_below(shop: Talk) -> None:
    shop.replies(
        {"calls": [query("by_city"), query("other")]},
        {"text": "First this:\n\n![](result:by_city)\n\nand `![](result:other)` is how."},
    )
    shop.ask()
    assert pieces_of(shop) == (["First this:", "<by_city>", "and `![](result:other)` is how."], ["other"])


@pytest.mark.long
def test_results_of_earlier_answers_can_be_placed_and_a_name_refers_to_the_latest_result(shop: Talk) -> None:
    shop.replies(
        {"calls": [query("sums")]},
        {"text": "One."},
        {"calls": [query("more")]},
        {"text": "Compare ![the first]( result:sums ) with ![](result:more)."},
    )
    shop.ask()
    shop.ask()
    assert pieces_of(shop) == (["Compare", "<sums>", "with", "<more>", "."], [])


@pytest.mark.parametrize("text", ["Done.", "See ![](result:growth)"])
def test_a_chart_of_an_earlier_step_keeps_the_notes_of_its_call(text: str) -> None:
    """They say which values could not be read. Printed output stays in the tool line."""
    chart = ChartPlan(name="growth", spec={"mark": "bar"})
    drew = PartsPlan(parts=(chart,), notes=("2 values are no numbers",), output="printed", code="1")
    steps = [step("1", drew), step("2", TablePlan(name="last", rows=()))]
    _, below = place_results(text, steps)
    (noted,) = [one.plan for one in below if isinstance(one.plan, PartsPlan)]
    assert (noted.notes, noted.output, noted.code) == (drew.notes, None, None)


def test_a_name_that_does_not_exist_is_reported_with_the_nearest_one(shop: Talk) -> None:
    shop.replies({"calls": [query("by_city")]}, {"text": "See ![](result:by_citty)"})
    shop.ask()
    assert pieces_of(shop) == (["See", "?by_citty['by_city']"], ["by_city"])


def test_a_failed_call_shows_no_result(shop: Talk) -> None:
    shop.replies({"calls": [query("x", "SELECT nothing FROM sales")]}, {"text": "![](result:x)"})
    shop.ask()
    shown, below = pieces_of(shop)
    assert (shown, below) == (["?x[]"], [])
    assert list(results_of(shop.calls())) == []


def test_without_cards_a_placed_result_is_named_in_the_text() -> None:
    """In the terminal."""
    assert without_places("See ![](result:a) and\n```\n![](result:b)\n```") == (
        "See [result a] and\n```\n![](result:b)\n```"
    )
    assert json.dumps(without_places("![")) == '"!["'
    assert isinstance(Missing("x", ()), Missing)


@pytest.mark.parametrize(
    "part", mostly_long(["![", "![a](result:", "![a](result: ", "[", "![]"], quick=(0, 2))
)
def test_an_answer_with_many_brackets_is_read_in_linear_time(part: str) -> None:
    began = process_time()
    without_places(part * (200_000 // len(part)))
    assert process_time() - began < 2
