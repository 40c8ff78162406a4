"""The grammar's functions for measures and groups. Each method is named after the rule function that it implements."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.amounts import Number
from engine.models.offline.columns import Column
from engine.models.offline.counted_things import CountedThings
from engine.models.offline.form import Filter, Measure, Ref
from engine.models.offline.items import Rows
from engine.models.offline.meanings import Expression, Measures, Noun, Readings
from engine.models.offline.parser import Costly
from engine.models.offline.words import base_forms

__all__ = ["Measuring"]

_MANY = frozenset({"most", "fewest"})
"""Superlatives that ask for a number of rows: “the most figures” is not the largest figure."""
_TIMES = frozenset(
    {"nights", "days", "hours", "minutes", "weeks", "duration", "length", "of", "stay", "total", "time"}
)
"""Units of columns with lengths of time, and words in the names of such columns."""


class Measuring(CountedThings):
    """The functions for measures and groups. Each method is named after the rule function that it implements."""

    def _aggregate(self, name: str, *rest: Hashable) -> Measures | Costly | None:
        found = next((value for value in rest if isinstance(value, Expression)), None)
        rows = [value.word for value in rest if isinstance(value, Rows)]
        if any(
            c.label and len(c.words) == 1 and c.words[0] in base_forms(word)
            for word in rows
            for c in self.table.columns
        ):
            return None
        for word in rows:
            each = self._count_np(Noun((), True, word)) or []
            if each != [
                Measures((Measure("count"),))
            ]:  # “average sales per order” where an order has several rows
                return self._for_each(name, found, each)
        if found is None or (found.operator == "*" and name not in ("sum", "mean", "max", "min", "median")):
            return None
        return Measures((found.measure(name),))

    def _aggregate_where(
        self, name: str, _: Hashable, before: tuple[Hashable, ...], found: Expression
    ) -> Measures | None:
        """Read “average strawberry price”."""
        made = self._aggregate(name, found)
        return self._measures_of(before, made) if isinstance(made, Measures) else None

    def _per_row(self, found: Expression, each: Rows) -> Measures | None:
        """Read “goals per match” in a table in which each row is a match."""
        rows = self._count_np(Noun((), True, each.word)) == [Measures((Measure("count"),))]
        return self._averaged(found) if rows and not found.operator else None

    def _for_each(self, name: str, found: Expression | None, each: Readings) -> Costly | None:
        """Read “average quantity per order” as the average of the orders' sums."""
        of = each[0].measures[0] if len(each) == 1 else None
        if (
            found is None
            or name != "mean"
            or of is None
            or of.aggregate != "distinct"
            or found.column.adds is False
        ):
            return None
        return Costly(Measures((found.measure("sum", per=of.of),)), 2)

    def _averaged(self, found: Expression) -> Measures:
        return Measures((found.measure("mean"),))

    def _extreme(self, how: Adjective, found: Expression) -> Measures | None:
        if how.counts or how.word in _MANY or not how.fits(found.column):
            return None
        return Measures((found.measure("max" if how.signs(found.column)[0] > 0 else "min"),))

    def _how_adjective(self, how: Adjective) -> Readings:
        """Read “how long” as the average of the columns that the adjective compares."""
        return [Measures((Measure("mean", c.ref),), Expression(c)) for c in how.columns if c.measure]

    def _ends_of(self, column: Column) -> Measures | None:
        """Read “first and last year”."""
        if column.role != "date" and not column.year:
            return None
        return Measures((Measure("min", column.ref), Measure("max", column.ref)))

    def _percentile(self, at: Number, found: Expression) -> Measures | None:
        return Measures((found.measure("percentile", at=at.value),)) if 0 < at.value < 100 else None

    def _percentile_word(self, word: str, found: Expression) -> Measures | None:
        number = word.rstrip("thsndr")
        return self._percentile(Number(float(number)), found) if number.isdigit() else None

    def _bare(self, found: Expression) -> Readings:
        ways = self._ways(found)
        return [Measures((way,), found) for way in ways]

    def _ways(self, found: Expression) -> list[Measure]:
        """Return the sum for columns that add up, and the average for others; both if the name does not say."""
        adds = True if found.operator in ("*", "%") else found.column.adds
        if adds is None:
            return [found.measure("sum"), found.measure("mean")]
        return [found.measure("sum" if adds else "mean")]

    def _measures(self, first: Measures, others: tuple[Measures, ...] = ()) -> Measures | None:
        every = (first, *others)
        if any(one.filters for one in every[1:]) or (len(every) > 1 and first.filters):
            return None
        return Measures(
            tuple(m for one in every for m in one.measures),
            first.bare if len(every) == 1 else None,
            first.filters,
        )

    def _aggregates(self, first: str, others: tuple[str, ...], found: Expression) -> Measures:
        """Read “min, max and average price”."""
        return Measures(tuple(found.measure(name) for name in dict.fromkeys((first, *others))))

    def _aggregates_each(
        self, first: str, others: tuple[str, ...], found: Expression, each: Rows
    ) -> Measures | None:
        """Read “average and median electors per station” in a table in which each row is a station."""
        return None if self._per_row(found, each) is None else self._aggregates(first, others, found)

    def _two_extremes(self, first: Adjective, second: Adjective, found: Expression) -> Measures | None:
        wrong = not all(a.fits(found.column) for a in (first, second))
        if first.direction == second.direction or wrong:
            return None
        return Measures(
            tuple(found.measure("max" if one.direction > 0 else "min") for one in (first, second))
        )

    def _two_extremes_rows(self, first: Adjective, second: Adjective, _: Rows) -> Readings:
        """Read “the youngest and the oldest passenger” as the lowest and highest value of the compared column."""
        both = [c for c in first.columns if c in second.columns and c.measure]
        made = [self._two_extremes(first, second, Expression(c)) for c in both]
        return [one for one in made if one is not None]

    def _two_extremes_people(self, first: Adjective, second: Adjective, word: str) -> Readings:
        """Read “the youngest and the oldest mother” as the lowest and highest `mother_age`."""
        made = self._two_extremes_rows(first, second, Rows(word))
        own = [c for c in first.columns if base_forms(word) & set(c.words)]
        return made if len(first.columns) == 1 or own else []

    def _how_extreme(self, how: Adjective, most: Adjective, *_: Hashable) -> Readings:
        """Read “how old was the youngest mother”."""
        both = [c for c in how.columns if c in most.columns and c.measure]
        return [Measures((Expression(c).measure("max" if most.direction > 0 else "min"),)) for c in both]

    def _how_two_extremes(
        self, how: Adjective, first: Adjective, second: Adjective, *_: Hashable
    ) -> Readings:
        """Read “how old were the youngest and the oldest mother”."""
        both = {c for c in how.columns if c in first.columns and c in second.columns}
        return self._two_extremes_rows(first, second, Rows("one")) if len(both) == 1 else []

    def _range_between(self, first: Adjective, second: Adjective, found: Expression) -> Measures | None:
        """Read “the gap between the highest and the lowest salary”."""
        return None if self._two_extremes(first, second, found) is None else self._range(found)

    def _three_numbers(self, found: Expression, first: Adjective, name: Any, second: Adjective) -> Any:
        """Read “salary: lowest, median and highest”."""
        ends = self._two_extremes(first, second, found)
        return None if ends is None else Measures((ends.measures[0], found.measure(name), ends.measures[1]))

    def _aggregates_after(self, found: Expression, first: str, others: tuple[str, ...]) -> Any:
        """Read “spread of salary: min, max and standard deviation”."""
        return self._aggregates(first, others, found)

    def _range(self, found: Expression) -> Measures:
        return Measures(tuple(found.measure(name) for name in ("min", "max", "range")))

    def _count_events(self, column: Column) -> Any:
        return self._events(column) if column.role == "date" else None

    def _time_to(self, column: Column) -> Measures | None:
        """Read “how long does it take to resolve”."""
        found = self._number_time(column)
        return None if found is None else Measures((found.measure("mean"),), found)

    def _sum_of(self, before: tuple[Hashable, ...], found: Expression) -> Measures | None:
        """Read “how many bakery units”."""
        filters = tuple(one for one in before if isinstance(one, Filter))
        if len(filters) != len(before) or found.column.adds is False:
            return None
        return Measures((found.measure("sum"),), filters=filters)

    def _defined(self, name: str | None, word: str, found: Measures) -> Measures | None:
        """Read “total revenue (quantity times unit price)”, a word followed by its definition."""
        if found.bare is None:
            return found if name is None or name == "sum" else None
        if not found.bare.operator and base_forms(word) & set(found.bare.column.words):
            return None
        return Measures((found.bare.measure(name),)) if name else found

    def _sum_said(self, found: Expression) -> Measures | None:
        """Read “how much did we collect in fares”."""
        return (
            None if found.column.adds is False and not found.operator else Measures((found.measure("sum"),))
        )

    def _percentiles(self, first: str, second: str, found: Expression) -> Measures | None:
        """Read “the 25th and 75th percentile of price”."""
        ways = [self._percentile_word(one, found) for one in (first, second)]
        return (
            Measures(tuple(m for way in ways if way is not None for m in way.measures)) if all(ways) else None
        )

    def _aggregate_year(self, name: Any, _: Hashable, column: Column) -> Measures | None:
        """Read “average publication year”."""
        return Measures((Measure(name, column.ref),)) if column.year and name != "sum" else None

    def _how_long_done(self, column: Column) -> Measures | None:
        """Read “how long do guests stay” as their average number of nights."""
        timed = column.measure and (column.lasting or set(column.words) <= _TIMES | self.table.nouns)
        return Measures((Measure("mean", column.ref),), Expression(column)) if timed else None

    def _sum_one(self, found: Expression) -> Measures | None:
        return None if found.column.adds is False else Measures((found.measure("sum"),))

    def _per_label(self, found: Measures, label: Ref) -> Measures | None:
        """Read “average number of orders per customer”."""
        if len(found.measures) != 1 or found.measures[0].aggregate not in ("count", "sum"):
            return None
        if self.table.column(label).calendar:
            return None  # if there are several years, recurring months are too few to divide by
        return Measures((replace(found.measures[0], per=label),), filters=found.filters)

    def _count_all(self) -> Measures:
        return Measures((Measure("count"),))

    def _counted_rows(self, rows: Rows) -> Readings | None:
        return self._count_np(Noun((), True, rows.word))

    def _distinct(self, column: Column, *_: Hashable) -> Readings:
        return self._differing(column) if column.label or column.key else []

    def _missing_of(self, column: Column, *_: Hashable) -> Measures | None:
        if not column.profile.missing and (column.key or column.naming):
            return None  # “empty trips” are not missing ids
        return Measures((Measure("missing", column.ref),))

    def _per(self, first: Expression, second: Expression) -> Readings | None:
        if first.other or second.other or first.column is second.column:
            return None
        found = replace(first, operator="/", other=second.column)
        ways = [Measures((found.measure("mean"),)), Measures((found.measure("sum"),))]
        return [Costly(way, 1) for way in ways] if second.column.label else list(ways)

    def _exceeds(self, *said: Hashable) -> Measures | None:
        """Read “by how much does the exam mark exceed the coursework mark” as the mean of the difference."""
        first, second = [one for one in said if isinstance(one, Expression)]
        return Measures((self.joined("-", first, second).measure("mean"),))

    def _sum_per_sum(self, first: Expression, second: Expression) -> Measures | None:
        """Read “total emissions divided by total output” as the quotient of the sums."""
        if first.operator or second.operator or first.column is second.column:
            return None
        return Measures((replace(first, operator="/", other=second.column).measure("sum"),))

    def _measures_of(self, before: tuple[Hashable, ...], found: Measures) -> Measures | None:
        filters = tuple(one for one in before if isinstance(one, Filter))
        return replace(found, filters=(*found.filters, *filters)) if len(filters) == len(before) else None
