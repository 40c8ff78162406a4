"""How the grid formats numbers."""

import pandas as pd
import pytest

from ui.widgets.cards.grid import number_format


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([1234.5, 0.25, 0.0, None], "localized"),
        ([1.8e-05, 2e-41], "%.6g"),
        ([0.5, -0.0004], "%.6g"),
        ([0.0004, 1_234_567.25], "plain"),
        ([None, None], "localized"),
    ],
)
def test_small_numbers_are_not_shown_as_zero(values: list[float | None], written: str) -> None:
    """A p-value of 0.000018 used to be shown as 0."""
    assert number_format(pd.Series(values, dtype="float64")) == written
