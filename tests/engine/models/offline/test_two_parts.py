"""Questions of two or three parts, in one sentence or several: each part is read, or the question is declined."""

from pathlib import Path
from typing import Any

import pytest

from engine.models.offline.understand import understand
from engine.models.offline.wording import sentence
from tests.engine.models.offline.rows_of import answered, rows_of
from tests.support.ask_offline import ask, profile
from tests.support.long_cases import mostly_long

STAFF = "staff_id,full_name,office,department,level,hired_on,salary,bonus,born\n" + "".join(
    f"{at},{name},{office},{department},{level},{hired},{salary},{bonus},{born}\n"
    for at, (name, office, department, level, hired, salary, bonus, born) in enumerate(
        [
            ("Ida", "Berlin", "Sales", "Lead", "2020-03-01", 90_000, 9_000, 1980),
            ("Ben", "Berlin", "Sales", "Junior", "2021-05-10", 50_000, 4_000, 1995),
            ("Cleo", "Oslo", "Sales", "Junior", "2021-07-02", 52_000, "", 1996),
            ("Dan", "Oslo", "Finance", "Lead", "2022-01-15", 88_000, "", 1984),
            ("Eva", "Berlin", "Finance", "Junior", "2022-02-20", 48_000, "", 1999),
            ("Finn", "Oslo", "Design", "Lead", "2023-09-09", 70_000, 2_000, 1990),
        ],
        1,
    )
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which department has the most employees, and how many?", [["Sales", 3]]),
        (
            "Which department has the highest average salary? Tell me the number as well.",
            [["Design", 70_000]],
        ),
        ("which level has the lowest average salary, and what is it?", [["Junior", 50_000]]),
        ("How many employees are there and what's their average salary?", [[6, 66_333.33]]),
        ("How many employees are in Berlin, and what is their total salary?", [[3, 188_000]]),
        (
            "Which department has the most employees, and what is their average salary?",
            [["Sales", 3, 64_000]],
        ),
        (
            "average salary by level, and how many people are in each?",
            [["Junior", 50_000, 3], ["Lead", 82_666.67, 3]],
        ),
        ("How many employees are in Sales, and how many are in Finance?", [["Finance", 2], ["Sales", 3]]),
        ("How many employees are in Berlin? And in Oslo?", [["Berlin", 3], ["Oslo", 3]]),
        ("How many people were hired in 2021? And in 2022?", [[2021, 2], [2022, 2]]),
        ("How many employees are there? Break it down by office.", [["Berlin", 3], ["Oslo", 3]]),
        ("What is the average salary? Only people hired since 2022 please.", [[68_666.67]]),
        ("Only look at Berlin. Which department has the most employees?", [["Sales", 2]]),
    ],
)
def test_both_parts_are_answered(tmp_path: Path, question: str, expected: list[list[Any]]) -> None:
    rows = rows_of(answered(tmp_path, "staff", STAFF, question))
    found = [row[: len(wanted)] for row, wanted in zip(rows, expected, strict=True)]
    assert found == [
        [pytest.approx(cell, abs=0.01) if isinstance(cell, float) else cell for cell in row]
        for row in expected
    ]


def test_a_second_measure_next_to_a_ranking_is_in_the_answer(tmp_path: Path) -> None:
    question = "Which department has the most employees, and what is their average salary?"
    said = answered(tmp_path, "staff", STAFF, question)["answer"]
    assert said == "**Sales** has the highest number of rows, **3**; average salary 64,000."


def test_several_numbers_for_a_few_groups_are_in_the_answer(tmp_path: Path) -> None:
    said = answered(tmp_path, "staff", STAFF, "average salary by level, and how many people are in each?")[
        "answer"
    ]
    assert said == "Average salary and number of rows by level: Junior: 50,000 and 3; Lead: 82,666.67 and 3."


@pytest.mark.parametrize(
    "question",
    mostly_long(
        [
            "How many employees are in Berlin and how many of them are in Sales?",  # was the second number alone
            "How many employees per office and how many of them are in Sales?",
            "Which department has the most people in Berlin? How many employees?",
            "Which office has the most employees and which has the fewest?",
            "When was the last hire, and how old was he?",
            "What is the highest salary and how high is it for juniors?",
            "How many people were hired in 2021? And what was the average salary in 2022?",
            "What's the average salary, and how many people earn more than that?",
            "How many employees are in Berlin and what is the average salary of juniors?",  # was of juniors in Berlin
            "How many employees are there per office and what is their average salary per department?",
            "Show employees per office. What's the total?",
            "How many employees are there in Berlin, and how many are there in total?",
            "What is the average salary in Berlin, and what is the average salary?",
            "Which two departments have the highest total salary, and how much is it in total?",
            "Which department has the most employees in Berlin, and how many in total?",
            "How many employees are in each office, and what is the total salary?",
            "Which department has the most employees? Give me the bonus too.",
            "Which department has the highest average salary? Tell me the total as well.",
            "Which department has the most employees? Tell me the percentage as well.",
            "Which department has the highest total salary? Tell me the gremlins as well.",
            "Show the average salary by office. Only weekdays in Bergen.",
        ],
        every=4,
    ),
)
def test_a_question_is_declined_if_one_of_its_parts_cannot_be_read(tmp_path: Path, question: str) -> None:
    assert not answered(tmp_path, "staff", STAFF, question)["tool_calls"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which of them has the highest salary, and what is it?", "Berlin"),
        ("How many of them are in Sales, and what is their average salary?", "Berlin"),
    ],
)
def test_the_first_part_may_be_a_follow_up(tmp_path: Path, question: str, expected: str) -> None:
    (tmp_path / "staff.csv").write_text(STAFF)
    *_, last = ask(tmp_path, ["How many employees are in Berlin?", question])
    assert not last["tool_calls"] or expected in last["tool_calls"][-1]["args"]["sql"]


def test_a_long_run_of_blanks_is_read_quickly(tmp_path: Path) -> None:
    asked = "How many employees are there" + " " * 20_000 + "and what is their average salary?"
    assert rows_of(answered(tmp_path, "staff", STAFF, asked))[0][:2] == [
        6,
        pytest.approx(66_333.33, abs=0.01),
    ]


def test_two_questions_are_offered_one_by_one(tmp_path: Path) -> None:
    asked = "How many employees are in Berlin and what is the average salary of juniors?"
    assert answered(tmp_path, "staff", STAFF, asked)["answer"] == (
        "I can only answer one question at a time.\n\nYou could ask:\n"
        "- How many employees are in Berlin?\n- What is the average salary of juniors?"
    )


def test_a_question_for_the_row_with_an_extreme_value_gets_that_row(tmp_path: Path) -> None:
    trips = "ride_id,day,bike_type,distance_km\n1,2024-01-05,Road,4.5\n2,2024-02-01,City,31.5\n3,2024-03-01,City,2.9\n"
    (tmp_path / "rides.csv").write_text(trips)
    question = "show me the ride with the greatest distance: what bike type and day was it?"
    reading = understand(question, profile(tmp_path))
    said = [sentence(form) for form in reading.forms]
    assert said == ["ride_id, day, distance_km, bike_type of rows with the highest distance_km"]
