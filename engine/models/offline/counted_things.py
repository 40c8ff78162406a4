"""The grammar's functions for counted things: rows, the sum of a column of counts, or different values."""

from collections.abc import Hashable
from typing import Any

from engine.models.offline.businesses import business_column, business_keys
from engine.models.offline.columns import Column
from engine.models.offline.form import Measure
from engine.models.offline.meanings import Measures, Noun, Readings, one
from engine.models.offline.numbers_said import NumbersSaid
from engine.models.offline.row_nouns import is_own_noun
from engine.models.offline.words import alike, base_forms, past

__all__ = ["CountedThings"]

_PIECES = frozenset({"item", "unit", "piece", "article"})
_TRAVELLED = frozenset(
    {"drive", "driven", "run", "ride", "ridden", "walk", "walked", "travel", "fly", "flown", "cover"}
)
_NUMBERS = frozenset({"no", "nr", "num", "number", "code"})

_OF_LINES = frozenset({"invoice", "order", "receipt", "transaction", "basket", "bill"})
"""Things, such as orders, of which each row may be a line."""

_FEW = 20
"""“How many” may count the different values of a number column if it has at most this many."""


def _names_things(column: Column) -> bool:
    """Whether a column's texts are names of things, as in `Country Name` or `country`."""
    named = len(column.words) == 1 or column.words[-1:] in (("name",), ("title",))
    return column.role == "text" and named and 2 * column.profile.distinct <= column.rows


class CountedThings(NumbersSaid):
    """The functions for counted things."""

    def _differing(self, column: Column) -> Readings:
        """Count different values. If things share a name, the question may also ask for the number of things."""
        each = dict.fromkeys((self._key_of(column), column))
        return [Measures((Measure("distinct", one.ref),)) for one in each]

    def _key_of(self, column: Column) -> Column:
        """Return the key column that distinguishes things with the same name, if there is one; else `column`."""
        if column.words[-1:] not in (("name",), ("title",)):
            return column
        named = column.table, column.words[:-1]
        keys = [c for c in self.table.columns if c.key and (c.table, c.words[:-1]) == named]
        more = [c for c in keys if c.profile.distinct > column.profile.distinct]
        return more[0] if len(more) == 1 else column

    def _count_column(self, column: Column, *_: Hashable) -> Any:
        if column.role == "date":
            return self._events(column)
        if self._one_row_each(column):
            return Measures((Measure("count"),))
        if column.naming and column.profile.distinct >= 0.95 * (
            self.table.profile.rows - column.profile.missing
        ):
            return Measures((Measure("count"),))
        if column.measure and column.whole and column.adds is not False:
            counted = Measures((Measure("sum", column.ref),))
            few = column.adds is None and column.profile.distinct <= _FEW
            return [counted, Measures((Measure("distinct", column.ref),))] if few else counted
        if column.measure or column.role == "flag" or column.calendar:
            return None
        if column is business_column(self.table):
            each = dict.fromkeys((column, *business_keys(column, self.table)))
            return [Measures((Measure("distinct", one.ref),)) for one in each]
        if column.role == "text" and column.profile.distinct * 5 > self.table.profile.rows:
            return [*self._differing(column), Measures((Measure("count"),))]
        return self._differing(column)

    def _thing_sold(self, column: Column, verb: Column) -> Any:
        """Read “how many units did we sell” as the sum of a column, if the noun and the verb both refer to it."""
        return self._count_column(column) if column is verb and column.measure else None

    def _one_row_each(self, column: Column) -> bool:
        """Return whether each row is a different thing with a name in this column: dogs, for `dog_name` next to
        `dog_id`.
        """
        keys = (c for c in self.table.columns if c.key and c.profile.distinct == c.rows and not c.table)
        return any(len(key.words) > 1 and key.words[:-1] == column.words[:-1] for key in keys)

    def _sum_of_unit(self, column: Column, *said: Hashable) -> Measures | None:
        """Read “how many kilometres did we drive”."""
        if column.adds is False or said[-1] not in _TRAVELLED:
            return None
        return Measures((Measure("sum", column.ref),))

    def _column_done(self, noun: str, verb: str) -> Measures | None:
        """Read “how many parcels were delivered”, for the column `parcelsDelivered`."""
        able = [c for c in self.table.columns if c.measure and len(c.words) == 2 and c.adds is not False]
        found = [c for c in able if past(verb) and sorted(_said(c, noun, verb)) == [0, 1]]
        return Measures((Measure("sum", found[0].ref),)) if len(found) == 1 else None

    def _events(self, column: Column) -> Measures | None:
        """Read “signups” as the rows with a date of signing up, if there is a column for it."""
        if set(column.words[1:]) - {"date", "time", "at", "on"} or len(column.words) < 2:
            return None
        own = not column.profile.missing and column in self.table.times
        return Measures((Measure("count"),), filters=() if own else (one(column, "present"),))

    def _count_np(self, noun: Noun) -> Readings:
        """Read “how many” with a noun as a count: of rows, of a key's values, or as the sum of a column of counts."""
        if self.of_others(noun):
            return []
        return [Measures((measure,), filters=noun.filters) for measure in self._counted(noun.word)]

    @staticmethod
    def of_others(noun: Noun) -> bool:
        """Return whether a noun is only a value in a joined table: “how many Foundations” counts donors, not gifts."""
        return not noun.rows and any(c.of.table for f in noun.filters for c in f.any)

    def _counted(self, word: str) -> list[Measure]:
        forms = base_forms(word)
        if forms & _PIECES and len(pieces := self._pieces()) == 1:
            return [Measure("sum", pieces[0].ref), Measure("count")]
        if forms & {"row", "record", "entry", "line", "observation"}:
            return [Measure("count")]
        named = [c for c in self.table.columns if c.key and set(c.words[:-1]) & forms] or [
            c for c in self.table.columns if _names_things(c) and set(c.words[:-1] or c.words) & forms
        ]
        if len(named) == 1 and named[0].profile.distinct < 0.95 * (named[0].rows - named[0].profile.missing):
            mine = is_own_noun(word, self.table) and not named[0].key
            others = (c for c in self.table.columns if c is not named[0] and (c.key or c.role == "text"))
            if mine and any(c.profile.distinct >= 0.95 * c.rows for c in others):
                return [Measure("count")]  # wildfires with the same name are counted separately
            own = (named[0].naming and mine) or self._is_reused(word, named[0])
            return [Measure("distinct", named[0].ref), *([Measure("count")] if own else [])]
        again = [
            c for c in self.table.columns if len(c.words) == 1 and c.words[0] in forms and c.role == "text"
        ]
        if len(again) == 1 and again[0].profile.distinct < 0.95 * (again[0].rows - again[0].profile.missing):
            # customers with several subscriptions
            return [Measure("distinct", again[0].ref), Measure("count")]
        column = self.table.counting(word)
        return [Measure("count") if column is None else Measure("sum", column.ref)]

    def _is_reused(self, word: str, key: Column) -> bool:
        """Return whether different rows can share a number, such as a flight number on many days. An id cannot be
        shared, nor can the number of an invoice whose lines are the rows.
        """
        numbered = key.key and key.words[-1] in _NUMBERS
        return is_own_noun(word, self.table) and numbered and key is not self.of_lines()

    def of_lines(self) -> Column | None:
        """Return the number of the order or invoice whose lines are the rows; None if the rows are not lines."""
        keys = [c for c in self.table.columns if c.key and c.profile.distinct < 0.95 * c.rows and not c.table]
        named = [c for c in keys if set(c.words[:-1]) & _OF_LINES]
        return named[0] if len(named) == 1 and self._pieces() else None

    def _pieces(self) -> list[Column]:
        """Return the columns with the number of pieces in a row."""
        return [c for c in self.table.columns if c.measure and c.whole and {"qty", "quantity"} & set(c.words)]


def _said(column: Column, *said: str) -> list[int]:
    """Return the places of words in a column's name; -1 for a word that is not in it."""
    return [next((n for n, word in enumerate(column.words) if alike(one, word)), -1) for one in said]
