"""The grammar's functions for modifiers: groups, conditions, order, limits, windows, charts."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.amounts import Number
from engine.models.offline.columns import Column
from engine.models.offline.directions import Directions
from engine.models.offline.form import Filter, Ref
from engine.models.offline.items import Rows
from engine.models.offline.meanings import Expression, Noun, Part, Readings, negative, one, same_unit
from engine.models.offline.money import in_money
from engine.models.offline.parser import Costly
from engine.models.offline.periods import ranges_apart
from engine.models.offline.vocabulary import PEOPLE, words
from engine.models.offline.words import base_forms

__all__ = ["Modifying"]

_PERSONS = words("persons") | PEOPLE


class Modifying(Directions):
    """The functions for modifiers: groups, conditions, order, limits, windows, charts."""

    def _group(self, first: Ref, others: tuple[Ref, ...] = ()) -> Part:
        return Part("group", (first, *others))

    def _group_route(self, ends: tuple[Column, Column]) -> Part:
        """Read “per route” as groups by start and end."""
        return Part("group", tuple(column.ref for column in ends))

    def _group_of(self, label: Ref) -> Part:
        return Part("group", (label,))

    def _by_same_grain(self, first: Any, second: Any) -> list[Part]:
        return [Part("group", (ref,)) for ref in self._grain_refs(first)] if first == second else []

    def _by_same_column(self, first: Column, second: Column) -> Part | None:
        label = self._label(first)
        return Part("group", (label,)) if first is second and label is not None else None

    def _over_time(self) -> list[Part]:
        return [Part("over time", (ref,)) for ref in self.table.time_groups()]

    def _over_grain(self, grain: str) -> list[Part]:
        """Read “over the years” as “by year”, even if the table covers only a short time."""
        return [Part("group", (ref,)) for ref in self._grain_refs(grain)]

    def _over_all(self, column: Column) -> Part | None:
        """Read “over all regions” as words that add nothing; “of all revenue”, in contrast, asks for a sum."""
        return Part("skip") if column.label and not column.measure else None

    def _conds(self, first: Filter, others: tuple[Filter, ...] = ()) -> list[tuple[Filter, ...]]:
        """Return the conditions as they are. As a second reading, apply the first comparison to the other numbers too:
        “at least 4 bedrooms and 2 bathrooms”.
        """
        said = (first, *others)
        compare = first.any[0].compare if len(first.any) == 1 else ""
        if compare not in ("<", "<=", ">", ">="):
            return [said]
        shared = tuple(
            Filter((replace(f.any[0], compare=compare),)) if self._is_a_number(f) else f for f in others
        )
        return list(dict.fromkeys((said, (first, *shared))))

    def _is_a_number(self, found: Filter) -> bool:
        condition = found.any[0]
        single = len(found.any) == 1 and condition.compare == "=" and len(condition.values) == 1
        return single and not condition.of.grain and self.table.column(condition.of).measure

    def _conds_any(self, first: Filter, others: tuple[Filter, ...]) -> tuple[Filter, ...] | None:
        every = (first, *others)
        if any(len(one.any) != 1 for one in every):
            return None
        if first.any[0].compare == "!=" and any(one.any[0].compare == "=" for one in others):
            return None  # “not crime or children” may mean neither
        if all(one.any[0].compare == "=" and one.any[0].of == first.any[0].of for one in every):
            values = tuple(dict.fromkeys(value for one in every for value in one.any[0].values))
            return (Filter((replace(first.any[0], values=values),)),)
        return (Filter(tuple(one.any[0] for one in every)),)

    def _np_aged(self, before: tuple[Hashable, ...], rows: Rows, how: Any, amount: Number) -> list[Noun]:
        """Read “oncology patients over 60” as a condition on age, and “claims over 10k” as a condition on an amount."""
        noun, found = self._np(before, rows), self._age(rows.word, how, amount)
        sums = [self._by_amount(column, how, amount) for column in in_money(self.table, amount)]
        return [
            replace(noun, filters=(*noun.filters, f))
            for f in (sums if found is None else [found])
            if noun and f
        ]

    def _np_late(self, column: Column) -> Noun | None:
        """Read “late returns” as the rows whose return was late."""
        found = self._happened_late(column)
        return None if found is None else Noun((found,), True)

    def _aged(self, word: str, how: Any, amount: Number) -> Noun | None:
        found = self._age(word, how, amount)
        return None if found is None else Noun((found,), False, word)

    def _aged_between(self, word: str, low: Number, high: Number) -> Noun | None:
        """Read “mothers between 30 and 35”."""
        found = (self._age(word, ">=", low), self._age(word, "<=", high))
        both = tuple(f for f in found if f is not None)
        return Noun(both, False, word) if len(both) == 2 else None

    def _aged_either(self, word: str, *said: Any) -> Noun | None:
        """Read “mothers under 20 or over 40”."""
        how, amount, other, more = said
        found = (self._age(word, how, amount), self._age(word, other, more))
        either = tuple(c for f in found if f is not None for c in f.any)
        return Noun((Filter(either),), False, word) if len(either) == 2 else None

    def _aged_values(self, said: Filter, how: Any, amount: Number) -> Noun | None:
        """Read “women over 60”."""
        sexes = len(said.any) == 1 and self.table.column(said.any[0].of).sexes
        found = self._age("person", how, amount) if sexes else None
        return None if found is None else Noun((said, found), False)

    def _age(self, word: str, how: Any, amount: Number) -> Filter | None:
        ages = [c for c in self.table.columns if c.measure and "age" in c.words]
        own = [c for c in ages if base_forms(word) & set(c.words)]  # “mothers under 25”, beside `father_age`
        if len(own) == 1:
            return self._by_amount(own[0], how, amount) if amount.unit in ("", "years", "year") else None
        if len(ages) != 1 or not base_forms(word) & _PERSONS or amount.unit not in ("", "years", "year"):
            return None
        if ages[0].unit and not same_unit("years", ages[0]):
            return self._by_amount(ages[0], how, amount) if amount.unit else None
        within = (ages[0].low or 0) <= amount.value <= (ages[0].high or 0)
        return one(ages[0], how, amount.value) if within and not amount.percent else None

    def _predicate_np(self, noun: Noun) -> Part | None:
        return Part("predicate", noun.filters) if noun.filters else None

    def _where_filtered(self, noun: Noun) -> Part | None:
        return Part("where", noun.filters, noun.word) if noun.filters else None

    def _where_through(self, value: Any) -> Part | None:
        """Read “booked through an agent” as a condition; “through September” is a time."""
        timed = value.column.calendar or value.column.ordinal_values
        return None if timed else self._where_value(value)

    def _where_value(self, value: Any) -> Part:
        """Read “on rainy days”."""
        return Part("where", (self._value(value),))

    def _where_done(self, found: Filter) -> Part:
        """Read “which rockets does Acme fly”."""
        return Part("where", (found,))

    def _idle(self) -> Costly:
        """Ignore a noun for the rows that adds nothing to the question: “of the trips”."""
        return Costly(Part("skip"), 2)

    def _persons_where(self, column: Column, found: Filter) -> Costly | None:
        """Read “invoices to customers in Rome” as the condition “in Rome” on the invoices that have a customer."""
        if column.role != "text" or not any(base_forms(word) & _PERSONS for word in column.words):
            return None
        present = (one(column, "present"),) if column.profile.missing else ()
        return Costly(Part("where", (*present, found)), 3)

    def _where_flag(self, column: Column) -> Part | None:
        found = self._flag(column)
        return None if found is None else Part("where", (found,))

    def _where_flag_not(self, column: Column) -> Part | None:
        """Read “without being classed as a major incident”."""
        found = self._flag_not(column)
        return None if found is None else Part("where", (found,))

    def _except(self, _: Hashable, noun: Noun) -> list[Part]:
        return self._without(noun.filters[0]) if len(noun.filters) == 1 else []

    def _leaving_out(self, noun: Noun) -> list[Part]:
        """Read “leaving members out, …”."""
        return self._except(None, noun)

    def _except_where(self, _: Hashable, noun: Noun | None, found: Filter) -> list[Part]:
        if noun is not None and (noun.filters or not noun.rows):
            return []
        return self._without(found)

    def _without(self, found: Filter) -> list[Part]:
        """Exclude the rows that meet a condition. Rows without a value are excluded too, and the answer says how many
        there are."""
        opposite = negative(found)
        return [] if opposite is None else [Part("where", (opposite,))]

    def _each_of(self, first: Any, second: Any) -> Part | None:
        found = self._value_list(first, (second,))
        return None if found is None else Part("each", found)

    def _each_of_list(self, first: Any, second: Any, others: tuple[Any, ...]) -> Part | None:
        found = self._value_list(first, (second, *others))
        return None if found is None else Part("each", found)

    def _by_values(self, first: Any, others: tuple[Any, ...]) -> Part | None:
        """Read “trips by members and by casual riders” as the trips of each of these groups."""
        found = self._value_list(first, others)
        return None if found is None else Part("by values", found)

    def _each_period(self, first: Any, others: tuple[Any, ...]) -> Readings:
        found = self._in_periods(first, others)
        return [Part("each period", one) for one in found if isinstance(one, Filter)]

    def _versus(self, first: Filter, second: Filter, kind: str = "versus") -> Part | None:
        one, two = first.any[0], second.any[0]
        if one.of != two.of or one == two or len(first.any) + len(second.any) > 2:
            return None
        if {one.compare, two.compare} == {"=", "!="}:
            return Part(kind, (one.of, ()))
        if one.compare == two.compare == "between":
            ref = ranges_apart(one, two)
            return None if ref is None else Part(kind, (ref, (one, two)))
        if one.compare != "=" or two.compare != "=" or len(one.values) != 1 or len(two.values) != 1:
            return None
        return Part(kind, (one.of, (*one.values, *two.values)))

    def _side_and_rest(self, side: Filter) -> Part | None:
        """Read “petrol cars versus the rest” if the column has only two values, because the rest is then the other
        value.
        """
        column, other = self.table.column(side.any[0].of), negative(side)
        two = (
            column.profile.values_complete and len(column.profile.values) == 2 and not column.profile.missing
        )
        return self._versus(side, other) if other is not None and two and not side.any[0].of.grain else None

    def _side_value(self, value: Any) -> Filter:
        return self._value(value)

    def _side_period(self, period: Any) -> Readings:
        return self._periods("=", (period,))

    def _side_np(self, noun: Noun) -> Filter | None:
        return noun.filters[0] if len(noun.filters) == 1 else None

    def _side_where(self, noun: Noun, found: Filter) -> Filter | None:
        return found if noun.rows and not noun.filters else None

    def _also(self, found: Expression) -> Part:
        return Part("also", found.column.ref)

    def _also_adjective(self, how: Adjective) -> Part | None:
        """Read “… and how old are they”."""
        able = [c for c in how.columns if c.measure]
        return Part("also", able[0].ref) if len(able) == 1 else None

    def _also_number(self, found: Expression) -> Part | None:
        """Read “the oldest cat, age in months”."""
        return None if found.operator else Part("also", found.column.ref)

    def _also_columns(self, first: Column, others: tuple[Column, ...]) -> Part:
        if not others and not first.naming:
            return Part("also", first.ref)
        return Part("only", tuple(dict.fromkeys(column.ref for column in (first, *others))))

    def _split_by(self, label: Ref) -> Part:
        return Part("split", (label,))

    def _grain_of_period(self, grain: str, period: Any) -> Readings:
        """Read “in each quarter of 2022”."""
        refs = self._grain_refs(grain)
        return [
            Part("timed", (ref, found)) for found in self._periods("=", (period,)) for ref in refs
            if found.any[0].of.column == ref.column
        ]  # fmt: skip

    def _days_range(self, first: Number, last: Any) -> Readings:
        """Read “from 1 to 15 March 2023”."""
        day = int(first.value)
        if last.grain != "day" or first.value != day or not 1 <= day <= 31 or last.value.startswith("-"):
            return []
        found = self._period_range(replace(last, value=f"{last.value[:-2]}{day:02}"), last)
        return [Part("where", (one,)) for one in found]

    def _compare(self, *values: Any) -> Any:
        """Without arguments, return the word “compare” as a part; otherwise return a condition."""
        return super()._compare(*values) if values else Part("compare")

    def _pair(self, first: Filter, second: Filter) -> Part | None:
        return self._versus(first, second, "pair")

    def _dangling(self) -> Costly:
        return Costly(Part("dangling"), 2)

    def _dangling_with(self) -> Costly:
        return Costly(Part("dangling", "with"), 2)
