"""The grammar's functions for states of rows: not yet over, current, late, above the average."""

from collections.abc import Hashable
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.amounts import Number
from engine.models.offline.columns import Column
from engine.models.offline.conditioning import Conditioning
from engine.models.offline.form import Filter, Measure
from engine.models.offline.meanings import Expression, Measures, Part, Readings, negative, one, same_unit
from engine.models.offline.money import main_amount, only_money, paid_rows
from engine.models.offline.people import leaving_date
from engine.models.offline.vocabulary import words

__all__ = ["States"]

_USUAL = frozenset({"normal", "regular", "ordinary", "standard", "usual"})
_LATE = frozenset({"delay", "late", "lateness"})
_PLANNED, _ENDED = words("planned dates"), words("ends")


class States(Conditioning):
    """The functions for states of rows."""

    def _still_there(self) -> Filter | None:
        """Read “current employees” as the rows without a leaving date, if there is one column of such dates and no
        column or value says who is current.
        """
        left = leaving_date(self.table)
        said = {value.lower() for c in self.table.columns for value in c.profile.values}
        told = said & {"active", "current"} or any(
            {"active", "current", "status"} & set(c.words) for c in self.table.columns
        )
        return None if left is None or told else one(left, "missing")

    def _both_missing(self, *said: Hashable) -> tuple[Filter, ...]:
        return tuple(one(column, "missing") for column in said if isinstance(column, Column))

    def _both_flags(self, first: Column, second: Column) -> tuple[Filter, ...] | None:
        """Read “patients with both asthma and diabetes”."""
        flags = first.role == second.role == "flag" and first is not second
        return tuple(one(column, "=", column.yes) for column in (first, second)) if flags else None

    def _either_missing(self, *said: Hashable) -> tuple[Filter, ...] | None:
        """Read “missing the zip code or the inspector” as rows in which at least one of them is missing."""
        columns = [column for column in said if isinstance(column, Column)]
        if len(set(columns)) < 2 or any(column.role == "flag" for column in columns):
            return None
        return (Filter(tuple(one(column, "missing").any[0] for column in columns)),)

    def _either_or_both(self, *said: Hashable) -> Readings:
        """Read “without a grade or an inspector” as rows without one of them, or without both."""
        either = self._either_missing(*said)
        return [] if either is None else [either, self._both_missing(*said)]

    def _gone(self) -> Filter | None:
        """Read “no longer with us” as the rows with a leaving date."""
        found = self._still_there()
        return None if found is None else negative(found)

    def _adjective_average(self, how: Adjective) -> Readings:
        """Read “deeper than average”."""
        sign: Any = "above average" if how.direction > 0 else "below average"
        return [one(column, sign) for column in how.columns if column.measure]

    def _cmp_late(self, how: Any, amount: Number) -> Readings:
        """Read “more than 25 minutes late”."""
        able = [c for c in self.table.columns if c.measure and _LATE & set(c.words)]
        able = [c for c in able if not amount.unit or same_unit(amount.unit, c)]
        return [self._by_amount(column, how, amount) for column in able]

    def _happened_late(self, *said: Hashable) -> Filter | None:
        """Read “paid late” and “returned late” as a date after the only date that was planned for it."""
        named = [column for column in said if isinstance(column, Column) and column.role == "date"]
        ends = named or [c for c in self.table.dates if _ENDED & set(c.words) and not _PLANNED & set(c.words)]
        planned = [c for c in self.table.dates if _PLANNED & set(c.words) and not c.table]
        able = len(ends) == len(planned) == 1 and ends[0] is not planned[0]
        delays = any(c.measure and _LATE & set(c.words) for c in self.table.columns)
        return one(ends[0], ">", other=planned[0]) if able and not delays else None

    def _ended_late(self) -> Filter | None:
        """Read “came back late” as a date after the date that was planned for it."""
        return self._happened_late()

    def _how_much_where(self, found: Filter) -> Measures | None:
        """Read “how much is overdue” as the sum of the rows' amount of money."""
        main = paid_rows(self.table) or main_amount(self.table)
        return None if main is None else Measures((Measure("sum", main.ref),), filters=(found,))

    def _has_some(self, column: Column) -> Filter | None:
        """Read “bookings with children” as the bookings with at least one child."""
        counts = column.measure and column.whole and column.low == 0 and not column.unit
        return one(column, ">", 0) if counts and column.adds is not False else None

    def _free(self) -> Filter | None:
        """Read “rides that were free” as the rides that cost nothing."""
        main = self._price()
        return one(main, "=", 0) if main is not None and main.low == 0 else None

    def _price(self) -> Column | None:
        """Return the table's only price column; if there is none or more than one, its only column of money."""
        named = [c for c in self.table.columns if c.measure and c.words == ("price",)]
        return named[0] if len(named) == 1 else only_money(self.table)

    def _priced(self, how: Any, amount: Number) -> Filter | None:
        """Read “sold for more than 500k”."""
        main = self._price()
        return None if main is None else self._by_amount(main, how, amount)

    def _priced_between(self, low: Number, high: Number) -> Filter | None:
        main = self._price()
        return None if main is None else self._between(Expression(main), low, high)

    def _priced_like(self, how: Any, other: Expression) -> Filter | None:
        """Read “sold for more than the list price”."""
        main = self._price()
        able = main is not None and not other.operator and other.column is not main
        return one(main, how, other=other.column) if able and main is not None else None

    def _worth(self, how: Any | None, amount: Number) -> Filter | None:
        """Read “worth more than 200” as a condition on the only amount of money."""
        main = only_money(self.table)
        return None if main is None else self._by_amount(main, how or "=", amount)

    def _owned(self, owner: Column, found: tuple[Filter, ...]) -> Part | None:
        """Read “where the hive was treated” as a condition on the inspections of a hive."""
        return (
            Part("relative", found)
            if owner.key and not any(c.of == owner.ref for f in found for c in f.any)
            else None
        )

    def _flag_both(self, first: Column, *others: Hashable) -> Part | None:
        """Read “with a club versus without a club”."""
        return self._flag_sides(first) if others[-1] == first else None

    def _flag_sides(self, column: Column, *_: Hashable) -> Part | None:
        """Read “rush versus normal jobs” and “homes with a pool and without” as the two values of a flag, and “with and
        without a club” as whether the column `club` has a value.
        """
        said = {value.lower() for c in self.table.columns for value in c.profile.values}
        usual = said.isdisjoint(
            _USUAL
        )  # “gift versus standard orders”, of which some have a standard delivery
        if column.role != "flag":
            return Part("versus", (self._presence(column), ())) if column.profile.missing and usual else None
        return Part("versus", (column.ref, ())) if usual else None
