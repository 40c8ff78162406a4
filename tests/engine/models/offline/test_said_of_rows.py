"""Words that name rows rather than a value, periods of a named date, and readings that would ignore a word."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered, assert_rows, rows_of

HOTEL_BOOKINGS = """booking_id,booked_on,check_in,channel,country,total_amount,satisfaction
B1,2023-11-20,2024-01-05,Booking.com,France,100,4
B2,2023-12-01,2024-01-20,Expedia,France,250,5
B3,2024-01-10,2024-02-11,Direct,Spain,300,3
B4,2024-03-01,2025-02-01,Booking.com,Spain,50,5
"""
VISITS = """visit_id,arrival,hospital,triage_level,outcome,alert
1,2024-01-05,North,1,admitted,true
2,2024-01-06,North,3,discharged,false
3,2024-02-05,South,3,discharged,false
4,2024-02-06,South,2,admitted,false
5,2024-03-07,South,4,discharged,true
"""
INSPECTIONS = """inspection_id,inspected_on,inspector,score
1,2024-01-05,Osei,90
2,2024-01-06,Osei,70
3,2024-02-05,Tran,95
4,2024-02-06,Tran,60
"""
COFFEE_SALES = """transaction_id,sale_date,store,quantity,unit_price,total
1,2024-01-05,North,1,3.5,3.5
2,2024-01-06,North,2,3.0,6.0
3,2024-02-05,South,1,4.0,4.0
"""
FLIGHTS = """FlightNo,FlightDate,Airline,Passengers
AB1,2024-01-05,Alto,120
AB1,2024-01-06,Alto,130
AB1,2024-01-07,Alto,90
CD2,2024-01-06,Bravo,80
CD2,2024-01-07,Bravo,85
"""
REGIONS = """region,revenue,booked_on
East,100,2024-01-03
West,300,2024-02-03
West,50,2024-03-09
North,80,2023-05-03
"""
TABLES = {
    "hotel_bookings": HOTEL_BOOKINGS,
    "er_visits": VISITS,
    "inspections": INSPECTIONS,
    "coffee_sales": COFFEE_SALES,
    "flights": FLIGHTS,
    "bookings": REGIONS,
}


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    [
        ("hotel_bookings", "total amount of bookings by country", [["France", 350], ["Spain", 350]]),
        ("hotel_bookings", "number of Booking.com bookings by country", [["France", 1], ["Spain", 1]]),
        ("hotel_bookings", "satisfaction by country", [["France", 4.5], ["Spain", 4.0]]),
        (
            "hotel_bookings",
            "number of bookings by check-in month in 2024",
            [["2024-01-01", 2], ["2024-02-01", 1]],
        ),
        ("er_visits", "average triage level by outcome", [["admitted", 1.5], ["discharged", 10 / 3]]),
    ],
)
def test_questions_about_rows_and_their_dates_are_answered(
    tmp_path: Path, table: str, question: str, expected: list[list[Any]]
) -> None:
    assert_rows(answered(tmp_path, table, TABLES[table], question), expected)


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("hotel_bookings", "total booking amount by country"),
        ("er_visits", "outcome by triage level"),
        ("er_visits", "which months had no alerts at all?"),
        ("er_visits", "What months had an alert in the north hospital?"),
        ("inspections", "which inspectors score below the overall average?"),
        ("er_visits", "is there a correlation between triage level and wait per visit?"),
        ("flights", "how many flights were there on January 6?"),
        ("bookings", "what percent is West of all revenue?"),
        ("bookings", "what percentage is West of total revenue?"),
    ],
)
def test_a_reading_that_would_ignore_a_part_of_the_question_is_refused(
    tmp_path: Path, table: str, question: str
) -> None:
    assert answered(tmp_path, table, TABLES[table], question)["tool_calls"] == []


READINGS = """ReadingID,ReadDate,SiteName,EnergyType,UsageKWh,PeakDemandKW,WidthCm,HeightCm,IsEstimated
R1,2022-01-02,Mill,Electricity,100,5,10,20,TRUE
R2,2022-01-02,Mill,Gas,50,7,30,20,FALSE
R3,2022-02-06,Hall,Electricity,70,9,10,40,FALSE
R4,2022-02-06,Hall,Gas,30,2,50,40,TRUE
"""
JOBS = """job_id,opened_on,assigned_to,score,picked_from,dropped_to
1,2024-01-05,Osei,12,North,North
2,2024-01-06,,18,North,South
3,2024-02-05,Tran,22,South,South
4,2024-02-06,Osei,31,South,North
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("total usage in kWh", [[250]]),
        ("kWh by site name", [["Hall", 100], ["Mill", 150]]),
        ("highest peak demand in kW", [[9]]),
        ("monthly electricity usage", [["2022-01-01", 100], ["2022-02-01", 70]]),
        ("how many readings are wider than they are tall", [[2]]),
        ("The meters fail sometimes. How many readings are there?", [[4]]),
        ("how many gas readings are there, obviously", [[2]]),
    ],
)
def test_units_in_names_and_remarks_are_read(
    tmp_path: Path, question: str, expected: list[list[Any]]
) -> None:
    assert_rows(answered(tmp_path, "readings", READINGS, question), expected)


@pytest.mark.parametrize(
    "question",
    [
        "total usage in MWh",
        "how many gas emissions are there by site name",
        "how many readings are younger than they are tall",
        "The lights should be left out. How many readings are there?",
        "The weekends are different here. How many readings are there?",
        "Somebody wants the median of it. How much usage is there?",
        "The lamps do not matter. How many readings are there?",
    ],
)
def test_a_unit_or_statement_that_does_not_fit_is_declined(tmp_path: Path, question: str) -> None:
    found = answered(tmp_path, "readings", READINGS, question)
    assert not found["tool_calls"]
    assert "equal to 50" not in found["answer"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many jobs have nobody assigned", [[1]]),
        ("number of jobs with no one assigned", [[1]]),
        ("average score by agent", [["Osei", 21.5], ["Tran", 22.0], [None, 18.0]]),
        ("jobs per assignee in 2024", [["Osei", 2], ["Tran", 1], [None, 1]]),
    ],
)
def test_the_agent_of_a_job_is_the_person_to_whom_it_is_assigned(
    tmp_path: Path, question: str, expected: list[list[Any]]
) -> None:
    assert sorted(
        map(str, (row[:2] for row in rows_of(answered(tmp_path, "jobs", JOBS, question))))
    ) == sorted(map(str, expected))


def test_a_chart_of_an_amount_counts_no_rows(tmp_path: Path) -> None:
    found = answered(tmp_path, "readings", READINGS, "line chart of monthly gas usage at Mill")
    assert 'sum("UsageKWh")' in str(found["tool_calls"])
