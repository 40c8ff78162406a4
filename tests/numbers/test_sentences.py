"""False sentences that a reviewer found believed, and true ones that must still be believed."""

import pytest

from engine.numbers.evidence import Evidence, ResultTable
from engine.numbers.trace import trace

REGIONS = ResultTable(
    "revenue_by_region",
    ("region", "revenue", "orders"),
    (("North", 412300, 812), ("South", 271640, 1530), ("East", 318400, 977)),
    "Revenue by region",
)


def statuses(answer: str, *results: ResultTable, question: str = "") -> list[str]:
    found = trace(answer, Evidence(results or (REGIONS,), (question,)))
    return [one.status for one in found if one.status != "plain"]


@pytest.mark.parametrize(
    "answer",
    [
        "Total revenue was 412,300.",
        "In total 412,300 was earned.",
        "The average revenue was 318,400.",
        "Excluding North, revenue was 412,300.",
        "South, unlike North, had 412,300.",
        "North had revenue of " + "9" * 310 + ".",
        "North made 9e307 trillion.",
    ],
)
def test_the_numbers_of_a_false_sentence_are_marked_unbacked(answer: str) -> None:
    assert set(statuses(answer)) == {"unbacked"}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("North made 412,300 with 812 orders.", ["exact", "exact"]),
        ("Total revenue was 1,002,340.", ["derived"]),
        ("The average revenue was 334,113.", ["derived"]),
        ("Excluding North, revenue was 590,040.", ["derived"]),
        ("Without South, North and East made 412,300 and 318,400.", ["exact", "exact"]),
        ("North had 412.3k, 3 × 10⁻⁻ or so.", ["exact", "unbacked", "unbacked"]),
    ],
)
def test_a_true_sentence_is_believed(answer: str, expected: list[str]) -> None:
    assert statuses(answer) == expected


def test_a_result_with_short_rows_can_be_replaced() -> None:
    old = ResultTable("t", ("region", "revenue"), (("North", 412300),))
    new = ResultTable("t", ("region", "revenue"), (("North",), ("South", 1)))
    found = trace("North made 412,300.", Evidence((old, new), replaced={0: 1}))
    assert [one.status for one in found] == ["stale"]


def test_a_number_that_names_its_row_is_believed() -> None:
    mileage = ResultTable("m", ("model_year", "mpg"), ((73, 17.1), (80, 33.7)))
    assert statuses("By model year: lowest 73 with 17.10, highest 80 with 33.70.", mileage) == [
        "exact",
        "exact",
    ]
    assert "unbacked" in statuses("By model year: lowest 74 with 17.10.", mileage)


def test_a_single_cell_is_believed_even_if_its_number_is_small() -> None:
    distinct = ResultTable("d", ("different_clarity",), ((8,),))
    assert statuses("**8** different values of clarity.", distinct) == ["exact"]
    assert statuses("**9** different values of clarity.", distinct) == ["unbacked"]


CLUSTERS = ResultTable(
    "fits", ("clusters", "inertia"), ((2, 18432.7), (3, 11206.4), (4, 9138.2)), "Inertia by clusters"
)


def test_the_first_column_of_a_table_without_texts_names_its_rows() -> None:
    assert statuses("With 4 clusters, inertia is 9,138.2.", CLUSTERS)[-1] == "exact"
    assert statuses("With 4 clusters, inertia is 11,206.4.", CLUSTERS)[-1] == "unbacked"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("North took 507.76 on average (412,300 in 812 orders).", ["derived", "exact", "exact"]),
        ("North took 512.76 on average (412,300 in 812 orders).", ["unbacked", "exact", "exact"]),
    ],
)
def test_a_mean_of_one_row_follows_from_the_two_numbers_next_to_it(answer: str, expected: list[str]) -> None:
    assert statuses(answer) == expected


def test_a_word_of_the_next_paragraph_does_not_name_a_number() -> None:
    assert statuses("North: orders 812\n\nRevenue is missing for the West.") == ["exact"]


def test_the_usual_level_of_significance_needs_no_result() -> None:
    assert statuses("With p below the usual 0.05, it is significant.") == []


PROFITS = ResultTable(
    "profits", ("region", "profit"), (("East", 355020), ("West", 501775), ("South", 412300))
)
STRANGERS = [
    ("The profit of Atlantis was 412,300.", "unbacked"),
    ("In Atlantis profit was 412,300.", "unbacked"),
    ("North made 412,300.", "unbacked"),
    ("Revenue was 412,300.", "unbacked"),
    ("South made 412,300.", "exact"),
    ("The profit of South was 412,300.", "exact"),
    ("Profit was 412,300 in South.", "exact"),
]


@pytest.mark.parametrize(("text", "status"), STRANGERS)
def test_a_number_next_to_a_name_that_is_in_no_result_is_not_a_cell(text: str, status: str) -> None:
    assert [one.status for one in trace(text, Evidence((PROFITS,)))] == [status]


def test_a_share_that_names_a_percentile_needs_no_source() -> None:
    waits = ResultTable("waits", ("ward", "p50_min", "p90_min"), (("Eye", 22.5, 61), ("Skin", 34, 88.5)))
    text = "Half of the Eye patients are seen within 22.5 minutes and ninety percent within 61."
    assert [one.status for one in trace(text, Evidence((waits,)))] == ["plain", "exact", "plain", "exact"]


VISITORS = ResultTable("visitors", ("day", "n", "m"), (("Mon", 8, 4), ("Tue", 9, 5)))
DOUBTS = [
    ("Revenue rose to 412,300 from 271,640 in South.", REGIONS, ["unclear", "exact"]),
    ("North brought 412,300 visitors.", REGIONS, ["unclear"]),
    # another row or column is named, and its own number is nowhere
    ("North made 271,640.", REGIONS, ["unbacked"]),
    ("North made 271,640 and South 412,300.", REGIONS, ["unbacked", "unbacked"]),
    ("North had revenue of 812.", REGIONS, ["unbacked"]),
    ("Atlantis made 412,300.", REGIONS, ["unbacked"]),
    ("Total revenue was 412,300.", REGIONS, ["unbacked"]),
    # in no cell
    ("North made 412,700.", REGIONS, ["unbacked"]),
    # few digits are found by chance
    (
        "There were 8 visitors on 4 days.",
        VISITORS,
        ["unbacked"] * 2,
    ),
]


@pytest.mark.parametrize(("text", "table", "expected"), DOUBTS)
def test_a_number_found_without_its_name_is_unclear_but_a_contradicted_one_is_not(
    text: str, table: ResultTable, expected: list[str]
) -> None:
    assert statuses(text, table) == expected


KINDS = ResultTable(
    "clusters",
    ("cluster", "members", "visits", "spent"),
    ((0, 50, 20.497, 45.707), (1, 60, 3.955, 20.011), (2, 30, 12.039, 119.374)),
    "Clusters",
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("50 members with 20.50 visits and 45.71 spent", ["exact", "exact", "exact"]),
        ("60 members with 20.50 visits and 45.71 spent", ["unclear", "exact", "exact"]),
    ],
)
def test_a_common_number_is_believed_if_its_column_is_named_and_other_numbers_name_its_row(
    answer: str, expected: list[str]
) -> None:
    assert statuses(answer, KINDS) == expected
