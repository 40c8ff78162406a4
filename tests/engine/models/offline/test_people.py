"""People: who somebody is, when they were born, joined and left, and what they earn."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered, assert_rows
from tests.support.long_cases import mostly_long

NURSES = """nurse_id,given_name,family_name,birth_date,ward,joined_on,exit_date,reason,wage,leave_days_left,nation,ill
N1,Ida,Holm,1984-05-01,A,2015-03-01,,,3200,4,Norway,Ill
N2,Jon,Dahl,1991-02-03,B,2018-01-01,2022-05-01,Moved,2800,,Sweden,Recovered
N3,Kay,Lund,1979-12-30,A,2018-06-01,,,3900,9,Norway,Recovered
N4,Leo,Moe,1996-08-08,B,2022-01-01,2022-11-01,Study,2500,,Norway,Ill
N5,May,Rud,1988-01-09,A,2023-02-01,,,2900,12,Denmark,Ill
"""
CREW = """crew_id,full_name,hire_date,contract_end,salary
1,Ada Berg,2020-01-01,2031-01-01,50
2,Ben Dahl,2021-01-01,2032-01-01,40
3,Cy Eng,2022-01-01,,30
"""
TOWNS = """town,founded,born_2023,left_2023,salary_index
Ahus,1200,30,12,5
Bro,1300,40,15,6
"""
ORDERS = """order_id,first_name,last_name,gender,ordered_on,amount,yearly_income
O1,Ida,Holm,F,2024-01-05,50,40000
O2,Jon,Dahl,M,2024-01-09,40,30000
O3,Kay,Lund,F,2024-02-11,45,50000
"""
LEAVERS = """staff_id,name,hire_date,exit_date,days_left
1,Ida Holm,2021-01-01,2022-05-01,4
2,Jon Dahl,2021-03-01,2023-02-01,5
3,Kay Lund,2022-03-01,,6
"""
TABLES = {"leavers": LEAVERS, "orders": ORDERS, "nurses": NURSES, "crew": CREW, "towns": TOWNS}


@pytest.mark.parametrize(
    ("question", "expected"),
    mostly_long(
        [
            ("who is the highest paid nurse", [["Kay", "Lund", 3900]]),
            ("who is the youngest nurse?", [["Leo", "Moe", "1996-08-08"]]),
            ("oldest nurse in ward A", [["Kay", "Lund", "1979-12-30"]]),
            ("who joined most recently", [["May", "Rud", "2023-02-01"]]),
            ("how many nurses have left the choir", None),
            ("how many nurses have left the company?", [[2]]),
            ("how many people quit in 2022", [[2]]),
            ("how many nurses are no longer with us", [[2]]),
            ("how many nurses still work here", [[3]]),
            ("how many nurses work here", [[3]]),
            ("nurses per ward, but only people who are still employed", [["A", 3]]),
            ("how many nurses left each year", [[2022, 2]]),
            ("how many nurses did we hire each year", [[2015, 1], [2018, 2], [2022, 1], [2023, 1]]),
            ("how many people did we hire in 2018", [[2]]),
            ("how many of the nurses who joined in 2018 have left", [[1]]),
            ("breakdown of the reasons why people left", [["Moved", 1], ["Study", 1]]),
            ("how many nurses were born in the 80s", [[2]]),
            ("how many nurses were born after 1990", [[2]]),
            ("how many earn more than 2,850?", [[3]]),
            ("who makes more than 3500", [["N3"]]),
            ("what do all the wages in ward A add up to?", [[10000]]),
            ("oldest nurse to recover", [["Kay", "Lund"]]),
            ("average leave days left", [[25 / 3]]),
        ],
        every=4,
    ),
)
def test_questions_about_people_are_answered(
    tmp_path: Path, question: str, expected: list[list[Any]] | None
) -> None:
    document = answered(tmp_path, "nurses", NURSES, question)
    if expected is None:
        assert not document["tool_calls"]
    else:
        assert_rows(document, expected)


def test_a_first_and_a_last_name_are_one_name(tmp_path: Path) -> None:
    assert (
        "**Kay Lund** has the highest" in answered(tmp_path, "nurses", NURSES, "who earns the most")["answer"]
    )


def test_the_name_of_a_customer_is_not_the_name_of_an_order(tmp_path: Path) -> None:
    assert (
        "Ida Holm" not in answered(tmp_path, "orders", ORDERS, "which order has the highest amount")["answer"]
    )


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("nurses", "how many nurses were born in Norway"),  # a nationality is no place of birth
        ("crew", "how many people have left the company"),  # contracts that end later
        ("crew", "who is the youngest"),
        ("orders", "who paid more than 500"),  # which is no income
        ("nurses", "how many nurses are still at risk"),
        (
            "leavers",
            "did more people leave in 2022 than in 2021",
        ),  # which says nothing about those hired then
        ("crew", "how many crew started a course"),
        ("towns", "how many people have left"),
    ],
)
def test_questions_about_people_that_no_column_answers_are_declined(
    tmp_path: Path, table: str, question: str
) -> None:
    assert not answered(tmp_path, table, TABLES[table], question)["tool_calls"]
