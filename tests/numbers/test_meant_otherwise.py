"""Cells that a text names in other words than the result does, and computations that do not suit their columns.

Each kind was found when a person answered long questions in place of the model.
"""

import pytest

from engine.numbers.evidence import Evidence, ResultTable, Value
from engine.numbers.trace import trace
from tests.support.long_cases import mostly_long


def table(title: str, columns: str, *rows: tuple[Value, ...], program: str = "") -> ResultTable:
    return ResultTable(title.replace(" ", "_").lower(), tuple(columns.split()), rows, title, program=program)


PLANS = table(
    "MRR by plan, H1", "plan mrr_2024 mrr_2025", ("Enterprise", 36182.16, 25112.64), ("Pro", 7118.9, 7460.2)
)
MISSING = table("Columns", "name maximum missing", ("order_id", 900, 35), ("nps", 10, 476))
TOTALS = table("Responses", "plan responses", ("Pro", 104), ("Basic", 466), (None, 570))
LEVELS = table(
    "Levels", "discount_pct accounts cancelled", (0, 867, 347), (10, 267, 100), (20, 190, 70), (30, 76, 36)
)
STAYS = table("Stays", "stay patients", ("1-2 days", 310), ("3-5 days", 404), ("10+ days", 118))
PUPILS = table("Pupils", "gender avg_score", ("F", 64.9), ("M", 61.7))
PRICES = table("Prices", "quarter cent_per_grid_kwh mwh", ("Q1", 15.89, 3111), ("Q3", 12.54, 2752))
TEAMS = table("Days", "line team_a team_b team_c", ("Travel", 12.2, 12.9, 18.4), ("Home", 31.7, 31.5, 29.5))
INCIDENTS = table(
    "Incidents", "severity median_resolve out_of_hours", ("SEV1", 96.0, 15), ("SEV2", 111.5, 51)
)
SITES = table("Sites", "site lost_q1 lost_q2", ("Dublin", 8.9, 6.5), ("Porto", 9.4, 10.1))
REASONS = table("Reasons", "reason returns", ("damaged", 42), ("(none given)", 47), ("late", 61))
COSTS = table("Costs", "department avg_cost admissions", ("A", 3505.0, 674), ("B", 2126.0, 196))
LARGE = table(
    "Payouts", "size claims", ("large", 27), ("small", 873), program="SELECT … WHERE paid > 10000 GROUP BY 1"
)


@pytest.mark.parametrize(
    ("result", "sentence", "number"),
    mostly_long(
        [
            (PLANS, "Enterprise fell from €36.2k in 2024 to €25.1k.", "€36.2k"),
            (MISSING, "The NPS is missing for 476 orders.", "476"),
            (TOTALS, "Overall, there were 570 responses.", "570"),
            (LEVELS, "Accounts: 267 at 10 %, 190 at 20 % and 76 at 30 %.", "190"),
            (STAYS, "Of those with ten or more days, there were 118 patients.", "118"),
            (PUPILS, "Girls scored 64.9 on average.", "64.9"),
            (PRICES, "In Q1 we paid 15.89 ct per kWh.", "15.89"),
            (TEAMS, "In Travel, Team C takes 18.4 days.", "18.4"),
            (INCIDENTS, "For SEV1, the median time to resolve is 96 minutes.", "96"),
            (SITES, "Dublin lost 6.5% of its calls in Q2.", "6.5%"),
            (REASONS, "There are 47 returns without a reason.", "47"),
        ],
        quick=(0, 1, 3, 7),
    ),
)
def test_a_cell_is_found_if_the_text_uses_other_words_for_it(
    result: ResultTable, sentence: str, number: str
) -> None:
    found = {one.mention.text: one.status for one in trace(sentence, Evidence((result,), ("What?",)))}
    assert found[number] == "exact"


@pytest.mark.parametrize(
    ("result", "sentence", "number"),
    mostly_long(
        [
            (MISSING, "The order_id is missing for 476 orders.", "476"),
            (TOTALS, "Pro had 570 responses.", "570"),
            (LEVELS, "Accounts: 190 at 10 %.", "190"),
            (PUPILS, "Boys scored 64.9 on average.", "64.9"),
            (PRICES, "In Q3 we paid 15.89 ct per kWh.", "15.89"),
            (TEAMS, "In Travel, Team A takes 18.4 days.", "18.4"),
            (SITES, "Porto lost 6.5% of its calls in Q2.", "6.5%"),
            (
                COSTS,
                "That is over £10 per stay, for 2,126 admissions.",
                "£10",
            ),  # a sum of means by a sum of counts
        ],
        quick=(0, 1, 7),
    ),
)
def test_a_number_described_in_other_words_is_not_believed_for_another_row_or_column(
    result: ResultTable, sentence: str, number: str
) -> None:
    found = {one.mention.text: one.status for one in trace(sentence, Evidence((result,), ("What?",)))}
    assert found[number] not in ("exact", "derived")


@pytest.mark.parametrize(
    ("result", "sentence", "number"),
    [
        (LEVELS, "Accounts: 267 at 10 %, 190 at 20 % and 76 at 30 %.", "10 %"),
        (LARGE, "The 27 payouts above €10,000 are large claims.", "€10,000"),
        (PUPILS, "Girls scored 6.5 out of 10.", "10"),
        (COSTS, "Every 10 % of it counts.", "10 %"),
    ],
)
def test_numbers_that_are_keys_limits_or_scales_need_no_cell(
    result: ResultTable, sentence: str, number: str
) -> None:
    found = {one.mention.text: one.status for one in trace(sentence, Evidence((result,), ("What?",)))}
    assert found[number] == "plain"


def test_a_dash_between_numbers_is_not_a_minus_sign() -> None:
    found = trace("Patients who stayed 3–5 days: 404.", Evidence((STAYS,), ("What?",)))
    assert all(one.mention.value >= 0 for one in found)


def test_half_a_year_is_not_a_fraction_but_half_a_point_is_a_number() -> None:
    found = trace("Per half-year, boys are half a point ahead.", Evidence((PUPILS,), ("What?",)))
    assert [(one.mention.text, one.mention.kind, one.mention.value) for one in found] == [
        ("half a point", "points", 0.5)
    ]


def test_an_ambiguous_number_is_read_in_the_format_of_the_others() -> None:
    german = trace("Das sind 1.790 Tonnen zu 0,3 Cent.", Evidence((PRICES,), ("Was?",)))
    english = trace("That is 1,790 t at 0.3 ct.", Evidence((PRICES,), ("What?",)))
    assert [found[0].mention.readings[0].value for found in (german, english)] == [1790, 1790]
    assert [len(found[0].mention.readings) for found in (german, english)] == [1, 1]
