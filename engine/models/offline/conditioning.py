"""The grammar's functions for nouns, values, conditions and periods."""

from collections.abc import Hashable
from dataclasses import replace

from engine.models.offline.adjectives import Adjective
from engine.models.offline.column_naming import is_sort_of
from engine.models.offline.columns import Column
from engine.models.offline.form import Filter, Measure
from engine.models.offline.items import Rows
from engine.models.offline.lengths_said import LengthsSaid
from engine.models.offline.meanings import Expression, Measures, Noun, Readings, negative, one
from engine.models.offline.parser import Costly
from engine.models.offline.value_index import Value
from engine.models.offline.vocabulary import ROW_NOUNS
from engine.models.offline.words import base_forms

__all__ = ["Conditioning"]

_AMOUNTS = frozenset({"usage", "use", "amount", "volume", "emission", "emissions", "score"})
"""Nouns that ask for a number. They cannot be left out, even after a value."""

_PERCENT = frozenset({"pct", "percent", "percentage", "%"})


class Conditioning(LengthsSaid):
    """The functions for nouns, values, conditions and periods."""

    def _np(self, before: tuple[Hashable, ...], rows: Rows) -> Noun | None:
        filters = tuple(found for found in before if isinstance(found, Filter))
        return Noun(filters, True, rows.word) if len(filters) == len(before) else None

    def _np_values(self, before: tuple[Hashable, ...], last: Hashable = None) -> Noun | None:
        every = before if last is None else (*before, last)
        filters = tuple(found for found in every if isinstance(found, Filter))
        return Noun(filters, False) if len(filters) == len(every) else None

    def _np_flag(self, column: Column) -> Costly | None:
        found = self._flag(column)
        return None if found is None else Costly(Noun((found,), False), 1)

    def _nothing(self, *_: Hashable) -> None:
        return None

    def _ordinal(self, place: int, column: Column) -> Filter | None:
        """Read “first class” as the value 1 of a column of small whole numbers."""
        low, high = column.low, column.high
        if not column.whole or low is None or high is None or high > 12 or not low <= place <= high:
            return None
        return one(column, "=", place)

    def _contains_in_name(self, word: str) -> Readings:
        """Read “with ‘physics’ in the name”."""
        return [one(c, "contains", word) for c in self.table.columns if c.naming]

    def _np_record(self, rows: Rows) -> Noun | None:
        """Read “daily records” as rows."""
        return self._np((), rows) if base_forms(rows.word) & ROW_NOUNS else None

    def _np_compound(self, before: tuple[Hashable, ...], rows: Rows) -> Noun | None:
        return self._np(before, rows) if base_forms(rows.word) & ROW_NOUNS else None

    def _np_values_of(self, before: tuple[Hashable, ...], column: Column) -> Noun | None:
        """Read “the 2021/22 cup season” as values, at least one of them from the column that is named last
        (“season”).
        """
        noun = self._np_values(before)
        named = noun is not None and any(c.of == column.ref for f in noun.filters for c in f.any)
        return noun if named and len(before) > 1 else None

    def _np_things(self, before: tuple[Hashable, ...], column: Column) -> Costly | None:
        """Read “garden products” as conditions, if a column such as `product_name` names the thing, although the
        question does not ask about that column.
        """
        noun = self._np_values(before)
        if noun is None or column.measure or column.role in ("date", "flag"):
            return None
        return Costly(replace(noun, word=column.words[0]), 2)

    def _more_than(self, how: Adjective, first: Expression, second: Expression) -> Filter | None:
        if how.columns or how.counts:
            return None
        return self._compare_columns(first, ">" if how.direction > 0 else "<", second)

    def _more_than_adjective(self, how: Adjective, other: Adjective) -> Filter | None:
        """Read “wider than they are tall” as a comparison of two columns in the same unit."""
        first, second = ([c for c in one.columns if c.measure] for one in (how, other))
        if len(first) != 1 or len(second) != 1 or first[0] is second[0] or first[0].unit != second[0].unit:
            return None
        if how.signs(first[0]) != (1,) or other.signs(second[0]) != (1,):
            return None  # “younger than they are tall”
        return one(first[0], ">", other=second[0])

    def _nobody_done(self, column: Column) -> Filter | None:
        """Read “nobody assigned” as rows without a value in `assigned_to`."""
        able = column.role == "text" and column.all_words[-1] in ("to", "by") and column.profile.missing
        return one(column, "missing") if able else None

    def _value(self, value: Value, *_: Hashable) -> Filter:
        return one(value.column, "contains" if value.part else "=", value.text)

    def _value_noun(self, value: Value, *nouns: str | None) -> Filter | None:
        """Read “Gas meters” as the value “Gas”. Do not read “gas usage” in this way, because it asks for an amount."""
        return None if any(noun in _AMOUNTS for noun in nouns) else self._value(value)

    def _fully(self, value: Value) -> Filter | None:
        """Read “fully remote” as the value Remote, if it is a whole value of a column with few values."""
        few = value.column.role == "text" and value.column.profile.values_complete
        return self._value(value) if few and not value.part else None

    def _value_list(self, first: Value, others: tuple[Value, ...]) -> Filter | None:
        values = (first, *others)
        if any(value.part or value.column is not first.column for value in values):
            return None
        return one(first.column, "=", *dict.fromkeys(value.text for value in values))

    def _value_list2(self, first: Value, second: Value) -> Filter | None:
        return self._value_list(first, (second,))

    def _value_named(self, column: Column, value: Value) -> Filter | None:
        return self._value(value) if value.column is column else None

    def _value_sorted(self, value: Value, word: str) -> Filter | None:
        """Read “double rooms”, for the column `room_type`."""
        return self._value(value) if is_sort_of(word, value.column) else None

    def _value_of(self, value: Value, column: Column) -> Filter | None:
        return self._value_named(column, value)

    def _value_list_named(self, column: Column, first: Value, others: tuple[Value, ...]) -> Filter | None:
        return self._value_list(first, others) if first.column is column else None

    def _value_list_of(self, first: Value, others: tuple[Value, ...], column: Column) -> Filter | None:
        return self._value_list_named(column, first, others)

    def _flag(self, column: Column) -> Filter | None:
        return one(column, "=", column.yes) if column.role == "flag" else None

    def _flag_not(self, column: Column) -> Filter | None:
        return one(column, "!=", column.yes) if column.role == "flag" else None

    def _value_rate(self, value: Value) -> Measures:
        return Measures((Measure("count", share=True, where=(self._value(value),)),))

    def _flag_rate(self, column: Column) -> Measures | None:
        found = self._flag(column)
        return None if found is None else Measures((Measure("count", share=True, where=(found,)),))

    def _count_acts(self, column: Column) -> Measures:
        return Measures((Measure("count"),), filters=(one(column, "=", column.yes),))

    def _negated(self, found: Filter) -> Filter | None:
        return negative(found)

    def _neither(self, first: Value, second: Value) -> Filter | None:
        found = self._value_list(first, (second,))
        return None if found is None else negative(found)

    def _column_is(self, column: Column, found: Filter) -> Filter | None:
        return found if found.any[0].of == column.ref else None

    def _column_is_not(self, column: Column, found: Filter) -> Filter | None:
        return negative(found) if found.any[0].of == column.ref else None

    def _column_word(self, column: Column, word: str) -> Hashable:
        known = {value.lower(): value for value in column.profile.values}
        if column.role != "text" or (column.profile.values_complete and word.lower() not in known):
            return None
        return Costly(one(column, "=", known.get(word.lower(), word)), 1)

    def _column_neither(self, column: Column, first: Value, second: Value) -> Filter | None:
        return self._neither(first, second) if first.column is column else None

    def _contains(self, column: Column, word: str) -> Filter | None:
        return (
            one(column, "contains", word) if column.role == "text" and column.profile.distinct > 2 else None
        )

    def _happened(self, column: Column) -> Filter:
        """Read “who cancelled” as the rows that have a cancellation date."""
        return one(column, "present")

    def _not_happened(self, column: Column) -> Filter:
        return one(column, "missing")

    def _never_done(self, column: Column) -> Filter:
        """Read “never renewed” as the value 0 in a column of renewals."""
        return one(column, "=", 0)

    def _is_missing(self, column: Column, *_: Hashable) -> Filter:
        return one(column, "missing")

    def _missing_one(self, column: Column) -> Costly:
        """Read “unknown weather” as a condition. A question for the number of missing values is more likely."""
        return Costly(self._is_missing(column), 2)

    def _is_present(self, column: Column) -> Filter | None:
        return one(column, "present") if column.profile.missing else None

    def _contains_not(self, column: Column, word: str) -> Filter | None:
        return one(column, "not contains", word) if column.role == "text" else None

    def _lacks(self, column: Column, *_: Hashable) -> Readings | Filter:
        """Read “no precipitation” as zero or no value; there are two readings if the column has both."""
        if column.key and not column.profile.missing:
            return []  # “states with no orders”: a state without rows is not in the table
        if denials := _denials(column):
            return [one(column, "=", denials[0])] if len(denials) == 1 and not column.profile.missing else []
        zero = (
            column.measure
            and (column.adds is not False or (column.low == 0 and bool(_PERCENT & set(column.all_words))))
            and column.low is not None
            and column.low <= 0 <= (column.high or 0)
        )
        if column.role == "flag":
            no = one(column, "!=", column.yes)
            return [no, one(column, "missing")] if column.profile.missing else no
        if zero and column.profile.missing:
            return [one(column, "=", 0), one(column, "missing")]
        return one(column, "=", 0) if zero else one(column, "missing")

    def _lacks_one(self, column: Column, *_: Hashable) -> Readings | Filter:
        """Read “without a score” as no score, and not as a score of 0, if some scores are missing."""
        missing = column.measure and column.profile.missing
        return one(column, "missing") if missing else self._lacks(column)

    def _has_column(self, column: Column) -> Readings:
        """Read “with a discount” as any value in that column, or as a value above zero if the column has zeros."""
        if column.role == "flag" or (column.key and not column.profile.missing):
            return []
        if denials := _denials(column):
            return [one(column, "!=", denials[0])] if len(denials) == 1 and not column.profile.missing else []
        zeros = column.measure and column.low == 0
        present = [one(column, "present")] if column.profile.missing or not zeros else []
        dear = 1 if zeros or column.profile.missing else 3  # every row has a value
        return [Costly(found, dear) for found in (*present, *([one(column, ">", 0)] if zeros else []))]


_NONE = frozenset({"none", "no", "nothing", "nil", "n/a", "na", "-"})


def _denials(column: Column) -> list[str]:
    """Return the values of a text column that mean “nothing”, such as “No pest”: a row with this value has no pest."""
    if column.role != "text":
        return []
    return [
        v for v in column.profile.values if v.lower() in _NONE or v.lower().startswith(("no ", "without "))
    ]
