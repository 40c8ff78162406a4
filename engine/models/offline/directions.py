"""The grammar's functions for where rows start and end: “from Oslo to Rome”, “started and ended at Main St”."""

from dataclasses import replace
from typing import Any

from engine.models.offline.columns import Column
from engine.models.offline.ends import FROM, TO, direction_words, end_pairs
from engine.models.offline.form import Filter
from engine.models.offline.limiting import Limiting
from engine.models.offline.meanings import Part, negative, one
from engine.models.offline.parser import Costly

__all__ = ["Directions"]


class Directions(Limiting):
    """The functions for where rows start and end."""

    def _from_value(self, value: Any) -> Any:
        return self._directed(value, FROM)

    def _to_value(self, value: Any) -> Any:
        return self._directed(value, TO)

    def _directed(self, value: Any, words: frozenset[str]) -> Any:
        """Read “from Oslo to Rome”: if several columns have these values, prefer the column whose name says the
        direction."""
        able = words & direction_words(value.column)
        return Costly(self._value(value), -2) if able else None

    def _same_ends(self, word: str) -> Filter | None:
        """Read “started and ended at the same station” as the two columns of stations, one for each end."""
        pairs = end_pairs(self.table, word)
        return one(pairs[0][0], "=", other=pairs[0][1]) if len(pairs) == 1 else None

    def _both_ends_at(self, value: Any) -> tuple[Filter, ...] | None:
        """Read “started and ended at Main St” as two conditions, one for each column of stations."""
        said = self._value(value).any[0]
        pairs = end_pairs(self.table, value.column.words[-1])
        return tuple(Filter((replace(said, of=c.ref),)) for c in pairs[0]) if len(pairs) == 1 else None

    def _different_ends(self, word: str) -> Filter | None:
        return self._unlike(self._same_ends(word))

    def _same_columns(self, first: Column, second: Column) -> Filter | None:
        alike = first is not second and first.role == second.role
        return one(first, "=", other=second) if alike else None

    def _different_columns(self, first: Column, second: Column) -> Filter | None:
        return self._unlike(self._same_columns(first, second))

    def _unlike(self, found: Filter | None) -> Filter | None:
        return None if found is None else negative(found)

    def _way(self, found: Filter) -> Part:
        return Part("where", (found,))
