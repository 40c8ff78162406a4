"""The grammar's functions for the order and number of results, conditions on groups, and the largest shares."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.amounts import Number, amount_in
from engine.models.offline.columns import Column
from engine.models.offline.form import Filter, Measure
from engine.models.offline.meanings import Expression, Measures, Noun, Part, Readings, plain
from engine.models.offline.parser import Costly
from engine.models.offline.windowing import Windowing

__all__ = ["Limiting"]


class Limiting(Windowing):
    """The functions for the order and number of results, conditions on groups, and the largest shares."""

    def _sup_part_rows(self, how: Adjective, noun: Noun) -> Part | None:
        """Read “makes up the largest share of tickets” as “has the most tickets”."""
        able = noun.rows and not how.columns and not how.counts
        return Part("sup noun", (None, replace(how, word="most"), noun)) if able else None

    def _sup_percent_rows(self, how: Adjective, noun: Noun) -> Part | None:
        """Read “the highest percentage of late deliveries” as the largest share of late deliveries within a group."""
        able = noun.rows and not how.columns and not how.counts
        return Part("sup share", (how, noun)) if able else None

    def _sup_share_rows(self, how: Adjective, noun: Noun) -> list[Part]:
        """Read “the largest share of late deliveries” as the largest share within a group, or as the most late
        deliveries.
        """
        found = self._sup_percent_rows(how, noun), self._sup_part_rows(how, noun)
        return [part for part in found if part is not None]

    def _having(self, found: Measures, how: Any, amount: Number) -> Part | None:
        if found.filters or len(found.measures) != 1 or found.bare is not None or how == "!=":
            return None
        measure = found.measures[0]
        counts = (
            measure.aggregate in ("count", "distinct", "missing") or measure.of is None or measure.operator
        )
        if counts and (amount.unit or amount.percent):
            return None
        of = None if counts else measure.of
        value = amount.value if of is None else amount_in(self.table.column(of), amount)
        if value is None or isinstance(value, str):
            return None
        return Part("having", (measure, how, plain(value)))

    def _having_count(self, how: Any | None, amount: Number, noun: Noun) -> Readings:
        if not noun.rows or noun.filters or amount.unit or amount.percent or how in (None, "!="):
            return []
        return [Part("having", (measure, how, plain(amount.value))) for measure in self._counts(noun)]

    def _having_count_behind(self, amount: Number, how: str, noun: Noun) -> Readings:
        """Read “stars with five or more planets”."""
        return self._having_count(how, amount, noun)

    def _having_none(self, noun: Noun) -> Part | None:
        """Read “customers with no overdue orders” as customers without a row that meets the condition."""
        return self._having_never(noun.filters) if noun.rows and noun.filters else None

    def _having_never(self, found: tuple[Filter, ...]) -> Part:
        """Read “rockets that have never failed”."""
        return Part("having", (Measure("count", share=True, where=found), "=", 0.0))

    def _having_loss(self) -> Part | None:
        """Read “categories that are losing money” as categories with a negative total profit."""
        named = [c for c in self.table.columns if c.measure and c.words[-1:] == ("profit",)]
        return Part("having", (Measure("sum", named[0].ref), "<", 0.0)) if len(named) == 1 else None

    def _having_times(self, how: Any | None, amount: Number) -> Part | None:
        """Read “names that were used at least ten times” as a condition on the number of rows."""
        if amount.unit or amount.percent or how == "!=":
            return None
        return Part("having", (Measure("count"), how or "=", plain(amount.value)))

    def _having_once(self) -> Part:
        """Read “which shops failed more than once”."""
        return Part("having", (Measure("count"), ">", 1))

    def _having_twice(self) -> Part:
        return Part("having", (Measure("count"), ">", 2))

    def _having_times_behind(self, amount: Number, how: str) -> Part | None:
        return self._having_times(how, amount)

    def _having_of(self, groups: Column, found: Measures, how: Any, amount: Number) -> Part | None:
        """Read “only companies with total sales over 500”. The form must group by the column of companies."""
        part = self._having(found, how, amount)
        return None if part is None else Part("having of", (groups.ref, part.value))

    def _having_count_of(self, groups: Column, how: Any, amount: Number, noun: Noun) -> Readings:
        """Read “only companies with at least 50 launches”."""
        return [Part("having of", (groups.ref, part.value)) for part in self._having_count(how, amount, noun)]

    def _sort(self, key: Hashable, way: str | None) -> Part:
        return Part("sort", (key, way))

    def _sort_direction(self, way: str) -> Part:
        return Part("sort", (None, way))

    def _sort_bare(self) -> Costly:
        """Read “…, sorted” as an order with the highest first, or as the order of time."""
        return Costly(Part("sort", (None, "sorted")), 1)

    def _sort_newest(self) -> Readings:
        """Read “newest first” as an order by time, with the latest first."""
        return [Part("sort", (column, "descending")) for column in self.table.times]

    def _sort_oldest(self) -> Readings:
        return [Part("sort", (column, "ascending")) for column in self.table.times]

    def _sort_sup_to(self, first: Adjective, last: Adjective) -> Part | None:
        """Read “best to worst”."""
        return self._sort_sup(first) if first.direction == -last.direction else None

    def _sort_sup(self, how: Adjective, *said: Hashable) -> Part | None:
        """Read “best genre first”, in an order that depends on the measure, and “highest score first”."""
        column = next((one for one in said if isinstance(one, Column) and one.measure), None)
        if column is None:
            return Part("sort", (how, None))
        way = "descending" if how.signs(column)[0] > 0 else "ascending"
        return Part("sort", (Expression(column), way)) if how.fits(column) else None

    def _limit_top(self, number: Number) -> Part | None:
        limit = self._count(number)
        return None if limit is None else Part("limit", (limit, True))

    def _limit_bottom(self, number: Number) -> Part | None:
        limit = self._count(number)
        return None if limit is None else Part("limit", (limit, False))

    def _limit_top_by(self, number: Number, column: Column, *, top: bool = True) -> Part | None:
        limit = self._count(number)
        return None if limit is None else Part("limit by", (limit, column.ref, top))

    def _limit_bottom_by(self, number: Number, column: Column) -> Part | None:
        return self._limit_top_by(number, column, top=False)
