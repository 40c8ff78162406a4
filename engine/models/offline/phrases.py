"""The grammar's functions for the phrases of a question: groups, conditions, order, limits."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from engine.models.offline.columns import Column
from engine.models.offline.describing import Describing
from engine.models.offline.form import Filter, Ref, Window
from engine.models.offline.lexer import Number
from engine.models.offline.meanings import Noun, Part, negative

__all__ = ["Phrases"]


class Phrases(Describing):
    """From phrases to the parts that they add to a form."""

    def _mod(self, part: Part) -> Part:
        return part

    def _group(self, first: Ref, others: tuple[Ref, ...] = ()) -> Part:
        return Part("group", (first, *others))

    def _group_of(self, label: Ref) -> Part:
        return Part("group", (label,))

    def _each_of(self, first: Any, second: Any) -> Part | None:
        found = self._value_list(first, (second,))
        return None if found is None else Part("each", found)

    def _where(self, first: Filter, others: tuple[Filter, ...] = ()) -> Part:
        return Part("where", (first, *others))

    def _where_any(self, first: Filter, others: tuple[Filter, ...]) -> Part | None:
        every = (first, *others)
        if any(len(one.any) != 1 for one in every):
            return None
        if all(one.any[0].compare == "=" and one.any[0].of == first.any[0].of for one in every):
            values = tuple(dict.fromkeys(value for one in every for value in one.any[0].values))
            return Part("where", (Filter((replace(first.any[0], values=values),)),))
        return Part("where", (Filter(tuple(one.any[0] for one in every)),))

    def _where_np(self, noun: Noun) -> Part:
        return Part("where", noun.filters)

    def _where_filtered(self, noun: Noun) -> Part | None:
        return Part("where", noun.filters) if noun.filters else None

    def _where_one(self, found: Filter) -> Part:
        return Part("where", (found,))

    def _except(self, _: Hashable, noun: Noun) -> Part | None:
        found = [negative(one) for one in noun.filters]
        if not found or any(one is None for one in found) or len(found) > 1:
            return None
        return Part("where", tuple(found))

    def _except_where(self, _: Hashable, noun: Noun | None, found: Filter) -> Part | None:
        opposite = negative(found)
        if opposite is None or (noun is not None and (noun.filters or not noun.rows)):
            return None
        return Part("where", (opposite,))

    def _on_average(self) -> Part:
        return Part("said mean")

    def _sort(self, key: Hashable, way: str | None) -> Part | None:
        return Part("sort", (key, way))

    def _sort_direction(self, way: str) -> Part:
        return Part("sort", (None, way))

    def _limit_top(self, number: Number) -> Part | None:
        limit = self._count(number)
        return None if limit is None else Part("limit", (limit, True))

    def _limit_bottom(self, number: Number) -> Part | None:
        limit = self._count(number)
        return None if limit is None else Part("limit", (limit, False))

    def _limit_top_by(self, number: Number, column: Column, *, top: bool = True) -> Part | None:
        limit = self._count(number)
        return None if limit is None else Part("limit by", (limit, column.ref, top))

    def _limit_bottom_by(self, number: Number, column: Column) -> Part | None:
        return self._limit_top_by(number, column, top=False)

    def _as_share(self) -> Part:
        return Part("share")

    def _cumulate(self) -> Part:
        return Part("window", Window("cumulative"))
