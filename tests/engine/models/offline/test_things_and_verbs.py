"""What a noun names if several columns could be meant, and verbs that say only that a row exists."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.ask_offline import ask

LOANS = """loan_id,patron_id,patron_type,patron_name,title,branch,loan_date,renewals,explicit
1,P1,adult,Ana Berg,Emma,Central,2024-01-01,0,true
2,P2,child,Ana Berg,Emma,Central,2024-01-02,2,false
3,P1,adult,Ana Berg,Dracula,North,2024-01-03,4,false
4,P3,adult,Bo Lund,Emma,North,2024-01-04,6,false
"""
EXAMS = """exam_id,pupil,class,grade,score,delay_min
1,Ana,10A,A,90,5
2,Bo,10A,B,70,9
3,Cy,10B,A,95,1
"""


SPENT = """txn_date,category,merchant,paid_by,amount_usd
2024-01-01,Food,Aldi,Ana,10
2024-01-02,Food,Aldi,Bo,20
2024-02-03,Fuel,Shell,Bo,50
"""


def answer(folder: Path, table: str, text: str, question: str) -> dict[str, Any]:
    (folder / f"{table}.csv").write_text(text)
    return list(ask(folder, [question]))[-1]


def rows(document: dict[str, Any]) -> list[list[Any]]:
    assert document["tool_calls"], document["answer"]
    found: list[list[Any]] = document["tool_calls"][-1]["result"]["rows"]
    return found


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many different patron types", [[2]]),
        ("how many loans are marked explicit", [[1]]),
        ("how many loans have renewals above the overall average", [[2]]),
    ],
)
def test_patrons_are_told_apart_by_their_key(
    tmp_path: Path, question: str, expected: list[list[Any]]
) -> None:
    assert rows(answer(tmp_path, "loans", LOANS, question)) == expected


def test_a_group_of_patrons_is_not_a_group_of_their_types(tmp_path: Path) -> None:
    nameless = "\n".join(",".join(line.split(",")[:3]) for line in LOANS.splitlines())
    assert rows(answer(tmp_path, "loans", nameless, "which patrons have 2 or more loans?")) == [["P1", 2]]


def test_a_verb_that_names_a_state_is_not_dropped(tmp_path: Path) -> None:
    assert not answer(tmp_path, "loans", LOANS, "how many loans were returned by Ana Berg")["tool_calls"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("number of A grades by class", [["10A", 1], ["10B", 1]]),
        ("average score by class, best to worst", [["10B", 95.0], ["10A", 80.0]]),
        ("average delay by class, best to worst", [["10B", 1.0], ["10A", 7.0]]),
    ],
)
def test_a_grade_is_no_article_and_best_depends_on_the_measure(
    tmp_path: Path, question: str, expected: list[list[Any]]
) -> None:
    assert [row[:2] for row in rows(answer(tmp_path, "exams", EXAMS, question))] == expected


def test_a_number_of_rows_is_no_remark(tmp_path: Path) -> None:
    found = rows(answer(tmp_path, "exams", EXAMS, "give me the two highest scores"))
    assert len(found) == 2


def test_not_one_or_the_other_is_not_read_as_either(tmp_path: Path) -> None:
    found = answer(tmp_path, "loans", LOANS, "how many loans are not from Central or child")
    assert not found["tool_calls"]


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    [
        ("household_spending", "total spend by merchant", {"Aldi": 30.0, "Shell": 50.0}),
        ("household_spending", "spending by month", {"2024-01-01": 30.0, "2024-02-01": 50.0}),
        ("household_spending", "top merchant by total spending", {"Shell": 50.0}),
        ("expenses", "total expenses by category", {"Food": 30.0, "Fuel": 50.0}),
        ("expenses", "expenses by category", {"Food": 30.0, "Fuel": 50.0}),
        ("expenses", "number of expenses by category", {"Food": 2, "Fuel": 1}),
        ("transactions", "transactions by category", {"Food": 2, "Fuel": 1}),
    ],
)
def test_expenses_are_sums_of_money_unless_they_are_counted(
    tmp_path: Path, table: str, question: str, expected: dict[str, float]
) -> None:
    assert {row[0]: row[1] for row in rows(answer(tmp_path, table, SPENT, question))} == expected


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    [
        ("expenses", "how much expenses in January", 30.0),
        ("payments", "how much payments in January", 30.0),
        ("payments", "how many payments in January", 2),
        ("expenses", "how many expenses are there", 3),
    ],
)
def test_how_much_asks_for_money_and_how_many_for_rows(
    tmp_path: Path, table: str, question: str, expected: float
) -> None:
    assert rows(answer(tmp_path, table, SPENT, question))[0][0] == expected


@pytest.mark.parametrize("question", ["total payments by category", "total payments in January"])
def test_total_payments_may_be_an_amount_or_a_number(tmp_path: Path, question: str) -> None:
    said = answer(tmp_path, "payments", SPENT, question)
    assert not said["tool_calls"]
    assert "total amount_usd" in said["answer"].lower()
    assert "number of rows" in said["answer"].lower()
