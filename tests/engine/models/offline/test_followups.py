"""What a question takes over from the one before: nothing where it is complete in itself, else all but the change."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.ask_offline import ROOT, ask, profile

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
    ("question", "computed"),
    [
        ("how many orders are there?", "SELECT count(*) AS count FROM orders"),
        ("how many rows are there?", "SELECT count(*) AS count FROM orders"),
        ("how many rows?", "SELECT count(*) AS count FROM orders"),
        ("number of orders", "SELECT count(*) AS count FROM orders"),
        ("count the orders", "SELECT count(*) AS count FROM orders"),
        ("so how many orders are there?", "SELECT count(*) AS count FROM orders"),
        ("now how many orders are there?", "SELECT count(*) AS count FROM orders"),
        ("how many orders in 2024?", "SELECT count(*) AS count FROM orders WHERE year(ordered_at) = 2024"),
        ("In 2024, how many orders were there?",
         "SELECT count(*) AS count FROM orders WHERE year(ordered_at) = 2024"),
        ("For the East, what is the total revenue?",
         "SELECT sum(revenue) AS total_revenue, count(revenue) AS values_counted FROM orders WHERE region = 'East'"),
        ("What is the total revenue?",
         "SELECT sum(revenue) AS total_revenue, count(revenue) AS values_counted FROM orders"),
        ("how many returns are there?", "SELECT count(*) AS count FROM returns"),
        ("and how many returns were there?", "SELECT count(*) AS count FROM returns"),
        ("and in total?", "SELECT sum(revenue) AS total_revenue, count(revenue) AS values_counted FROM orders"),
    ],
)  # fmt: skip
def test_a_question_that_is_complete_in_itself_inherits_no_grouping(
    sales: Path, question: str, computed: str
) -> None:
    assert sql(second(sales, MONTHLY, question)) == computed


def test_orders_are_counted_and_not_their_months(sales: Path) -> None:
    assert second(sales, MONTHLY, "how many orders are there?")["answer"].startswith("**5,985**")


@pytest.mark.parametrize("question", ["how many rows?", "how many purchases are there?", "number of rows"])
def test_rows_are_counted_alone_after_groups(cities: Path, question: str) -> None:
    assert sql(second(cities, BY_CITY, question)) == "SELECT count(*) AS count FROM purchases"


def test_the_highest_value_is_that_of_all_rows(cities: Path) -> None:
    assert "GROUP BY" not in sql(second(cities, BY_CITY, "what is the highest amount?"))


def test_of_two_tables_that_would_do_the_one_that_was_spoken_of_is_counted(tmp_path: Path) -> None:
    for name in ("alpha", "beta"):
        (tmp_path / f"{name}.csv").write_text(f"city,price_{name}\nRome,1\nOslo,2\n")
    assert sql(second(tmp_path, "average price_beta by city", "how many rows?")) == (
        "SELECT count(*) AS count FROM beta"
    )


@pytest.mark.parametrize(
    ("question", "kept", "new"),
    [
        ("only for 2024", "AS month, sum(revenue)", "WHERE year(ordered_at) = 2024"),
        ("in 2024", "AS month, sum(revenue)", "WHERE year(ordered_at) = 2024"),
        ("now only the East", "AS month, sum(revenue)", "WHERE region = 'East'"),
        ("for the East", "AS month, sum(revenue)", "WHERE region = 'East'"),
        ("top 3", "AS month, sum(revenue)", "LIMIT 3"),
        ("as a bar chart", "AS month, sum(revenue)", "GROUP BY 1"),
        ("now as a bar chart", "AS month, sum(revenue)", "GROUP BY 1"),
        ("and by region?", "sum(revenue)", "SELECT region"),
        ("by region", "sum(revenue)", "SELECT region"),
        ("what about units?", "AS month", "sum(units)"),
        ("units?", "AS month", "sum(units)"),
        ("and the median?", "AS month", "median(revenue)"),
        ("and how many orders?", "AS month", "count(*)"),
        ("how many of them were in the East?", "WHERE region = 'East'", "count(*)"),
    ],
)
def test_a_question_that_goes_on_keeps_the_rest(sales: Path, question: str, kept: str, new: str) -> None:
    computed = sql(second(sales, MONTHLY, question))
    assert kept in computed
    assert new in computed


@pytest.mark.parametrize(
    ("question", "kept", "new"),
    [
        ("and by month?", "avg(amount)", "AS month"),
        ("only for Rome", "SELECT city", "WHERE city = 'Rome'"),
        ("in March", "SELECT city", "month(bought_on) = 3"),
        ("same for the median", "SELECT city", "median(amount)"),
        ("and the total amount?", "SELECT city", "sum(amount)"),
    ],
)
def test_a_change_of_a_grouping_keeps_what_was_asked(
    cities: Path, question: str, kept: str, new: str
) -> None:
    computed = sql(second(cities, BY_CITY, question))
    assert kept in computed
    assert new in computed
