"""The grammar's functions for times between two date columns. Each method is named after the rule function that it
implements.
"""

from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.amounts import Number, amount_in
from engine.models.offline.columns import Column
from engine.models.offline.form import Filter, Measure
from engine.models.offline.meanings import Expression, Measures, Part, one
from engine.models.offline.money_said import MoneySaid
from engine.models.offline.spans import Span, in_unit, span_between, span_until

__all__ = ["SpansSaid"]

_DURATIONS = frozenset({"duration", "length", "runtime", "elapsed"})


def _expressed(span: Span | None) -> Expression | None:
    return None if span is None else Expression(span)


class SpansSaid(MoneySaid):
    """The functions for times between two date columns."""

    def _last_date(self, column: Column) -> Measures | None:
        """Read “latest order date by customer”. “Last inspected” may be the name of a column."""
        named = {"last", "latest"} & set(column.words)
        return Measures((Measure("max", column.ref),)) if column.role == "date" and not named else None

    def _first_date(self, column: Column) -> Measures | None:
        """Read “first order date by customer”."""
        return Measures((Measure("min", column.ref),)) if column.role == "date" else None

    def _unit_between(self, unit: str, start: Column, end: Column) -> Expression | None:
        """Read “days between issued and paid on”."""
        return _expressed(span_between(start, end, unit))

    def _span_between(self, start: Column, end: Column, unit: str = "") -> Expression | None:
        """Read “time between issued and paid on in weeks”."""
        return _expressed(span_between(start, end, unit))

    def _span_in_between(self, unit: str, start: Column, end: Column) -> Expression | None:
        """Read “time in weeks between issued and paid on”."""
        return _expressed(span_between(start, end, unit))

    def _days_between(self, unit: str, *columns: Any) -> Measures | None:
        """Read “how many days passed between issued and paid”."""
        start, end = columns[-2:]
        return self._averaged_span(_expressed(span_between(start, end, unit)))

    def _unit_until(self, unit: str, end: Column) -> Expression | None:
        """Read “days to pay”."""
        found = span_until(end, self.table.columns)
        return _expressed(found and in_unit(found, unit, self.table.columns))

    def _span_in(self, found: Expression, unit: str) -> Expression | None:
        """Read “ride duration in minutes”."""
        if not isinstance(found.column, Span):
            return None
        return _expressed(in_unit(found.column, unit, self.table.columns))

    def _span_taken(self, end: Column) -> Measures | None:
        """Read “how long does it take to pay”."""
        return self._averaged_span(_expressed(span_until(end, self.table.columns)))

    def _unit_taken(self, unit: str, end: Column) -> Measures | None:
        """Read “how many days does it take to pay”."""
        return self._averaged_span(self._unit_until(unit, end))

    def _span_of_rows(self) -> Measures | None:
        """Read “how long do rides last”."""
        return self._averaged_span(_expressed(self.table.span))

    def _unit_of_rows(self, unit: str) -> Measures | None:
        """Read “how many minutes does a ride take”."""
        span = self.table.span
        return self._averaged_span(_expressed(span and in_unit(span, unit, self.table.columns)))

    def _one_of_unit(self, unit: str) -> Number:
        """Read “an hour”."""
        return Number(1.0, unit=unit)

    def _span_compare(self, how: Any, amount: Number) -> Filter | None:
        """Read “lasted more than 45 minutes”."""
        return self._span_filter(how, amount)

    def _span_range(self, low: Number, high: Number) -> Filter | None:
        """Read “lasting between 20 and 30 minutes”."""
        return self._span_filter("between", replace(low, unit=low.unit or high.unit), high)

    def _span_filter(self, how: Any, *amounts: Number) -> Filter | None:
        span = self.table.span
        if any(c.measure and _DURATIONS & set(c.all_words) for c in self.table.columns):
            return None  # that column already says how long the rows took
        values = [amount_in(span, amount) for amount in amounts if amount.unit] if span else []
        return (
            one(span, how, *values) if span and len(values) == len(amounts) and None not in values else None
        )

    def _sup_span_to(self, how: Adjective, end: Column) -> Part | None:
        """Read “which invoice took the longest to pay”."""
        return self._sup_span(how, span_until(end, self.table.columns))

    def _sup_span(self, how: Adjective, until: Span | None = None) -> Part | None:
        """Read “which ride took the longest”."""
        span = until or self.table.span
        if span is None or how.word not in ("longest", "shortest", "most", "least"):
            return None
        return Part("sup measure", (None, how, Measures((Measure("mean", span.ref),), Expression(span))))

    @staticmethod
    def _averaged_span(found: Expression | None) -> Measures | None:
        return None if found is None else Measures((found.measure("mean"),), found)
