"""The way in which numbers and dates are written in a file's columns. An ambiguous column is read like the other
columns.

A file rarely mixes formats. If one column has `2,5` and another only values like `1.234`, the second column's dot
separates thousands.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from anabranch_tool.column_dates import DateFormat
from anabranch_tool.column_numbers import NumberFormat

__all__ = ["UNKNOWN", "Habits", "habits_of"]


class _Format(Protocol):
    @property
    def doubt(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Habits:
    """The habits that all unambiguous columns of a file share. A habit is None if the columns differ or do not
    show it.
    """

    decimal: str | None = None
    """The decimal sign."""
    day_first: bool | None = None
    """Whether the day comes before the month."""


UNKNOWN = Habits()
"""The habits of a file whose columns do not show any."""


def habits_of(formats: Iterable[_Format]) -> Habits:
    """Return the habits that all unambiguous columns have in common."""
    certain = [form for form in formats if not form.doubt]
    signs = {sign for form in certain if isinstance(form, NumberFormat) and (sign := form.seen_decimal)}
    orders = {
        form.day_first for form in certain if isinstance(form, DateFormat) and form.day_first is not None
    }
    return Habits(
        signs.pop() if len(signs) == 1 else None,
        orders.pop() if len(orders) == 1 else None,
    )
