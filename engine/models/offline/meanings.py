"""Meanings of phrases as values: numbers, nouns, filters, and additions to a form."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from engine.models.offline.columns import Column
from engine.models.offline.form import Condition, Filter, Measure, Ref
from engine.models.offline.length_columns import LENGTH_UNITS
from engine.models.offline.periods import Period
from engine.models.offline.vocabulary import ALIKE_UNITS, SCALED_MONEY
from events.late_dataclass import dataclass

__all__ = [
    "Expression",
    "Measures",
    "Noun",
    "Part",
    "Readings",
    "Subject",
    "either",
    "negative",
    "one",
    "period_filter",
    "plain",
    "same_unit",
]

Readings: TypeAlias = list[Any]
"""The type that a grammar function returns if a phrase can have several meanings."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A number column, or two number columns with an operator between them."""

    column: Column
    operator: Any = ""
    other: Column | None = None

    def measure(self, aggregate: Any, **more: Any) -> Measure:
        """Return an aggregate of the expression."""
        other = None if self.other is None else self.other.ref
        return Measure(aggregate, self.column.ref, self.operator, other, **more)


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of a question; `bare` is the column if the question mentions no aggregate."""

    measures: tuple[Measure, ...]
    bare: Expression | None = None
    filters: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True)
class Noun:
    """Rows, with conditions on them: “female penguins”. `rows` is False if the question only names values."""

    filters: tuple[Filter, ...]
    rows: bool
    word: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a question asks about or compares: groups (by column) or single rows, and the conditions on them."""

    refs: tuple[Ref, ...]
    filters: tuple[Filter, ...] = ()
    rows: bool = False
    """Whether the subject may mean rows: a noun for rows, or a column that names them."""
    word: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A phrase's addition to a form."""

    kind: str
    value: Any = None
    noun: str = ""
    """For conditions, the noun to which they belong; it may be the thing that is counted."""

    @property
    def compares_alone(self) -> bool:
        """Whether the part is only a comparison of a column with a number."""
        if self.kind not in ("where", "relative", "predicate") or len(self.value) != 1:
            return False
        first = self.value[0].any[0]
        return first.compare in ("<", "<=", ">", ">=") and not first.of.grain


def one(column: Column, compare: Any, *values: Any, other: Column | None = None) -> Filter:
    """Return a filter with one condition."""
    ref = None if other is None else other.ref
    return Filter((Condition(column.ref, compare, tuple(values), ref),))


def either(ref: Ref, values: Sequence[Any]) -> Filter:
    """Return the filter for rows with any of several values in a column, or that meet any of several conditions on
    it.
    """
    if all(isinstance(value, Condition) for value in values):
        return Filter(tuple(values))
    return Filter((Condition(ref, "=", tuple(values)),))


def negative(found: Filter) -> Filter | None:
    """Return the opposite of a filter, which excludes the rows that the filter keeps; None if it has several
    conditions."""
    opposite: dict[str, Any] = {
        "=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<", "between": "not between",
        "contains": "not contains", "missing": "present", "present": "missing"
    }  # fmt: skip
    if len(found.any) != 1 or found.any[0].compare not in opposite:
        return None
    return Filter((replace(found.any[0], compare=opposite[found.any[0].compare]),))


def plain(value: float) -> int | float:
    """Return a number without a fraction as an int."""
    return int(value) if float(value).is_integer() else value


def period_filter(column: Column, compare: Any, periods: tuple[Period, ...]) -> Filter | None:
    """Return a filter that compares a column of dates or years with periods; None if this is not possible."""
    grains = {period.grain for period in periods}
    if any(period.value.startswith("----") for period in periods):
        return None
    if len(grains) > 1 and compare != "between":
        return None
    values: tuple[Any, ...] = tuple(period.value for period in periods)
    if column.year:
        if "decade" in grains:
            first = periods[0].first_year
            return one(column, "between", first, first + 9) if compare == "=" and len(periods) == 1 else None
        values = tuple(int(value) % 100 if column.short_year else int(value) for value in values)
        return one(column, compare, *values)
    grain = periods[0].grain
    if grain in ("weekday", "month of year", "quarter of year") and compare != "=":
        return None
    if compare == "between" and grain != periods[1].grain:
        return None
    return Filter((Condition(replace(column.ref, grain=grain), compare, values),))


_MONEY = frozenset(
    [
        "price",
        "cost",
        "salary",
        "revenue",
        "amount",
        "fare",
        "sales",
        "income",
        "pay",
        "usd",
        "eur",
        "gbp",
        "bill",
        "tip",
        "fee",
        "charge",
        "budget",
        "wage",
        "payment",
        "profit",
        "expense",
        "rent",
        "balance",
        "deposit",
        "spend",
        "value",
    ]
)


def same_unit(said: str, column: Column) -> bool:
    """Return whether a unit in the question is the unit of a column; `$` fits money columns."""
    if column.lasting:
        return said in LENGTH_UNITS
    if said == column.unit or (said in column.all_words and "/" not in column.name):
        return True
    if said in ("dollar", "dollars", "euro", "euros", "pound", "pounds", "bucks") and not column.unit:
        said = "$"
    if said == "$":
        named = _MONEY & set(column.all_words) or column.unit in SCALED_MONEY
        return bool(named) or any(sign in column.name for sign in "$€£")
    return any(said in group and column.unit in group for group in ALIKE_UNITS)
