"""The grammar's functions for what a table holds: gaps, duplicates, outliers, ends, summaries, correlation."""

from collections.abc import Hashable
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.columns import Column
from engine.models.offline.drawing import Drawing
from engine.models.offline.form import Form, Measure
from engine.models.offline.meanings import Expression, Noun, Part, Readings
from engine.models.offline.merging import added

__all__ = ["Describing"]


class Describing(Drawing):
    """The grammar's functions for what a table holds."""

    def _correlation(self, first: Expression, second: Expression) -> Form | None:
        if first.operator or second.operator or first.column is second.column:
            return None
        return self._form(measures=(Measure("correlation", first.column.ref, "", second.column.ref),))

    def _missing_table(self, *_: Hashable) -> Form:
        return self._form(show="missing")

    def _duplicates(self, *_: Hashable) -> Form:
        return self._form(show="duplicates")

    def _outliers(self, found: Expression) -> Form | None:
        return None if found.operator else self._form(show="outliers", columns=(found.column.ref,))

    def _describe(self, *_named: Hashable) -> Form:
        return self._form(show="columns")

    def _extent(self, *_: Hashable) -> Readings:
        return [
            self._form(measures=(Measure("min", column.ref), Measure("max", column.ref)))
            for column in self.table.times
        ]

    def _summary(self, found: Expression) -> Form | None:
        names = ("count", "mean", "stddev", "min", "median", "max")
        if found.operator:
            return None
        return self._form(
            measures=tuple(found.measure(name) if name != "count" else Measure("count") for name in names)
        )

    def _duplicates_of(self, column: Column) -> Form:
        return self._form(show="duplicates", columns=(column.ref,))

    def _crosstab(self, first: Column, second: Column) -> Form | None:
        labels = self._label(first), self._label(second)
        if labels[0] is None or labels[1] is None or labels[0] == labels[1]:
            return None
        return self._form(measures=(Measure("count"),), groups=(labels[0], labels[1]))

    def _missing_count(self, column: Column, *_: Hashable) -> Form:
        return self._numbers(self._missing_of(column))

    def _grains_counted(self, grain: str) -> Readings:
        """“on how many days”: the different days; the rows, if each day has one."""
        if grain == "day" and "day" in self.table.kinds:
            return [self._form(measures=(Measure("count"),))]
        refs = [ref for ref in self._grain_refs(grain) if ref.grain or grain == "year"]
        return [self._form(measures=(Measure("distinct", ref),)) for ref in refs]

    def _ends(self, noun: Noun, parts: tuple[Part, ...], aggregate: Any) -> Readings:
        if not noun.rows:
            return []
        forms = [
            self._form(measures=(Measure(aggregate, c.ref),), filters=noun.filters) for c in self.table.times
        ]
        return [form for one in forms for form in added(one, parts, self.table)]

    def _when_first(self, noun: Noun, parts: tuple[Part, ...]) -> Readings:
        return self._ends(noun, parts, "min")

    def _when_last(self, noun: Noun, parts: tuple[Part, ...]) -> Readings:
        return self._ends(noun, parts, "max")

    def _when_extreme(self, how: Adjective, noun: Noun, parts: tuple[Part, ...]) -> Readings:
        return self._extreme_rows(noun, how, 1, parts) if noun.rows else []
