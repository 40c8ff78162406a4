"""The grammar's functions for times of day."""

from dataclasses import replace
from typing import Any

from engine.models.offline.amounts import Number
from engine.models.offline.clock import Clock
from engine.models.offline.columns import Column
from engine.models.offline.form import Condition, Filter
from engine.models.offline.meanings import Readings
from engine.models.offline.timing import Timing

__all__ = ["Daytimes"]

_HALF = 12 * 60


class Daytimes(Timing):
    """The functions for times of day."""

    def _clock_before(self, clock: Clock) -> Readings:
        return self._daytimes("<", clock)

    def _clock_after(self, clock: Clock) -> Readings:
        return self._daytimes(">", clock)

    def _clock_from(self, clock: Clock) -> Readings:
        return self._daytimes(">=", clock)

    def _clock_until(self, clock: Clock) -> Readings:
        return self._daytimes("<=", clock)

    def _clock_range(self, first: Clock, last: Clock) -> Readings:
        """Read “between 9:30 and 11:00”. “Between 7:00 and 10 pm” is not read, because 7:00 may be in either half of
        the day.
        """
        unsure = first.bare and not last.bare and first.minutes + _HALF < last.minutes
        return self._daytimes("between", first, last) if first.minutes < last.minutes and not unsure else []

    def _clock_range_from(self, first: Number, last: Clock) -> Readings:
        """Read “between 7 and 9 am”: the first hour is in the same half of the day as the second, if possible."""
        hour = Clock.of(first.value)
        if hour is None or first.unit or first.percent or last.bare:
            return []
        later = hour.minutes + _HALF
        return self._clock_range(Clock(later if later < last.minutes else hour.minutes), last)

    def _clock_in_half(self, hour: Number, half: str) -> Clock | None:
        """Read “8 in the morning”."""
        return Clock.of(hour.value, half=half)

    def _clock_of_half(self, found: Filter, half: str) -> Filter | None:
        """Read “between 7:00 and 8:59 in the evening”."""
        condition = found.any[0]
        hours = [int(str(value)[:2]) for value in condition.values]
        if max(hours) >= 12:
            return found if half == "p" else None
        later = tuple(
            f"{hour + 12:02}{str(value)[2:]}" for hour, value in zip(hours, condition.values, strict=True)
        )
        return found if half == "a" else Filter((replace(condition, values=later),))

    def _clock_at(self, clock: Clock) -> Readings:
        """Read “at 8 am” as the hour that begins then, and “at 8:10” as that minute."""
        if clock.minutes % 60:
            return self._daytimes("=", clock)
        return self._daytimes("between", clock, Clock(clock.minutes + 59))

    def _daytimes(self, compare: Any, *clocks: Clock) -> Readings:
        """Return a condition for each column with times of day: dates with a time, or only times."""
        alone = [c for c in self.table.columns if c.clock]
        timed = [c for c in self.table.times if self._has_hours(c) and c.role == "date"]
        values = tuple(map(str, clocks))
        return [
            Filter((Condition(replace(column.ref, grain="time of day"), compare, values),))
            for column in (*timed, *alone)
            if not (compare in ("<", "<=") and clocks[0].minutes == 0)  # no time of day is before midnight
        ]

    def _clock_column(self, column: Column, found: Filter) -> Filter | None:
        """Read “picked up after 10 pm” as a time in the column of pick-ups."""
        if not column.clock and not (column.role == "date" and self._has_hours(column)):
            return None
        return Filter(tuple(replace(one, of=replace(column.ref, grain="time of day")) for one in found.any))
