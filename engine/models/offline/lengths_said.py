"""The grammar's functions for lengths of time, such as the finish times of a race. Each method is named after the rule
function that it implements.
"""

from collections.abc import Hashable
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.amounts import Number
from engine.models.offline.columns import Column
from engine.models.offline.comparisons import Comparisons
from engine.models.offline.form import Measure
from engine.models.offline.lengths import main_lengths, results
from engine.models.offline.meanings import Measures, Part, Readings
from engine.models.offline.parser import Costly

__all__ = ["LengthsSaid"]


class LengthsSaid(Comparisons):
    """The functions for lengths of time."""

    def _lengths(self) -> list[Column]:
        return main_lengths([column for column in self.table.columns if column.lasting])

    def _compare_length(self, how: Any, amount: Number) -> Readings:
        """Read “needed less than 4 hours”."""
        return [self._by_amount(column, how, amount) for column in self._lengths()]

    def _between_lengths(self, low: Number, high: Number) -> Readings:
        """Read “needed between 3:30 and 4:00”."""
        return [self._by_amount(column, "between", low, high) for column in self._lengths()]

    def _sub_length(self, amount: Number) -> Readings:
        """Read “sub-3-hour runners”."""
        return self._compare_length("<", amount)

    def _won(self, *_: Hashable) -> Readings:
        """Read “who won in 2023” as the person with the shortest time, in a table of race results."""
        best = tuple(results(self.table.columns))
        part = Part("sup", (None, Adjective("sup", -1, best, word="fastest"), None))
        return [Costly(part, -2)] if best else []

    def _winning(self, column: Column) -> Measures | None:
        """Read “winning time” as the shortest time in a race."""
        return Measures((Measure("min", column.ref),)) if column in results(self.table.columns) else None
