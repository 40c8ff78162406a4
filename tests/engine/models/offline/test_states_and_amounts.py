"""States of rows (unresolved, current), amounts that only a product gives, and columns implied by a word."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered, rows_of
from tests.support.long_cases import mostly_long

REPAIRS = """order_no,date_logged,purchased_on,machine_id,technician,hours,parts_cost,under_warranty,outcome,fixed_at
R1,2024-01-03,2020-05-01,M1,Ada,2,10.5,yes,Pass,2024-01-05
R2,2024-01-20,2021-06-01,M2,Ben,5,0,no,Fail,
R3,2024-02-11,2020-05-01,M1,Ada,1,4.5,no,Pass,2024-02-12
R4,2024-04-02,2019-01-01,M3,Cy,4,20,yes,Pass,2024-04-09
R5,2024-04-09,2021-06-01,M2,Ben,3,7,no,Fail,
"""
SALES = """sold_on,cake,baker,quantity_baked,quantity_sold,wasted,unit_price
2024-03-01,Plum,Ada,10,8,2,2.5
2024-03-01,Lemon,Ben,20,20,0,3
2024-03-02,Plum,Ada,12,6,6,2.5
2024-04-02,Lemon,Ada,30,15,15,3
"""
STAFF = """staff_id,name,gender,team,hired_on,left_on,salary,remote
1,Ida Holm,F,Sales,2020-01-01,,52000,yes
2,Jon Dahl,M,Sales,2021-02-01,2023-05-01,48000,no
3,Kay Lund,F,Tech,2019-03-01,,60000,no
4,Leo Moe,M,Tech,2022-04-01,,58000,yes
"""
ORDERS = """order_id,ordered_on,customer_name,country,total_amount,rating
1,2024-01-05,Ida Holm,Norway,50,4
2,2024-01-09,Jon Dahl,Sweden,40,
3,2024-02-11,Jon Dahl,Sweden,45,5
4,2024-02-12,Kay Lund,Norway,10,
"""
DOGS = """entry_no,shown_on,dog_name,sex,birth_date,owner,score
1,2024-05-01,Rex,dog,2017-01-01,Ida,80
2,2024-05-01,Bella,bitch,2016-06-01,Jon,95
3,2024-05-01,Max,dog,2020-02-01,Ida,90
"""
FERRY = """trip_no,sailed_on,departure_time,captain,passengers,bicycles,delay_min,crossing_min,cancelled
T1,2024-05-01,07:30,Ada,100,4,0,40,no
T2,2024-05-01,18:10,Ben,60,9,30,55,no
T3,2024-05-02,07:30,Ada,80,2,10,45,yes
T4,2024-05-03,18:10,Ben,20,5,5,42,no
"""
PLAYS = """play_id,title,slot,played_on,tickets_sold,average_ticket_price,peak_temp_c,captioned
P1,Snow,Evening,2024-11-01,40,12,20,yes
P2,Snow,Matinee,2024-12-01,60,10,24,no
P3,Rain,Evening,2024-12-09,80,11,26,no
"""
FINES = """notice,issued_on,zone,fine_amount,paid,paid_on
N1,2024-01-05,North,60,yes,2024-01-09
N2,2024-02-05,North,40,no,
N3,2024-05-05,South,90,no,
N4,2024-05-06,South,30,yes,2024-05-10
"""
LAST = ["Kay Lund", "2024-02-12"]
TABLES = {
    "repairs": REPAIRS,
    "sales": SALES,
    "staff": STAFF,
    "orders": ORDERS,
    "dogs": DOGS,
    "ferry_crossings": FERRY,
    "plays": PLAYS,
    "fines": FINES,
}


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    mostly_long([
        # the date of the table's noun and the word that only one column has
        ("repairs", "how many repairs were logged each quarter", [["2024-01-01", 3], ["2024-04-01", 2]]),
        ("sales", "which cake did we sell the most of", [["Lemon", 35]]),
        ("dogs", "how many entries were born before 2018", [[2]]),
        ("dogs", "how many dogs scored over 85", [[2]]),
        # what is not over yet
        ("repairs", "how many repairs are still unfixed", [[2]]),
        ("orders", "how many orders were never rated", [[2]]),
        ("staff", "how many current staff are there by team", [["Sales", 1], ["Tech", 2]]),
        ("ferry_crossings", "crossings more than 25 minutes late", [["T2"]]),
        ("ferry_crossings", "how many crossings are longer than average", [[1]]),
        # rates and shares of what was done
        ("repairs", "failure rate by technician", [["Ada", 0.0], ["Ben", 100.0], ["Cy", 0.0]]),
        ("sales", "what percentage of everything we baked was wasted", [[100 * 23 / 72]]),
        ("sales", "which cake has the highest share of baked items wasted", [["Plum", 100 * 8 / 22]]),
        ("repairs", "average number of days from logging a repair to fixing it", [[10 / 3]]),
        # sums that no column has, and sums by their plural
        ("sales", "revenue by cake", [["Lemon", 105.0], ["Plum", 35.0]]),
        ("sales", "how much revenue did we make in March", [[95.0]]),
        ("repairs", "monthly parts spend", [["2024-01-01", 10.5], ["2024-02-01", 4.5], ["2024-04-01", 27.0]]),
        ("orders", "sales by country", [["Norway", 60.0], ["Sweden", 85.0]]),
        ("ferry_crossings", "which captain had the highest number of bicycles", [["Ben", 14]]),
        ("ferry_crossings", "which departure time is the busiest for bicycles", [["18:10", 14]]),
        # flags beside their opposite
        ("repairs", "average hours for repairs under warranty versus normal repairs", [["no", 3.0], ["yes", 3.0]]),
        ("staff", "median salary remote vs regular staff", [["no", 54000.0], ["yes", 55000.0]]),
        ("plays", "how many tickets did we sell in December", [[140]]),
        ("plays", "min, max and average tickets sold by title", [["Rain", 80, 80, 80.0], ["Snow", 40, 60, 50.0]]),
        ("plays", "how many plays were over 22 degrees", [[2]]),
        ("fines", "total value of unpaid fines", [[130]]),
        ("fines", "value of fines issued by quarter", [["2024-01-01", 100], ["2024-04-01", 120]]),
        ("fines", "fines worth more than 50", [["N1"], ["N3"]]),
        ("fines", "fines issued by zone", [["North", 2], ["South", 2]]),
        # which rows, things and times
        ("plays", "when was the first and last play of Snow", [["2024-11-01", "2024-12-01"]]),
        ("orders", "top 2 customers by how much they spent", [["Jon Dahl", 85.0], ["Ida Holm", 50.0]]),
        ("orders", "which customer spent the most and how much", [["Jon Dahl", 85.0]]),
        ("dogs", "which dog got the highest score", [["Bella"]]),
        ("ferry_crossings", "longest crossing time", [[55]]),
        ("ferry_crossings", "crossings of each captain that were not cancelled", [["Ada", 1], ["Ben", 2]]),
        ("orders", "when did each customer last order", [["Ida Holm", "2024-01-05"], ["Jon Dahl", "2024-02-11"], LAST]),
        ("repairs", "repairs where the machine was under warranty", [["R1"], ["R4"]]),
        ("repairs", "total hours per year, by purchase date", [[2019, 4.0], [2020, 3.0], [2021, 8.0]]),
        ("dogs", "average score of dogs and bitches for each owner", [["Ida", "dog", 85.0], ["Jon", "bitch", 95.0]]),
    ], every=5),
)  # fmt: skip
def test_questions_about_states_and_amounts_are_answered(
    tmp_path: Path, table: str, question: str, expected: list[list[Any]]
) -> None:
    rows = rows_of(answered(tmp_path, table, TABLES[table], question))
    found = [list(row)[: len(wanted)] for row, wanted in zip(rows, expected, strict=True)]
    assert found == [
        [pytest.approx(one) if isinstance(one, float) else one for one in row] for row in expected
    ]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What is the difference in average salary between men and women?", "a difference of 3,000"),
        ("Do remote staff have a lower average salary than those that are not?", "No."),
    ],
)
def test_two_groups_of_rows_are_compared(tmp_path: Path, question: str, told: str) -> None:
    assert told in answered(tmp_path, "staff", STAFF, question)["answer"]


@pytest.mark.parametrize(
    ("table", "question"),
    mostly_long(
        [
            ("plays", "which plays sold fewer than 50 tickets and cups"),
            ("plays", "how many plays were sold out"),  # “out” is no noise
            ("sales", "which sales sold fewer than 7 cakes"),  # and no cake is a price
            ("staff", "how many let staff are there"),
            ("repairs", "list the machine kinds of jobs that did not pass"),
        ],
        every=3,
    ),
)
def test_a_word_that_may_have_a_meaning_is_not_ignored(tmp_path: Path, table: str, question: str) -> None:
    assert not answered(tmp_path, table, TABLES[table], question)["tool_calls"]


def test_a_price_times_a_quantity_is_not_revenue_if_there_is_a_discount(tmp_path: Path) -> None:
    text = (
        SALES.replace("unit_price", "unit_price,discount")
        .replace("2.5\n", "2.5,0.1\n")
        .replace(",3\n", ",3,0\n")
    )
    assert not answered(tmp_path, "sales", text, "revenue by cake")["tool_calls"]


def test_the_word_often_may_count_rows_or_add_up_a_column(tmp_path: Path) -> None:
    glazes = "firing_no,glaze,fired_kwh\n1,Ash,50\n2,Ash,20\n3,Tin,90\n"
    told = answered(tmp_path, "firings", glazes, "which glaze was fired most often")
    assert not told["tool_calls"]
    assert "two ways" in told["answer"]


SWIMS = """swim_id,swimmer,swum_on,swim_sec,not_completed
1,Bob,2024-01-13,30,no
2,Cy,2024-02-27,71,no
3,Cy,2024-03-01,50,yes
"""
SHIPMENTS = """order_id,customer,order_date,expected_date,shipped_date,delivery_notes,type,amount,gift,service_level
1,Ida,2024-05-13,2024-05-20,,leave at door,order,50,yes,standard
2,Jon,2024-06-01,,2024-06-04,,refund,20,no,express
3,Ida,2024-06-09,,2024-06-11,,order,30,no,standard
"""
CONTRACTS = """contract_id,client,start_date,end_date,last_leave,monthly_fee
C1,Elf,2022-04-19,2023-03-16,,365
C2,Dyne,2023-07-31,2027-08-31,2024-01-01,205
C3,Elf,2024-01-01,,,100
"""
STOCK = """sku,category,supplier,quantity,unit_price,reorder_level
S0,garden,Hase,106,46.38,10
S1,home,Igel,81,87.82,20
"""
COMPANIES = """company,country,year,employees
A,France,2022,100
A,France,2023,120
B,Spain,2023,50
"""


@pytest.mark.parametrize(
    ("table", "text", "question", "expected"),
    [
        ("swims", SWIMS, "which swim was the fastest", [[1]]),
        ("swims", SWIMS, "slowest swim", [[71]]),
        ("swims", SWIMS, "which swims were faster than 40 seconds", [[1]]),
        ("swims", SWIMS, "faster than average swims", [[1], [3]]),
        ("shipments", SHIPMENTS, "how many unshipped shipments", [[1]]),
    ],
)
def test_less_time_is_faster_and_a_missing_date_means_that_nothing_happened(
    tmp_path: Path, table: str, text: str, question: str, expected: list[list[Any]]
) -> None:
    rows = rows_of(answered(tmp_path, table, text, question))
    assert [list(row)[: len(wanted)] for row, wanted in zip(rows, expected, strict=True)] == expected


@pytest.mark.parametrize(
    ("table", "text", "question"),
    mostly_long(
        [
            ("shipments", SHIPMENTS, "how many shipments were delivered"),  # a note is no delivery
            ("shipments", SHIPMENTS, "how many undelivered shipments"),
            ("shipments", SHIPMENTS, "how many shipments were unexpected"),
            (
                "shipments",
                SHIPMENTS,
                "average amount of gift versus standard shipments",
            ),  # a level of service
            ("contracts", CONTRACTS, "how many active contracts"),  # one ends in 2027
            ("contracts", CONTRACTS.replace("end_date", "exam_end"), "how many current contracts"),
            ("stock", STOCK, "total revenue"),  # nothing was sold
            ("companies", COMPANIES, "employees by country"),  # of two years
            ("swims", SWIMS, "completion rate by swimmer"),
        ],
        every=4,
    ),
)
def test_questions_that_only_look_similar_are_not_answered_at_once(
    tmp_path: Path, table: str, text: str, question: str
) -> None:
    assert not answered(tmp_path, table, text, question)["tool_calls"]


def test_a_difference_between_two_values_of_a_flag_is_computed(tmp_path: Path) -> None:
    asked = "the difference in average amount between gift and non-gift shipments"
    assert "a difference of 25" in answered(tmp_path, "shipments", SHIPMENTS, asked)["answer"]


def test_a_kind_with_the_same_name_as_the_file_is_still_a_kind(tmp_path: Path) -> None:
    orders = SHIPMENTS.replace("shipped_date", "sent_on")
    told = answered(tmp_path, "orders", orders, "average amount of orders")
    assert rows_of(told)[0][0] == 40 if told["tool_calls"] else "two ways" in told["answer"]
