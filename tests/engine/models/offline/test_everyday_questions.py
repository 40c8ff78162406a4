"""Tests questions as people type them, over small tables of rides, invoices, launches, majors and births."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered, rows_of
from tests.support.long_cases import mostly_long

RIDES = """id,started_at,ended_at,duration_min,distance_km,start_station,end_station,kind,battery_start_pct,fare_usd
R1,2024-05-03 08:10:00,2024-05-03 08:30:00,20,3.0,Park,Park,classic,90,2.5
R2,2024-05-04 08:40:00,2024-05-04 09:20:00,40,6.5,Park,Harbour,electric,80,0
R3,2024-05-05 17:00:00,2024-05-05 17:10:00,10,2.0,Harbour,Park,electric,70,3.5
R4,2024-06-08 08:05:00,2024-06-08 09:40:00,95,12.0,Park,Harbour,classic,60,4.0
"""
INVOICES = """Invoice No,Customer,Country,Invoice Date,Due Date,Paid Date,Net Amount (EUR),VAT (EUR),Status
I1,Abel,Germany,2023-02-01,2023-03-01,2023-02-11,100,19,Paid
I2,Birk,France,2023-05-01,2023-06-01,2023-06-21,300,60,Paid
I3,Abel,Germany,2024-02-01,2024-03-01,,500,95,Overdue
I4,Cern,Austria,2024-05-01,2024-06-01,2024-05-31,1500,300,Paid
"""
LAUNCHES = """Launch Date,Company,Country,Rocket,Payload (kg),launchCostUSDm,Outcome
2021-03-01,SpaceX,USA,Falcon 9,4000,60,Success
2021-07-01,CASC,China,Long March 4,2000,30,Failure
2022-01-01,SpaceX,USA,Falcon 9,6000,,Success
2022-04-01,Arianespace,France,Vega,1000,35,Success
2022-09-01,CASC,China,Long March 4,3000,28,Success
"""
MAJORS = """Major,Major_category,Total,Men,Women,Unemployment_rate,Median,P25th,P75th
Physics,Science,1000,600,400,0.05,60000,45000,80000
Nursing,Health,3000,300,2700,0.02,52000,45000,60000
History,Arts,2000,900,1100,0.08,38000,30000,52000
Pharmacy,Health,1000,400,600,0.03,48000,40000,70000
"""
BIRTHS = """State,State Abbreviation,Year,Births,C-Section Births
Texas,TX,2020,400,140
Texas,TX,2021,500,150
Ohio,OH,2020,200,60
Ohio,OH,2021,,70
Iowa,IA,2020,100,20
"""
TABLES = {"bike_rides": RIDES, "invoices": INVOICES, "launches": LAUNCHES, "majors": MAJORS, "births": BIRTHS}


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    mostly_long([
        ("bike_rides", "how much money did we take in May", [[6.0, 3, 0]]),
        ("invoices", "revenue by country", [["Austria", 1500], ["France", 300], ["Germany", 600]]),
        ("launches", "which rockets never failed?", [["Falcon 9", 0, 0, 2], ["Vega", 0, 0, 1]]),
        ("majors", "which major has the most students?", [["Nursing", 3000]]),
        ("births", "what share of all births were C-sections?", [[100 * 370 / 1200, 4, 1]]),
        ("bike_rides", "most popular route?", [["Park", "Harbour", 2]]),
        ("bike_rides", "how many rides started and ended at Park", [[1]]),
        ("bike_rides", "how many rides took longer than half an hour", [[2]]),
        ("bike_rides", "how many rides took longer than an hour and a half", [[1]]),
        ("bike_rides", "at what hour of the day do most rides start?", [[8, 3]]),
        ("bike_rides", "what percentage of rides were free", [[25.0, 1, 4]]),
        ("bike_rides", "average ride length in km", [[23.5 / 4, 4, 0]]),
        ("bike_rides", "weekend vs weekday number of rides", [["weekday", 1], ["weekend", 3]]),
        ("invoices", "how much is overdue?", [[500, 1, 0]]),
        ("invoices", "how many were paid late", [[1]]),
        ("invoices", "average days from invoice to payment", [[(10 + 51 + 30) / 3, 3, 1]]),
        ("invoices", "which customers have no overdue invoices", [["Birk", 0, 0, 1], ["Cern", 0, 0, 1]]),
        ("invoices", "how much VAT did we charge in 2024", [[395, 2, 0]]),
        ("invoices", "number of invoices with a net amount between 1 and 2 thousand euros", [[1]]),
        ("invoices", "did we invoice more in 2024 than in 2023?", [[2023, 400], [2024, 2000]]),
        ("launches", "did China launch more than the USA in 2022?", [["China", 1], ["USA", 1]]),
        ("launches", "which company launched the most rockets", [["CASC", 2], ["SpaceX", 2]]),
        ("launches", "for how many launches is the cost unknown?", [[1]]),
        ("launches", "launches with a payload above 3500kg: how many", [[2]]),
        ("launches", "do heavier payloads have a higher cost? correlation please", [[0.6370, 4]]),
        ("majors", "share of women by category", [["Arts", 55.0], ["Health", 82.5], ["Science", 40.0]]),
        ("majors", "biggest gap between 25th and 75th percentile", [[35000, 4, 0]]),
        ("majors", "how many majors have a median between 40 and 50 thousand?", [[1]]),
        ("majors", "which category has the worst unemployment on average", [["Arts", 0.08]]),
        ("births", "how many babies were born in Texas in 2021?", [[500, 1, 0]]),
        ("births", "births in Texas and Ohio in 2020, by year", [[2020, 600]]),
        ("births", "total births where Year is at least 2021", [[500, 1, 1]]),
        ("births", "total births where Year is between 2020 and 2021", [[1200, 4, 1]]),
        ("invoices", "number of rows where Paid Date is more than Due Date", [[1]]),
    ], every=3),
)  # fmt: skip
def test_a_question_in_everyday_words_is_answered(
    tmp_path: Path, table: str, question: str, expected: list[list[Any]]
) -> None:
    found = rows_of(answered(tmp_path, table, TABLES[table], question))
    assert sorted(map(list, found), key=str) == [
        [pytest.approx(cell, abs=1e-4) if isinstance(cell, float) else cell for cell in row]
        for row in sorted(expected, key=str)
    ]
