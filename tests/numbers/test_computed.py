"""Numbers that readers often compute from a result: totals by year or group, rates, the rest of a list."""

import pytest

from engine.numbers.evidence import Evidence, ResultTable
from engine.numbers.trace import trace
from engine.numbers.traced_number import TracedNumber

QUARTERS = ResultTable(
    "by_quarter",
    ("quarter", "revenue_usd", "orders"),
    (
        ("2023-Q1", 1_843_620, 21_457),
        ("2023-Q2", 1_967_385, 22_914),
        ("2023-Q3", 2_118_940, 24_073),
        ("2023-Q4", 2_764_215, 31_588),
        ("2024-Q1", 2_071_550, 23_196),
        ("2024-Q2", 2_289_475, 25_783),
        ("2024-Q3", 2_354_810, 25_425),
        ("2024-Q4", 3_187_260, 34_729),
    ),
    "Revenue by quarter",
)
HOTELS = ResultTable(
    "hotels",
    ("hotel", "year", "nights_sold", "nights_available"),
    (
        ("Seaview", 2023, 18_746, 26_280),
        ("Seaview", 2024, 20_318, 26_352),
        ("Alpine", 2023, 11_392, 17_520),
        ("Alpine", 2024, 10_865, 17_568),
        ("Central", 2023, 36_102, 46_355),
        ("Central", 2024, 38_954, 46_360),
    ),
    "Nights by hotel and year",
)
PLANS = ResultTable(
    "plans",
    ("month", "plan", "active", "mrr_usd"),
    (
        ("2025-03-31", "Basic", 18_437, 165_748.63),
        ("2025-03-31", "Pro", 7_326, 139_120.74),
        ("2025-04-30", "Basic", 18_690, 168_023.10),
        ("2025-04-30", "Pro", 7_741, 147_001.59),
    ),
    "Subscribers",
)

WATER = ResultTable(
    "water",
    ("year", "households", "industry", "agriculture", "network_losses"),
    (
        (2016, 18_420, 9_736, 6_214, 5_183),
        (2019, 19_207, 9_343, 7_365, 4_712),
        (2023, 20_538, 8_263, 7_716, 3_592),
    ),
    "Water by sector",
)
SCHOOLS = ResultTable(
    "schools",
    ("school", "students", "passed"),
    (
        ("Northgate", 412, 351),
        ("Riverside", 287, 263),
        ("Brendan", 196, 189),
        ("Eastfield", 535, 404),
        ("Westbrook", 241, 218),
    ),
    "Exams",
)


def traced(table: ResultTable, answer: str) -> dict[str, TracedNumber]:
    return {one.mention.text: one for one in trace(answer, Evidence((table,), ("How did it go?",)))}


@pytest.mark.parametrize(
    ("table", "answer", "number", "value"),
    [
        (QUARTERS, "Revenue was $9.90M in 2024.", "$9.90M", 9_903_095),
        (QUARTERS, "Orders grew from 100,032 in 2023 to 109,133 in 2024 (+9.1%).", "109,133", 109_133),
        (QUARTERS, "Orders grew from 100,032 in 2023 to 109,133 in 2024 (+9.1%).", "+9.1%", 9_101 / 100_032),
        (QUARTERS, "The second half of 2024 brought in revenue of $5,542,070.", "$5,542,070", 5_542_070),
        (HOTELS, "In 2024 the hotels sold 70,137 nights.", "70,137", 70_137),
        (HOTELS, "In 2024 Seaview sold 29.0% of the nights sold.", "29.0%", 20_318 / 70_137),
        (
            HOTELS,
            "| Hotel | 2023 | 2024 | Change |\n|---|---|---|---|\n| Seaview | 71.3% | 77.1% | +5.8 pp |\n"
            "| Alpine | 65.0% | 61.8% | -3.2 pp |\n",
            "+5.8 pp",
            20_318 / 26_352 - 18_746 / 26_280,
        ),
        (PLANS, "In April the MRR was $315,024.69, up $10,155.32.", "$315,024.69", 315_024.69),
        (PLANS, "In April the MRR was $315,024.69, up $10,155.32.", "$10,155.32", 10_155.32),
        (WATER, "Excluding losses:\n\n- 2016: 34,370\n- 2019: 35,915\n", "34,370", 34_370),
        (SCHOOLS, "- Brendan: 189\n- Westbrook: 218\n\nTogether they have 437 students.", "437", 437),
        (SCHOOLS, "Brendan and Riverside passed 93.6% of their students.", "93.6%", 452 / 483),
        (SCHOOLS, "Overall, 1,425 of 1,671 students passed (85.3%).", "85.3%", 1_425 / 1_671),
    ],
)
def test_a_total_of_the_rows_is_traced(table: ResultTable, answer: str, number: str, value: float) -> None:
    found = traced(table, answer)[number]
    assert found.status == "derived"
    assert found.derivation is not None
    assert found.derivation.value == pytest.approx(value)
    own = [table.number(cell.row, cell.column) for cell in found.derivation.cells]
    assert [
        cell.value for cell in found.derivation.cells
    ] == own  # cells of the result itself, not of a total


@pytest.mark.parametrize(
    ("table", "answer", "number"),
    [
        (QUARTERS, "Revenue was $8.69M in 2024.", "$8.69M"),  # that of 2023
        (QUARTERS, "Revenue was $9.09M in 2024.", "$9.09M"),
        (QUARTERS, "Orders grew to 109,133 in 2024 (+8.1%).", "+8.1%"),
        (QUARTERS, "Revenue was $109,133 in 2024.", "$109,133"),  # that of orders
        (HOTELS, "In 2024 the hotels sold 66,240 nights.", "66,240"),
        (HOTELS, "In 2024 Seaview sold 82.9% of its available nights.", "82.9%"),
        (PLANS, "In March the MRR was $315,024.69.", "$315,024.69"),
        (WATER, "Excluding losses:\n\n- 2016: 35,915\n- 2019: 34,370\n", "35,915"),
        (WATER, "Households, industry and agriculture used 40,109 in 2023.", "40,109"),  # with losses
        (SCHOOLS, "- Brendan: 189\n- Westbrook: 218\n\nTogether they have 483 students.", "483"),
        (SCHOOLS, "Brendan and Riverside passed 90.5% of their students.", "90.5%"),  # that of Westbrook
    ],
)
def test_a_total_of_other_rows_or_columns_is_not_believed(
    table: ResultTable, answer: str, number: str
) -> None:
    assert traced(table, answer)[number].status in ("unbacked", "unclear")


def test_rows_of_an_incomplete_result_are_not_added_up() -> None:
    part = ResultTable("by_quarter", QUARTERS.columns, QUARTERS.rows, QUARTERS.title, total_rows=12)
    assert traced(part, "Revenue was $9.90M in 2024.")["$9.90M"].status == "unbacked"


def test_a_number_that_was_stated_for_one_row_is_not_believed_for_another() -> None:
    hotels = Evidence((HOTELS,), ("How full are the hotels?",))
    said = "Central had 46,360 nights on offer in 2024. {} had 46,360 nights."
    statuses = {name: trace(said.format(name), hotels)[-1].status for name in ("It", "Seaview")}
    assert statuses == {"It": "exact", "Seaview": "unbacked"}


def test_growth_is_derived_from_totals_that_were_stated_before() -> None:
    quarters = Evidence((QUARTERS,), ("How did 2024 go?",))
    said = "In 2024 you had 109,133 orders, against 100,032 in 2023, and took in $9,903,095. Order volume rose {}."
    true, false = (trace(said.format(percent), quarters)[-1] for percent in ("9.1%", "9.7%"))
    assert (true.status, false.status) == ("derived", "unbacked")
    assert true.derivation is not None
    assert true.derivation.operation == "growth"


def _shops(year: int, *rows: tuple[str, int, int]) -> ResultTable:
    return ResultTable(f"shops_{year}", ("shop", "orders", "takings_eur"), rows, f"Takings by shop, {year}")


NOW = _shops(2025, ("York", 1_310, 84_320), ("Hull", 890, 41_775), ("Bath", 402, 20_310))
BEFORE = _shops(2024, ("York", 1_204, 71_950), ("Hull", 912, 43_280), ("Bath", 377, 19_125))


@pytest.mark.parametrize(
    ("answer", "number", "true"),
    [
        ("Takings of York rose by €12,370.", "€12,370", True),
        ("York's takings rose by 17.2% on last year.", "17.2%", True),
        ("York's takings rose by 12.7% on last year.", "12.7%", False),  # those of another pair
        ("Takings of Hull rose by €12,370.", "€12,370", False),
        ("Takings of York came to €71,950 in 2025.", "€71,950", False),  # in 2024
    ],
)
def test_a_change_between_two_results_about_the_same_rows_is_traced(
    answer: str, number: str, true: bool
) -> None:
    evidence = Evidence((NOW, BEFORE), ("How did our shops do this year, compared with last year?",))
    found = next(one for one in trace(answer, evidence) if one.mention.text == number)
    assert (found.status == "derived") is true, found
    if found.derivation is not None:
        assert {cell.table for cell in found.derivation.cells} == {0, 1}


@pytest.mark.parametrize(
    "other",
    [
        ResultTable(
            "x", ("shop", "orders", "takings_eur"), BEFORE.rows, NOW.title
        ),  # nothing tells them apart
        ResultTable("x", ("town", "orders", "takings_eur"), BEFORE.rows, BEFORE.title),
        ResultTable("x", BEFORE.columns, (("Leeds", 1_204, 71_950), ("Ely", 912, 43_280)), BEFORE.title),
    ],
)
def test_results_about_different_things_are_not_compared(other: ResultTable) -> None:
    evidence = Evidence((NOW, other), ("How did our shops do this year, compared with last year?",))
    assert trace("York's takings rose by 17.2% on last year.", evidence)[0].status in ("unbacked", "unclear")


STAFF = ResultTable(
    "staff",
    ("team", "staff", "leavers"),
    (("Shop", 118, 31), ("Lab", 74, 9), ("Yard", 53, 12), ("Desk", 39, 4)),
    "Staff and leavers by team, 2024",
)


@pytest.mark.parametrize(("share", "status"), [("19.7%", "derived"), ("17.9%", "unbacked")])
def test_a_formula_of_the_rows_gives_the_overall_figure(share: str, status: str) -> None:
    said = f"The shop lost 26.3% and the yard 22.6%; the company-wide rate is {share}."
    found = next(
        one for one in trace(said, Evidence((STAFF,), ("Who leaves?",))) if one.mention.text == share
    )
    assert found.status == status
    if found.derivation is not None:
        assert found.derivation.value == pytest.approx(56 / 284)
        assert len(found.derivation.cells) == 8


def test_a_figure_of_a_result_that_was_cut_off_is_not_the_overall_figure() -> None:
    cut = ResultTable(
        STAFF.name, STAFF.columns, STAFF.rows, STAFF.title, program="SELECT … ORDER BY staff LIMIT 4"
    )
    said = "The shop lost 26.3% and the yard 22.6%; the company-wide rate is 19.7%."
    assert trace(said, Evidence((cut,), ("Who leaves?",)))[-1].status == "unbacked"


RIDERS = ResultTable(
    "riders",
    ("line", "passengers", "lost_items"),
    (("U1", 38_412_000, 5_210), ("U2", 29_155_000, 6_930), ("U3", 17_630_000, 8_105)),
    "Passengers and lost items by line, 2023",
)


@pytest.mark.parametrize("header", ["2023 (M)", "Passengers, in millions", "Passengers (million)"])
def test_a_header_gives_the_scale_of_its_column(header: str) -> None:
    said = f"| Line | {header} |\n|---|---|\n| U1 | 38.41 |\n| U2 | 29.61 |"
    statuses = {one.mention.text: one.status for one in trace(said, Evidence((RIDERS,), ("Riders?",)))}
    assert (statuses["38.41"], statuses["29.61"]) == ("exact", "unbacked")


@pytest.mark.parametrize(("number", "status"), [("−5,210", "exact"), ("−5,120", "unbacked")])
def test_a_loss_may_be_written_with_a_minus_sign(number: str, status: str) -> None:
    said = f"| Line | Lost items |\n|---|---|\n| U1 | {number} |"
    found = trace(said, Evidence((RIDERS,), ("What is lost?",)))
    assert next(one.status for one in found if one.mention.text == number) == status


@pytest.mark.parametrize("header", ["Change in lost items", "Lost items vs. 2022"])
def test_a_minus_sign_before_a_change_in_losses_is_not_accepted_as_exact(header: str) -> None:
    found = trace(f"| Line | {header} |\n|---|---|\n| U1 | −5,210 |", Evidence((RIDERS,), ("What is lost?",)))
    assert found[-1].status != "exact"


def test_a_positive_count_written_with_a_minus_sign_is_not_exact() -> None:
    found = trace("| Line | Passengers |\n|---|---|\n| U1 | −38,412,000 |", Evidence((RIDERS,), ("Riders?",)))
    assert found[-1].status != "exact"
