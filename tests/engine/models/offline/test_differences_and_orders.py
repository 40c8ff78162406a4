"""Differences between two groups, orders that an adjective names, and rules for possible meanings of a word."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.ask_offline import ask
from tests.support.long_cases import mostly_long

TABLES = {
    "wildfires": """IncidentID,FireName,County,StartDate,Cause,AcresBurned,StructuresDestroyed,PEOPLE_INJURED,Fatalities
f1,Gulch Fire,Kern,2016-01-16,Arson,100,3,1,
f2,Gulch Fire,Kern,2016-02-28,Lightning,300,1,0,2
f3,Ranch Fire,Inyo,2017-03-01,,900,0,4,1
f4,Creek Fire,Inyo,2017-04-02,Arson,50,9,2,0
""",
    "loans": """loan_id,issue_d,loan_amnt,term_months,int_rate_pct,addr_state,total_pymnt,major_client
1,2024-01-01,1000,36,6,CA,1100,true
2,2024-02-01,2000,36,8,TX,2100,false
3,2024-05-01,3000,60,12,CA,3300,false
4,2025-07-01,4000,60,14,IN,4400,true
""",
    "weather": """STATION,DATE,TMAX_C,TMIN_C,PRCP_mm,RH_pct
Ash,2023-01-01,4,-2,10,80
Ash,2023-01-02,6,0,0,70
Birch,2023-07-01,30,12,1,50
Birch,2023-07-02,26,14,3,40
""",
    "crashes": """CRASH_ID,CRASH_DATE,CRASH_HOUR,STREET,VIOLATION_COUNT,SERIOUS_VIOLATIONS,inspector_initials
c1,2024-01-01,17,Elm,4,1,MR
c2,2024-01-02,17,Elm,2,0,HG
c3,2024-01-03,8,Oak,1,1,MR
""",
    "ferries": """trip_id,dep_date,Pax,home_port_of_call,unemployed,Delay (min)
1,2022-11-01,10,Rome,3,5
2,2022-12-01,20,Bari,4,
3,2023-11-02,60,Rome,5,90
""",
    "outages": """id,region,outage_delay_hour,lost_calls,late_calls
1,East,2,1,2
2,East,4,,
3,West,12,,5
""",
    "tickets": """ticket_id,customer,created,paid_at,due_date,status,score
1,Ada,2024-01-01,2024-02-05,2024-02-01,Open,0
2,Ada,2024-02-01,2024-02-20,2024-03-01,Closed,
3,Bob,2024-08-01,2024-09-09,2024-09-01,Open,4
4,Bob,2024-09-01,,2024-10-01,Open,
5,Bob,2024-10-01,2024-10-02,2024-11-01,Closed,5
""",
}  # fmt: skip


def answer(folder: Path, table: str, *questions: str) -> dict[str, Any]:
    (folder / f"{table}.csv").write_text(TABLES[table])
    return list(ask(folder, list(questions)))[-1]


def rows(document: dict[str, Any]) -> list[list[Any]]:
    assert document["tool_calls"], document["answer"]
    return [list(row) for row in document["tool_calls"][-1]["result"]["rows"]]


@pytest.mark.parametrize(
    ("table", "question", "gap"),
    mostly_long([
        ("loans", "How much higher is the average interest rate of 60-month loans than that of 36-month loans?", "6"),
        ("weather", "how much warmer is Birch than Ash on average by maximum temperature", None),
        ("wildfires", "how many more fires were there in Kern than in Inyo?", "0"),
        ("wildfires", "By how much is the average of acres burned higher in Inyo than in Kern?", None),
        ("loans", "how many dollars higher is the average loan amount in CA than in TX", "0"),
    ], quick=(0, 2)),
)  # fmt: skip
def test_a_difference_is_reported_with_both_numbers_or_the_question_is_declined(
    tmp_path: Path, table: str, question: str, gap: str | None
) -> None:
    document = answer(tmp_path, table, question)
    if gap is None:
        assert not document["tool_calls"], document["answer"]
        return
    assert document["answer"].split(" Counted")[0].endswith(f"a difference of {gap}."), document["answer"]
    assert not document["answer"].startswith(("Yes", "No")), "nobody asked whether it is so"
    assert len(rows(document)) == 2


@pytest.mark.parametrize(
    ("table", "question", "expected"),
    mostly_long([
        # a name that repeats does not make two fires one
        ("wildfires", "number of fires per county", [["Inyo", 2], ["Kern", 2]]),
        ("wildfires", "which county had the most structures destroyed by fires?", [["Inyo", 9]]),
        ("wildfires", "how many people were injured in each county?", [["Inyo", 6], ["Kern", 1]]),
        # amounts that are missing in one of two columns count in the other
        ("wildfires", "total people injured and fatalities combined by county", [["Inyo", 7], ["Kern", 3]]),
        ("wildfires", "number of fires with no recorded cause, per year", [[2017, 1]]),
        ("wildfires", "total acres burned by county, largest county first", [["Inyo", 950], ["Kern", 400]]),
        ("loans", "total amount lent", [[10000, 4, 0]]),
        ("loans", "average amount of money lent by state", [["CA", 2000], ["IN", 4000], ["TX", 2000]]),
        ("loans", "how many loans were issued in each quarter of 2024?", [["2024-01-01", 2], ["2024-04-01", 1]]),
        ("loans", "how many loans in California?", [[2]]),
        ("loans", "how many loans in Indiana or Texas?", [[2]]),
        ("loans", "how many loans were not classed as a major client?", [[2]]),
        ("loans", "number of loans in the first half of 2024", [[3]]),
        ("loans", "loan amount compared with the previous year by year", [[2024, 6000, None], [2025, 4000, -2000]]),
        ("weather", "highest maximum temperature at each station", [["Ash", 6], ["Birch", 30]]),
        ("weather", "total precipitation by station, wettest first", [["Ash", 10], ["Birch", 4]]),
        ("weather", "median relative humidity", [[60, 4, 0]]),
        ("weather", "how many daily records have more than 2 mm of precipitation?", [[2]]),
        ("crashes", "which street had the most crashes in total?", [["Elm", 2]]),
        ("crashes", "crashes by hour of day", [[8, 1], [17, 2]]),
        ("crashes", "total violations", [[7, 3, 0]]),
        ("crashes", "number of crashes by inspector", [["HG", 1], ["MR", 2]]),
        ("tickets", "how many tickets were paid after the due date?", [[2]]),
        ("tickets", "how many tickets without a score", [[2]]),
        ("tickets", "which customer was listed most often", [["Bob", 3]]),
        ("tickets", "how are the tickets spread over the customers", [["Ada", 2], ["Bob", 3]]),
        ("tickets", "which customers appear three times or more", [["Bob", 3]]),
        ("tickets", "number of tickets in the second half of 2024", [[3]]),
        ("tickets", "how many tickets lack a score", [[2]]),
        ("ferries", "total passengers by year", [[2022, 30], [2023, 60]]),
        ("ferries", "number of unemployed people", [[12, 3, 0]]),
        ("outages", "average outage by region", [["East", 3], ["West", 12]]),
        ("outages", "total lost calls and late calls combined by region", [["East", 3], ["West", 5]]),
        ("ferries", "I would like to know the number of sailings at the end of each year", [[2022, 2], [2023, 1]]),
        ("wildfires", "how many fires, leaving out fires with unknown cause", [[3]]),
        ("wildfires", "which counties have two or more fires", [["Inyo", 2], ["Kern", 2]]),
        (
            "loans",
            "by how much did the total loan amount of each state change from 2024 to 2025",
            [["CA", 2024, 4000, None], ["TX", 2024, 2000, None], ["IN", 2025, 4000, None]],
        ),
    ], quick=range(0, 37, 4)),
)  # fmt: skip
def test_words_are_matched_to_what_they_name(
    tmp_path: Path, table: str, question: str, expected: list[list[Any]]
) -> None:
    assert rows(answer(tmp_path, table, question)) == expected


def test_opening_the_most_is_different_from_having_the_most_open(tmp_path: Path) -> None:
    assert rows(answer(tmp_path, "tickets", "which customer opened the most tickets")) == [["Bob", 3]]


@pytest.mark.parametrize(
    ("table", "question"),
    mostly_long(
        [
            ("wildfires", "average acres burned in 2016-2016 with 2017-2017"),
            ("weather", "rainfall by hour"),
            ("weather", "at which hour of the day is it warmest?"),
            ("tickets", "how many tickets from customers"),
            ("tickets", "number of tickets over the previous month"),
        ],
        quick=(0, 1),
    ),
)
def test_a_condition_no_row_can_meet_and_data_the_table_lacks_are_declined(
    tmp_path: Path, table: str, question: str
) -> None:
    assert not answer(tmp_path, table, question)["tool_calls"]


def test_a_name_that_fits_two_temperatures_is_offered_as_both(tmp_path: Path) -> None:
    document = answer(tmp_path, "weather", "average temperature by station")
    assert "Average TMAX_C by STATION" in document["answer"]
    assert "Average TMIN_C by STATION" in document["answer"]


def test_a_change_in_percent_is_computed_in_percent(tmp_path: Path) -> None:
    asked = "by how many percent did the total loan amount change from each year to the next?"
    assert rows(answer(tmp_path, "loans", asked)) == [
        [2024, 6000, None],
        [2025, 4000, pytest.approx(-33.333333)],
    ]


def test_a_question_for_a_correlation_may_add_a_second_column(tmp_path: Path) -> None:
    asked = ("correlation between loan amount and interest rate", "and with the term?")
    document = answer(tmp_path, "loans", *asked)
    assert "corr(loan_amnt, term_months)" in document["tool_calls"][-1]["args"]["sql"]


def test_ranking_by_a_number_says_what_is_ranked(tmp_path: Path) -> None:
    document = answer(tmp_path, "wildfires", "what was the largest fire by acres burned?")
    assert rows(document) == [["Ranch Fire", "2017-03-01", 900]]


def test_newest_first_sorts_by_time(tmp_path: Path) -> None:
    document = answer(tmp_path, "tickets", "list tickets with status Open, newest first")
    assert [row[0] for row in rows(document)] == [4, 3, 1]
    by_month = answer(tmp_path, "tickets", "number of tickets per month, newest first")
    assert [row[0] for row in rows(by_month)] == [
        "2024-10-01",
        "2024-09-01",
        "2024-08-01",
        "2024-02-01",
        "2024-01-01",
    ]


@pytest.mark.parametrize(
    ("table", "question", "left_out", "offered"),
    mostly_long([
        ("wildfires", "total acres burned by county in the media", "in the media", "Total AcresBurned by County"),
        ("loans", "the sanctioned average interest rate by state", "sanctioned", "Average int_rate_pct by addr_state"),
    ], quick=(0,)),
)  # fmt: skip
def test_a_declined_question_offers_the_nearest_one_and_says_what_it_leaves_out(
    tmp_path: Path, table: str, question: str, left_out: str, offered: str
) -> None:
    document = answer(tmp_path, table, question)
    assert not document["tool_calls"], document["answer"]
    assert f"Without “{left_out}”, I can answer the first question below" in document["answer"]
    assert f"You could ask:\n- {offered}\n" in document["answer"], document["answer"]
    listed = document["answer"].split("You could ask:\n")[1].lower()
    assert listed.count(offered.lower().replace("_", " ").split(" by ")[0]) <= 1, (
        "offered once, in one wording"
    )
    again = answer(tmp_path, table, offered)
    assert rows(again), "the offered question is answered"


@pytest.mark.parametrize(
    "question",
    mostly_long(
        [
            "total acres burned excluding glorps",
            "fires with more than 300 glorps",
            "median glorps of fires",
            "fires that are not glorpish",
        ],
        quick=(0, 3),
    ),
)
def test_numbers_negations_and_words_for_computations_are_never_left_out(
    tmp_path: Path, question: str
) -> None:
    said = answer(tmp_path, "wildfires", question)["answer"]
    left = said.split("Without “")[1:]
    assert not any(
        word in one.split("”")[0] for one in left for word in ("excluding", "300", "median", "not")
    )
