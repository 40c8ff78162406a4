"""Texts that were written to slow tracing down are traced in bounded time."""

import random

import pytest

from engine.numbers.doubts import doubted_numbers
from engine.numbers.evidence import Evidence, ResultTable
from engine.numbers.trace import MOST_NUMBERS, trace
from engine.numbers.traced_reply import TracedReply
from tests.numbers.scoring import read, tables_of
from tests.support.long_cases import mostly_long

TABLE = ResultTable("t", ("region", "revenue"), (("North", 412300), ("South", 1)))
TEXTS = {
    "a word of digits": "1",
    "letters and digits by turns": "1a",
    "hyphens": "A-",
    "one sentence of numbers": "1,234,",
    "spaces for thousands": "1 234 ",
    "open brackets": "(1 ",
    "a row of cells": "|1",
    "a list": "- 1\n",
    "parts of parts": "1 of ",
    "links": "](1",
    "years": "2020-",
    "quotes": "'",
    "months": "may 1-may ",
}


@pytest.mark.parametrize("times", [300, pytest.param(40_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("text", mostly_long(TEXTS.values(), every=4), ids=TEXTS.keys())
def test_repetitive_texts_are_traced_in_bounded_time(text: str, times: int) -> None:
    assert len(trace(f"a{text * times}%|", Evidence((TABLE,), ("q",)))) <= MOST_NUMBERS


@pytest.mark.parametrize(
    "cell",
    [None, float("nan"), float("inf"), 10**400, True, "", "412,300", -0.0],
    ids=lambda cell: str(cell)[:9],
)
def test_a_result_may_contain_any_value(cell: object) -> None:
    table = ResultTable("t", ("region", "revenue", "revenue"), (("North", cell, 1), ("North", 5), ()))  # type: ignore[arg-type]
    assert [one.mention.text for one in trace("North made 412,300 (23%).", Evidence((table,)))] == [
        "412,300",
        "23%",
    ]


def test_numbers_have_no_source_in_an_empty_result_or_without_results() -> None:
    empty = ResultTable("t", (), ())
    assert [one.status for one in trace("It is 412,300.", Evidence((empty,)))] == ["unbacked"]
    assert [one.status for one in trace("It is 412,300.", Evidence(()))] == ["unbacked"]


@pytest.mark.parametrize("hedge", ["about", "nearly", "more than", "less than", "roughly", "at least", "~"])
@pytest.mark.parametrize(
    "word", ["half", "a quarter", "a third", "twice", "three times", "a fifth", "none", "50%", "7"]
)
def test_a_spelled_out_fraction_that_no_result_contains_does_not_fail_the_turn(hedge: str, word: str) -> None:
    """The nearest cell of "about half" was compared with a step of 0, and the turn failed."""
    text, evidence = f"It is {hedge} {word} of what was planned there.", Evidence((TABLE,), ("q",))
    reply = TracedReply(text, tuple(trace(text, evidence)), evidence)
    assert len(doubted_numbers(reply)) <= 1


@pytest.mark.long
def test_any_line_of_workings_is_read_without_an_error() -> None:
    luck = random.Random(3)
    pieces = [
        "412300",
        "1",
        "412,300",
        "%",
        "(",
        ")",
        "+",
        "-",
        "*",
        "/",
        "^",
        "sum(",
        "mean(",
        ",",
        "|",
        "=",
        "North",
        "n0",
        ".5",
        "1e9",
        "–",
    ]
    for _ in range(1_500):
        line = "".join(luck.choice(pieces) + luck.choice(("", " ")) for _ in range(luck.randint(1, 12)))
        evidence = Evidence((TABLE,), ("q",), workings=f"```workings\n412,300 = {line}\n50% = {line}\n```")
        assert len(trace("North made 412,300, which is 50%.", evidence)) == 2


REALISTIC = (7, 8, 9, 10, 11, 12, 13)


def _holes(table: ResultTable, luck: random.Random) -> ResultTable:
    """A table of which three cells in ten have no value."""
    rows = tuple(tuple(None if luck.random() < 0.3 else cell for cell in row) for row in table.rows)
    return ResultTable(table.name, table.columns, rows, table.title)


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 8), *(pytest.param(seed, 40, marks=pytest.mark.long) for seed in range(1, 30))]
)
def test_answers_are_traced_over_any_results(seed: int, count: int) -> None:
    """Including results of other questions, and results with gaps: most numbers are in none of them."""
    luck = random.Random(seed)
    cases = [case for number in REALISTIC for case in read(f"realistic_{number}")]
    for _ in range(count):
        tables = [table for case in luck.choices(cases, k=luck.randint(1, 4)) for table in tables_of(case)]
        tables = [_holes(table, luck) for table in tables] if luck.random() < 0.5 else tables
        answer = "\n\n".join(luck.choice(luck.choice(cases)["answers"]) for _ in range(luck.randint(1, 3)))
        found = trace(answer, Evidence(tuple(tables), (luck.choice(cases)["question"],)))
        assert all(one.derivation is None or one.derivation.cells for one in found)
