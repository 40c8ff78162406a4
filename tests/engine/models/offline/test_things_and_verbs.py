"""What a noun names if it fits several columns, and verbs that only say that a row exists."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered, rows_of
from tests.support.long_cases import mostly_long

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
TASKS = """task_id,created,assignee,published,stage
1,2024-01-05,Ann,2024-01-09,Waiting
2,2024-01-06,,,Waiting
3,2024-02-07,Bob,,Done
"""
FEES = """payment_id,paid_on,method,processing_fee_usd
1,2024-01-05,Card,1.5
2,2024-01-06,Cash,0.5
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    mostly_long(
        [
            ("how many different patron types", [[2]]),
            ("how many loans are marked explicit", [[1]]),
            ("how many loans have renewals above the overall average", [[2]]),
        ],
        quick=(1,),
    ),
)
def test_a_type_a_flag_and_an_average_are_understood(
    tmp_path: Path, question: str, expected: list[list[Any]]
) -> None:
    assert rows_of(answered(tmp_path, "loans", LOANS, question)) == expected


def test_which_patrons_groups_by_patron_and_not_by_patron_type(tmp_path: Path) -> None:
    nameless = "\n".join(",".join(line.split(",")[:3]) for line in LOANS.splitlines())
    assert rows_of(answered(tmp_path, "loans", nameless, "which patrons have 2 or more loans?")) == [
        ["P1", 2]
    ]


@pytest.mark.parametrize(
    "question",
    [
        "How many different patrons are there at Central?",
        "how many different patron names are there",
        "number of patrons",
    ],
)
def test_if_names_are_shared_people_and_names_are_two_readings(tmp_path: Path, question: str) -> None:
    said = answered(tmp_path, "loans", LOANS, question)
    assert not said["tool_calls"]
    assert "Number of different patron_id" in said["answer"]
    assert "Number of different patron_name" in said["answer"]


@pytest.mark.parametrize(
    ("table", "text", "question"),
    mostly_long(
        [
            ("loans", LOANS, "how many loans were returned by Ana Berg"),
            ("tasks", TASKS, "how many tasks were assigned"),
            ("tasks", TASKS, "how many tasks were handled"),
            ("tasks", TASKS, "how many tasks were opened"),
        ],
        quick=(1,),
    ),
)
def test_a_verb_that_names_a_state_is_not_ignored(
    tmp_path: Path, table: str, text: str, question: str
) -> None:
    assert not answered(tmp_path, table, text, question)["tool_calls"]


def test_a_verb_with_an_object_only_says_that_rows_exist(tmp_path: Path) -> None:
    found = answered(
        tmp_path, "loans", LOANS, "which branch handled the most loans on 2024-01-03 or 2024-01-04"
    )
    assert rows_of(found) == [["North", 2]]


@pytest.mark.parametrize(
    ("question", "count"), [("how many tasks were created", 3), ("how many tasks were published", 1)]
)
def test_a_verb_selects_rows_if_its_column_has_missing_values(
    tmp_path: Path, question: str, count: int
) -> None:
    assert rows_of(answered(tmp_path, "tasks", TASKS, question)) == [[count]]


@pytest.mark.parametrize(
    ("question", "expected"),
    mostly_long(
        [
            ("number of A grades by class", [["10A", 1], ["10B", 1]]),
            ("average score by class, best to worst", [["10B", 95.0], ["10A", 80.0]]),
            ("average delay by class, best to worst", [["10B", 1.0], ["10A", 7.0]]),
        ],
        quick=(0,),
    ),
)
def test_the_a_in_a_grades_is_not_an_article_and_best_depends_on_the_measure(
    tmp_path: Path, question: str, expected: list[list[Any]]
) -> None:
    assert [row[:2] for row in rows_of(answered(tmp_path, "exams", EXAMS, question))] == expected


def test_a_number_of_rows_is_not_ignored(tmp_path: Path) -> None:
    found = rows_of(answered(tmp_path, "exams", EXAMS, "give me the two highest scores"))
    assert len(found) == 2


def test_neither_of_two_values_is_not_read_as_either(tmp_path: Path) -> None:
    found = answered(tmp_path, "loans", LOANS, "how many loans are not from Central or child")
    assert not found["tool_calls"]


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    mostly_long(
        [
            ("household_spending", "total spend by merchant", {"Aldi": 30.0, "Shell": 50.0}),
            ("household_spending", "spending by month", {"2024-01-01": 30.0, "2024-02-01": 50.0}),
            ("household_spending", "top merchant by total spending", {"Shell": 50.0}),
            ("expenses", "total expenses by category", {"Food": 30.0, "Fuel": 50.0}),
            ("expenses", "expenses by category", {"Food": 30.0, "Fuel": 50.0}),
            ("expenses", "number of expenses by category", {"Food": 2, "Fuel": 1}),
            ("expenses", "which category has the highest expenses", {"Fuel": 50.0}),
            ("transactions", "transactions by category", {"Food": 2, "Fuel": 1}),
        ],
        quick=(0, 3, 6),
    ),
)
def test_expenses_are_sums_of_money_unless_they_are_counted(
    tmp_path: Path, table: str, question: str, expected: dict[str, float]
) -> None:
    assert {row[0]: row[1] for row in rows_of(answered(tmp_path, table, SPENT, question))} == expected


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    mostly_long(
        [
            ("expenses", "how much expenses in January", 30.0),
            ("payments", "how much payments in January", 30.0),
            ("payments", "how many payments in January", 2),
            ("expenses", "how many expenses are there", 3),
            ("expenses", "average expenses per category", 40.0),
        ],
        quick=(0, 2),
    ),
)
def test_how_much_asks_for_money_and_how_many_for_rows(
    tmp_path: Path, table: str, question: str, expected: float
) -> None:
    assert rows_of(answered(tmp_path, table, SPENT, question))[0][0] == expected


@pytest.mark.parametrize("question", ["how much payments in January 2024", "total payments"])
def test_a_fee_is_not_read_as_the_amount_paid(tmp_path: Path, question: str) -> None:
    assert rows_of(answered(tmp_path, "payments", FEES, question))[0][0] == 2


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("payments", "total payments by category"),
        ("payments", "total payments in January"),
        ("expenses", "which category has the most expenses"),
    ],
)
def test_total_payments_may_be_a_sum_or_a_count(tmp_path: Path, table: str, question: str) -> None:
    said = answered(tmp_path, table, SPENT, question)
    assert not said["tool_calls"]
    assert "total amount_usd" in said["answer"].lower()
    assert "number of rows" in said["answer"].lower()
