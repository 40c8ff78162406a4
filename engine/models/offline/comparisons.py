"""The grammar's functions for comparisons of a column with numbers or with another column."""

from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.amounts import Number, amount_in
from engine.models.offline.columns import Column
from engine.models.offline.form import Filter
from engine.models.offline.grouping import Grouping
from engine.models.offline.lengths import main_lengths
from engine.models.offline.meanings import Expression, Readings, one, same_unit
from engine.models.offline.words import related

__all__ = ["Comparisons"]


_FEW_VALUES = 20
"""A number with a unit may be a value of a column with at most this many values: “60-month loans”."""


def _is_year(amount: Number) -> bool:
    return not amount.unit and not amount.percent and float(amount.value).is_integer()


class Comparisons(Grouping):
    """The functions for comparisons of a column with numbers or with another column."""

    def _minus_number(self, number: Number) -> Number:
        return replace(number, value=-number.value)

    def _compare(self, found: Expression, how: Any, amount: Number) -> Filter | None:
        return None if found.operator else self._by_amount(found.column, how, amount)

    def _by_amount(self, column: Column, how: Any, *amounts: Number) -> Filter | None:
        """Return a condition that compares a column with numbers. The numbers are converted to the column's unit."""
        if any(amount.unit == "times" for amount in amounts):
            if not column.whole or column.unit or column.adds is False:
                return None  # “ordered more than once” is not about an amount of money
            amounts = tuple(replace(amount, unit="") for amount in amounts)
        values = [amount_in(column, amount) for amount in amounts]
        return one(column, how, *values) if None not in values else None

    def _compare_year(self, column: Column, how: Any, amount: Number) -> Filter | None:
        """Read “Year is at least 2019”."""
        return one(column, how, int(amount.value)) if column.year and _is_year(amount) else None

    def _between_years(self, column: Column, low: Number, high: Number) -> Filter | None:
        """Read “Year is between 2016 and 2021”."""
        years = column.year and _is_year(low) and _is_year(high) and low.value <= high.value
        return one(column, "between", int(low.value), int(high.value)) if years else None

    def _negative_number(self, found: Expression) -> Filter | None:
        """Read “negative quantity” as less than 0, if a column may have such values."""
        able = not found.operator and (found.column.low is None or found.column.low < 0)
        return one(found.column, "<", 0) if able else None

    def _positive_number(self, found: Expression) -> Filter | None:
        return None if found.operator else one(found.column, ">", 0)

    def _compare_after(self, how: Any, amount: Number, found: Expression) -> Filter | None:
        return self._compare(found, how, amount)

    def _compare_before(self, amount: Number, found: Expression) -> Filter | None:
        """Read “before 32 weeks of gestation”."""
        return self._compare(found, "<", amount) if amount.unit else None

    def _compare_past(self, amount: Number, found: Expression) -> Filter | None:
        """Read “after 40 weeks of gestation”."""
        return self._compare(found, ">", amount) if amount.unit else None

    def _compare_unit_behind(self, amount: Number, how: str) -> Readings | None:
        """Read “at 37 weeks or later” as a condition on the columns in weeks."""
        return self._compare_unit(how, amount) if amount.unit else None

    def _compare_of(self, found: Expression, how: Any | None, amount: Number) -> Filter | None:
        return self._compare(found, how or "=", amount)

    def _equals(self, found: Expression, amount: Number) -> Filter | None:
        return self._compare(found, "=", amount)

    def _equals_after(self, amount: Number, found: Expression) -> Filter | None:
        """Read “3 bedrooms” as a condition if the column may have that number."""
        low, high = found.column.low, found.column.high
        able = found.column.whole and low is not None and high is not None and low <= amount.value <= high
        return self._compare(found, "=", amount) if able else None

    def _compare_part(self, part: str, how: Adjective, amount: Number) -> Readings:
        """Read “a flipper longer than 210” as a condition on the length columns whose names contain “flipper”."""
        columns = [c for c in how.columns if c.measure and any(related(part, word) == 0 for word in c.words)]
        return [self._compare(Expression(c), ">" if how.direction > 0 else "<", amount) for c in columns]

    def _compare_unit_part(self, part: str, how: Any, amount: Number) -> Readings:
        fit = [
            c for c in self.table.columns if c.measure and any(related(part, word) == 0 for word in c.words)
        ]
        return [self._by_amount(column, how, amount) for column in fit if amount.unit]

    def _compare_unit(self, how: Any, amount: Number) -> Readings | None:
        """Read “over 200 mm” as a condition on the columns in mm; without a unit, on the only column of numbers."""
        numbers = [c for c in self.table.columns if c.measure]
        fit = [c for c in numbers if amount.unit and same_unit(amount.unit, c)]
        named = [
            c for c in numbers if amount.unit and (c.unit or related(amount.unit, c.words[-1]) is not None)
        ]
        fit = main_lengths(fit) or named or (numbers if len(numbers) == 1 and not amount.unit else [])
        return [self._by_amount(column, how, amount) for column in fit]

    def _adjective(self, how: Adjective, amount: Number) -> Readings | None:
        sign = ">" if how.direction > 0 else "<"
        return [self._by_amount(column, sign, amount) for column in how.columns if column.measure]

    def _between_adjective(self, low: Number, high: Number, how: Adjective) -> Readings:
        """Read “between 20 and 30 years old”."""
        return [self._between(Expression(c), low, high) for c in how.columns if c.measure]

    def _cmp_adjective(self, sign: Any, amount: Number, how: Adjective) -> Readings:
        """Read “over 60 years old”."""
        return [self._compare(Expression(c), sign, amount) for c in how.columns if c.measure]

    def _compare_adjective(self, found: Expression, how: Adjective, amount: Number) -> Filter | None:
        if how.counts or not how.fits(found.column):
            return None
        return self._compare(found, ">" if how.direction > 0 else "<", amount)

    def _between(self, found: Expression, low: Number, high: Number) -> Filter | None:
        if low.scale == 1 < high.scale and low.value * high.scale <= high.value:
            low = replace(low, value=low.value * high.scale, scale=high.scale)  # “between 40 and 50 thousand”
        if found.operator or low.value > high.value:
            return None
        low = replace(low, unit=low.unit or high.unit, percent=low.percent or high.percent)
        return self._by_amount(found.column, "between", low, high)

    def _between_after(self, low: Number, high: Number, found: Expression | None) -> Readings | Filter | None:
        if found is not None:
            return self._between(found, low, high)
        able = [c for c in self.table.columns if c.measure and high.unit]
        able = main_lengths([c for c in able if same_unit(high.unit, c)]) or able
        return [self._between(Expression(c), low, high) for c in able]

    def _compare_behind(self, found: Expression, amount: Number, how: str) -> Filter | None:
        """Read “90 or more”."""
        return self._compare(found, how, amount)

    def _compare_behind_after(self, amount: Number, how: str, found: Expression) -> Filter | None:
        return self._compare(found, how, amount)

    def _compare_average(self, found: Expression, how: str) -> Filter | None:
        return None if found.operator else one(found.column, how)

    def _compare_average_after(self, how: str, found: Expression) -> Filter | None:
        return self._compare_average(found, how)

    def _compare_columns(self, first: Expression, how: Any, second: Expression) -> Filter | None:
        if first.operator or second.operator or first.column is second.column:
            return None
        return one(first.column, how, other=second.column)

    def _equals_any(self, found: Expression, first: Number, others: tuple[Number, ...]) -> Filter | None:
        return None if found.operator else self._by_amount(found.column, "=", first, *others)

    def _unequal_any(self, found: Expression, first: Number, others: tuple[Number, ...]) -> Filter | None:
        return None if found.operator else self._by_amount(found.column, "!=", first, *others)

    def _later_than(self, first: Column, second: Column) -> Filter | None:
        """Read “paid after the due date”."""
        dates = first.role == second.role == "date" and first is not second
        return one(first, ">", other=second) if dates else None

    def _earlier_than(self, first: Column, second: Column) -> Filter | None:
        found = self._later_than(first, second)
        return None if found is None else one(first, "<", other=second)

    def _unit_value(self, amount: Number) -> Readings:
        """Read “60-month loans” as the value 60 of the only column in months that has few values."""
        able = [c for c in self.table.columns if c.whole and amount.unit and same_unit(amount.unit, c)]
        able = [c for c in able if c.profile.distinct <= _FEW_VALUES]
        within = [c for c in able if (c.low or 0) <= amount.value <= (c.high or 0)]
        return [self._by_amount(c, "=", amount) for c in within] if len(within) == 1 else []
