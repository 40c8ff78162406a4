"""The grammar's functions for shares of a sum."""

from typing import Any

from engine.models.offline.columns import Column
from engine.models.offline.meanings import Expression, Noun, Part
from engine.models.offline.modifying import Modifying

__all__ = ["Sharing"]

_SHARES = frozenset({"share", "percent", "pct", "percentage", "proportion", "fraction"})


class Sharing(Modifying):
    """The grammar's functions for shares of a sum."""

    def _share_sum(self, found: Expression) -> Part | None:
        named = {frozenset(c.words) - _SHARES for c in self.table.columns if _SHARES & set(c.words)}
        able = frozenset(found.column.words) not in named  # no column has this share
        able = able and self._share_of_everybody(found.column) is None
        return Part("share", found) if able and self._shares(found) else None

    def _share_takings(self, column: Column) -> Part | None:
        return self._share_sum(Expression(column))

    def _shares(self, found: Expression) -> bool:
        """Whether it makes sense to compute shares of the column's sum."""
        return found.column.adds is not False and (found.column.low or 0) >= 0

    def _share_value(self, value: Any, found: Expression) -> Part | None:
        if not self._shares(found):
            return None
        return Part(
            "form", self._form(measures=(found.measure("sum", share=True, where=(self._value(value),)),))
        )

    def _share_column(self, column: Column, found: Expression) -> Part | None:
        label = self._label(column)
        if label is None or not self._shares(found):
            return None
        return Part("form", self._form(measures=(found.measure("sum", share=True),), groups=(label,)))

    def _share_bare(self) -> Part:
        return Part("share", Noun((), True))
