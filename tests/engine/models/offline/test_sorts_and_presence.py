"""Nouns that name one kind of rows, verbs that apply to some rows, decades, and rows with or without a value."""

from pathlib import Path
from typing import Any

import pytest

from engine.models.offline.chips import parts_of
from engine.models.offline.choices import choices_of
from engine.models.offline.form import Form, Measure, Ref
from tests.engine.models.offline.rows_of import answered, rows_of
from tests.support.ask_offline import profile
from tests.support.long_cases import mostly_long

STAYS = """booking_id,hotel_name,room_type,channel,nights,booked_on,club
B1,Alpine,Double,Web.com,1,2024-01-01,Gold
B2,Alpine,Double,Phone,3,2024-01-02,
B3,Bay,Suite,Web.com,6,2024-01-03,
B4,Bay,Double,Phone,2,2024-02-01,Silver
B5,Bay,Single,Phone,1,2024-02-02,Gold
"""
TITLES = """title_id,title,type,director,runtime_min,genre,year
1,A,Film,Kim,100,Drama,1994
2,B,Series,Lee,40,Drama,1999
3,C,Film,Kim,80,Comedy,2001
4,D,Film,,90,Comedy,2008
5,E,Series,,50,Comedy,2014
6,F,Series,,30,Drama,2015
"""
DOGS = """dog_id,dog_name,breed,weight_kg,intake_date,adoption_date,returned
D1,Rex,Beagle,12,2023-01-03,2023-02-01,1
D2,Ada,Beagle,10,2023-01-09,,0
D3,Rex,Boxer,30,2023-02-04,2024-01-02,0
D4,Max,Boxer,28,2024-03-05,2024-03-09,0
"""
ROUTES = """routeId,routeDate,depot,parcelsLoaded,parcelsDelivered
R1,2024-01-06,North,10,9
R2,2024-01-07,North,20,20
R3,2024-02-03,South,30,21
"""
SALES = """sale_id,sold_on,item,store,weather,unit_price,qty_sold,total_sales
1,2024-01-05,Tea,East,Rainy,2,5,10
2,2024-01-06,Tea,West,Sunny,2,1,2
3,2024-01-06,Cake,East,Rainy,9,4,36
4,2024-01-08,Milk,West,Sunny,1,7,7
5,2024-01-09,Tea,East,Sunny,2,2,4
6,2024-01-10,Milk,West,Rainy,1,3,3
7,2024-01-11,Cake,West,Sunny,9,1,9
8,2024-01-11,Milk,East,Sunny,1,6,6
"""
GRANTS = """grant_id,principal_investigator,submitted_on,decided_on,status,amount_awarded_usd,pi_gender
1,Ann,2020-01-01,2020-02-01,Funded,50,F
2,Bob,2020-05-01,2020-06-01,Funded,70,M
3,Ann,2021-01-01,2021-02-01,Funded,40,F
4,Cy,2021-03-01,2021-04-01,Rejected,,M
"""
TABLES = {
    "hotel": STAYS,
    "titles": TITLES,
    "adoptions": DOGS,
    "deliveries": ROUTES,
    "cafe": SALES,
    "grants": GRANTS,
}


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    mostly_long(
        [
            ("hotel", "average nights for each hotel", [["Alpine", 2], ["Bay", 3]]),
            ("hotel", "average nights with and without a club", [["missing", 4.5], ["present", 4 / 3]]),
            ("hotel", "nights of bookings with a club vs without a club", [["missing", 9], ["present", 4]]),
            ("hotel", "average nights for double rooms", [[2]]),
            ("hotel", "number of bookings through Web.com", [[2]]),
            ("hotel", "number of bookngs per month", [["2024-01-01", 3], ["2024-02-01", 2]]),
            ("titles", "number of titles by decade", [[1990, 2], [2000, 2], [2010, 2]]),
            ("titles", "which directors have at least 2 titles", [["Kim", 2]]),
            ("titles", "rank directors by average runtime", [["Kim", 90], ["Lee", 40]]),
            ("adoptions", "how many dogs", [[4]]),
            ("adoptions", "how many adopted dogs", [[3]]),
            ("adoptions", "how many dogs were adopted", [[3]]),
            ("adoptions", "how many dogs were taken in during 2023", [[3]]),
            (
                "adoptions",
                "dogs taken in per month",
                [["2023-01-01", 2], ["2023-02-01", 1], ["2024-03-01", 1]],
            ),
            ("adoptions", "number of adoptions since 2024", [[2]]),
            ("deliveries", "how many parcels were delivered", [[50]]),
            ("deliveries", "how many parcels were loaded in January", [[30]]),
            ("deliveries", "routes per depot", [["North", 2], ["South", 1]]),
            (
                "deliveries",
                "what share of the loaded parcels was delivered at each depot",
                [["North", 2900 / 30], ["South", 70.0]],
            ),
            (
                "deliveries",
                "by how many parcels do the parcels loaded exceed the parcels delivered",
                [[10 / 3]],
            ),
            ("cafe", "the two worst selling items by quantity sold", [["Cake", 5], ["Tea", 8]]),
            ("cafe", "best selling item by quantity", [["Milk", 16]]),
            ("cafe", "which store sold the most units", [["East", 17]]),
            ("cafe", "total sales on rainy days", [[49, 3]]),
            ("cafe", "which store makes up the largest share of sales", [["East", 56]]),
            (
                "cafe",
                "total sales divided by total qty sold for each store",
                [["East", 56 / 17], ["West", 21 / 12]],
            ),
            ("grants", "applications submitted each year", [[2020, 2], [2021, 2]]),
            ("cafe", "number of rows with total sales over thirty-five", [[1]]),
        ],
        quick=(0, 1, 6, 9, 17),
    ),
)
def test_nouns_verbs_and_groups_are_understood(
    tmp_path: Path, table: str, question: str, expected: list[list[Any]]
) -> None:
    rows = rows_of(answered(tmp_path, table, TABLES[table], question))
    assert [row[: len(expected[0])] for row in rows] == [
        [pytest.approx(cell) if isinstance(cell, float) else cell for cell in row] for row in expected
    ]


@pytest.mark.parametrize(
    ("table", "question"),
    mostly_long(
        [
            ("titles", "how many films and how many series do we have"),
            ("titles", "what percentage of films and of series are dramas"),
            ("titles", "how many films run longer than the average film"),
            ("cafe", "average sales with and without a discount"),
            ("adoptions", "how many dogs were taken in during each month of 2023"),
            ("cafe", "which sale had the highest total sales, and which store made it"),
            ("cafe", "which items have an average qty sold above the overall average qty sold"),
            ("titles", "what share of titles is by directors who are not Kim"),
            ("adoptions", "how many dogs came in each month of 2023"),
            ("grants", "who received the largest award"),
        ],
        every=5,
    ),
)
def test_no_noun_verb_or_side_is_ignored(tmp_path: Path, table: str, question: str) -> None:
    assert not answered(tmp_path, table, TABLES[table], question)["tool_calls"]


def test_the_heaviest_dog_is_shown_with_its_name(tmp_path: Path) -> None:
    said = answered(tmp_path, "adoptions", DOGS, "name and weight of the heaviest dog of each breed")
    assert [(row[0], row[1], row[-1]) for row in rows_of(said)] == [
        ("Beagle", "Rex", 12),
        ("Boxer", "Rex", 30),
    ]


def test_a_chip_offers_decades_and_lists_presence_after_the_columns(tmp_path: Path) -> None:
    (tmp_path / "titles.csv").write_text(TITLES)
    form = Form("titles", measures=(Measure("count"),), groups=(Ref("genre"),))
    tables = profile(tmp_path)
    chip = next(one for one in parts_of(form, tables) if one.kind == "group")
    offered = [text for text, _, _ in choices_of(form, chip, tables)]
    assert offered.index("presence of director") > offered.index("year")
    assert "decade of year" in offered
