"""The offline analyst as a model: what it streams, what it says about itself, and what it never does."""

import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.models.messages import HistoryItem, Message, TextPart, ToolMessage
from engine.models.model import ArgumentsDelta, Delta, Finished, ModelRequest, TextDelta, ToolSpec
from engine.models.offline.analyst import OfflineModel
from engine.models.offline.suggest import opening_questions
from engine.system.cancellation import Cancellation
from engine.workspace.table_facts import ColumnProfile, TableProfile
from tests.support.ask_offline import ask, profile
from tests.support.long_cases import mostly_long
from tests.support.own_questions import HERE

TOOLS = tuple(ToolSpec(f"toolset__data-analyst__{name}", name, {}) for name in ("query", "chart", "describe"))


@pytest.fixture
def staff(tmp_path: Path) -> Path:
    shutil.copy(HERE / "tables" / "staff.csv", tmp_path)
    return tmp_path


def one(workspace: Path, *questions: str) -> dict[str, Any]:
    return list(ask(workspace, questions))[-1]


def sql(document: dict[str, Any]) -> str:
    assert [call["status"] for call in document["tool_calls"]] == ["success"]
    return " ".join(document["tool_calls"][0]["args"]["sql"].split())


def reply(
    question: str, tables: Sequence[TableProfile], tools: tuple[ToolSpec, ...] = TOOLS, *more: HistoryItem
) -> list[Delta]:
    history = (Message("m1", "user", (TextPart(text=question),)), *more)
    return list(
        OfflineModel().stream(ModelRequest("analyst", "", history, tools, tuple(tables)), Cancellation())
    )


def said(deltas: Sequence[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def test_a_simple_question_makes_one_call_with_commentary_and_then_an_answer(staff: Path) -> None:
    document = one(staff, "average salary by department")

    (call,) = document["tool_calls"]
    assert call["tool_id"] == "data-analyst:query"
    assert call["commentary"].count("\n") == 0
    assert document["finish"] == "stop"
    assert "average salary by department" in document["answer"].lower()


def test_every_reply_ends_in_exactly_one_finish(staff: Path) -> None:
    tables = profile(staff)
    for question in ("how many people are there?", "why?", "", "who are you?"):
        deltas = reply(question, tables)
        assert [isinstance(delta, Finished) for delta in deltas].count(True) == 1
        assert isinstance(deltas[-1], Finished)


def test_a_cancelled_stream_ends_at_once(staff: Path) -> None:
    cancel = Cancellation()
    cancel.set()
    request = ModelRequest(
        "analyst", "", (Message("m", "user", (TextPart(text="how many?"),)),), TOOLS, profile(staff)
    )
    assert list(OfflineModel().stream(request, cancel)) == [Finished("cancelled")]


def test_the_analyst_explains_itself_when_asked(staff: Path) -> None:
    text = said(reply("who are you?", profile(staff)))
    assert "offline analyst" in text
    assert "not a language model" in text


def test_without_tables_the_analyst_asks_for_a_file() -> None:
    assert "add a CSV" in said(reply("how many rows?", ()))


def test_a_tool_that_is_not_offered_is_named_with_its_toolset(staff: Path) -> None:
    assert "data-analyst" in said(reply("how many people are there?", profile(staff), ()))


def test_a_failed_call_is_reported_without_a_number(staff: Path) -> None:
    result = ToolMessage("c", "toolset__data-analyst__query", "error", {"error": "There is no table"})
    text = said(reply("how many people are there?", profile(staff), TOOLS, result))
    assert "There is no table" in text
    assert "I have no number to report" in text


@pytest.mark.parametrize(
    "question",
    mostly_long(
        [
            "why are salaries in Sales so low?",
            "what will salaries be next year?",
            "should we hire more people?",
            "delete everyone in Sales",
            "which employee is the best?",
            "average shoe size by office",
            "how many zebras are in the zoo",
            "blah blah blah",
        ],
        quick=(0, 3, 7),
    ),
)
def test_a_question_that_cannot_be_read_is_reported_and_nothing_is_run(staff: Path, question: str) -> None:
    document = one(staff, question)
    assert document["tool_calls"] == []
    assert document["answer"].count("\n- ") == 3


def test_an_unknown_word_is_reported_with_the_available_columns(staff: Path) -> None:
    answer = one(staff, "average bonus by office")["answer"]
    assert "“bonus”" in answer
    assert "salary" in answer


def test_a_typo_is_corrected(staff: Path) -> None:
    assert "avg(salary)" in sql(one(staff, "avrage salry by departmnt"))


def test_a_real_word_is_never_mistaken_for_a_typo(staff: Path) -> None:
    assert one(staff, "average wage of the page")["tool_calls"] == []


@pytest.mark.long
def test_follow_ups_change_the_previous_question(staff: Path) -> None:
    first = "average salary by department"
    assert "GROUP BY 1 ORDER BY department" in sql(one(staff, first))
    assert "WHERE gender = 'F'" in sql(one(staff, first, "only women"))
    assert "SELECT office" in sql(one(staff, first, "and by office?"))
    assert "median(salary)" in sql(one(staff, first, "and the median?"))
    assert "avg(age)" in sql(one(staff, first, "what about age?"))
    chart = one(staff, first, "now as a chart")
    assert chart["tool_calls"][0]["args"]["mark"] == "bar"


def test_follow_ups_build_on_each_other(staff: Path) -> None:
    text = sql(one(staff, "how many people are there?", "only in Oslo", "and by department?", "only women"))
    assert "office = 'Oslo'" in text
    assert "gender = 'F'" in text
    assert "SELECT department" in text


def test_a_ranking_can_be_reversed(staff: Path) -> None:
    assert "ORDER BY salary DESC" in sql(one(staff, "top 5 employees by salary"))
    turned = sql(one(staff, "top 5 employees by salary", "the other way round"))
    assert "ORDER BY salary NULLS LAST" in turned


def test_a_yes_or_no_question_gets_yes_or_no(staff: Path) -> None:
    assert one(staff, "do leads earn more than juniors on average?")["answer"].startswith("Yes")
    assert one(staff, "do juniors earn more than leads on average?")["answer"].startswith("No")


def test_missing_values_that_were_left_out_are_reported(staff: Path) -> None:
    assert "rows without a value are left out" in one(staff, "average review score")["answer"]


def test_columns_of_two_tables_are_joined_over_the_key_that_both_have(tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("order_id,shop,amount\n1,North,10\n2,South,30\n3,North,50\n")
    (tmp_path / "refunds.csv").write_text("order_id,refunded\n1,4\n3,6\n")
    document = one(tmp_path, "total refunded by shop")
    assert "orders.order_id" in sql(document)
    assert document["tool_calls"][0]["result"]["rows"][0][:2] == ["North", 10]


def test_a_question_that_two_tables_could_answer_is_not_guessed(tmp_path: Path) -> None:
    for name in ("alpha", "beta"):
        (tmp_path / f"{name}.csv").write_text("city,price\nRome,1\nOslo,2\n")
    assert "alpha" in one(tmp_path, "average price by city")["answer"]
    assert one(tmp_path, "average price by city")["tool_calls"] == []
    assert "FROM beta" in sql(one(tmp_path, "average price by city in beta"))


def test_results_of_earlier_calls_are_not_preferred_to_the_table(staff: Path) -> None:
    tables = profile(staff)
    list(ask(staff, ["average salary by department"], tables))
    assert any(table.path.startswith("results/") for table in profile(staff))
    assert "FROM staff" in sql(one(staff, "average salary by office"))


@pytest.mark.long
def test_suggested_questions_work_on_any_table(tmp_path: Path) -> None:
    for file in sorted((HERE / "tables").glob("*.csv"))[::6]:
        workspace = tmp_path / file.stem
        workspace.mkdir()
        shutil.copy(file, workspace)
        questions = opening_questions(profile(workspace))
        assert len(questions) == 3
        for question in questions:
            assert one(workspace, question)["tool_calls"][0]["status"] == "success", question


def test_five_thousand_values_are_read_in_under_fifty_milliseconds() -> None:
    names = tuple(f"Person {number:05d} of Place{number % 700}" for number in range(5_000))
    columns = (
        ColumnProfile(
            name="name", type="VARCHAR", distinct=5_000, missing=0, values=names, values_complete=True
        ),
        ColumnProfile(
            name="city",
            type="VARCHAR",
            distinct=4,
            missing=0,
            values=("Rome", "Oslo", "Bern", "Kyiv"),
            values_complete=True,
        ),
        ColumnProfile(name="income", type="BIGINT", distinct=4_000, missing=3, minimum="0", maximum="90000"),
    )
    tables = (TableProfile(name="people", path="people.csv", rows=5_000, columns=columns),)
    reply("how many people are there?", tables)
    started = time.process_time()
    for _ in range(5):
        reply("avrage income of peple in Rome with an income over 20000", tables)
    assert (time.process_time() - started) / 5 < 0.05


def test_arguments_stream_as_one_json_object(staff: Path) -> None:
    deltas = reply("average salary by department", profile(staff))
    text = "".join(delta.text for delta in deltas if isinstance(delta, ArgumentsDelta))
    assert set(json.loads(text)) == {"sql", "title"}
    assert deltas[-1] == Finished("calls")
