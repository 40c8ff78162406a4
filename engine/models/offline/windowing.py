"""The grammar's functions for numbers over time: running totals, moving averages, changes between periods."""

from typing import Any

from engine.models.offline.amounts import Number
from engine.models.offline.form import Ref, Window
from engine.models.offline.meanings import Part, Readings
from engine.models.offline.people_said import PeopleSaid
from engine.models.offline.schema import is_time

__all__ = ["Windowing"]


class Windowing(PeopleSaid):
    """The functions for numbers over time."""

    def _cumulate(self) -> Part:
        return Part("window", Window("cumulative"))

    def _to_date(self) -> Part:
        return Part("window", Window("year to date"))

    def _moving(self, size: Number, grain: str) -> Readings:
        limit = self._count(size)
        if limit is None or not 2 <= limit <= 366:
            return []
        return [Part("stepped", (Window("moving average", limit), ref)) for ref in self._grain_refs(grain)]

    def _steps(self, first: str, second: str, kind: Any = "change") -> Readings:
        refs = self._grain_refs(first) if first == second else []
        return [Part("stepped", (Window(kind), ref)) for ref in refs]

    def _steps_percent(self, first: str, second: str) -> Readings:
        return self._steps(first, second, "percent change")

    def _step_label(self, ref: Ref) -> Readings:
        """Read “from each release year to the next”."""
        return [Part("stepped", (Window("change"), ref))] if is_time(ref, self.table) else []

    def _step(self, grain: str) -> Readings:
        return self._steps(grain, grain)
