"""Times between two date columns: which questions ask for them, in which unit, and which are ambiguous."""

from pathlib import Path
from typing import Any

import pytest

from engine.models.offline.form import FormError
from engine.models.offline.source_sql import sql_at_source
from engine.views.query_form import form_parts, form_sentence
from engine.workspace.table_facts import SourceOfTable
from tests.support.ask_offline import ask, profile
from tests.support.long_cases import mostly_long

TABLES = {
    "rides": """ride_id,started_at,ended_at,rider_type,distance_km
r1,2024-05-01 08:00:00,2024-05-01 08:30:00,member,9
r2,2024-05-01 23:50:00,2024-05-02 00:20:30,member,5
r3,2024-05-02 10:00:00,2024-05-02 12:00:00,casual,7
r4,2024-05-03 10:00:00,,casual,1
""",
    "invoices": """invoice_no,customer,issued,due,paid_on,amount
i1,Ash,2024-01-01,2024-01-31,2024-01-11,10
i2,Ash,2024-02-01,2024-03-02,2024-03-02,20
i3,Birch,2024-03-01,2024-03-31,2024-03-06,30
i4,Birch,2024-03-05,2024-04-04,,40
""",
    "runs": """run_id,started_at,ended_at,duration_s
a,2024-05-01 08:00:00,2024-05-01 08:30:00,11
b,2024-05-01 09:00:00,2024-05-01 09:30:00,13
""",
}


def answer(folder: Path, table: str, question: str) -> dict[str, Any]:
    (folder / f"{table}.csv").write_text(TABLES[table])
    return next(ask(folder, [question]))


def values(document: dict[str, Any]) -> list[list[Any]]:
    assert document["tool_calls"], document["answer"]
    return [list(row) for row in document["tool_calls"][0]["result"]["rows"]]


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    mostly_long(
        [
            ("rides", "average ride duration by rider type", [["casual", 120], ["member", 30.25]]),
            (
                "rides",
                "average ride duration in hours by rider type",
                [["casual", 2], ["member", 30.25 / 60]],
            ),
            ("rides", "how many rides lasted more than an hour?", [[1]]),
            ("rides", "how many rides lasted between 30 and 31 minutes?", [[2]]),
            ("rides", "which ride took the longest?", [["r3", "2024-05-02T10:00:00", 120]]),
            ("rides", "total duration in minutes by rider type", [["casual", 120], ["member", 60.5]]),
            ("invoices", "average days between issued and paid on by customer", [["Ash", 20], ["Birch", 5]]),
            ("invoices", "average days to pay by customer", [["Ash", 20], ["Birch", 5]]),
            ("invoices", "average time from issued to due in weeks", [[30 / 7, 4, 0]]),
            ("invoices", "how many invoices took more than 7 days to pay?", [[2]]),
            ("invoices", "which invoice took the longest to pay?", [["i2", "2024-02-01", 30]]),
            ("runs", "average duration", [[12, 2, 0]]),
            (
                "rides",
                "cumulative duration by day",
                [["2024-05-01", 60.5, 60.5], ["2024-05-02", 120, 180.5], ["2024-05-03", None, 180.5]],
            ),
        ],
        quick=(0, 3, 7),
    ),
)
def test_a_time_between_two_dates_is_computed(
    tmp_path: Path, table: str, question: str, expected: list[list[Any]]
) -> None:
    document = answer(tmp_path, table, question)
    found = values(document)
    assert [len(row) for row in found] == [len(row) for row in expected], document["answer"]
    for row, wanted in zip(found, expected, strict=True):
        assert row == [pytest.approx(cell) if isinstance(cell, float) else cell for cell in wanted]


@pytest.mark.parametrize(
    ("table", "question"),
    mostly_long(
        [
            ("rides", "average ride duration in hours by rider type"),
            ("rides", "how many rides lasted more than an hour?"),
            ("invoices", "top 2 customers by average days to pay"),
        ],
        quick=(2,),
    ),
)
def test_asking_the_title_of_a_result_runs_the_same_query(tmp_path: Path, table: str, question: str) -> None:
    asked = answer(tmp_path, table, question)["tool_calls"][0]["args"]
    assert answer(tmp_path, table, asked["title"])["tool_calls"][0]["args"] == asked


def test_a_time_without_an_end_is_left_out_and_counted(tmp_path: Path) -> None:
    document = answer(tmp_path, "rides", "average ride duration")
    assert "from 3 values; 1 row without a value is left out" in document["answer"]
    assert "**60.17**" in document["answer"]


def test_the_answer_names_the_longest_time_and_not_its_start(tmp_path: Path) -> None:
    document = answer(tmp_path, "rides", "which ride took the longest?")
    assert document["answer"] == (
        "**r3, 2024-05-02T10:00:00** has the highest minutes from started_at to ended_at, **120**."
    )


@pytest.mark.parametrize(
    ("table", "question"),
    mostly_long(
        [
            ("rides", "longest ride"),  # its distance, or its time
            ("invoices", "average duration by customer"),  # until due, or until paid
            ("invoices", "average amount in hours"),
            ("rides", "average minutes from rider type to ended at"),
        ],
        quick=(0, 2),
    ),
)
def test_an_ambiguous_time_is_declined(tmp_path: Path, table: str, question: str) -> None:
    assert answer(tmp_path, table, question)["tool_calls"] == []


def test_a_follow_up_changes_the_unit(tmp_path: Path) -> None:
    (tmp_path / "rides.csv").write_text(TABLES["rides"])
    _, changed = ask(tmp_path, ["average ride duration by rider type", "in hours"])
    assert values(changed) == [["casual", 2], ["member", pytest.approx(30.25 / 60)]]


def test_a_chip_offers_each_unit(tmp_path: Path) -> None:
    (tmp_path / "rides.csv").write_text(TABLES["rides"])
    span = {"column": "started_at", "until": "ended_at", "unit": "minutes"}
    form = {"table": "rides", "measures": [{"aggregate": "mean", "of": span}]}
    (chip,) = (part for part in form_parts(form, profile(tmp_path)) if part.kind == "measure")
    assert chip.text == "average minutes from started_at to ended_at"
    offered = {choice.text: form_sentence(choice.form) for choice in chip.choices}
    hours = "average hours from started_at to ended_at"
    assert offered[hours] == f"{hours[0].upper()}{hours[1:]} in rides"
    assert "average days from started_at to ended_at" in offered


def test_a_missing_column_of_a_time_span_is_reported_at_its_chip(tmp_path: Path) -> None:
    (tmp_path / "rides.csv").write_text(TABLES["rides"].replace("ended_at", "stopped"))
    span = {"column": "started_at", "until": "ended_at", "unit": "minutes"}
    form = {"table": "rides", "measures": [{"aggregate": "mean", "of": span}]}
    (chip,) = (part for part in form_parts(form, profile(tmp_path)) if part.kind == "measure")
    assert chip.problem == "The table rides has no column ended_at."
    assert chip.choices


def test_a_source_is_queried_in_its_own_sql_or_the_reason_is_reported() -> None:
    sql = "SELECT avg((epoch(ended_at) - epoch(started_at)) / 60) AS minutes FROM rides"

    def asked(dialect: str) -> str:
        return sql_at_source(
            sql, (), SourceOfTable(name="shop", dialect=dialect, schema_name="", table="rides")
        )

    assert "DATE_PART('epoch', ended_at)" in asked("postgres")
    assert "UNIX_TIMESTAMP(ended_at)" in asked("spark")
    with pytest.raises(FormError, match=r"\(sqlite\) has no function for this: time between two dates"):
        asked("sqlite")
