"""The grammar's functions for measures and groups. Each method has the name of a rule's function."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.columns import Column
from engine.models.offline.form import Filter, Form, Grain, Measure, Ref
from engine.models.offline.lexer import Number, Rows
from engine.models.offline.meanings import Expression, Measures, Noun, Readings, one
from engine.models.offline.parser import Costly
from engine.models.offline.schema import Table
from engine.models.offline.words import base_forms

__all__ = ["Measuring"]

_MANY = frozenset({"most", "fewest"})
"""Superlatives of how many there are: “the most figures” is no largest figure."""
_FEW = 20
"""Different numbers of a column up to which “how many” may ask for how many different ones there are."""


def _names_things(column: Column) -> bool:
    """Whether texts are names of things, such as `Country Name` or `country`."""
    named = len(column.words) == 1 or column.words[-1:] in (("name",), ("title",))
    return column.role == "text" and named and 2 * column.profile.distinct <= column.rows


class Measuring:
    """The grammar's functions for measures and groups. Each method has the name of a rule's function."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def _one(self, value: Hashable) -> Hashable:
        return value

    def _form(self, **values: Any) -> Form:
        return Form(self.table.name, self.table.joins, **values)

    def _number(self, column: Column, *_: Hashable) -> Expression | None:
        return Expression(column) if column.measure else None

    def _times(self, first: Expression, second: Expression) -> Expression:
        return replace(first, operator="*", other=second.column)

    def _minus(self, first: Expression, second: Expression) -> Expression:
        return replace(first, operator="-", other=second.column)

    def _plus(self, first: Expression, second: Expression) -> Expression:
        return replace(first, operator="+", other=second.column)

    def _aggregate(self, name: str, *rest: Hashable) -> Measures | None:
        found = next((value for value in rest if isinstance(value, Expression)), None)
        if found is None or (found.operator == "*" and name not in ("sum", "mean", "max", "min", "median")):
            return None
        return Measures((found.measure(name),))

    def _averaged(self, found: Expression) -> Measures:
        return Measures((found.measure("mean"),))

    def _extreme(self, how: Adjective, found: Expression) -> Measures | None:
        if how.counts or how.word in _MANY or (how.columns and found.column not in how.columns):
            return None
        return Measures((found.measure("max" if how.direction > 0 else "min"),))

    def _ends_of(self, column: Column) -> Measures | None:
        """“first and last year”."""
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
        """The sum of what adds up, the average of what does not; both where the name does not say."""
        adds = True if found.operator in ("*",) else found.column.adds
        if adds is None:
            return [found.measure("sum"), found.measure("mean")]
        return [found.measure("sum" if adds else "mean")]

    def _count_all(self) -> Measures:
        return Measures((Measure("count"),))

    def _counted_rows(self, rows: Rows) -> Readings | None:
        return self._count_np(Noun((), True, rows.word))

    def _distinct(self, column: Column, *_: Hashable) -> Measures | None:
        return Measures((Measure("distinct", column.ref),)) if column.label or column.key else None

    def _count_column(self, column: Column, *_: Hashable) -> Any:
        if column.role == "date":
            return self._events(column)
        if column.naming and column.profile.distinct >= 0.95 * (
            self.table.profile.rows - column.profile.missing
        ):
            return Measures((Measure("count"),))
        if column.measure and column.whole and column.adds is not False:
            counted = Measures((Measure("sum", column.ref),))
            few = column.adds is None and column.profile.distinct <= _FEW
            return [counted, Measures((Measure("distinct", column.ref),))] if few else counted
        if column.measure or column.role == "flag" or column.calendar:
            return None
        if column.role == "text" and column.profile.distinct * 5 > self.table.profile.rows:
            return [Measures((Measure("distinct", column.ref),)), Measures((Measure("count"),))]
        return Measures((Measure("distinct", column.ref),))

    def _events(self, column: Column) -> Measures | None:
        """“signups”, where there is a date of each: the rows that have one."""
        if set(column.words[1:]) - {"date", "time", "at", "on"} or len(column.words) < 2:
            return None
        return Measures((Measure("count"),), filters=(one(column, "present"),))

    def _count_np(self, noun: Noun) -> Readings | None:
        """Count rows; what a column counts, its sum; what a key names, its different values."""
        forms = base_forms(noun.word)
        if not forms & {"row", "record", "entry", "line", "observation"}:
            named = [c for c in self.table.columns if c.key and set(c.words[:-1]) & forms]
            named = named or [
                c for c in self.table.columns if _names_things(c) and set(c.words[:-1] or c.words) & forms
            ]
            if len(named) == 1 and named[0].profile.distinct < 0.95 * (
                self.table.profile.rows - named[0].profile.missing
            ):
                return [Measures((Measure("distinct", named[0].ref),), filters=noun.filters)]
            counted = self.table.counting(noun.word)
            if counted is not None:
                return [Measures((Measure("sum", counted.ref),), filters=noun.filters)]
        return [Measures((Measure("count"),), filters=noun.filters)]

    def _missing_of(self, column: Column, *_: Hashable) -> Measures:
        return Measures((Measure("missing", column.ref),))

    def _per(self, first: Expression, second: Expression) -> Readings | None:
        if first.other or second.other or first.column is second.column:
            return None
        found = replace(first, operator="/", other=second.column)
        ways = [Measures((found.measure("mean"),)), Measures((found.measure("sum"),))]
        return [Costly(way, 1) for way in ways] if second.column.label else list(ways)

    def _ratio(self, first: Expression, second: Expression) -> Readings | None:
        return self._per(first, second)

    def _measures_of(self, before: tuple[Hashable, ...], found: Measures) -> Measures | None:
        filters = tuple(one for one in before if isinstance(one, Filter))
        return replace(found, filters=(*found.filters, *filters)) if len(filters) == len(before) else None

    def _label(self, column: Column, *_: Hashable) -> Ref | None:
        return (
            column.ref
            if column.label and column.role != "date"
            else replace(column.ref, grain="day")
            if column.label
            else None
        )

    def _label_rows(self, rows: Rows) -> Ref | None:
        """“each stock” of prices over time: the only column of texts, if each row is one of its things at one time."""
        texts = [c for c in self.table.columns if c.role == "text"]
        times = self.table.times
        if len(texts) != 1 or len(times) != 1 or base_forms(rows.word) & {"row", "record", "entry", "line"}:
            return None
        crossed = texts[0].profile.distinct * times[0].profile.distinct
        many = texts[0].profile.distinct * 2 <= self.table.profile.rows <= crossed
        return texts[0].ref if many else None

    def _grain_refs(self, grain: Any) -> list[Ref]:
        """“yearly”: a column of that name, else the dates cut to it."""
        named = [c.ref for c in self.table.columns if c.words == (grain,) and c.label]
        return named or [
            value.value
            for value in self._grain(grain)
            if isinstance(value, Costly) and isinstance(value.value, Ref) and value.cost < 2
        ]

    def _grain(self, grain: Any) -> Readings:
        found: Readings = [replace(c.ref, grain=grain) for c in self.table.times if c.role == "date"]
        found += [c.ref for c in self.table.times if c.year and grain == "year"]
        others: Readings = [
            Costly(replace(c.ref, grain=grain), 2) for c in self.table.dates if c not in self.table.times
        ]
        named = [c for c in self.table.columns if c.words == (grain,) or c.words[-1:] == (grain,)]
        if any(c.words == (grain,) for c in named):
            return []
        return [Costly(one_ref, 1) for one_ref in found] + others

    def _grain_of(self, grain: Any, column: Column) -> Ref | None:
        return replace(column.ref, grain=grain) if column.role == "date" else None

    def _grain_of_column(self, column: Column, grain: Any) -> Ref | None:
        return self._grain_of(grain, column)

    def _recurring(self, grain: Grain) -> Readings:
        return [replace(column.ref, grain=grain) for column in self.table.times if column.role == "date"]

    def _weekday(self, *_: Hashable) -> Readings:
        return self._recurring("weekday")

    def _month_of_year(self) -> Readings:
        named = [c.ref for c in self.table.columns if c.words == ("month",) and c.label]
        return list(named) or self._recurring("month of year")

    def _hour_of_day(self) -> Readings:
        return self._recurring("hour of day")
