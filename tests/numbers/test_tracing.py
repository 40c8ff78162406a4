"""Lies in otherwise true answers are found and true numbers believed, over cases that were written blind.

Their authors had not seen the tracing. The first set was used to improve it. The others were counted once before anyone
looked at them (docs/numbers.md has these counts), and have been read since; the bounds are the current results.
"""

import pytest

from tests.numbers.check_cases import check
from tests.numbers.scoring import false_flags, lies_that_pass, realistic, sentences_that_fail, with_workings
from tests.support.long_cases import mostly_long

SETS = {
    "": (0, 4, 11, 6),
    "_held_out": (0, 1, 4, 4),
    "_held_out_2": (0, 5, 5, 0),
    "_held_out_3": (2, 2, 3, 3),
    "_held_out_4": (6, 4, 12, 7),
    "_held_out_5": (7, 0, 16, 6),
}
"""Of each set: how many lies are believed and how many are unclear, and how many true answers have an amber number and
how many an unclear one. The aims are no lie, and 3 in 100 amber; nothing here may get worse."""


@pytest.mark.parametrize("suffix", mostly_long(SETS, quick=(5,)))
def test_false_numbers_are_found_and_true_answers_believed(suffix: str) -> None:
    passed, flags = lies_that_pass(suffix), false_flags(suffix)
    believed = [one for one in passed if one.status != "unclear"]
    unclear = {flag.case_id for flag in flags if flag.status == "unclear"}
    amber = {flag.case_id for flag in flags if flag.status != "unclear"}
    reached = len(believed), len(passed) - len(believed), len(amber), len(unclear)
    assert all(one <= most for one, most in zip(reached, SETS[suffix], strict=True)), (reached, passed, flags)


@pytest.mark.long
def test_no_planted_false_number_in_the_first_three_sets_is_mistaken_for_a_cell() -> None:
    taken = [
        one
        for suffix in list(SETS)[:3]
        for one in lies_that_pass(suffix)
        if one.status in ("exact", "derived")
    ]
    assert taken == []


def test_handwritten_sentences_are_accepted_or_rejected_as_expected() -> None:
    doubted, believed = sentences_that_fail()
    assert len(doubted) <= 11, doubted
    assert len(believed) <= 11, believed


@pytest.mark.parametrize("suffix", mostly_long(SETS, quick=(5,)))
def test_the_planted_test_cases_are_consistent(suffix: str) -> None:
    assert check(suffix) == []


REALISTIC = {
    7: (31, 6, 0), 8: (18, 4, 0), 9: (34, 4, 3), 10: (29, 5, 3), 11: (64, 2, 1), 12: (46, 1, 1), 13: (37, 6, 2)
}  # fmt: skip
"""Long answers with many computed numbers, 72 to 100 true ones and 48 to 75 lies: what `scoring.realistic` counts."""


@pytest.mark.parametrize("number", [pytest.param(one, marks=pytest.mark.long) for one in REALISTIC])
def test_most_long_answers_are_believed_completely(number: int) -> None:
    reached = realistic(number)
    assert all(one <= most for one, most in zip(reached, REALISTIC[number], strict=True)), reached


@pytest.mark.parametrize(
    ("number", "last", "most"),
    [
        (1, 4, (4, 3, 2)),
        pytest.param(1, 25, (26, 22, 19), marks=pytest.mark.long),
        pytest.param(2, 25, (49, 32, 16), marks=pytest.mark.long),
    ],
)
def test_most_answers_with_workings_are_believed(number: int, last: int, most: tuple[int, int, int]) -> None:
    """Sets AA and BB, of 100 true answers with 992 and 1,118 numbers and of 60 lies each: doubted numbers, answers with
    one, and lies that are believed or not seen.
    """
    reached = with_workings(number, last)
    assert all(one <= limit for one, limit in zip(reached, most, strict=True)), reached
