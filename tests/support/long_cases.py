"""Cases of a parametrized test, most of which run only in `make long`."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest

__all__ = ["mostly_long"]


def mostly_long(cases: Iterable[Any], quick: Collection[int] = (), *, every: int = 0) -> list[Any]:
    """Return the cases to parametrize with: `make test` runs those at the positions `quick`, `make long` the rest.

    With `every`, it runs the first case and then each so many-th one. A tuple has a value for each of several names.
    """
    given = list(cases)
    quick = quick or range(0, len(given), every)
    assert all(number < len(given) for number in quick), "there is no case at that position"
    return [case if number in quick else _long(case) for number, case in enumerate(given)]


def _long(case: Any) -> Any:
    if hasattr(case, "marks"):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.long], id=case.id)
    return pytest.param(*case if type(case) is tuple else (case,), marks=pytest.mark.long)
