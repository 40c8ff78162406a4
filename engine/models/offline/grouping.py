"""The grammar's functions for grouping rows."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from engine.models.offline.amounts import Number
from engine.models.offline.columns import Column
from engine.models.offline.form import Grain, Measure, Ref
from engine.models.offline.items import Rows
from engine.models.offline.meanings import Measures, Readings
from engine.models.offline.parser import Costly
from engine.models.offline.spans_said import SpansSaid
from engine.models.offline.words import base_forms

__all__ = ["Grouping"]

_FEW = 20
"""Each value of a number column is a group if the column has at most this many different values."""


class Grouping(SpansSaid):
    """The functions for grouping rows."""

    def _label(self, column: Column, *after: Hashable) -> Ref | None:
        grouped = any(word in ("group", "groups") for word in after)
        if grouped and column.measure and column.profile.distinct > _FEW:
            return None  # “by age group” does not ask for each age
        return (
            column.ref
            if column.label and column.role != "date"
            else replace(column.ref, grain="day")
            if column.label
            else None
        )

    def _banded(self, column: Column, *said: Any) -> Ref | None:
        """Read “ages in 10-year bands”."""
        (width,) = (one for one in said if isinstance(one, Number))
        able = column.measure and width.value > 0 and not width.percent
        return replace(column.ref, width=width.value) if able else None

    def _banded_after(self, width: Number, *said: Any) -> Ref | None:
        """Read “10-year bands of age”."""
        return self._banded(said[-1], width)

    def _label_number(self, column: Column) -> Ref | None:
        """Read “by number of bedrooms” as groups by the column of bedrooms; “number of movements” is not `MoveID`."""
        return self._label(column) if column.role == "number" and not column.key else None

    def _label_rows(self, rows: Rows) -> Ref | None:
        """Read “each stock” in a table of prices over time as the only text column, if each row is about one value of
        that column at one time.
        """
        texts = [c for c in self.table.columns if c.role == "text"]
        times = self.table.times
        if len(texts) != 1 or len(times) != 1 or base_forms(rows.word) & {"row", "record", "entry", "line"}:
            return None
        crossed = texts[0].profile.distinct * times[0].profile.distinct
        many = texts[0].profile.distinct * 2 <= self.table.profile.rows <= crossed
        return texts[0].ref if many else None

    def _grain_refs(self, grain: Any) -> list[Ref]:
        """Read “yearly” as a column called year; if there is none, as the dates grouped by year."""
        named = [c.ref for c in self.table.columns if c.words == (grain,) and c.label]
        return named or [
            value.value
            for value in self._grain(grain)
            if isinstance(value, Costly) and isinstance(value.value, Ref) and value.cost < 2
        ]

    def _grain(self, grain: Any) -> Readings:
        dates = [c for c in self.table.times if c.role == "date"]
        able = [c for c in dates if grain != "hour" or self._has_hours(c)]
        if grain == "hour" and not able:
            return self._hour_of_day()
        found: Readings = [replace(c.ref, grain=grain) for c in able]
        found += [c.ref for c in self.table.times if c.year and grain == "year"]
        found += [ref for c in self.table.times if (ref := self._decade_of_year(grain, c))]
        others: Readings = [
            Costly(replace(c.ref, grain=grain), 2) for c in self.table.dates if c not in self.table.times
        ]
        named = [c for c in self.table.columns if c.words == (grain,) or c.words[-1:] == (grain,)]
        if any(c.words == (grain,) for c in named):
            return []
        return [Costly(one_ref, 1) for one_ref in found] + others

    def _grain_of(self, grain: Any, column: Column) -> Ref | None:
        dated = replace(column.ref, grain=grain) if column.role == "date" else None
        return dated or self._decade_of_year(grain, column)

    @staticmethod
    def _decade_of_year(grain: Any, column: Column) -> Ref | None:
        able = grain == "decade" and column.year and not column.short_year
        return replace(column.ref, grain="decade") if able else None

    def _presence(self, column: Column) -> Ref:
        return replace(column.ref, grain="presence")

    def _grain_of_column(self, column: Column, grain: Any) -> Ref | None:
        return self._grain_of(grain, column)

    def _recurring(self, grain: Grain) -> Readings:
        return [replace(column.ref, grain=grain) for column in self.table.times if column.role == "date"]

    def _weekday(self, *_: Hashable) -> Readings:
        return self._recurring("weekday")

    def _week_part(self, column: Column) -> Ref | None:
        return self._grain_of("part of week", column)

    def _month_of_year(self) -> Readings:
        named = [c.ref for c in self.table.columns if c.words == ("month",) and c.label]
        return list(named) or self._recurring("month of year")

    def _hour_of_day(self) -> Readings:
        """Read “by hour” as a column of hours; if there is none, as the hours of times. A date has no hour."""
        named = [c.ref for c in self.table.columns if c.words[-1:] == ("hour",) and c.calendar and c.label]
        dated = [ref for ref in self._recurring("hour of day") if self._has_hours(self.table.column(ref))]
        clocks = [replace(c.ref, grain="hour of day") for c in self.table.columns if c.clock]
        return list(named or (*dated, *clocks))

    @staticmethod
    def _has_hours(column: Column) -> bool:
        return column.profile.type.upper() != "DATE"

    def _grains_counted(self, grain: str) -> Readings:
        """Read “on how many days” as the number of different days, or as the number of rows if each row is a day."""
        if grain == "day" and "day" in self.table.kinds:
            return [Measures((Measure("count"),))]
        refs = [ref for ref in self._grain_refs(grain) if ref.grain or grain == "year"]
        return [Measures((Measure("distinct", ref),)) for ref in refs]
