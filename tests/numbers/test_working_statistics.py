"""Workings with correct arithmetic that compute something other than what their sentence states."""

import pytest

from engine.numbers.evidence import Evidence, ResultTable
from engine.numbers.trace import trace
from engine.numbers.traced_number import TracedNumber

STORES = ResultTable(
    "stores",
    ("store", "region", "orders", "visits"),
    (
        ("Alder", "North", 412, 5120),
        ("Birch", "North", 388, 4210),
        ("Cedar", "South", 951, 9034),
        ("Dogwood", "South", 277, 3308),
        ("Elm", "South", 640, None),
    ),
    "Orders by store",
    "call",
)
TICKETS = ResultTable(
    "tickets",
    ("city", "tickets_2023", "tickets_2024", "early_2023", "early_2024"),
    (("Berlin", 290, 310, 100, 120), ("Oslo", 520, 498, 240, 250), ("Turin", 401, 500, 90, 180)),
    "Tickets by city",
    "call",
)
MONTHS = ResultTable(
    "months",
    ("month", "revenue"),
    (
        ("2024-01", 412850.0),
        ("2024-02", 433120.5),
        ("2024-03", 402310.25),
        ("2024-04", 471900.0),
        ("2024-05", 518090.75),
    ),
    "Revenue by month",
    "call",
)


def number(sentence: str, line: str) -> TracedNumber:
    """Return the number of a sentence that has a working."""
    evidence = Evidence((STORES, TICKETS, MONTHS), ("How did it go?",), workings=f"```workings\n{line}\n```")
    return next(one for one in trace(sentence, evidence) if one.working)


@pytest.mark.parametrize(
    ("sentence", "line", "objection"),
    [
        (
            "The mean number of orders is 412.",
            "412 = median(orders) | all stores",
            "it gives a median, not a mean",
        ),
        (
            "The median store took 401.5 orders.",
            "401.5 = (412 + 391) / 2 | orders",
            "391 is in no result",
        ),
        (
            "The median store took 400 orders.",
            "400 = (412 + 388) / 2 | orders of Alder and Birch",
            "the median of its column is 412",
        ),
        (
            "The southern stores took 467 orders on average.",
            "467 = (951 + 277 + 640) / 4 | orders, South",
            "it adds up 3 numbers and divides by 4",
        ),
        (
            "The three southern stores together took 1,228 orders.",
            "1,228 = 951 + 277 | orders",
            "its sentence is about the three southern stores together, but it adds up a different number of them",
        ),
        (
            "The South took 1,640 orders.",
            "1,640 = 951 + 277 + 412 | orders, South",
            "it has cells of rows that its words do not name",
        ),
        (
            "From February to April it made 1,247,280.25.",
            "1,247,280.25 = 412850 + 433120.5 + 402310.25 - 1000.5 | revenue",
            "1000.5 is in no result",
        ),
        (
            "In spring it made 1,392,301.00.",
            "1,392,301.00 = 402310.25 + 471900 + 518090.75 | revenue, February to April",
            "it does not use all of February to April",
        ),
        (
            "Revenue grew by 20.3% from January to May.",
            "20.3% = (518090.75 - 412850) / 518090.75 | revenue, January and May",
            "it divides by the later value",
        ),
        (
            "Dogwood took 48.9% more orders than Alder.",
            "48.9% = (412 - 277) / 276 | orders, Alder and Dogwood",
            "276 is in no result",
        ),
        (
            "Orders of Alder are 48.7% lower than those of Cedar.",
            "48.7% = (951 - 412) / 951 * 0.859 | orders, Alder and Cedar",
            "0.859 is in no result",
        ),
        (
            "Dogwood took 131% fewer orders than Elm.",
            "131% = (640 - 277) / 277 | orders, Elm and Dogwood",
            "it does not divide by the value from which the number changed",
        ),
        (
            "Without Elm, orders come to 2,668.",
            "2,668 = sum(orders) | orders, without Elm",
            "its words leave out elm, but it uses the cell of elm",
        ),
        (
            "Berlin sold 25.6% of all tickets this year.",
            "25.6% = 310 / (290 + 520 + 401) | Berlin of all",
            "its part belongs to tickets_2024, but its whole to tickets_2023",
        ),
        (
            "Of the tickets, 44.5% were sold early.",
            "44.5% = (120 / 310 + 250 / 498) / 2 | early_2024 / tickets_2024, Berlin and Oslo",
            "it gives a mean of ratios, without weights",
        ),
        (
            "Tickets rose by 3.4% to 1,308.",
            "3.4% = (1308 - 1267) / 1190 | total",
            "is in no result",
        ),
        (
            "Early sales in Berlin are at 38.7%, a relative gain of 4.2%.",
            "4.2% = 120 / 310 - 100 / 290 | early / tickets, Berlin",
            "it gives percentage points",
        ),
    ],
)
def test_correct_arithmetic_for_something_else_is_not_believed(
    sentence: str, line: str, objection: str
) -> None:
    found = number(sentence, line)
    assert found.status in ("unclear", "unbacked")
    assert objection in found.objection


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("The median store took 412 orders.", "412 = median(orders) | all stores"),
        ("The median of the northern stores is 400.", "400 = median(412, 388) | orders, Alder and Birch"),
        (
            "The southern stores took 622.67 orders on average.",
            "622.67 = (951 + 277 + 640) / 3 | orders, South",
        ),
        ("The three southern stores together took 1,868 orders.", "1,868 = 951 + 277 + 640 | orders, South"),
        (
            "In spring it made 1,307,330.75.",
            "1,307,330.75 = 433120.5 + 402310.25 + 471900 | revenue, February to April",
        ),
        (
            "Revenue grew by 25.5% from January to May.",
            "25.5% = (518090.75 - 412850) / 412850 | revenue, January and May",
        ),
        ("Dogwood took 56.7% fewer orders than Elm.", "56.7% = (640 - 277) / 640 | orders, Elm and Dogwood"),
        ("Without Elm, orders come to 2,028.", "2,028 = sum(orders) - 640 | orders, without Elm"),
        (
            "Berlin and Oslo are at 99.8% of the year before.",
            "99.8% = (310 + 498) / (290 + 520) | tickets of Berlin and Oslo",
        ),
        ("Elm took 131% more orders than Dogwood.", "131% = (640 - 277) / 277 | orders, Elm and Dogwood"),
        (
            "Visits (four stores; Elm has none) have a median of 4,665.",
            "4,665 = median(visits) | visits",
        ),
    ],
)
def test_arithmetic_that_fits_the_sentence_is_believed(sentence: str, line: str) -> None:
    found = number(sentence, line)
    assert (found.status, found.objection) == ("derived", "")


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        (
            "Festivals have 25.1 points more than theatre.",
            "25.1 points = 44.5% - 19.4% | shares, Festival less Theatre",
        ),
        (
            "Cedar took 3.4 times the orders of Dogwood.",
            "3.4 times = 951 / 277 | orders, Cedar and Dogwood, all orders",
        ),
        ("Alder has 15.4% of all orders.", "15.4% = 412 / sum(stores.orders) | Alder of all orders"),
        ("Tickets in Oslo fell to 498, from 401 in Turin a year before.", "401 = 401 | tickets_2023, Turin"),
        ("On average 25.0 tickets.", "25.0 = (290 + 520 + 401 - 1136) / 3 | tickets_2023, a count of three"),
    ],
)
def test_descriptive_words_in_a_line_raise_no_objection(sentence: str, line: str) -> None:
    found = number(sentence, line)
    assert found.objection in ("", "44.5% is in no result", "1136 is in no result")


def test_a_weighted_mean_of_percentages_is_accepted_though_its_column_name_has_no_percent() -> None:
    houses = ResultTable(
        "houses",
        ("house", "area_m2", "mean_humidity"),
        (("A", 320, 70.12), ("B", 280, 68.26), ("C", 90, 70.38), ("D", 210, 71.07)),
        "Houses",
        "call",
    )
    line = "69.8% = (320*70.12 + 280*68.26 + 90*70.38 + 210*71.07) / (320 + 280 + 90 + 210) | mean_humidity by area_m2"
    evidence = Evidence((houses,), ("?",), workings=f"```workings\n{line}\n```")
    (found,) = (one for one in trace("Weighted by area, the humidity is 69.8%.", evidence) if one.working)
    assert (found.status, found.objection) == ("derived", "")


def test_an_unlikely_derivation_of_the_same_number_does_not_remove_an_objection() -> None:
    """The base may also be the sum of a column by chance: 412 is one of the stores, and two others make 412 as well."""
    table = ResultTable(
        "plans",
        ("plan", "start", "end"),
        (("Basic", 120.0, 150.0), ("Team", 30.0, 50.0), ("All in one", 100.0, 300.0)),
        "Plans",
        "call",
    )
    line = "```workings\n20% = (150 - 120) / 150 | Basic, start and end\n```"
    (found,) = (
        one for one in trace("Basic grew by 20%.", Evidence((table,), ("?",), workings=line)) if one.working
    )
    assert (found.status, found.objection) == ("unclear", "it divides by the later value")


@pytest.mark.parametrize(
    ("sentence", "column", "cells", "line"),
    [
        (
            "Cod earned €2.5 million more.",
            "value_k_eur_2024",
            (12_655.0, 10_155.0),
            "€2.5 million = 12655 - 10155 | Cod",
        ),
        ("Funds lost €88.4 m.", "flow_m_eur", (-88.4, 12.0), "€88.4 m = 88.4 | A"),
        (
            "Sales are €4.75 m higher.",
            "sales_eur",
            (9_751_860.0, 5_000_000.0),
            "€4.75 m = 9751860 - 5000000 | A and B",
        ),
    ],
)
def test_thousands_and_millions_of_money_are_read_in_names_and_after_a_space(
    sentence: str, column: str, cells: tuple[float, float], line: str
) -> None:
    table = ResultTable("r", ("name", column), (("A", cells[0]), ("B", cells[1])), "Values", "call")
    evidence = Evidence((table,), ("?",), workings=f"```workings\n{line}\n```")
    assert {one.status for one in trace(sentence, evidence)} <= {"derived", "exact"}


def test_a_number_after_an_arrow_belongs_to_the_column_of_the_number_before() -> None:
    polls = ResultTable(
        "polls",
        ("month", "harbour_pct", "meadow_pct"),
        (("2024-09", 31.2, 27.8), ("2024-10", 30.9, 29.0), ("2024-11", 32.3, 30.4)),
        "Polls",
        "call",
    )
    text = "Since September 2024:\n\n- Harbour: 31.2% → 32.3%\n- Meadow: 27.8% → 32.3%"
    found = [one.status for one in trace(text, Evidence((polls,), ("?",))) if one.mention.kind == "percent"]
    assert found[:3] == ["exact", "exact", "exact"]
    assert found[3] != "exact"


@pytest.mark.parametrize(
    "text",
    [
        "Sessions exceeded 9,000 on 11, 18, 19 and 20 February.",
        "Two days (9 and 22 November) were not recorded.",
        "| Days | Rain |\n|---|---|\n| 1–10 | many |\n| 11–20 | few |",
    ],
)
def test_days_of_a_month_and_ranges_that_name_rows_are_not_quantities(text: str) -> None:
    days = [
        one
        for one in trace(text, Evidence((STORES,), ("?",)))
        if one.mention.value in (9, 11, 18, 19, 1, 10, 22)
    ]
    assert {one.status for one in days} == {"plain"}


def test_a_count_of_rows_leaves_out_a_row_of_totals_and_can_be_limited_to_a_label() -> None:
    table = ResultTable(
        "depots",
        ("depot", "region", "late"),
        (("Alder", "North", 10), ("Birch", "North", 20), ("Cedar", "South", 30), ("TOTAL", None, 60)),
        "Late parcels",
        "call",
    )
    text = "There are three depots.\n\n| Region | Depots |\n|---|---|\n| North | 2 |\n"
    assert {one.status for one in trace(text, Evidence((table,), ("?",)))} <= {"derived", "exact", "plain"}
