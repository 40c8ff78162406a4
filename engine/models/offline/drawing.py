"""The grammar's functions for charts, distributions and measures along time."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from engine.models.offline.chart_forms import drawn_as
from engine.models.offline.columns import Column
from engine.models.offline.comparing import Comparing
from engine.models.offline.form import Form, Measure, Order, Window
from engine.models.offline.lexer import Number
from engine.models.offline.meanings import Expression, Measures, Part, Readings
from engine.models.offline.merging import with_filters

__all__ = ["Drawing"]


class Drawing(Comparing):
    """See the module."""

    def _numbers(self, found: Measures) -> Form:
        return with_filters(self._form(measures=found.measures), found.filters)

    def _over_time(self) -> list[Part]:
        return [Part("group", (ref,)) for ref in self.table.time_groups()]

    def _grained(self, grain: str, found: Measures) -> Readings:
        return [replace(self._numbers(found), groups=(ref,)) for ref in self._grain_refs(grain)]

    # charts

    def _chart(self, found: Part) -> Part:
        return found

    def _horizontal(self) -> Part:
        return Part("horizontal")

    def _drawn(self, chart: Part, core: Form) -> Form | None:
        return drawn_as(core, str(chart.value), self.table)

    def _plotted(self, core: Form) -> Form | None:
        return drawn_as(core, "any", self.table)

    def _points(self, up: Expression, across: Expression) -> Form | None:
        if up.operator or across.operator or up.column is across.column:
            return None
        return self._form(show="points", columns=(across.column.ref, up.column.ref), chart="point")

    def _histogram_of(self, found: Expression) -> Form | None:
        return (
            None
            if found.operator
            else self._form(show="histogram", columns=(found.column.ref,), chart="histogram")
        )

    def _distribution_of(self, found: Expression) -> Form | None:
        return (
            None if found.column.whole and found.column.profile.distinct <= 20 else self._histogram_of(found)
        )

    def _distribution(self, column: Column, *_: Hashable) -> Form | None:
        if (
            not column.label
            or column.key
            or column.role == "date"
            or (column.measure and column.profile.distinct > 20)
        ):
            return None
        return self._form(measures=(Measure("count"),), groups=(column.ref,), order=Order(0))

    # windows

    def _along(self, found: Measures, kind: Any, size: int = 0) -> Form:
        return replace(self._numbers(found), window=Window(kind, size))

    def _cumulative(self, found: Measures) -> Form:
        return self._along(found, "cumulative")

    def _year_to_date(self, found: Measures) -> Form:
        return self._along(found, "year to date")

    def _moving(self, size: Number, grain: str, found: Measures) -> Readings:
        if not 2 <= size.value <= 366:
            return []
        return [
            replace(form, window=Window("moving average", int(size.value)))
            for form in self._grained(grain, found)
        ]

    def _moving_over(self, found: Measures, size: Number, grain: str) -> Readings:
        return self._moving(size, grain, found)

    def _steps(self, first: str, second: str, found: Measures, kind: Any) -> Readings:
        if first != second:
            return []
        return [replace(form, window=Window(kind)) for form in self._grained(first, found)]

    def _over_percent(self, first: str, second: str, found: Measures) -> Readings:
        return self._steps(first, second, found, "percent change")

    def _over_change(self, first: str, second: str, found: Measures) -> Readings:
        return self._steps(first, second, found, "change")

    def _grain_percent(self, found: Measures, grain: str) -> Readings:
        return self._steps(grain, grain, found, "percent change")

    def _grain_change(self, found: Measures, grain: str) -> Readings:
        return self._steps(grain, grain, found, "change")

    def _trend(self, found: Measures) -> Readings:
        groups = self._over_time()
        return [replace(self._numbers(found), groups=part.value) for part in groups]
