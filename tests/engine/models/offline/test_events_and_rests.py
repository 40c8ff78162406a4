"""Rows counted by the month of an event, one value compared with the rest, and counts of missing values."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.models.offline.rows_of import assert_rows
from tests.support.ask_offline import ask
from tests.support.long_cases import mostly_long

CARS = """make,listed_dt,sold_dt,gearbox,fuel,price,mileage
Golf,2024-01-03,2024-02-01,auto,petrol,100,10
Golf,2024-01-05,,man,diesel,200,
Polo,2024-02-07,2024-03-09,man,hybrid,300,
Polo,2024-02-08,,auto,petrol,,40
Golf,2024-02-09,,man,diesel,,
"""


def answer(folder: Path, question: str) -> dict[str, Any]:
    (folder / "cars.csv").write_text(CARS)
    return next(ask(folder, [question]))


@pytest.mark.parametrize(
    ("question", "expected"),
    mostly_long(
        [
            ("new listings each month", [["2024-01-01", 2], ["2024-02-01", 3]]),
            ("number of listings per month for Golf", [["2024-01-01", 2], ["2024-02-01", 1]]),
            ("how many sold per month", [["2024-02-01", 1], ["2024-03-01", 1]]),
            ("average price of auto cars versus the rest", [["auto", 100], ["man", 250]]),
            ("average price of Golf and of Polo", [["Golf", 150], ["Polo", 300]]),
            ("average price by make, highest at the top", [["Polo", 300], ["Golf", 150]]),
            ("how many cars are missing the price and how many are missing the mileage", [[2, 3]]),
            ("how many cars lack price and mileage", [[1]]),
            ("how many cars lack both the price and the mileage", [[1]]),
        ],
        quick=(0, 2, 4),
    ),
)
def test_questions_about_events_and_remaining_rows_get_the_expected_numbers(
    tmp_path: Path, question: str, expected: list[Any]
) -> None:
    assert_rows(answer(tmp_path, question), expected)


def test_the_rest_of_several_groups_is_refused(tmp_path: Path) -> None:
    found = answer(tmp_path, "average price of petrol cars versus the rest")
    assert not found["tool_calls"]
    assert "I can't answer that" in found["answer"]
