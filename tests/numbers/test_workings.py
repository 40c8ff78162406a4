"""Workings that a model states for its numbers: accepted, refuted, or doubted because the sentence says otherwise."""

import pytest

from engine.numbers.arithmetic import evaluated, read_expression
from engine.numbers.evidence import Evidence, ResultTable
from engine.numbers.trace import trace
from engine.numbers.traced_number import TracedNumber
from engine.numbers.workings import read_workings

REGIONS = ResultTable(
    "regions",
    ("region", "orders_2023", "orders_2024", "revenue_2023", "revenue_2024"),
    (
        ("North", 412, 455, 1961300, 2107140),
        ("West", 236, 215, 845200, 798100),
        ("South", 128, 131, 402500, 455300),
        ("East", 77, 90, 210400, 233900),
    ),
    "Revenue and orders by region (EUR)",
    "call",
)
WEATHER = ResultTable(
    "weather",
    ("month", "t_min_c", "downtime_min", "pass_rate_pct"),
    (("2024-01", -14.2, 145, 80.3), ("2024-02", -6.5, 312, 74.2), ("2024-03", 2.8, 96, 77.0)),
    "Weather by month",
    "call",
)


def number(sentence: str, *lines: str, results: tuple[ResultTable, ...] = (REGIONS, WEATHER)) -> TracedNumber:
    """Return the first number of a sentence that has a working, or else its first number."""
    block = "\n".join(("```workings", *lines, "```"))
    found = trace(sentence, Evidence(results, ("How did it go?",), workings=block))
    return next((one for one in found if one.working), found[0])


@pytest.mark.parametrize(
    ("sentence", "line", "formula"),
    [
        (
            "North grew by 7.4%.",
            "7.4% = (2107140 - 1961300) / 1961300 | North",
            "(2,107,140 − 1,961,300)/1,961,300",
        ),
        ("North grew by 7.4%.", "- **7.4 %** = (2,107,140 − 1,961,300) ÷ 1,961,300 × 100 (North)", None),
        ("North grew by 7.4%.", "about 7.4% ≈ 2107140 / 1961300 - 1 = 0.0744", None),
        ("West fell to −5.6%.", "5.6% = (845200 - 798100) / 845200 | West, 2023 and 2024", None),
        (
            "In 2024 they made €3.59 million.",
            "€3.59 million = sum(2107140, 798100, 455300, 233900) / 1000000",
            None,
        ),
        (
            "In 2024 they made €3.59 million.",
            "€3.59 million = sum(2107140,798100,455300,233900) | revenue_2024",
            None,
        ),
        ("North has about half of the orders.", "half = 455 / 891 | orders_2024, North of all", None),
        ("It took North 4,631 per order.", "4,631 = 2.10714 million / 455 | North, 2024", None),
        ("The lowest and highest are 17 degrees apart.", "17 = 2.8 - -14.2 | t_min_c", None),
        ("Together that is 9.2 hours.", "9.2 hours = (145 + 312 + 96) / 60 | downtime_min", None),
        ("The rate fell by 6.1 points.", "6.1 points = 80.3 - 74.2 | 2024-01 and 2024-02", None),
        ("All but East have 801 orders.", "801 = 455 + 215 + 131 | orders_2024, all but East", None),
    ],
)
def test_a_line_that_computes_a_number_from_cells_is_accepted(
    sentence: str, line: str, formula: str | None
) -> None:
    found = number(sentence, line)
    assert (found.status, found.objection) == ("derived", "")
    assert found.derivation is not None
    if formula is not None:
        assert found.derivation.formula.replace(" ÷ ", "/") == formula


def test_a_line_may_use_numbers_of_earlier_lines_and_sums_of_columns() -> None:
    lines = ("891 = 455 + 215 + 131 + 90", "51.1% = 455 / 891 | orders_2024, North of all")
    assert number("North has 51.1% of the orders.", *lines).status == "derived"
    assert number("North has 51.1% of the orders.", lines[1]).status == "derived"


def test_a_line_may_name_the_cell_if_the_sentence_does_not() -> None:
    sentence = "There they sold 455."
    assert number(sentence, "455 = 455 | orders_2024 of North").status == "exact"


@pytest.mark.parametrize(
    ("sentence", "line", "objection"),
    [
        ("North grew by 9.4%.", "9.4% = (2107140 - 1961300) / 1961300 | North", "it gives 7.43588 %"),
        ("They average 450.", "450 = mean(455, 215, 131, 90) | orders_2024", "it gives 222.75"),
    ],
)
def test_a_line_that_gives_another_number_refutes_the_number(
    sentence: str, line: str, objection: str | None
) -> None:
    found = number(sentence, line)
    assert (found.status, found.settled) == ("unbacked", True)
    assert objection is None or found.objection == objection


@pytest.mark.parametrize(
    ("line", "objection"),
    [
        ("9,120 = 8000 * 1.14", "8000 is in no result"),
        ("9,120 = orders of North", "it cannot be read as arithmetic"),
        ("9,120 = __import__('os').system('id')", "it cannot be read as arithmetic"),
        ("9,120 = 10 * 1000 - 100", "none of the numbers in its arithmetic is in a result"),
        ("9,120 = 9120", "9120 is in no result"),
    ],
)
def test_a_line_that_cannot_be_checked_proves_nothing(line: str, objection: str) -> None:
    found = number("The total is 9,120.", line)
    assert (found.status, found.objection) == ("unbacked", objection)


@pytest.mark.parametrize(
    ("sentence", "line", "objection"),
    [
        ("West grew by 7.4%.", "7.4% = (2107140 - 1961300) / 1961300", "the sentence names west"),
        ("North grew by 7.4%.", "7.4% = (2107140 - 1961300) / 1961300 | East", "its words name east"),
        ("North fell by 7.4%.", "7.4% = (2107140 - 1961300) / 1961300 | North", "it gives a rise"),
        ("West grew by 5.6%.", "5.6% = (845200 - 798100) / 845200 | West", "it gives a fall"),
        (
            "North grew by 6.9%.",
            "6.9% = (2107140 - 1961300) / 2107140 | North",
            "it divides by the later value",
        ),
        ("The rate fell by 6.1%.", "6.1% = 80.3 - 74.2 | 2024-01 and 2024-02", "it gives percentage points"),
        (
            "Together that is 553 hours.",
            "553 hours = 145 + 312 + 96 | downtime_min",
            "its cells are in another unit",
        ),
        (
            "The average is 891 orders.",
            "891 = 455 + 215 + 131 + 90 | orders_2024",
            "it gives a total, not a mean",
        ),
        ("In total there are 223 orders.", "223 = mean(455, 215, 131, 90)", "it gives a mean, not a total"),
        ("There were 801 orders.", "801 = 455 + 215 + 131 | orders_2024", "it has 3 of the 4 rows"),
    ],
)
def test_a_number_is_marked_unclear_if_its_sentence_contradicts_its_line(
    sentence: str, line: str, objection: str
) -> None:
    found = number(sentence, line)
    assert found.status == "unclear"
    assert found.objection.startswith(objection)


def test_a_line_for_one_3_does_not_apply_to_every_3() -> None:
    block = "```workings\n3 = 131 - 128 | South, orders of 2024 and 2023\n```"
    text = "| Region | Rank |\n|---|---|\n| East | 3 |\n\nSouth had 3 orders more than in 2023."
    found = trace(text, Evidence((REGIONS,), ("How?",), workings=block))
    assert [(one.mention.text, one.status) for one in found if one.working] == [("3", "derived")]
    assert found[-2].working
    assert not found[0].working


def test_a_percentage_is_not_an_operand_for_a_plain_number() -> None:
    """45 in "45 / 90" is not the 45 of an earlier line for 45%."""
    table = ResultTable(
        "t", ("team", "won", "played"), (("Reds", 45, 90), ("Blues", 9, 20)), "Matches", "call"
    )
    lines = ("45% = 9 / 20 | Blues", "50% = 45 / 90 | Reds")
    found = number("The Reds won 50%.", *lines, results=(table,))
    assert found.derivation is not None
    assert (found.status, found.derivation.formula) == ("derived", "45 ÷ 90")


def test_a_line_may_say_that_its_number_is_rounded() -> None:
    line = "€146,000 = 2107140 - 1961300 | North, 2024 minus 2023, rounded to thousands"
    assert number("North made €146,000 more.", line).status == "derived"


def test_a_later_block_replaces_the_lines_of_an_earlier_one() -> None:
    block = "```workings\n5% = 1 / 2\n6% = 1 / 3\n```\n```workings\n5% = 1 / 20\n```"
    assert [(one.label.text, one.written) for one in read_workings(block)] == [
        ("6%", "1 / 3"),
        ("5%", "1 / 20"),
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(120/100)^(1/4) - 1", 0.0466351),
        ("2 × 3 − 4 ÷ 8", 5.5),
        ("-4 + -1.5e2", -154),
        ("€1,200.50 / 2", 600.25),
        ("50% of it", 0.5),
        ("1.2bn / 600m", 2),
        ("round(10/3, 2)", 3.33),
        ("median(1, 9, 4) x 2", 8),
        ("1 / 0", None),
        ("9^9^9^9", None),
        ("(((((", None),
        ("x + y", None),
        ("n0", None),
    ],
)
def test_only_arithmetic_is_parsed(text: str, value: float | None) -> None:
    read = read_expression(text)
    found = evaluated(read[0].template, [one.value for one in read[0].operands]) if read else None
    assert found == (pytest.approx(value) if value is not None else None)


def test_a_huge_block_is_parsed_in_bounded_time_and_depth() -> None:
    hostile = (
        "```workings\n" + "1 = " + "(" * 5_000 + "\n" + "2 = " + "1+" * 50_000 + "\n" + "3 = 1\n" * 50_000
    )
    assert len(read_workings(hostile)) <= 200


def test_a_line_may_use_numbers_of_later_lines_and_of_lines_that_are_not_in_the_text() -> None:
    lines = ("30 = 1812 - 1782", "1812 = (412 + 236 + 128 + 77) * 2 + 106", "1782 = 891 * 2 | orders_2024")
    assert number("There are 30 orders fewer.", *lines).objection == "1812 is in no result"  # 106 is no cell
    lines = (
        "76 = 1782 - 1706",
        "1706 = (412 + 236 + 128 + 77) * 2 | orders_2023",
        "1782 = 891 * 2 | orders_2024",
    )
    assert number("That is 76 more for two years like these.", *lines).status == "derived"
