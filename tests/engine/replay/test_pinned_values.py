"""The value that stands for an answer, and the same cell after its calls ran again."""

import pytest

from engine.replay.pinned_values import ResultTable, headline, table_of, value_now

REGIONS = ResultTable(("region", "revenue", "share"), (("East", 90500, 0.0964), ("West", 1200, 0.4)))
TOTAL = ResultTable(("total",), ((1234.5,),))


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("The East made **90,500**, the West 1,200.", "90,500"),
        ("**East** made 90,500.", "East"),
        ("**Note** that the West made 1,200.", "1,200"),
        ("About **9.6%** came back.", "9.6%"),
        ("The West made $1,200 of it in 2026.", "$1,200"),
        ("The East made −90,500.", None),
        ("`90500` is code, and [1200](x) a link.", None),
        ("Nothing of it.", None),
    ],
)
def test_the_first_bold_cell_else_the_first_number_that_is_a_cell(answer: str, text: str | None) -> None:
    found = headline(answer, [REGIONS])
    assert (found.text if found is not None else None) == text


def test_the_only_cell_of_a_result_stands_for_an_answer_that_names_none() -> None:
    found = headline("See the result.", [REGIONS, TOTAL])
    assert found is not None
    assert (found.text, found.call, found.column) == ("1,234.50", 1, "total")


def test_a_number_is_read_again_from_the_row_with_its_labels() -> None:
    value = headline("The West made **1,200**.", [REGIONS])
    assert value is not None
    swapped = ResultTable(REGIONS.columns, (("West", 1300.4, 0.5), ("East", 1, 0.1)))
    now = value_now(value, [swapped])
    assert now is not None
    assert (now.text, now.number, now.row) == ("1,300", 1300.4, 0)
    assert value_now(value, [ResultTable(REGIONS.columns, (("East", 1, 0.1),))]) is None
    assert value_now(value, [ResultTable(("region", "sales"), (("West", 1),))]) is None
    assert value_now(value, []) is None


def test_a_word_is_read_again_from_its_place() -> None:
    value = headline("**East** leads.", [REGIONS])
    assert value is not None
    now = value_now(value, [ResultTable(REGIONS.columns, (("West", 3, 1), ("East", 1, 0)))])
    assert now is not None
    assert now.text == "West"


def test_a_share_keeps_its_percent_and_its_decimals() -> None:
    value = headline("**9.6%** came back.", [REGIONS])
    assert value is not None
    now = value_now(value, [ResultTable(REGIONS.columns, (("East", 1, -0.1234),))])
    assert now is not None
    assert now.text == "−12.3%"


@pytest.mark.parametrize(
    "result", [None, 3, {}, {"columns": ["a"], "rows": [[1, 2]]}, {"columns": 1, "rows": []}]
)
def test_what_is_no_table_has_no_cells(result: object) -> None:
    assert table_of(result) is None  # type: ignore[arg-type]
