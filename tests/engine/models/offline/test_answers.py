"""What is said of a result: the ends of a ranking of groups, as many and as they are, in one way of writing."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.views.offer import without_offer
from tests.support.ask_offline import ask


def told(workspace: Path, question: str, values: Mapping[str, object], head: str = "city,amount") -> str:
    (workspace / "sales.csv").write_text("\n".join([head, *(f"{k},{v}" for k, v in values.items()), ""]))
    (document,) = ask(workspace, [question])
    assert [call["status"] for call in document["tool_calls"]] == ["success"], document["answer"]
    return str(document["answer"])


def cities(*values: object) -> dict[str, object]:
    return {f"City{chr(65 + index)}": value for index, value in enumerate(values)}


def test_the_ends_of_months_are_no_range_of_time(tmp_path: Path) -> None:
    values = {f"2024-{month:02d}-01": 100 + (month * 7) % 11 for month in range(1, 11)}
    answer = told(tmp_path, "total amount by month", values, "sold_on,amount")
    assert answer.endswith(
        "10 rows; lowest August 2024 with 101, highest March 2024 with 110. The table has them all."
    )


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ((1, 2, 3, 4, 5, 6, 7, 8, 9), "lowest CityA with 1, highest CityI with 9."),
        ((1, 1, 3, 4, 5, 6, 7, 9, 9), "lowest CityA and CityB with 1, highest CityH and CityI with 9."),
        ((1, 1, 1, 1, 5, 6, 7, 8, 9), "lowest CityA, CityB and 2 others with 1, highest CityI with 9."),
        ((4, 4, 4, 4, 4, 4, 4, 4, 4), "the value is 4 in each."),
        ((1.5, 2, 3, 4, 5, 6, 7, 8, 9), "lowest CityA with 1.50, highest CityI with 9.00."),
    ],
)  # fmt: skip
def test_the_lowest_and_the_highest_group_are_named(
    tmp_path: Path, values: tuple[object, ...], ends: str
) -> None:
    answer = told(tmp_path, "total amount by city", cities(*values))
    assert f"by city: 9 rows; {ends} The table has them all." in answer


def test_of_more_groups_than_were_shown_no_ends_are_claimed(tmp_path: Path) -> None:
    answer = told(tmp_path, "total amount by city", {f"City{n:03d}": n for n in range(80)})
    assert answer == "Total amount by city: 80 rows; the table has them all."


def test_groups_without_a_value_are_counted(tmp_path: Path) -> None:
    answer = told(tmp_path, "total amount by city", cities(1, *[""] * 8))
    assert answer == "Total amount by city: CityA 1; 8 without a value."


def test_one_group_is_told_as_it_is(tmp_path: Path) -> None:
    rows = {"Rome": 3}
    assert told(tmp_path, "total amount by city", rows).endswith("Total amount by city: Rome 3.")


def test_numbers_of_a_column_have_as_many_decimals_each(tmp_path: Path) -> None:
    answer = told(tmp_path, "total amount by city", {"Rome": 43, "Oslo": 44.5})
    assert answer == "Total amount by city: Oslo 44.50; Rome 43.00."


def test_one_different_value_is_one_value(tmp_path: Path) -> None:
    rows = {f"{n},same": n for n in range(4)}
    assert "note has 1 value: same" in told(tmp_path, "different notes", rows, "code,note,amount")


def test_different_values_are_counted_in_good_english(tmp_path: Path) -> None:
    answer = told(
        tmp_path, "how many different cities are there?", {f"{n},Rome": n for n in range(4)}, "n,city,amount"
    )
    assert answer.startswith("The number of different values of city is **1**.")


def test_numbers_of_a_ranking_have_as_many_decimals_each(tmp_path: Path) -> None:
    rows = {"1,Rome": 43, "2,Oslo": 44.5, "3,Bern": 1, "4,Bern": 1}
    answer = told(tmp_path, "top 2 cities by amount", rows, "n,city,amount")
    assert answer.endswith("1. Oslo: 44.50\n2. Rome: 43.00")


def test_what_an_answer_offers_instead_is_told_apart_from_what_it_says(tmp_path: Path) -> None:
    rows = "".join(f"{k},{v}\n" for k, v in cities(3, 1, 4, 1, 5).items())
    (tmp_path / "sales.csv").write_text(f"city,amount\n{rows}")
    (refused,) = ask(tmp_path, ["why did sales drop?"])
    said, offered = without_offer(refused["answer"])
    assert said == "I can't tell why: these tables say what is, not what causes it."
    assert len(offered) == 3
    assert [d["tool_calls"][0]["status"] for d in ask(tmp_path, list(offered))] == ["success"] * 3


@pytest.mark.parametrize("text", ["", "42.", "You could ask:\nyour boss", "- one\n- two", "You could ask:\n"])
def test_an_answer_that_offers_nothing_is_left_as_it_is(text: str) -> None:
    assert without_offer(text) == (text, ())
