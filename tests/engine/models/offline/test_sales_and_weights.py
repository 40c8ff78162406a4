"""Money that is called sales, rows that stand for many things, numbers of invoices, and times in other units."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered, rows_of

RECEIPTS = """ReceiptNo,Date,Description,Quantity,Unit price,Line total,Payment,Town
101,2023-01-04,Tulip bulbs,10,0.5,5.00,cash,Delft
101,2023-01-04,Clay pot,1,12,12.00,cash,Delft
102,2023-02-11,Clay pot,2,12,24.00,card,Leiden
103,2023-02-20,Rake,1,30,30.00,card,
104,2024-01-09,Rake,-1,30,-30.00,cash,Leiden
104,2024-01-09,Tulip bulbs,40,0.5,20.00,cash,Leiden
"""
NAMES = """year,state,sex,name,count
2001,NY,F,Ida,30
2001,NY,M,Otto,50
2002,NY,F,Ida,10
2001,CA,F,Una,70
2002,CA,M,Otto,20
2002,CA,M,Abel,5
2003,NJ,M,Abel,1
"""
VISITS = """visit_id,started,ended,duration_sec,dog,owner_birth_year,kennel
1,2024-03-01 10:00,2024-03-01 10:30,1800,Rex,1990,North
2,2024-03-02 10:00,2024-03-02 12:00,7200,Rex,2001,South
3,2024-03-03 09:00,2024-03-03 09:20,1200,Bella,2003,North
"""


HOMES = """home_id,date_sold,price,district,age,has_lift,has_pool,air_type,O3
1,2023-01-05,100,North,0,true,true,fresh,10
2,2023-02-05,300,South,30,true,false,stale,20
3,2023-02-09,200,North,,false,false,stale,30
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("sales by year", [[2023, 71.0], [2024, -10.0]]),
        ("yearly sales", [[2023, 71.0], [2024, -10.0]]),
        ("revenue by payment", [["card", 54.0], ["cash", 7.0]]),
        ("top 2 products by revenue", [["Clay pot", 36.0], ["Tulip bulbs", 25.0]]),
        ("how many lines have a negative quantity", [[1]]),
        ("how many different products are there", [[3]]),
    ],
)
def test_sales_are_money_and_products_are_descriptions(folder: Path, question: str, expected: Any) -> None:
    assert rows_of(answered(folder, "receipts", RECEIPTS, question)) == expected


def test_sales_that_are_counted_are_rows(folder: Path) -> None:
    assert rows_of(answered(folder, "receipts", RECEIPTS, "how many sales were there in 2024")) == [[2]]


def test_receipts_whose_lines_are_the_rows_are_counted_once(folder: Path) -> None:
    found = answered(folder, "receipts", RECEIPTS, "how many receipts are there")
    assert rows_of(found) == [[4]]
    assert "different" in found["answer"]
    assert rows_of(answered(folder, "receipts", RECEIPTS, "how many receipts were paid in cash")) == [[2]]


def test_an_exception_says_how_many_rows_have_no_value(folder: Path) -> None:
    found = answered(folder, "receipts", RECEIPTS, "revenue without Leiden")
    assert rows_of(found)[0][0] == 17.0
    assert "The 1 row without Town is left out." in found["answer"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("most common name", [["Otto", 70], ["Una", 70]]),
        ("two most popular girls names", [["Una", 70], ["Ida", 40]]),
        ("most common name in New York", [["Otto", 50]]),
        ("were there more boys or more girls?", [["F", 110], ["M", 76]]),
        ("Ida vs Abel, how many of each?", [["Ida", 40], ["Abel", 6]]),
        ("births outside of California by state", [["NJ", 1], ["NY", 90]]),
        ("what name was given to the most babies in 2002", [["Otto", 20]]),
    ],
)
def test_a_row_with_a_count_is_counted_that_many_times(folder: Path, question: str, expected: Any) -> None:
    assert sorted(rows_of(answered(folder, "births", NAMES, question))) == sorted(expected)


def test_the_word_outside_leaves_out_only_the_rows_inside(folder: Path) -> None:
    found = answered(folder, "births", NAMES, "total count outside New Jersey")
    assert rows_of(found)[0][0] == 185


def test_the_share_of_boys_with_a_name_is_a_share_of_all_boys_of_that_year(folder: Path) -> None:
    found = answered(folder, "births", NAMES, "what percentage of the boys born in 2002 were called Otto?")
    assert rows_of(found)[0][0] == 80.0


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("average duration in minutes", [[340 / 6]]),
        ("total duration in hours", [[10_200 / 3_600]]),
        ("longest duration in minutes", [[120]]),
        ("average duration in seconds", [[3_400]]),
        ("how many visits took more than half an hour", [[1]]),
        ("how many visits took more than 25 minutes", [[2]]),
        ("number of visits by people born after 2000", [[2]]),
        ("when was the first visit and when the last one?", [["2024-03-01T10:00:00", "2024-03-03T09:00:00"]]),
        ("visits by Rex and by Bella", [["Bella", 1], ["Rex", 2]]),
    ],
)
def test_times_are_converted_and_compared_in_their_column(folder: Path, question: str, expected: Any) -> None:
    found = answered(folder, "kennel_visits", VISITS, question)
    if not expected:
        assert found["tool_calls"] == []
        return
    given = [row[: len(expected[0])] for row in rows_of(found)]
    assert sorted(given) == [pytest.approx(row) for row in sorted(expected)]


def test_a_column_that_is_not_a_time_is_not_converted(folder: Path) -> None:
    assert answered(folder, "receipts", RECEIPTS, "average line total in minutes")["tool_calls"] == []


def test_the_words_the_last_one_do_not_contain_the_number_one(folder: Path) -> None:
    assert "= 1" not in str(answered(folder, "kennel_visits", VISITS, "when was the last one?")["tool_calls"])


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many sales are there", [[3]]),
        ("number of sales per month", [["2023-01-01", 1], ["2023-02-01", 2]]),
        ("average sale price if you don't count the South", [[150.0]]),
        ("how many homes have both a lift and a pool", [[1]]),
        ("how many homes have no age", [[1]]),
        ("average ozone", [[20.0]]),
        ("which district is older, North or South? is the age higher in North or in South?", None),
    ],
)
def test_rows_that_were_sold_are_sales(folder: Path, question: str, expected: Any) -> None:
    found = answered(folder, "homes", HOMES, question)
    if expected is None:
        assert found["tool_calls"] == []
        return
    assert sorted(row[: len(expected[0])] for row in rows_of(found)) == expected


def test_the_average_order_is_the_average_of_its_lines_together(folder: Path) -> None:
    found = answered(folder, "receipts", RECEIPTS, "average receipt value")
    assert rows_of(found)[0][0] == pytest.approx(61 / 4)


BILLS = """Bill No,Line,Item,Qty,Line total,Discount %
7,1,Pen,1,5,0
7,2,Ink,2,9,10
8,1,Pen,4,20,0
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many lines are there", [[3]]),
        ("what share of the lines had a discount", [[100 / 3]]),
        ("average number of lines per bill", [[1.5]]),
        ("average line total", [[34 / 3]]),
    ],
)
def test_lines_of_bills_are_rows(folder: Path, question: str, expected: Any) -> None:
    found = answered(folder, "bills", BILLS, question)
    assert [row[:1] for row in rows_of(found)] == [pytest.approx(row) for row in expected]


def test_the_biggest_bill_is_not_the_one_with_the_biggest_line(folder: Path) -> None:
    assert answered(folder, "bills", BILLS, "what was the biggest bill?")["tool_calls"] == []
