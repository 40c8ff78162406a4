"""Ranges of months without a year, when something was last there, days to close, ages in months, and counts asked for
as well.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered, assert_rows
from tests.support.long_cases import mostly_long

VISITS = """visit_no,seen_on,pet,reason,fee,paid,vet
V1,2024-01-10,Rex,Check-up,40,yes,Ada
V2,2024-02-05,Rex,Surgery,200,no,
V3,2024-02-20,Mia,Check-up,40,yes,Ben
V4,2024-03-01,Tom,Skin,50,yes,Ada
V5,2024-03-09,Rex,Skin,60,no,Ben
V6,2024-05-15,Mia,Surgery,210,yes,Ada
"""
YEARS = """launch_date,rocket,payload_kg,outcome
2021-02-03,Ares,900,Success
2021-06-01,Ares,1200,Failure
2022-07-04,Brio,300,Success
2022-12-24,Ares,800,Success
2023-01-02,Brio,350,Success
"""
OBJECTS = """Accession No,Object Name,Department,Year Made,Location
1900/1,Bowl,Ceramics,1790,Store 1
1900/2,Bowl,Ceramics,1820,Store 2
1900/3,Coin,Coins,1700,Store 1
1900/4,Coin,Coins,1755,Gallery
1900/5,Bowl,Ceramics,1850,Gallery
"""
TICKETS = """Ticket ID,Opened,Closed,Category
T1,2024-01-02,2024-01-04,Bug
T2,2024-01-02,2024-01-08,Bug
T3,2024-02-03,,Login
T4,2024-02-05,2024-02-06,Login
"""
RESCUED = """Animal No,Name,Species,Age (months),Intake Date
1,Oreo,Cat,5,2024-01-05
2,Rex,Dog,30,2024-01-09
3,Mia,Dog,11,2024-02-07
4,Tom,Cat,80,2024-03-03
"""
CUSTOMERS = """customer_id,age,tenure,plan
1,30,5,Basic
2,1,60,Plus
3,45,12,Basic
4,2,30,Plus
"""
CARS = """Listing,Make,Condition,Ownership,Listed On
1,Ford,New,Owned,2024-01-05
2,Ford,Used,Leased,2024-01-09
3,Kia,New,Owned,2024-02-11
4,Kia,Used,Owned,2024-02-12
"""
TABLES = {
    "visits": VISITS,
    "launches": YEARS,
    "museum_objects": OBJECTS,
    "tickets": TICKETS,
    "rescued_animals": RESCUED,
    "customers": CUSTOMERS,
    "car_list": CARS,
}


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    mostly_long(
        [
            ("visits", "number of visits from February to March", [[4]]),
            ("visits", "total fee between January and February", [[280]]),
            ("visits", "How many visits since March?", [[3]]),
            ("visits", "How many visits before February?", [[1]]),
            ("visits", "When was Rex last seen?", [["2024-03-09"]]),
            ("visits", "When did Mia last come in?", [["2024-05-15"]]),
            ("visits", "When was Mia first here?", [["2024-02-20"]]),
            ("visits", "which pets came more than 2 times? show the count too", [["Rex", 3]]),
            ("visits", "Which pets came more than 2 times, and how often?", [["Rex", 3]]),
            ("visits", "How many visits have no vet assigned?", [[1]]),
            ("visits", "average fee among those that are paid", [[85]]),
            ("launches", "number of launches from November to February", [[3]]),
            ("launches", "number of launches from June to July", [[2]]),
            ("launches", "number of launches from December to January 2023", [[2]]),
            (
                "tickets",
                "How many days on average does it take to close a ticket, for each category?",
                [["Bug", 4], ["Login", 1]],
            ),
            ("tickets", "average days to close by category", [["Bug", 4], ["Login", 1]]),
            ("rescued_animals", "How many animals are younger than one year?", [[2]]),
            ("rescued_animals", "how many animals are older than 2 years", [[2]]),
            ("rescued_animals", "how many animals are under a year old", [[2]]),
            (
                "rescued_animals",
                "number of new animals per month",
                [["2024-01-01", 2], ["2024-02-01", 1], ["2024-03-01", 1]],
            ),
            ("customers", "how many customers are older than 18 months?", [[3]]),
            ("car_list", "number of new cars per month", [["2024-01-01", 1], ["2024-02-01", 1]]),
            ("car_list", "How many cars do we own?", [[3]]),
            (
                "museum_objects",
                "How many objects are there in each department?",
                [["Ceramics", 3], ["Coins", 2]],
            ),
            ("museum_objects", "How many objects made before 1800 are kept in Store 1?", [[2]]),
            ("museum_objects", "What is the oldest object we own?", [["Coin", 1700]]),
        ],
        every=5,
    ),
)
def test_questions_about_months_and_last_times_are_answered(
    tmp_path: Path, table: str, question: str, expected: list[list[Any]]
) -> None:
    assert_rows(answered(tmp_path, table, TABLES[table], question), expected)


@pytest.mark.parametrize(
    "question",
    [
        "How much did the number of visits change from February to March?",
        "By what percent did the visits grow between February and March?",
        "change in the number of visits from February to March",
    ],
)
def test_a_change_between_two_months_uses_the_only_year(tmp_path: Path, question: str) -> None:
    assert_rows(answered(tmp_path, "visits", VISITS, question), [["2024-02-01", 2, "2024-03-01", 2, 0, 0.0]])


@pytest.mark.parametrize(
    ("table", "question"),
    mostly_long(
        [
            ("launches", "How much did the number of launches change from June to July?"),  # of which year?
            ("launches", "How many launches since June?"),
            (
                "launches",
                "Which rocket carried the heaviest payload, and how heavy was it?",
            ),  # one rocket, not all
            (
                "visits",
                "What percentage of our total fee income comes from surgery?",
            ),  # income does not mean `paid`
        ],
        every=4,
    ),
)
def test_questions_that_only_look_similar_are_declined_or_offered(
    tmp_path: Path, table: str, question: str
) -> None:
    assert answered(tmp_path, table, TABLES[table], question)["tool_calls"] == []
