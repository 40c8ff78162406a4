"""Compares the rows of an answer of the offline analyst with the ones that are expected."""

from collections.abc import Sequence
from typing import Any

import pytest

__all__ = ["assert_rows"]


def assert_rows(document: dict[str, Any], expected: Sequence[Sequence[Any]]) -> None:
    """The first columns of the first call's rows are `expected`; dates are written as texts."""
    assert document["tool_calls"], document["answer"]
    rows = document["tool_calls"][0]["result"]["rows"]
    found = [list(row)[: len(wanted)] for row, wanted in zip(rows, expected, strict=True)]
    for row, wanted in zip(found, expected, strict=True):
        assert [
            str(cell) if isinstance(other, str) else cell for cell, other in zip(row, wanted, strict=True)
        ] == [pytest.approx(cell) if isinstance(cell, float) else cell for cell in wanted]
