"""Lies in otherwise true answers are found, and true numbers are believed: over cases that were written blind.

Who wrote the cases had not seen the tracing. The first set was then used to mend it; the second was counted once, on
2026-11-23, before anyone looked into it: 98 of 100 lies found, and a number doubted in 22 of 100 true answers. It has
been read since, so what is reached there now is no longer blind.
"""

from collections import Counter

from tests.numbers.check_cases import check
from tests.numbers.scoring import false_flags, lies_that_pass


def test_no_planted_lie_is_taken_for_a_cell_and_hardly_one_for_a_derivation() -> None:
    passed = lies_that_pass()
    assert [one for one in passed if one.status == "exact"] == []
    assert len(passed) <= 4, passed


def test_lies_that_were_held_out_are_found() -> None:
    assert len(lies_that_pass("_held_out")) <= 2


def test_true_answers_are_believed() -> None:
    """The aim is that at most 3 in 100 are doubted; these bounds are what is reached, so that it only gets better."""
    assert len({flag.case_id for flag in false_flags()}) <= 31
    assert len({flag.case_id for flag in false_flags("_held_out")}) <= 14


def test_the_second_set_that_was_held_out_gets_no_worse() -> None:
    """Counted once, on 2026-11-24, before anyone looked: 17 lies of 100 passed, 35 true answers of 100 doubted."""
    assert len(lies_that_pass("_held_out_2")) <= 17
    assert len({flag.case_id for flag in false_flags("_held_out_2")}) <= 35


def test_few_true_numbers_are_doubted() -> None:
    assert Counter(flag.case_id for flag in false_flags()).total() <= 46


def test_the_cases_are_what_they_say() -> None:
    assert check("") == []
    assert check("_held_out") == []
    assert check("_held_out_2") == []
