"""Readings that leave out a word which changes the question are declined; conditions of compared things are kept."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered

FLIGHTS = """flight,airline,origin,cancelled,delayed,passengers,taken_on,paid_on
f1,Arrow,Bern,yes,no,100,2023-01-01,2023-02-01
f2,Arrow,Bern,no,yes,90,2023-01-02,2023-02-02
f3,Arrow,Graz,no,yes,80,2023-01-03,2024-02-03
f4,Blue,Graz,yes,yes,150,2023-01-04,2024-02-04
f5,Blue,Graz,yes,no,10,2023-01-05,2024-02-05
"""
ORDERS = """order_no,customer,product,quantity,amount,member
1,Ana,Lamp,3,30,yes
1,Ana,Desk,1,90,no
2,Bo,Lamp,2,20,yes
3,Bo,Desk,2,180,no
4,Bo,Chair,1,15,no
"""
RACE = """runner,club,finish_time,priority,satisfaction
Ana,Red,03:10:00,Low,5
Bo,Red,02:50:00,High,1
Cy,Blue,04:00:00,Low,2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.mark.parametrize(
    ("table", "text", "question"),
    [
        ("flights", FLIGHTS, "flights both cancelled and delayed"),
        ("flights", FLIGHTS, "which airline had the most passengers in a single flight?"),
        ("flights", FLIGHTS, "how many flights did they pay for in 2024, paid in 2023"),
        ("order_lines", ORDERS, "how many of each were sold?"),
        ("order_lines", ORDERS, "which product is ordered the most by members?"),
        ("order_lines", ORDERS, "how many lamps were sold?"),
        ("race", RACE, "top 2 clubs by average finish time"),
        ("race", RACE, "runners with low satisfaction"),
    ],
)
def test_a_word_that_changes_the_question_is_not_left_out(
    folder: Path, table: str, text: str, question: str
) -> None:
    assert answered(folder, table, text, question)["tool_calls"] == []


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("did Arrow or Blue have more cancelled flights?", [["Arrow", 1], ["Blue", 2]]),
        ("does Bern or Graz have more delayed flights?", [["Bern", 1], ["Graz", 2]]),
    ],
)
def test_a_condition_on_the_compared_groups_is_kept(folder: Path, question: str, expected: Any) -> None:
    (call,) = answered(folder, "flights", FLIGHTS, question)["tool_calls"]
    assert sorted(call["result"]["rows"]) == expected


def test_who_paid_the_most_is_the_person_with_the_highest_sum(folder: Path) -> None:
    (call,) = answered(folder, "order_lines", ORDERS, "who paid the most?")["tool_calls"]
    assert call["result"]["rows"] == [["Bo", 215]]
