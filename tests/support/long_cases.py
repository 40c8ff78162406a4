"""Cases of a parametrized test, most of which run only in `make long`."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest

__all__ = ["mostly_long"]


def mostly_long(cases: Iterable[Any], quick: Collection[int] = (), *, every: int = 0) -> list[Any]:
    """Return the cases of a parametrized test: `make test` runs the cases at the positions `quick`, `make long` the
    others.

    With `every`, `make test` runs the first case and then one of each `every` cases. If the test has several
    parameters, a case is a tuple of their values.
    """
    given = list(cases)
    quick = quick or range(0, len(given), every)
    assert all(number < len(given) for number in quick), "there is no case at that position"
    return [case if number in quick else _long(case) for number, case in enumerate(given)]


def _long(case: Any) -> Any:
    if hasattr(case, "marks"):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.long], id=case.id)
    return pytest.param(*case if type(case) is tuple else (case,), marks=pytest.mark.long)
