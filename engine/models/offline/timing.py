"""The grammar's functions for periods of time."""

from dataclasses import replace
from typing import Any

from engine.models.offline.columns import Column
from engine.models.offline.form import Condition, Filter
from engine.models.offline.meanings import Readings, period_filter
from engine.models.offline.periods import Period, in_one_list, recurring_between
from engine.models.offline.states import States
from engine.models.offline.words import number_of

__all__ = ["Timing"]


def _same_years(year: Column, date: Column) -> bool:
    """Whether a column of years has the same first and last year as a date column."""
    ends = (date.profile.minimum, date.profile.maximum)
    return (year.low, year.high) == tuple(number_of(str(end)[:4]) for end in ends)


def _within(period: Period, year: Column) -> bool:
    """Whether a period's first year is in the range of a column of years."""
    return year.short_year or (year.low or 0) <= period.first_year <= (year.high or 0)


class Timing(States):
    """The functions for periods of time."""

    def _not_in_period(self, column: Column, first: Period, others: tuple[Period, ...]) -> Readings:
        return self._periods("!=", (first, *others), column)

    def _time_columns(self, *periods: Period) -> list[Column]:
        """Return the columns that periods may be about; columns of years only if all periods are years or decades."""
        whole = all(period.grain in ("year", "decade") for period in periods)
        dates = [c for c in self.table.times if c.role == "date"]
        years = [
            c for c in self.table.columns if c.year and whole and not any(_same_years(c, d) for d in dates)
        ]
        years = [c for c in years if not dates or all(_within(period, c) for period in periods)]
        return list(dict.fromkeys((*(c for c in self.table.times if c.role == "date"), *years)))

    def _periods(self, compare: Any, periods: tuple[Period, ...], column: Column | None = None) -> Readings:
        if column is not None and column.role != "date" and not column.year:
            return []
        periods = tuple(self._completed(period, compare) for period in periods)
        return [
            found
            for one_column in ([column] if column is not None else self._time_columns(*periods))
            if (found := period_filter(one_column, compare, periods)) is not None
        ]

    def _completed(self, period: Period, compare: str) -> Period:
        """Add the year to “March 10” and “since March” if all the table's dates are in one year."""
        ends = [
            end
            for c in self.table.times
            if c.role == "date"
            for end in (c.profile.minimum, c.profile.maximum)
        ]
        years = {str(end)[:4] for end in ends}
        recurs = compare in ("=", "!=") and not period.value.startswith("----")
        return period if recurs or len(years) != 1 else period.in_year(years.pop())

    def _weekend(self) -> Readings:
        """Read “on weekends”."""
        return self._part_of_week("weekend")

    def _workdays(self) -> Readings:
        """Read “on weekdays”."""
        return self._part_of_week("weekday")

    def _part_of_week(self, part: str) -> Readings:
        dates = (replace(c.ref, grain="part of week") for c in self.table.times if c.role == "date")
        return [Filter((Condition(ref, "=", (part,)),)) for ref in dates]

    def _in_period(self, period: Period) -> Readings:
        return self._periods("=", (period,))

    def _in_periods(self, first: Period, others: tuple[Period, ...]) -> Readings:
        return self._periods("=", in_one_list((first, *others)))

    def _since(self, period: Period) -> Readings:
        return self._periods(">=", (period,))

    def _half_of(self, half: Any, period: Period) -> Readings:
        """Read “in the first half of 2023” as its first six months."""
        if period.grain != "year" or half not in (1, 2):
            return []
        first, last = (1, 6) if half == 1 else (7, 12)
        ends = (Period(f"{period.value}-{month:02}", "month") for month in (first, last))
        return self._periods("between", tuple(ends))

    def _as_of(self, period: Period) -> Readings:
        """Read “as of June 2024” as “until June 2024”, or as “since June 2024”."""
        return [*self._until(period), *self._since(period)]

    def _after(self, period: Period) -> Readings:
        return self._periods(">", (period,))

    def _before(self, period: Period) -> Readings:
        return self._periods("<", (period,))

    def _until(self, period: Period) -> Readings:
        return self._periods("<=", (period,))

    def _period_range(self, first: Period, last: Period) -> Readings:
        if first.grain != last.grain or first.grain not in ("weekday", "month of year", "quarter of year"):
            return self._periods("between", (first.completed(last), last))
        ends = tuple(self._completed(period, "between") for period in (first, last))
        if ends[0] != first and ends[0].value <= ends[1].value:
            return self._periods("between", ends)
        return self._periods("=", recurring_between(first, last))  # “from Monday to Friday”

    def _when_column(self, column: Column, found: Filter) -> Filter | None:
        """Read “released in 1999” as a period in the column of releases."""
        if column.role == "date" or column.year:
            condition = found.any[0]
            if column.year and condition.of.grain not in ("", "year"):
                return None
            if column.year:
                values = tuple(int(str(value)[:4]) for value in condition.values)
                return Filter((replace(condition, of=column.ref, values=values),))
            return Filter((replace(condition, of=replace(column.ref, grain=condition.of.grain)),))
        return None
