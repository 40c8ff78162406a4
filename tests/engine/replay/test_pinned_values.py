"""The value that represents an answer, and the same cell after its calls have run again."""

import pytest

from engine.numbers.evidence import ResultTable
from engine.replay.pinned_values import headline, table_of, value_now

REGIONS = ResultTable("", ("region", "revenue", "share"), (("East", 90500, 0.0964), ("West", 1200, 0.4)))
TOTAL = ResultTable("", ("total",), ((1234.5,),))


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("The East made **90,500**, the West 1,200.", "90,500"),
        ("**East** made 90,500.", "East"),
        ("**Note** that the West made 1,200.", "1,200"),
        ("About **9.6%** came back.", "9.6%"),
        ("The West made $1,200 of it in 2026.", "$1,200"),
        ("The East made −90,500.", None),
        ("The West made 1.2k.", "1.2k"),
        ("`90500` is code, and [1200](x) a link.", None),
        ("Nothing of it.", None),
    ],
)
def test_the_value_is_the_first_bold_text_that_equals_a_cell_or_else_the_first_such_number(
    answer: str, text: str | None
) -> None:
    found = headline(answer, [REGIONS])
    assert (found.text if found is not None else None) == text


def test_an_answer_that_names_no_cell_is_represented_by_the_only_cell_of_its_result() -> None:
    found = headline("See the result.", [REGIONS, TOTAL])
    assert found is not None
    assert (found.text, found.call, found.column) == ("1,234.50", 1, "total")


def test_a_number_is_found_again_by_the_labels_of_its_row() -> None:
    value = headline("The West made **1,200**.", [REGIONS])
    assert value is not None
    swapped = ResultTable("", REGIONS.columns, (("West", 1300.4, 0.5), ("East", 1, 0.1)))
    now = value_now(value, [swapped])
    assert now is not None
    assert (now.text, now.number, now.row) == ("1,300", 1300.4, 0)
    assert value_now(value, [ResultTable("", REGIONS.columns, (("East", 1, 0.1),))]) is None
    assert value_now(value, [ResultTable("", ("region", "sales"), (("West", 1),))]) is None
    assert value_now(value, []) is None


def test_a_word_is_found_again_by_its_position() -> None:
    value = headline("**East** leads.", [REGIONS])
    assert value is not None
    now = value_now(value, [ResultTable("", REGIONS.columns, (("West", 3, 1), ("East", 1, 0)))])
    assert now is not None
    assert now.text == "West"


def test_a_share_keeps_its_percent_sign_and_its_decimals() -> None:
    value = headline("**9.6%** came back.", [REGIONS])
    assert value is not None
    now = value_now(value, [ResultTable("", REGIONS.columns, (("East", 1, -0.1234),))])
    assert now is not None
    assert now.text == "−12.3%"


def test_a_number_in_thousands_stays_in_thousands() -> None:
    value = headline("The West made **$1.2k**.", [REGIONS])
    assert value is not None
    now = value_now(value, [ResultTable("", REGIONS.columns, (("West", 2345, 0.5), ("East", 1, 0.1)))])
    assert now is not None
    assert now.text == "$2.3k"


@pytest.mark.parametrize(
    ("written", "cell", "new", "before", "after"),
    [
        ("1.234,50 €", 1234.5, 9876.54, "1,234.50", "9,876.54"),
        ("1.234.567", 1234567, 2234567, "1,234,567", "2,234,567"),
        ("1.234 €", 1234, 2500, "1,234", "2,500"),
        ("1,234", 1.234, 2.5, "1.234", "2.500"),
        ("1,50,000", 150000, 263999, "150,000", "263,999"),
        ("1 234 567", 1234567, 2234567, "1,234,567", "2,234,567"),
        (".5", 0.5, 1.25, "0.5", "1.2"),
        ("12,5 %", 12.5, 13.54, "12.5%", "13.5%"),
        ("12,5 %", 0.125, 0.1354, "12.5%", "13.5%"),
        ("$-5.20", -5.2, 7.5, "−5.20", "7.50"),
        ("-$5.20", -5.2, 7.5, "-$5.20", "$7.50"),
        ("$12345", 12345, 22345, "$12345", "$22,345"),
        ("1.5e6", 1500000, 2500000, "1,500,000", "2,500,000"),
        ("$0 million", 0, 2400000, "$0 million", "$2 million"),
    ],
)
def test_a_number_in_an_unusual_format_is_shown_plainly(
    written: str, cell: float, new: float, before: str, after: str
) -> None:
    value = headline(f"The total is **{written}**.", [ResultTable("", ("total",), ((cell,),))])
    assert value is not None
    now = value_now(value, [ResultTable("", ("total",), ((new,),))])
    assert now is not None
    assert (value.text, now.text) == (before, after)


@pytest.mark.parametrize(
    ("column", "cells", "new", "before", "after"),
    [
        ("churn", (0, 0.25, 0.5), 0.25, "0%", "25%"),
        ("churn", (0.001, 0.25, 0.5), 0.25, "0%", "25%"),
        ("churn", (0, 12.5, 50), 25, "0%", "25%"),
        ("churn_percent", (0, 0.25, 0.5), 0.4, "0.00", "0.40"),
        ("churn", (0,), 0.25, "0.00", "0.25"),
        ("churn", (0,), 25, "0.00", "25.00"),
    ],
)
def test_zero_percent_is_a_share_or_a_percentage_depending_on_its_column(
    column: str, cells: tuple[float, ...], new: float, before: str, after: str
) -> None:
    value = headline("Churn was **0%**.", [ResultTable("", (column,), tuple((cell,) for cell in cells))])
    assert value is not None
    now = value_now(value, [ResultTable("", (column,), ((new,), *((cell,) for cell in cells[1:])))])
    assert now is not None
    assert (value.text, now.text) == (before, after)


@pytest.mark.parametrize(
    "result", [None, 3, {}, {"columns": ["a"], "rows": [[1, 2]]}, {"columns": 1, "rows": []}]
)
def test_a_result_that_is_not_a_table_has_no_cells(result: object) -> None:
    assert table_of(result) is None  # type: ignore[arg-type]
