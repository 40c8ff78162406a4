"""Compares the rows of an answer of the offline analyst with the expected ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.ask_offline import ask

__all__ = ["answered", "assert_rows", "rows_of"]


def answered(folder: Path, table: str, text: str, question: str) -> dict[str, Any]:
    """The answer to a question about a table with this text as its CSV file."""
    (folder / f"{table}.csv").write_text(text)
    return list(ask(folder, [question]))[-1]


def rows_of(document: dict[str, Any]) -> list[list[Any]]:
    """The rows of an answer's last call."""
    assert document["tool_calls"], document["answer"]
    found: list[list[Any]] = document["tool_calls"][-1]["result"]["rows"]
    return found


def assert_rows(document: dict[str, Any], expected: Sequence[Sequence[Any]]) -> None:
    """Check that the first columns of the first call's rows are `expected`; dates are compared as text."""
    assert document["tool_calls"], document["answer"]
    rows = document["tool_calls"][0]["result"]["rows"]
    found = [list(row)[: len(wanted)] for row, wanted in zip(rows, expected, strict=True)]
    for row, wanted in zip(found, expected, strict=True):
        assert [
            str(cell) if isinstance(other, str) else cell for cell, other in zip(row, wanted, strict=True)
        ] == [pytest.approx(cell) if isinstance(cell, float) else cell for cell in wanted]
