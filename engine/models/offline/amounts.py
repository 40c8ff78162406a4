"""Converts numbers in a question to the unit of a column: 50 million to millions, two hours to minutes. Pure."""

from engine.models.offline.columns import Column
from engine.models.offline.length_columns import length_in
from engine.models.offline.meanings import plain, same_unit
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import SCALED_MONEY
from engine.models.offline.words import Token, related
from events.late_dataclass import dataclass

__all__ = ["Number", "amount_in", "are_metres"]

_METRES = frozenset({"m", "meter", "meters", "metre", "metres", "min", "mins", "minutes"})

_SCALES = {
    1e3: {"thousand", "thousands", "k"},
    1e6: {"million", "millions", "mn", "mio", "mln"},
    1e9: {"billion", "billions", "bn"},
}
_FAMILIES = (
    {"ms": 0.001, "s sec secs second seconds": 1, "min mins minute minutes": 60, "h hr hrs hour hours": 3600,
     "day days": 86400, "week weeks wks": 604800},
    {"mm": 0.001, "cm": 0.01, "m meter meters metre metres": 1,
     "km kilometer kilometers kilometre kilometres": 1000, "mi mile miles": 1609.344,
     "ft foot feet": 0.3048, "inch inches": 0.0254},
    {"mg": 0.001, "g gram grams": 1, "kg kilo kilos kilogram kilograms": 1000, "t ton tons tonne tonnes": 1e6,
     "lb lbs pound pounds": 453.59237},
    {"kw": 1, "mw": 1000}, {"kwh": 1, "mwh": 1000, "gwh": 1e6}, {"mb": 1, "gb": 1000}, {"sqft": 1}, {"sqm m2": 1},
    {"year years yr yrs": 12, "month months mo mos": 1}
)  # fmt: skip
"""Units that measure the same thing, each with its size. The sizes in a family are relative to its unit of size 1."""
_PERCENT = frozenset({"percent", "pct", "percentage", "share", "rate", "ratio", "proportion"})
_AGES = frozenset({"age", "ages", "years", "tenure", "experience"})
"""Words that mean that a column is in years, unless its name contains another unit."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a question, with the unit after it."""

    value: float
    percent: bool = False
    unit: str = ""
    scale: float = 1.0
    """The factor in the number: 1,000 for “50k”, 1,000,000 for “2 million”. `value` is already multiplied by it."""


def amount_in(column: Column, amount: Number) -> int | float | str | None:
    """Return an amount in the unit of `column`, as text if it is a length of time; None if the units do not match, or
    if it is unclear whether they match.
    """
    value = amount.value
    if column.lasting or amount.unit == ":":
        able = column.lasting and not amount.percent
        return length_in(column.profile, value, amount.unit) if able else None
    if amount.percent:
        if column.high is not None and column.high <= 1:
            return plain(value / 100)
        fits = _PERCENT & set(column.all_words) or "%" in column.name or (column.high or 0) <= 100
        return plain(value) if fits else None
    if amount.unit:
        factor = _factor(amount, column)
        if factor is None:
            return None
        value = round(value * factor, 9)
    if amount.scale > 1:
        scale = next((size for size, words in _SCALES.items() if words & set(column.all_words)), 1.0)
        scale = SCALED_MONEY.get(column.unit, scale)
        value /= scale
    return plain(value)


def _factor(amount: Number, column: Column) -> float | None:
    """Return how many of the column's units make up one unit of the question; None if this is unclear.

    A column whose name has no unit is assumed to be in the question's unit if its numbers are large enough. For a
    length of time, no other unit may fit the column's numbers, because two hours can be stored as 120 minutes.
    """
    said, low, high = amount.unit, column.low, column.high
    if same_unit(said, column):
        return 1.0
    if not column.unit and _AGES & set(column.all_words) and said.startswith(("year", "month")):
        return _of_an_age(amount, column)
    if any(related(said, word) is not None for word in column.words):
        return 1.0
    if same_unit("$", column):
        return None
    for family in _FAMILIES:
        sizes = {word: size for words, size in family.items() for word in words.split()}
        if said in sizes and column.unit in sizes:
            return sizes[said] / sizes[column.unit]
        if said in sizes and not column.unit and low is not None and high is not None:
            factors = {sizes[said] / size for size in family.values()}
            fitting = [factor for factor in factors if low <= amount.value * factor <= high]
            return 1.0 if 1.0 in fitting and (len(fitting) == 1 or "second" not in sizes) else None
    return None


def _of_an_age(amount: Number, column: Column) -> float | None:
    """Return the factor that converts an amount to years, the unit of ages; None if a column of tenure may be in
    months."""
    factor = 1 / 12 if amount.unit.startswith("month") else 1.0
    months = 12 * factor * amount.value
    unclear = "tenure" in column.all_words and (column.low or 0) <= months <= (column.high or 0)
    return None if unclear else factor


def are_metres(token: Token, table: Table) -> bool:
    """Return whether a token is a number of metres rather than of millions, such as “15m” if a column is in metres."""
    return (
        token.number is not None
        and not token.quoted
        and token.text[:1] not in "$€£"
        and token.text[-1:] in "mM"
        and token.scale > 1
        and any(c.unit in _METRES for c in table.columns)
    )
