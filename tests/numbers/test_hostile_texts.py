"""A text that was written to take long is traced like any other: nothing in it is tried in ever more ways."""

import pytest

from engine.numbers.evidence import Evidence, ResultTable
from engine.numbers.trace import MOST_NUMBERS, trace

TABLE = ResultTable("t", ("region", "revenue"), (("North", 412300), ("South", 1)))
TEXTS = {
    "a word of digits": "a" + "1" * 60 + "%",
    "letters and digits by turns": "a" + "1a" * 60 + "%",
    "hyphens": "A-" * 20_000,
    "one sentence of numbers": "1,234," * 20_000,
    "spaces for thousands": "1 234 " * 20_000,
    "open brackets": "(1 " * 20_000,
    "a row of cells": "|1" * 20_000 + "|",
    "a list": "- 1\n" * 20_000,
    "parts of parts": "1 of " * 20_000,
    "links": "](1" * 20_000,
    "years": "2020-" * 20_000,
    "quotes": "'" * 50_000,
    "months": "may 1-may " * 10_000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_no_text_takes_ever_longer(text: str) -> None:
    assert len(trace(text, Evidence((TABLE,), ("q",)))) <= MOST_NUMBERS


@pytest.mark.parametrize(
    "cell",
    [None, float("nan"), float("inf"), 10**400, True, "", "412,300", -0.0],
    ids=lambda cell: str(cell)[:9],
)
def test_any_cell_may_stand_in_a_result(cell: object) -> None:
    table = ResultTable("t", ("region", "revenue", "revenue"), (("North", cell, 1), ("North", 5), ()))  # type: ignore[arg-type]
    assert [one.mention.text for one in trace("North made 412,300 (23%).", Evidence((table,)))] == [
        "412,300",
        "23%",
    ]


def test_a_result_without_rows_and_an_answer_without_results() -> None:
    empty = ResultTable("t", (), ())
    assert [one.status for one in trace("It is 412,300.", Evidence((empty,)))] == ["unbacked"]
    assert [one.status for one in trace("It is 412,300.", Evidence(()))] == ["unbacked"]
