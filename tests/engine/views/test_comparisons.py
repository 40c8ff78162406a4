"""Comparing two branches, moments and chats: differences are found, and everything else is reported as the same."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine.app.app import open_app
from engine.app.queries.answers import answer
from engine.app.queries.catalog import CompareSides
from engine.cli.main import program
from engine.commands.catalog import ForkChat, NameMoment, SetRenderConfig, Upload, UploadFiles
from engine.errors import Invalid, NotFound
from engine.views.comparison import Comparison
from engine.views.comparisons import SideWanted, side_named
from tests.support.talk import Talk, call

CSV = b"region,quarter,revenue,refund\n" + b"".join(
    f"{region},{quarter},{base + quarter * 10},{quarter}\n".encode()
    for region, base in (("East", 300), ("North", 400), ("West", 500))
    for quarter in (2, 3)
)
GROSS = "SELECT region,\n  sum(revenue) AS total\nFROM orders\nGROUP BY region\nORDER BY region"
NET = GROSS.replace("sum(revenue)", "sum(revenue - refund)")


@pytest.fixture
def orders(talk: Talk) -> Talk:
    """A chat with a table of orders."""
    talk.app.send(UploadFiles(talk.chat_id, [Upload("orders.csv", CSV)]))
    return talk


def asked(talk: Talk, *replies: dict[str, Any]) -> str:
    """Ask for the revenue, or retry if it was asked before; return the answer's message."""
    done = sum(1 for message in talk.branch() if message.role != "user")
    question = next((m for m in talk.branch() if m.role == "user"), None)
    talk.replies(*([{"text": ""}] * (done if question is None else 0)), *replies)
    if question is None:
        talk.ask("Revenue by region?")
    else:
        talk.retry(question.message_id)
    return talk.branch()[-1].message_id


def queried(talk: Talk, sql: str, said: str) -> str:
    return asked(talk, {"calls": [call("query", sql=sql)]}, {"text": said})


def compared(talk: Talk, a: str, b: str) -> Comparison:
    return talk.app.comparisons.compare(SideWanted(talk.chat_id, a), SideWanted(talk.chat_id, b))


def test_two_answers_are_compared_by_numbers_rows_and_sql(orders: Talk) -> None:
    a, b = queried(orders, GROSS, "West leads."), queried(orders, NET, "West leads, net.")
    found = compared(orders, a, b)
    assert (found.a.answer, found.b.answer) == ("West leads.", "West leads, net.")
    assert (found.b.here, found.a.here) == (True, False)
    assert found.parted_after == "Revenue by region?"
    assert [(n.label, n.a, n.b, n.change) for n in found.numbers] == [
        ("East, total", 650, 645, -5),
        ("North, total", 850, 845, -5),
        ("West, total", 1050, 1045, -5),
    ]
    (table,) = found.tables
    assert table.diff is not None
    assert (table.diff.key, table.diff.rows.changed, table.diff.rows.same) == (("region",), 3, 0)
    (text,) = found.texts
    assert (text.name, text.language, text.before, text.after) == ("query", "sql", GROSS, NET)
    assert [(pair.tool_id, pair.status) for pair in found.calls] == [("data-analyst:query", "changed")]
    assert not found.same_results


@pytest.mark.long
def test_different_sql_that_returns_the_same_rows_counts_as_the_same_result(orders: Talk) -> None:
    a = queried(orders, GROSS, "East, North, West.")
    b = queried(orders, GROSS.replace("ORDER BY region", "ORDER BY 1 DESC"), "West, North, East.")
    found = compared(orders, a, b)
    assert found.same_results
    assert found.told == "A and B give the same results. Only the wording differs."
    assert (found.numbers, found.files) == ((), ())
    assert [text.before != text.after for text in found.texts] == [True]
    assert compared(orders, a, a).told == "A and B give the same results in the same words."


def test_calls_and_files_that_only_one_side_has_are_named(orders: Talk) -> None:
    a = queried(orders, GROSS, "Here.")
    b = asked(
        orders,
        {"calls": [call("query", sql=GROSS), call("write_file", path="notes.txt", content="net")]},
        {"text": "Here."},
    )
    found = compared(orders, a, b)
    assert [(pair.tool_id, pair.status) for pair in found.calls] == [
        ("data-analyst:query", "same"),
        ("write_file", "only_b"),
    ]
    assert [(file.path, file.what) for file in found.files] == [("notes.txt", "added")]
    back = compared(orders, b, a)
    assert [(file.path, file.what) for file in back.files] == [("notes.txt", "removed")]
    assert [pair.status for pair in back.calls] == ["same", "only_a"]


@pytest.mark.long
def test_two_moments_of_a_chat_differ_by_the_changes_between_them(orders: Talk) -> None:
    queried(orders, GROSS, "First.")
    then = orders.app.log.head()
    done = sum(1 for message in orders.branch() if message.role != "user")
    orders.replies(
        *([{"text": ""}] * done),
        {
            "calls": [
                call(
                    "write_file", path="orders.csv", content=CSV.decode().replace("East,2,320", "East,2,321")
                )
            ]
        },
        {"text": "Changed."},
    )
    orders.ask("Change it.")
    wanted = SideWanted(orders.chat_id, position=then), SideWanted(orders.chat_id)
    found = orders.app.comparisons.compare(*wanted)
    assert (found.a.answer, found.b.answer, found.parted_after) == ("First.", "Changed.", "First.")
    orders.app.send(NameMoment(orders.chat_id, "before_the_change", position=then))
    named = orders.app.comparisons.compare(side_named(f"{orders.chat_id}@before_the_change"), wanted[1])
    assert (named.a.answer, named.files) == ("First.", found.files)
    (file,) = found.files
    assert (file.path, file.what) == ("orders.csv", "changed")
    assert file.table is not None
    assert (file.table.rows.changed, file.table.rows.same) == (1, 5)


@pytest.mark.long
def test_a_fork_is_compared_with_the_chat_that_it_came_from(orders: Talk) -> None:
    queried(orders, GROSS, "West leads.")
    fork = Talk(orders.app, orders.folder, orders.app.send(ForkChat(orders.chat_id)))
    found = orders.app.comparisons.compare(SideWanted(orders.chat_id), SideWanted(fork.chat_id))
    assert found.same_results
    assert found.parted_after == "West leads."
    queried(fork, NET, "Net.")
    found = orders.app.comparisons.compare(SideWanted(orders.chat_id), SideWanted(fork.chat_id))
    assert found.parted_after == "Revenue by region?"
    assert [number.change for number in found.numbers] == [-5, -5, -5]


@pytest.mark.long
def test_charts_are_compared_side_by_side(orders: Talk) -> None:
    charts = [
        asked(
            orders,
            {"calls": [call("chart", sql=sql, mark="bar", x="region", y="total", title="Total by region")]},
            {"text": "Drawn."},
        )
        for sql in (GROSS, NET)
    ]
    found = compared(orders, *charts)
    (chart,) = found.charts
    assert chart.a is not None
    assert chart.b is not None
    assert (chart.title, chart.differs) == ("Total by region", True)


@pytest.mark.parametrize("text", ["", "@", "chat@", " @x"])
def test_a_side_that_is_not_written_correctly_is_refused(talk: Talk, text: str) -> None:
    with pytest.raises(Invalid, match="CHAT@MESSAGE_ID") as refused:
        answer(talk.app, CompareSides(text, talk.chat_id))
    assert refused.value.code == "not_a_side"


def test_missing_chats_messages_and_positions_are_named(talk: Talk) -> None:
    for side in ("nowhere", f"{talk.chat_id}@nothing"):
        with pytest.raises(NotFound, match=r"There is no chat|does not contain a message or a moment"):
            answer(talk.app, CompareSides(talk.chat_id, side))
    with pytest.raises(NotFound):
        answer(talk.app, CompareSides(talk.chat_id, f"{talk.chat_id}@0"))


@pytest.mark.long
def test_the_command_line_prints_the_differences(tmp_path: Path) -> None:
    with open_app(tmp_path / "data") as app:
        talk = Talk(app, tmp_path)
        app.send(UploadFiles(talk.chat_id, [Upload("orders.csv", CSV)]))
        a, b = queried(talk, GROSS, "Gross."), queried(talk, NET, "Net.")
        chat_id = talk.chat_id
    words = ["compare", f"{chat_id}@{a}", f"{chat_id}@{b}", "--data", str(tmp_path / "data")]
    done = CliRunner().invoke(program, words)
    assert done.exit_code == 0
    for line in (
        "A and B give different results.",
        "East, total",
        "-  sum(revenue) AS total",
        "3 of 3 rows changed",
    ):
        assert line in done.stdout
    document = json.loads(CliRunner().invoke(program, [*words, "--json"]).stdout)
    assert [number["change"] for number in document["numbers"]] == [-5, -5, -5]
    (table,) = document["tables"]
    assert (table["name"], table["added"], table["removed"], table["changed"]) == (table["name"], 0, 0, 3)
    assert (len(document["sql"]), document["files"]) == (1, [])


def test_tables_without_a_file_are_compared_by_their_rows(talk: Talk) -> None:
    """A tool may return its rows instead of writing them."""
    talk.app.send(SetRenderConfig("kit:look", "table", {"rows": "$return.rows"}))
    one, other = ([{"k": "a", "x": 1}, {"k": "b", "x": number}] for number in (2, 5))
    a = asked(talk, {"calls": [call("look", back={"rows": one})]}, {"text": "One."})
    b = asked(talk, {"calls": [call("look", back={"rows": other})]}, {"text": "Two."})
    found = compared(talk, a, b)
    (table,) = found.tables
    assert table.diff is not None
    assert (table.diff.rows.changed, table.diff.rows.same) == (1, 1)
    assert [(number.a, number.b) for number in found.numbers] == [(2, 5)]
