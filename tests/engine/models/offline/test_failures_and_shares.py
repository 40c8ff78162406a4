"""Failures, shares of money, the most used value, steps of numbers, and words between the words that count."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import answered, rows_of

SALES = """sale_date,stall,payment,quantity,unit_price,total
2024-01-03,North,cash,2,3,6
2024-01-09,South,card,1,3,3
2024-02-10,North,card,5,3,15
2024-02-11,North,,2,3,6
"""
FLIGHTS = """flown_on,balloon,pilot,site,success,load_kg,lift_kg_per_m3,field_ha,yield (t/ha)
2023-01-01,Red,Ana,"Oslo, Norway",true,100,1.0,10,3
2023-01-02,Red,Bo,"Oslo, Norway",false,300,1.2,20,30
2023-01-03,Blue,Ana,"Rome, Italy",false,200,1.1,30,2
2023-01-04,Blue,Ana,"Rome, Italy",true,400,0.9,40,1
2023-01-05,Blue,Bo,"Rome, Italy",true,,0.9,50,1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("turnover by month", [["2024-01-01", 9], ["2024-02-01", 21]]),
        ("what percent of the money comes in through each stall", [["North", 90.0], ["South", 10.0]]),
        ("leaving South out, total by payment", [[None, 6], ["card", 15], ["cash", 6]]),
        ("how many units did we sell in February 2024", [[7]]),
        ("average and median sale", [[7.5, 6.0]]),
        ("rows (stall, total) with a quantity over 1", [["North", 6], ["North", 15], ["North", 6]]),
    ],
)
def test_many_words_for_revenue_are_understood(folder: Path, question: str, expected: Any) -> None:
    found = [row[: len(expected[0])] for row in rows_of(answered(folder, "stall_sales", SALES, question))]
    assert sorted(map(str, found)) == sorted(map(str, expected))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many flights failed", [[2]]),
        ("failed flights by balloon", [["Blue", 1], ["Red", 1]]),
        ("how many different pilots does each balloon have", [["Blue", 2], ["Red", 2]]),
        ("how many different sites are in use", [[2]]),
        ("std deviation of load by balloon", [["Blue", 141.4213562373095], ["Red", 141.4213562373095]]),
        ("which site is the load missing most often at", [["Rome, Italy", 1]]),
        ("how many rows have the load figure missing", [[1]]),
        ("average load where the field is bigger than 25 ha", [[300.0]]),
        ("most used site of each balloon", [["Blue", "Rome, Italy", 3], ["Red", "Oslo, Norway", 2]]),
        ("how many flights in Norway", [[2]]),
    ],
)
def test_questions_with_words_between_their_key_words_are_answered(
    folder: Path, question: str, expected: Any
) -> None:
    found = answered(folder, "flights", FLIGHTS, question)
    given = [row[: len(expected[0])] for row in rows_of(found)]
    assert sorted(map(str, given)) == sorted(map(str, expected))


@pytest.mark.parametrize(
    "question",
    [
        "large Red or large Blue flights with Ana or Oslo",  # which of the two belong together is not said
        "most used flights",
        "flights that failed to impress",
    ],
)
def test_a_question_that_mixes_alternatives_is_declined(folder: Path, question: str) -> None:
    assert answered(folder, "flights", FLIGHTS, question)["tool_calls"] == []


def test_a_line_chart_for_two_pilots_draws_a_line_for_each(folder: Path) -> None:
    found = answered(folder, "flights", FLIGHTS, "line chart of flights per day for Ana and Bo")
    (call,) = found["tool_calls"]
    assert call["args"]["color"] == "pilot" or "pilot" in call["args"]["sql"].split("FROM")[0]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("number of flights by load in steps of 200", [[None, 1], [0, 1], [200, 2], [400, 1]]),
        ("distribution of load in 200 kg bands", [[None, 1], [0, 1], [200, 2], [400, 1]]),
        ("number of flights by load in steps of 1234567", [[None, 1], [0, 4]]),
        ("average field by load in buckets of 250 kg", [[None, 50.0], [0, 20.0], [250, 30.0]]),
    ],
)
def test_numbers_are_divided_into_steps(folder: Path, question: str, expected: Any) -> None:
    assert sorted(map(str, rows_of(answered(folder, "flights", FLIGHTS, question)))) == sorted(
        map(str, expected)
    )


@pytest.mark.parametrize("question", ["flights by balloon in steps of 10", "flights by load in steps of 0"])
def test_steps_need_numbers_and_a_width(folder: Path, question: str) -> None:
    assert answered(folder, "flights", FLIGHTS, question)["tool_calls"] == []


def test_a_histogram_has_the_requested_steps(folder: Path) -> None:
    (call,) = answered(folder, "flights", FLIGHTS, "histogram of load in buckets of 200 kg")["tool_calls"]
    assert call["args"]["mark"] == "bar"
    assert call["args"]["x"] == "load_kg in steps of 200"


CLASSES = """code,term,begins,subject,session,teacher,enrolled,places,withdrawn,PU_hall,DO_hall,fee_amount,total_amount
a1,Fall 2023,2023-09-01,Algebra,1,Moe,20,30,4,East,West,5,50
a2,Fall 2023,2023-09-02,Algebra,2,Moe,10,20,2,East,East,5,40
b1,Fall 2024,2024-09-03,Biology,1,Ida,60,60,9,West,Twin Oaks Hall,5,30
b2,Fall 2024,2024-09-04,Biology,2,,40,60,,West,East,5,20
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("number of sessions by term", [["Fall 2023", 2], ["Fall 2024", 2]]),
        ("how many sessions have no teacher listed", [[1]]),
        ("which session had the most enrolled", [["b1"]]),
        ("withdrawals by subject", [["Algebra", 6], ["Biology", 9]]),
        ("enrolment by subject", [["Algebra", 30], ["Biology", 100]]),
        ("sessions by pickup hall", [["East", 2], ["West", 2]]),
        ("total revenue for each of the subjects", [["Algebra", 90], ["Biology", 50]]),
        ("which subjects does Moe teach", [["Algebra"]]),
        ("date of the first and the last session", [["2023-09-01", "2024-09-04"]]),
        ("which columns have gaps, and how many empty cells in each?", [["teacher", 1], ["withdrawn", 1]]),
        ("in how many rows is the number of withdrawn missing", [[1]]),
    ],
)
def test_questions_about_classes_and_their_sessions_are_answered(
    folder: Path, question: str, expected: Any
) -> None:
    found = answered(folder, "class_sessions", CLASSES, question)
    given = [row[: len(expected[0])] for row in rows_of(found)]
    assert sorted(map(str, given)) == sorted(map(str, expected))


def test_a_plural_is_not_matched_to_a_similar_beginning_of_a_name(folder: Path) -> None:
    assert (
        answered(folder, "class_sessions", CLASSES, "how many of the sessions were for twins")["tool_calls"]
        == []
    )


METERS = """Boiler_ID,Boiler Name,Month,gas_m3,kind,repeat_client,ordered_on,fitted_on,fitted_nights
1,North boiler,2023-01-01,10,old,true,2022-01-01,2022-02-01,2
1,North boiler,2023-02-01,90,old,false,2022-02-01,2022-04-01,3
2,South boiler,2023-01-01,60,new,true,2022-03-01,2022-04-01,4
2,South boiler,2023-02-01,60,mid,true,2022-05-01,2022-06-01,5
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("which boiler has the highest total gas", [["South boiler", 120]]),
        ("total gas by fitted month", [["2022-02-01", 10], ["2022-04-01", 150], ["2022-06-01", 60]]),
        ("total gas consumption by kind", [["mid", 60], ["new", 60], ["old", 100]]),
    ],
)
def test_a_thing_with_several_rows_is_not_a_row(folder: Path, question: str, expected: Any) -> None:
    given = [row[: len(expected[0])] for row in rows_of(answered(folder, "boiler_meters", METERS, question))]
    assert sorted(map(str, given)) == sorted(map(str, expected))


@pytest.mark.parametrize(
    "question",
    [
        "average monthly gas of the old ones",  # no average of each month
        "how long do clients stay",  # no clients with `repeat_client`, and no time between two other dates
    ],
)
def test_a_reading_with_another_meaning_than_the_question_is_not_offered(folder: Path, question: str) -> None:
    assert answered(folder, "boiler_meters", METERS, question)["tool_calls"] == []
