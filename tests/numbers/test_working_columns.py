"""Workings with functions of whole columns, rows that are totals, and operands of another row, column or side."""

from dataclasses import replace

import pytest

from engine.numbers.evidence import Evidence, ResultTable
from engine.numbers.trace import trace
from engine.numbers.traced_number import TracedNumber

FLEET = ResultTable(
    "fleet",
    ("vessel", "trips_january", "trips_february", "crew_hours"),
    (
        ("Astra", 182, 164, 1910),
        ("Borea", 151, 142, 1588),
        ("Corvus", 96, 90, 1011),
        ("All vessels", 429, 396, 4509),
    ),
    "Trips and crew hours by vessel",
    "call",
)
CLINICS = ResultTable(
    "clinics",
    ("clinic", "eligible", "first_dose", "second_dose"),
    (("Harbour", 20410, 17553, 16124), ("Moor", 33120, 29477, 27820), ("Dene", 11875, 9025, 8194)),
    "Vaccinations by clinic",
    "call",
)


def number(sentence: str, line: str) -> TracedNumber:
    """Return the number of a sentence that has a working."""
    evidence = Evidence((FLEET, CLINICS), ("How did it go?",), workings=f"```workings\n{line}\n```")
    found = trace(sentence, evidence)
    return next((one for one in found if one.working), found[0])


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("The fleet made 429 trips in January.", "429 = sum(trips_january) | all vessels"),
        ("That is 10.5 crew hours per trip.", "10.5 = sum(crew_hours) / sum(trips_january) | all vessels"),
        ("A clinic has 21,801.67 eligible people on average.", "21,801.67 = mean(eligible) | all clinics"),
        ("The median clinic gave 17,553 first doses.", "17,553 = median(`first_dose`) | clinics"),
        ("Harbour gave 31% of the first doses.", "31% = 17553 / SUM(first_dose) * 100 | Harbour"),
        (
            "The three clinics gave 18,685 first doses each.",
            "18,685 = sum(first_dose) / count(clinic) | mean",
        ),
        (
            "Between the clinics lie 20,452 first doses.",
            "20,452 = max(first_dose) - min(first_dose) | clinics",
        ),
    ],
)
def test_a_function_of_a_column_leaves_out_a_row_of_totals(sentence: str, line: str) -> None:
    found = number(sentence, line)
    assert found.status in ("derived", "exact")
    assert found.objection == ""


@pytest.mark.parametrize(
    ("sentence", "line", "objection"),
    [
        ("The fleet made 858 trips in January.", "858 = sum(trips_january) | all vessels", "it gives 429"),
        (
            "At Moor 84% had their first dose.",
            "84% = 27820 / 33120 * 100 | Moor, first dose of eligible",
            "its words name first_dose, but its cell belongs to second_dose",
        ),
        (
            "A trip took 16.5 crew hours in January.",
            "16.5 = 1588 / 96 | Borea, crew_hours / trips_january",
            "one of its cells belongs to corvus, which its words do not name",
        ),
        (
            "Harbour has 0.62 times the people of Moor.",
            "0.62 = 20410 / 33120 | eligible, Moor over Harbour",
            "its words name its two sides the other way round",
        ),
    ],
)
def test_operands_from_another_row_column_or_side_are_noticed(
    sentence: str, line: str, objection: str
) -> None:
    found = number(sentence, line)
    assert found.status in ("unbacked", "unclear")
    assert found.objection == objection


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("Harbour gave 8% fewer second doses.", "8% = (17553 - 16124) / 17553 | Harbour, first minus second"),
        ("Moor is 1.6 times as large as Harbour.", "1.6 = 33120 / 20410 | eligible, Moor over Harbour"),
        (
            "First doses are 52% of all doses at Dene.",
            "52% = 9025 / (9025 + 8194) | Dene, first dose of both",
        ),
    ],
)
def test_operands_that_fit_the_words_are_believed(sentence: str, line: str) -> None:
    found = number(sentence, line)
    assert (found.status, found.objection) == ("derived", "")


def test_a_row_of_totals_is_not_added_to_the_total_of_its_column() -> None:
    (found,) = trace("The vessels made 858 trips in January in total.", Evidence((FLEET,), ("How many?",)))
    assert found.status == "unbacked"


def test_a_result_with_missing_rows_gives_no_sum() -> None:
    part = replace(CLINICS, total_rows=40)
    line = "```workings\n65,405 = sum(eligible) | all clinics\n```"
    sentence = "The clinics have 65,405 eligible people."
    (found,) = trace(sentence, Evidence((part,), ("How many?",), workings=line))
    assert found.status in ("unbacked", "unclear")


def test_a_title_in_square_kilometres_measures_areas() -> None:
    table = ResultTable(
        "forest",
        ("state", "y2022", "y2023"),
        (("Para", 4162, 3272), ("Acre", 840, 597)),
        "Loss by state, km²",
        "c",
    )
    (found,) = trace("Para lost 3,272 km² in 2023.", Evidence((table,), ("How much?",)))[:1]
    assert found.status == "exact"


def test_a_function_of_a_column_uses_that_column_though_others_have_the_same_values() -> None:
    table = ResultTable(
        "returns",
        ("channel", "damaged", "late", "days"),
        (("Web", 5, 7, 7), ("Shop", 4, 5, 5), ("Export", 3, 7, 12)),
        "Returns by channel",
        "call",
    )
    evidence = Evidence((table,), ("?",), workings="```workings\n19 = sum(late) | late returns\n```")
    found = next(one for one in trace("All in all, 19 returns were late.", evidence) if one.working)
    assert found.derivation is not None
    assert [(cell.row, cell.column) for cell in found.derivation.cells] == [(0, 2), (1, 2), (2, 2)]


def test_functions_in_one_line_may_be_over_columns_of_two_results() -> None:
    before = ResultTable(
        "before", ("vessel", "trips_before"), (("Astra", 150), ("Borea", 140)), "Trips a year ago", "c"
    )
    now = ResultTable("now", ("vessel", "trips"), (("Astra", 180), ("Borea", 168)), "Trips", "c")
    line = "20% = (sum(trips) - sum(trips_before)) / sum(trips_before) | now and a year ago"
    evidence = Evidence((before, now), ("?",), workings=f"```workings\n{line}\n```")
    found = trace("The vessels made 20% more trips than a year ago.", evidence)[0]
    assert (found.status, found.objection) == ("derived", "")


def test_a_line_for_a_small_number_is_used_only_once_and_not_for_a_number_that_names_a_cell() -> None:
    line = "```workings\n12 = 5 + 4 + 3 | damaged on all channels\n```"
    table = ResultTable(
        "returns",
        ("channel", "damaged", "days"),
        (("Web", 5, 7), ("Shop", 4, 5), ("Export", 3, 12)),
        "Returns by channel",
        "call",
    )
    text = "Export needed 12 days. On all channels, 12 were damaged."
    days, damaged = trace(text, Evidence((table,), ("?",), workings=line))
    assert (days.status, days.working) == ("exact", "")
    assert (damaged.status, bool(damaged.working)) == ("derived", True)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("48 trips at €111.90. November was the best month.", ["48", "€111.90"]),
        ("It cost 3.12 May be.", ["3.12"]),
        ("They closed the cold store.\n3. It was late.", []),
        ("Bis 12. November 2024 waren es 5.", ["5"]),
        ("No. 5 and Store 12 made 40 trips.", ["40"]),
    ],
)
def test_the_end_of_a_sentence_is_not_part_of_a_date_or_name(text: str, numbers: list[str]) -> None:
    found = trace(text, Evidence((FLEET,), ("?",)))
    assert [one.mention.text for one in found if one.mention.kind != "plain"] == numbers
