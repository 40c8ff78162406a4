"""What a follow-up takes from the previous question; a complete question takes nothing."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.ask_offline import ROOT, ask, profile
from tests.support.long_cases import mostly_long

MONTHLY = "Show the revenue per month as a line chart"
BY_CITY = "average amount by city"


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    for name in ("orders.csv", "returns.csv"):
        shutil.copy(ROOT / "sample_bundles" / "sample-data" / name, tmp_path)
    return tmp_path


@pytest.fixture
def cities(tmp_path: Path) -> Path:
    rows = "".join(f"{'Rome' if n % 3 else 'Oslo'},2024-0{n % 9 + 1}-01,{n}\n" for n in range(30))
    (tmp_path / "purchases.csv").write_text("city,bought_on,amount\n" + rows)
    return tmp_path


def second(workspace: Path, first: str, then: str) -> dict[str, Any]:
    return list(ask(workspace, [first, then], profile(workspace)))[-1]


def sql(document: dict[str, Any]) -> str:
    assert [call["status"] for call in document["tool_calls"]] == ["success"], document["answer"]
    return " ".join(document["tool_calls"][0]["args"]["sql"].split())


@pytest.mark.parametrize(
    ("question", "where"),
    mostly_long(
        [
            ("how many orders are there?", "FROM orders"),
            ("number of orders", "FROM orders"),
            (
                "how many orders in 2024?",
                "FROM orders WHERE ordered_at >= DATE '2024-01-01' AND ordered_at <",
            ),
            ("In 2024, how many orders were there?", "FROM orders WHERE ordered_at >= DATE '2024-01-01'"),
            ("how many returns are there?", "FROM returns"),
        ],
        quick=(1, 4),
    ),
)
def test_a_complete_question_does_not_inherit_a_grouping(sales: Path, question: str, where: str) -> None:
    computed = sql(second(sales, MONTHLY, question))
    assert computed.startswith("SELECT count(*) AS count")
    assert where in computed
    assert "GROUP BY" not in computed


def test_a_new_count_of_orders_does_not_count_the_months_of_the_last_question(sales: Path) -> None:
    assert second(sales, MONTHLY, "how many orders are there?")["answer"].startswith("**5,985**")


@pytest.mark.parametrize(
    ("question", "kept", "new"),
    mostly_long(
        [
            ("only for 2024", "AS ordered_at_month", "WHERE ordered_at >= DATE '2024-01-01'"),
            ("now only the East", "AS ordered_at_month", "WHERE region = 'East'"),
            ("and by region?", "sum(revenue)", "region"),
            ("what about units?", "AS ordered_at_month", "sum(units)"),
            ("and the median?", "AS ordered_at_month", "median(revenue)"),
            ("and how many orders?", "AS ordered_at_month", "count(*)"),
        ],
        quick=(0, 2),
    ),
)
def test_a_follow_up_keeps_the_rest_of_the_question(sales: Path, question: str, kept: str, new: str) -> None:
    computed = sql(second(sales, MONTHLY, question))
    assert kept in computed
    assert new in computed


def test_a_follow_up_changes_the_chart(sales: Path) -> None:
    drawn = second(sales, MONTHLY, "as a bar chart")["tool_calls"][0]
    assert drawn["args"]["mark"] == "bar"


@pytest.mark.parametrize(
    ("question", "kept", "new"),
    mostly_long(
        [
            ("and by month?", "avg(amount)", "bought_on_month"),
            ("only for Rome", "SELECT city", "WHERE city = 'Rome'"),
            ("same for the median", "SELECT city", "median(amount)"),
            ("and the total amount?", "SELECT city", "sum(amount)"),
            ("sorted descending", "SELECT city", "ORDER BY average_amount DESC"),
        ],
        quick=(0,),
    ),
)
def test_changing_the_grouping_keeps_the_measure(cities: Path, question: str, kept: str, new: str) -> None:
    computed = sql(second(cities, BY_CITY, question))
    assert kept in computed
    assert new in computed


def test_a_follow_up_to_a_question_that_was_not_read_is_refused(cities: Path) -> None:
    document = second(cities, "how happy are the cities?", "and by month?")
    assert document["tool_calls"] == []
    assert "“and”" in document["answer"]


def test_a_reference_to_earlier_rows_is_never_dropped(cities: Path) -> None:
    document = second(
        cities, "how many rows have an amount over 20", "what is the average amount of those rows"
    )
    assert "WHERE amount > 20" in document["tool_calls"][0]["args"]["sql"]
