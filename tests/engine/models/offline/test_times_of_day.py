"""Times of day in questions, and comparisons of time ranges."""

from pathlib import Path
from typing import Any

import pytest

from engine.models.offline.form import Condition, Filter, Form, FormError, Measure, Ref
from engine.models.offline.joining import table_of
from engine.models.offline.source_sql import sql_at_source
from engine.models.offline.sql import query
from engine.workspace.table_facts import SourceOfTable
from tests.engine.models.offline.rows_of import answered, rows_of
from tests.support.ask_offline import profile
from tests.support.long_cases import mostly_long

TABLES = {
    "rides": """ride_id,pickup_datetime,dropoff_datetime,fare
1,2024-01-01 06:59:30,2024-01-01 07:10:00,10
2,2024-01-02 07:00:00,2024-01-02 07:20:00,20
3,2024-01-06 08:59:40,2024-01-06 09:30:00,30
4,2024-01-07 09:00:00,2024-01-07 22:30:00,40
5,2024-01-08 18:00:00,2024-01-08 18:05:00,50
6,2025-02-08 23:15:00,2025-02-09 00:15:00,60
7,2025-08-09 12:00:00,2025-08-09 12:10:00,70
""",
    "visits": """visit_id,visit_date,start_time,wait_mins,score
1,2024-01-01,08:30,5,3
2,2024-01-02,9:15,10,4
3,2024-01-03,13:00,20,5
4,2024-01-03,13:45,30,1
5,2024-01-04,,40,2
""",
    "calls": """call_id,started_at,agent,duration
1,2024-01-05 07:30:00,Ann,00:05:12
2,2024-01-05 09:30:00,Bob,00:15:12
3,2024-01-05 09:45:00,Bob,01:15:12
""",
    "runners": """bib,runner,finish_time
1,Ann,02:45:10
2,Bob,03:15:10
""",
    "shifts": """shift_id,employee,start_time,end_time
1,Ann,08:30,16:30
2,Bob,22:00,06:00
""",
}


@pytest.mark.parametrize(
    ("table", "question", "count"),
    mostly_long(
        [
            ("rides", "how many rides before 9am", 3),
            ("rides", "how many rides before 9 a.m.?", 3),
            ("rides", "how many rides started between 7:00 and 8:59", 2),
            ("rides", "how many rides between 7 and 9 in the morning", 3),
            ("rides", "how many rides were between 6 and 11 in the evening", 1),
            ("rides", "how many rides were picked up after 10 pm", 1),
            ("rides", "how many rides were dropped off after 10 pm", 1),
            ("rides", "how many rides after 18:00", 1),
            ("rides", "how many rides at 6 pm or later", 2),
            ("rides", "how many rides started at 7 am", 1),
            ("rides", "how many rides until noon", 5),
            ("rides", "how many rides before 9 am on a Saturday or Sunday", 1),
            ("rides", "how many rides from Monday to Friday", 3),
            ("rides", "how many rides from Saturday to Monday", 6),
            ("visits", "how many visits before 10am", 2),
            ("visits", "how many visits between 1pm and 1:30 pm", 1),
            ("visits", "how many visits started at 1 pm", 2),
            ("rides", "how many rides between 6:00 and 18:30", 6),
            ("rides", "how many rides between 11 and 12:30 pm", 1),
            ("rides", "how many rides at 8:59", 1),
            ("rides", "how many rides ended after 8 pm", 1),
            ("rides", "how many rides ended before 7:15", 2),
            ("rides", "how many rides ended in 2025", 2),
            ("calls", "how many calls after 9 am", 2),
            ("rides", "how many rides finished before 7:15", 2),
            ("rides", "how many rides started after 10 pm", 1),
            ("shifts", "how many shifts start before 9 am", 1),
            ("shifts", "how many shifts end before 9 am", 1),
        ],
        quick=range(0, 28, 4),
    ),
)
def test_rows_at_a_time_of_day_are_counted(tmp_path: Path, table: str, question: str, count: int) -> None:
    assert rows_of(answered(tmp_path, table, TABLES[table], question)) == [[count]]


def test_times_stored_as_text_are_grouped_by_hour(tmp_path: Path) -> None:
    found = rows_of(answered(tmp_path, "visits", TABLES["visits"], "average wait by hour"))
    assert [row[:2] for row in found] == [[8, 5.0], [9, 10.0], [13, 25.0], [None, 40.0]], (
        "a visit without a time is not dropped"
    )


@pytest.mark.parametrize(
    "question",
    mostly_long(
        [
            "how many visits before 25 pm",
            "how many visits before 9:75",
            "how many visits in the evening",
            "how many visits between 9 and 13:00 pm",
            "how many visits between 3pm and 2pm",
            "average score before 9",
            "how many visits between 7:00 and 10 pm",
            "how many visits before midnight",
            "how many visits until 12 am",
            "how many visits between 1:00 and 4:00 at night",
            "how many visits at 9:15 and 13:00",
        ],
        quick=(0, 3, 7),
    ),
)
def test_values_that_are_not_times_are_not_guessed(tmp_path: Path, question: str) -> None:
    assert not answered(tmp_path, "visits", TABLES["visits"], question)["tool_calls"]


@pytest.mark.parametrize(
    ("table", "question"),
    mostly_long(
        [
            ("rides", "how many rides before February 7 2024 at 8 pm"),
            ("rides", "how many rides that started before 8 am ended after 9 am"),
            ("runners", "how many runners before 3 am"),
            ("runners", "how many runners finished before 3 am"),
            ("calls", "how many calls ended after 9 am"),
            ("runners", "runners by hour"),
        ],
        quick=(2, 4),
    ),
)
def test_a_time_of_day_that_could_be_two_columns_or_a_duration_is_refused(
    tmp_path: Path, table: str, question: str
) -> None:
    assert not answered(tmp_path, table, TABLES[table], question)["tool_calls"]


def test_calls_by_hour_are_grouped_by_their_start_and_not_by_their_duration(tmp_path: Path) -> None:
    found = rows_of(answered(tmp_path, "calls", TABLES["calls"], "calls by hour of day"))
    assert [row[:2] for row in found] == [[7, 1], [9, 2]]


def test_a_form_with_an_impossible_time_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rides.csv").write_text(TABLES["rides"])
    tables = profile(tmp_path)

    def sql(column: str, compare: Any, *values: str) -> str:
        condition = Condition(Ref(column, grain="time of day"), compare, values)
        form = Form("rides", measures=(Measure("count"),), filters=(Filter((condition,)),))
        return query(form, table_of(form, tables)).sql

    assert "TIME '24" not in sql("pickup_datetime", "<", "23:59")
    for column, compare, values in (
        ("pickup_datetime", "<", ("24:00",)),
        ("pickup_datetime", "<", ("9:00",)),
        ("pickup_datetime", "<", ("09:00", "10:00")),
        ("pickup_datetime", "contains", ("09:00",)),
        ("fare", "<", ("09:00",)),
    ):
        with pytest.raises(FormError):
            sql(column, compare, *values)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Compare the number of rides in the first half of 2024 with the first half of 2025", [5, 1]),
        ("total fare in January to March 2024 vs January to March 2025", [150, 60]),
    ],
)
def test_two_time_ranges_are_compared(tmp_path: Path, question: str, expected: list[float]) -> None:
    assert [row[1] for row in rows_of(answered(tmp_path, "rides", TABLES["rides"], question))] == expected


def test_a_verdict_on_two_time_ranges_names_the_range_asked_about_first(tmp_path: Path) -> None:
    question = "Did we have more rides in the first half of 2025 than in the first half of 2024?"
    said = answered(tmp_path, "rides", TABLES["rides"], question)["answer"]
    assert said.startswith("No. ")
    assert said.index("2025 **1**") < said.index("2024 **5**")


@pytest.mark.long
def test_a_change_between_time_ranges_is_not_mistaken_for_one_between_years(tmp_path: Path) -> None:
    question = "By how much did the fare change from the first half of 2024 to the first half of 2025?"
    assert not answered(tmp_path, "rides", TABLES["rides"], question)["tool_calls"]


def test_a_source_without_times_of_day_reports_that() -> None:
    sql = "SELECT count(*) FROM rides WHERE CAST(pickup AS TIME) < TIME '09:00:00'"

    def asked(dialect: str) -> str:
        place = SourceOfTable(name="shop", dialect=dialect, schema_name="", table="rides")
        return sql_at_source(sql, (), place)

    assert "CAST(pickup AS TIME)" in asked("postgres")
    assert "TIME(pickup)" in asked("sqlite")
    with pytest.raises(FormError, match=r"\(spark\) has no function for this: time of day"):
        asked("spark")
