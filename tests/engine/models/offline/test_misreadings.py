"""Questions whose nearest reading answers another question: rows for amounts, values for groups, another date."""

from pathlib import Path
from typing import Any

import pytest

from engine.views.query_form import form_parts, form_sentence
from tests.support.ask_offline import ask, profile
from tests.support.long_cases import mostly_long

TABLES = {
    "gifts": """gift_id,donor_id,gift_date,amount_usd
1,d1,2023-01-07,100
2,d1,2023-01-09,100
3,d2,2023-02-04,150
4,d3,2023-02-07,20
5,d1,2023-03-06,10
""",
    "donors": """donor_id,donor_name,donor_type,joined_on
d1,Harbour Fund,Fund,2019-05-01
d2,North Trust,Trust,2020-06-01
d3,Elm Trust,Trust,2021-07-01
""",
    "store_sales": """week_start,store,sales
2022-01-03,Mill,10
2022-01-03,Dock,20
2022-02-07,Mill,0
2022-02-07,Dock,0
2022-03-07,Mill,0
2022-03-07,Dock,0
2023-01-02,Mill,40
2023-01-02,Dock,30
2023-02-06,Mill,0
2023-02-06,Dock,0
""",
    "rides": """ride_id,started_at,start_station,end_station,op_carrier,reason
r1,2023-01-07,Mill,Mill,AA,Carrier
r2,2023-01-08,Mill,Dock,AA,Weather
r3,2023-01-09,Dock,Dock,BB,Carrier
""",
    "visits": """visit_id,patient_id,admission_date,discharge_date,ward,age,cost
v1,p1,2023-01-30,2023-02-02,East,70,10
v2,p2,2023-02-01,2023-02-03,East,40,20
v3,p3,2023-02-25,2023-03-01,West,81,40
""",
    "claims": """claim_id,state,claimed_usd,status,cause
c1,Utah,500,denied,fire
c2,Utah,700,paid,
c3,Ohio,12000,denied,theft
c4,Ohio,40,refunded,theft
""",
    "home_sales": """address,type,bedrooms,bathrooms,area,price
1 Oak St,house,3,2,North,300
2 Oak St,flat,3,1,North,200
3 Elm St,house,4,2,South,500
4 Elm St,house,4,3,South,600
5 Elm St,flat,5,2,South,400
6 Elm St,flat,2,1,South,100
""",
    "staff": """emp_id,department,gender,hire_date
e1,Engineering,F,2015-01-05
e2,Engineering,M,2016-02-01
e3,Sales,F,2017-03-01
""",
    "trips": """trip_id,line,service_date,delay_min,passengers,cancelled
t1,Red,2024-01-01,2,10,No
t2,Red,2024-01-01,8,30,Yes
t3,Blue,2024-01-02,12,25,Yes
t4,Blue,2024-01-02,30,5,Yes
""",
    "stays": """stay_id,stay_date,hotel,rating,returned,damage
1,2024-01-01,Mill,4,No,No damage
2,2024-01-01,Mill,5,Yes,Window
3,2024-01-02,Dock,1,Yes,Door
4,2024-01-03,Dock,2,No,No damage
5,2024-01-04,Dock,3,Yes,No damage
""",
}


def answer(folder: Path, tables: str, question: str) -> dict[str, Any]:
    for name in tables.split():
        (folder / f"{name}.csv").write_text(TABLES[name])
    return next(ask(folder, [question]))


@pytest.mark.parametrize(
    ("tables", "question", "expected"),
    mostly_long([
        ("gifts donors", "which donor gave the most", [["Harbour Fund", 210]]),
        ("gifts donors", "what was the largest gift", [[3, "2023-02-04", 150]]),
        ("gifts", "is the average amount higher on weekends than on weekdays",
         [["weekday", 130 / 3], ["weekend", 125]]),
        ("store_sales", "how many stores are there", [[2]]),
        ("store_sales", "did sales go up from 2022 to 2023", [[2022, 30, 2023, 70, 40, 4000 / 30]]),
        ("rides", "how many rides started and ended at the same station", [[2]]),
        ("rides", "how many rides start and end at different stations", [[1]]),
        ("rides", "rides on weekends by carrier", [["AA", 2]]),
        ("visits", "discharges by month", [["2023-02-01", 2], ["2023-03-01", 1]]),
        ("visits", "total cost of patients over 60", [[50, 2, 0]]),
        ("claims", "how many claims were denied", [[2]]),
        ("claims", "claims by state", [["Ohio", 2], ["Utah", 2]]),
        ("claims", "refund rate", [[25, 1, 4]]),
        ("claims", "denial rate by state", [["Ohio", 50, 1, 2], ["Utah", 50, 1, 2]]),
        ("home_sales", "price range", [[100, 600, 500, 6, 0]]),
        ("home_sales", "areas with more than 2 homes", [["South", 4]]),
        ("visits", "how many people were discharged in march", [[1]]),
        ("trips", "cancellations by line", [["Blue", 2], ["Red", 1]]),
        ("trips", "which line had the most cancellations", [["Blue", 2]]),
        ("rides", "which reason has the fewest AA", [["Carrier", 1], ["Weather", 1]]),
        ("trips", "average passengers by line, only lines with at least 2 trips", [["Blue", 15, 2], ["Red", 20, 2]]),
        ("trips", "average passengers by line, only lines with total passengers over 39.9999999", [["Red", 20, 40]]),
        ("home_sales", "average price by area for areas with more than 3 homes", [["South", 400, 4]]),
        ("trips", "total passengers by line, but only lines with total delay over 20", [["Blue", 30, 42]]),
        ("trips", "total passengers in total across every line", [[70, 4, 0]]),
        ("trips", "total passengers by line, largest to smallest", [["Red", 40], ["Blue", 30]]),
        ("gifts", "what was the largest gift; if several tie, list all of them", [[3, "2023-02-04", 150]]),
        ("trips", "which line has the worst delays on average", [["Blue", 21]]),
        ("trips", "average trips per day", [[2]]),
        ("trips", "passengers per trip", [[17.5, 4, 0]]),
        ("stays", "number of stays with any damage", [[2]]),
        ("stays", "number of stays with no damage", [[3]]),
        ("stays", "average rating by hotel", [["Dock", 2], ["Mill", 4.5]]),
    ], quick=(*range(0, 30, 3), 30, 31)),
)  # fmt: skip
def test_the_intended_question_is_answered(
    tmp_path: Path, tables: str, question: str, expected: list[list[Any]]
) -> None:
    document = answer(tmp_path, tables, question)
    (call,) = document["tool_calls"]
    assert call["status"] == "success", call["error"]
    found = call["result"]["rows"]
    assert len(found) == len(expected)
    for row, wanted in zip(found, expected, strict=True):
        numbers = [pytest.approx(cell) if isinstance(cell, int | float) else cell for cell in wanted]
        assert row == numbers


@pytest.mark.parametrize(
    ("tables", "question"),
    mostly_long(
        [
            ("gifts donors", "which donor gave the largest gift"),
            ("gifts donors", "number of donors with more than 2 gifts"),
            ("gifts donors", "average number of gifts"),
            ("gifts donors", "total amount by donors who joined before 2020"),
            ("store_sales", "did sales go up in 2023"),
            ("store_sales", "stores with sales below average"),
            ("visits", "how many patients over 900"),
            ("visits", "visits older than 30 days"),
            ("staff", "oldest employee"),
            ("trips", "empty trips"),
            ("trips", "which day had the most Blue"),
            ("home_sales", "average price by area, only types with more than 2 homes"),
            ("home_sales", "average price, only areas with more than 2 homes"),
            ("stays", "retunr rate per hotel, worst first"),
            ("stays", "hotel with the most stays by stay id"),
        ],
        quick=(*range(1, 13, 3), 13, 14),
    ),
)
def test_a_reading_that_would_answer_another_question_is_refused(
    tmp_path: Path, tables: str, question: str
) -> None:
    document = answer(tmp_path, tables, question)
    assert document["tool_calls"] == []
    assert document["answer"].startswith("I can't answer that")


@pytest.mark.parametrize(
    ("tables", "question", "offered"),
    mostly_long(
        [
            (
                "home_sales",
                "how many 3 bedroom houses",
                ["bedrooms is equal to 3 and type is", "bedrooms is equal to 3"],
            ),
            (
                "home_sales",
                "how many homes have at least 4 bedrooms and 2 bathrooms",
                ["bathrooms is at least 2", "bathrooms is equal to 2"],
            ),
            ("staff", "percentage of women in engineering", ["whose gender is", "whose department is"]),
            ("trips", "delays over 10 minutes by line", ["Average delay_min", "Number of rows"]),
            ("trips", "worst line by number of trips", ["highest", "lowest"]),
        ],
        quick=(0, 2),
    ),
)
def test_a_question_with_two_meanings_gets_both_offered(
    tmp_path: Path, tables: str, question: str, offered: list[str]
) -> None:
    document = answer(tmp_path, tables, question)
    assert document["tool_calls"] == []
    choices = [line for line in document["answer"].splitlines() if line.startswith("- ")]
    assert len(choices) == 2
    for words in offered:
        assert any(words in choice for choice in choices), choices


@pytest.mark.parametrize(
    ("question", "expected"),
    mostly_long(
        [
            (
                "average price by area, only areas with more than 3 homes",
                "Average price by area (number of rows more than 3): South 400.",
            ),
            (
                "average price by area, only areas with more than 9 homes",
                "No area of `home_sales` has number of rows more than 9.",
            ),
            (
                "which area has the highest average price, only areas with at least 2 homes",
                "**South** has the highest average price, **400** (number of rows at least 2).",
            ),
            (
                "average price by area, only areas with total price over 1234567.5",
                "No area of `home_sales` has total price more than 1234567.5.",
            ),
        ],
        quick=(0, 3),
    ),
)
def test_an_answer_names_the_condition_on_its_groups(tmp_path: Path, question: str, expected: str) -> None:
    document = answer(tmp_path, "home_sales", question)
    assert document["answer"] == expected
    title = document["tool_calls"][0]["args"]["title"]
    assert answer(tmp_path, "home_sales", title)["tool_calls"][0]["args"] == document["tool_calls"][0]["args"]


def test_a_condition_on_groups_can_be_changed_and_removed(tmp_path: Path) -> None:
    (tmp_path / "home_sales.csv").write_text(TABLES["home_sales"])
    tables = profile(tmp_path)
    form = {
        "table": "home_sales",
        "measures": [{"aggregate": "mean", "of": {"column": "price"}}, {"aggregate": "count"}],
        "groups": [{"column": "area"}],
        "having": [{"measure": 1, "compare": ">=", "value": 3}],
    }
    parts = {part.kind: part for part in form_parts(form, tables)}
    assert (parts["having"].lead, parts["having"].text) == ("with", "number of rows at least 3")
    changed = {choice.text: form_sentence(choice.form) for choice in parts["having"].choices}
    plain = "Average price and number of rows by area"
    assert changed["Remove"] == f"{plain} in home_sales"
    assert changed["number of rows less than 3"] == f"{plain} with number of rows less than 3 in home_sales"
    measures = [part for part in form_parts(form, tables) if part.kind == "measure"]
    kept, dropped = (
        {choice.text: form_sentence(choice.form) for choice in part.choices}["Remove"] for part in measures
    )
    assert kept == "Number of rows by area with number of rows at least 3 in home_sales"
    assert dropped == "Average price by area in home_sales"
