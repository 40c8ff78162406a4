"""The year and quarter of a label such as `2024-Q1`, `2024-03` or `2024-03-31`. Pure."""

import re
from datetime import date, timedelta

from events.late_dataclass import dataclass

__all__ = ["Period", "monday_of", "period_of"]

_QUARTERS = re.compile(r"(\d{4})[- ]?q([1-4])|q([1-4])[- ](\d{4})")
_DATES = re.compile(r"(\d{4})-(\d\d)(?:-\d\d)?(?:$|[t ])")


@dataclass(frozen=True, slots=True)
class Period:
    """A quarter, or a month or day in it."""

    year: int
    quarter: int
    monthly: bool
    """Whether the label names the month."""


def period_of(label: str) -> Period | None:
    """Return the period that a label (in lower case) names; None if it is neither a quarter nor a date."""
    if (found := _QUARTERS.fullmatch(label)) is not None:
        return Period(int(found[1] or found[4]), int(found[2] or found[3]), monthly=False)
    found = _DATES.match(label)
    if found is None or not 0 < int(found[2]) < 13:
        return None
    return Period(int(found[1]), (int(found[2]) + 2) // 3, monthly=True)


def monday_of(label: str) -> str | None:
    """Return the Monday of the week of a label such as `2024-03-31`; None if the label is not a date."""
    try:
        day = date.fromisoformat(label)
    except ValueError:
        return None
    return (day - timedelta(days=day.weekday())).isoformat()
