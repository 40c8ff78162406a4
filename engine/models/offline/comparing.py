"""The grammar's functions for shares, comparisons and changes."""

from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.columns import Column
from engine.models.offline.form import Filter, Form, Measure
from engine.models.offline.lexer import Rows
from engine.models.offline.listing import Listing
from engine.models.offline.meanings import Expression, Measures, Noun, Part, Readings
from engine.models.offline.merging import added
from engine.models.offline.parser import Costly

__all__ = ["Comparing"]


class Comparing(Listing):
    """The grammar's functions for shares, comparisons and changes."""

    def _share_where(self, noun: Noun, parts: tuple[Part, ...], where: Part) -> Readings:
        if where.kind != "where" or not where.value:
            return []
        measures = tuple(replace(measure, share=True, where=where.value) for measure in self._counts(noun))
        return added(self._form(measures=measures, filters=noun.filters), parts, self.table)

    def _share_where_short(self, noun: Noun, where: Part) -> Readings:
        return self._share_where(noun, (), where)

    def _share_rows(self, noun: Noun) -> Form | Costly:
        if noun.rows:
            measures = tuple(replace(measure, share=True) for measure in self._counts(noun))
            return self._form(measures=measures, filters=noun.filters)
        measures = tuple(replace(measure, share=True, where=noun.filters) for measure in self._counts(noun))
        return Costly(self._form(measures=measures), 2)

    def _share_sum(self, found: Expression, parts: tuple[Part, ...], where: Part) -> Readings:
        if where.kind != "where" or found.column.adds is False:
            return []
        measure = found.measure("sum", share=True, where=where.value)
        return added(self._form(measures=(measure,)), parts, self.table)

    def _share_of_sum(self, found: Expression) -> Form | None:
        return (
            None if found.column.adds is False else self._form(measures=(found.measure("sum", share=True),))
        )

    def _share_by_column(self, column: Column, found: Expression) -> Form | None:
        label = self._label(column)
        form = self._share_of_sum(found)
        return None if label is None or form is None else replace(form, groups=(label,))

    def _share_of_value(self, value: Any, found: Expression) -> Form | None:
        if found.column.adds is False:
            return None
        return self._form(measures=(found.measure("sum", share=True, where=(self._value(value),)),))

    def _side_value(self, value: Any) -> Filter:
        return self._value(value)

    def _side_period(self, found: Any) -> Readings:
        return self._in_period(found)

    def _side_np(self, noun: Noun) -> Filter | None:
        return noun.filters[0] if len(noun.filters) == 1 else None

    def _side_where(self, noun: Noun, found: Filter) -> Filter | None:
        """“those from Oregon”."""
        return found if noun.rows and not noun.filters else None

    def _versus(self, first: Filter, second: Filter) -> Part | None:
        """Two values of one column, or two periods: a group for each."""
        one, two = first.any[0], second.any[0]
        if one.of != two.of or one == two:
            return None
        if (one.compare == "!=" and two.compare == "=") or (one.compare == "=" and two.compare == "!="):
            return Part("versus", (one.of, ()))
        if one.compare != "=" or two.compare != "=" or len(one.values) != 1 or len(two.values) != 1:
            return None
        return Part("versus", (one.of, (*one.values, *two.values)))

    def _verdict(
        self,
        first: Filter,
        parts: tuple[Part, ...],
        led: Any,
        how: Adjective,
        named: Any,
        _rows: Rows | None,
        second: Filter,
        average: str | None = None,
    ) -> Readings:
        versus = self._versus(first, second)
        said = [one for one in (led, named) if isinstance(one, Measures)]
        if versus is None or not versus.value[1] or len(said) > 1:
            return []
        if said:
            ways = list(said[0].measures) if not said[0].filters and len(said[0].measures) == 1 else []
            if how.columns and not (said[0].bare and said[0].bare.column in how.columns):
                return []
            if said[0].bare is not None and (average or said[0].bare.column.adds is not True):
                ways = [said[0].bare.measure("mean")]
            elif said[0].bare is not None and not versus.value[0].grain:
                ways = [said[0].bare.measure("mean"), said[0].bare.measure("sum")]
        else:
            ways = [
                Measure("sum" if c.adds is True and versus.value[0].grain else "mean", c.ref)
                for c in how.columns
                if c.measure
            ]
        asked: Any = "more" if how.direction > 0 else "less"
        parts = (*parts, versus)
        return [
            replace(form, compares=asked) for way in dict.fromkeys(ways)
            for form in added(self._form(measures=(way,)), parts, self.table)
        ]  # fmt: skip

    def _verdict_led(self, found: Measures, first: Filter, how: Adjective, second: Filter) -> Readings:
        return self._verdict(first, (), found, how, None, None, second) if not how.columns else []

    def _verdict_count(self, first: Filter, second: Filter) -> Readings:
        versus = self._versus(first, second)
        if versus is None or not versus.value[1]:
            return []
        forms = added(self._form(measures=(Measure("count"),)), (versus,), self.table)
        return [replace(form, compares="more") for form in forms]
