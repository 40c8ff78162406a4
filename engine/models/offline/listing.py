"""The grammar's functions for lists of rows and of values."""

from collections.abc import Hashable

from engine.models.offline.columns import Column
from engine.models.offline.form import Form
from engine.models.offline.lexer import Number
from engine.models.offline.meanings import Noun, Part, Readings
from engine.models.offline.merging import added
from engine.models.offline.ranking import Ranking

__all__ = ["Listing"]


class Listing(Ranking):
    """The grammar's functions for lists of rows and of values."""

    def _list_where(self, first: Column, others: tuple[Column, ...], parts: tuple[Part, ...]) -> Readings:
        if not others or not any(part.kind == "where" for part in parts):
            return []
        columns = tuple(dict.fromkeys(column.ref for column in (first, *others)))
        return added(self._form(show="rows", columns=columns), parts, self.table)

    def _list_rows(self, noun: Noun, parts: tuple[Part, ...]) -> Readings:
        if not noun.rows or not any(part.kind in ("where", "except") for part in parts):
            return []
        return added(self._form(show="rows", filters=noun.filters), parts, self.table)

    def _list_everything(self) -> Form:
        return self._form(show="rows")

    def _list_all(self, noun: Noun) -> Form:
        return self._form(show="rows", filters=noun.filters)

    def _list_columns(
        self, first: Column, others: tuple[Column, ...], noun: Noun, parts: tuple[Part, ...]
    ) -> Readings:
        columns = tuple(dict.fromkeys(column.ref for column in (first, *others)))
        if len(columns) < 2 and not first.naming:
            return []
        return added(self._form(show="rows", columns=columns, filters=noun.filters), parts, self.table)

    def _first_rows(self, number: Number, *_: Hashable) -> Form | None:
        limit = self._count(number)
        return None if limit is None else self._form(show="rows", limit=limit)

    def _values(self, column: Column, *_: Hashable) -> Form | None:
        able = column.label and not column.measure and column.role != "date"
        return self._form(show="values", columns=(column.ref,)) if able else None
