"""From phrases to forms: the cores of questions, and what phrases add to them."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.chart_forms import finished
from engine.models.offline.checks import checked
from engine.models.offline.columns import Column
from engine.models.offline.form import Filter, Form, Measure, Order, Ref
from engine.models.offline.lexer import Number, Rows
from engine.models.offline.meanings import Expression, Measures, Noun, Part, Readings
from engine.models.offline.merging import added, with_filters
from engine.models.offline.parser import Costly
from engine.models.offline.phrases import Phrases
from engine.models.offline.vocabulary import ROW_NOUNS
from engine.models.offline.words import base_forms

__all__ = ["Questions"]

_FROM = frozenset({"from", "origin", "orig", "start", "source", "departure", "dep", "home", "sender"})
_TO = frozenset({"to", "dest", "destination", "end", "target", "arrival", "arr", "away", "receiver"})


class Questions(Phrases):
    """From phrases to forms: the cores of questions, and what phrases add to them."""

    # sentences

    def _question(self, core: Form, parts: tuple[Part, ...]) -> Readings:
        forms = [finished(form, self.table) for form in added(core, parts, self.table)]
        return [form for form in forms if checked(form, self.table)]

    def _question_np(
        self, noun: Noun, before: tuple[Part, ...], core: Form, after: tuple[Part, ...]
    ) -> Readings:
        """“Customers with 10 to 20 seats: average revenue.”"""
        if not noun.filters and not any(part.kind == "where" for part in before):
            return []
        return self._question_led((Part("where", noun.filters), *before), core, after)

    def _count_events(self, column: Column) -> Any:
        return self._events(column) if column.role == "date" else None

    def _also_columns(self, first: Column, others: tuple[Column, ...]) -> Part:
        return Part("only", tuple(dict.fromkeys(column.ref for column in (first, *others))))

    def _where_np_cond(self, noun: Noun, first: Filter, others: tuple[Filter, ...]) -> Part | None:
        return Part("where", (*noun.filters, first, *others)) if noun.rows else None

    def _np_values_of(self, before: tuple[Hashable, ...], column: Column) -> Noun | None:
        """“the 2021/22 cup season”: values, one of them of the column that is named last."""
        noun = self._np_values(before)
        named = noun is not None and any(c.of == column.ref for f in noun.filters for c in f.any)
        return noun if named and len(before) > 1 else None

    def _over_all(self, _: Column) -> Part:
        return Part("nothing")

    def _turned(self) -> Part:
        return Part("turned")

    def _split_by(self, label: Ref) -> Part:
        return Part("split", (label,))

    def _counted_where(self, noun: Noun, found: Filter) -> Readings:
        if not noun.rows:
            return []
        return [self._form(measures=self._counts(noun), filters=(*noun.filters, found))]

    def _versus_led(self, first: Filter, second: Filter, found: Measures) -> Readings:
        versus = self._versus(first, second)
        return [] if versus is None else added(self._numbers(found), (versus,), self.table)

    def _share_of_rows(self, column: Column, *_: Hashable) -> Form | None:
        label = self._label(column)
        measures = tuple(replace(measure, share=True) for measure in self._counts(Noun((), True, "")))
        return None if label is None else self._form(measures=measures, groups=(label,))

    def _change_between(self, found: Measures, later: Filter, earlier: Filter) -> Readings:
        """“revenue 2023 compared to 2022”: the change from the earlier to the later."""
        both = self._where_any(later, (earlier,))
        periods = both is not None and len(both.value[0].any) == 1 and both.value[0].any[0].of.grain
        return self._change(found, (both,)) if both is not None and periods else []

    def _summed(self) -> Part:
        return Part("said sum")

    def _by_same_grain(self, first: Any, second: Any) -> list[Part]:
        return [Part("group", (ref,)) for ref in self._grain_refs(first)] if first == second else []

    def _by_same_column(self, first: Column, second: Column) -> Part | None:
        label = self._label(first)
        return Part("group", (label,)) if first is second and label is not None else None

    def _followup_count_where(self, found: Filter) -> Part:
        return Part(
            "parts", (Part("core", self._form(measures=(Measure("count"),))), Part("where", (found,)))
        )

    def _which_agent(self, agent: Column, how: Adjective, noun: Noun, parts: tuple[Part, ...]) -> Readings:
        """“who has tasted the most wines”: the taster."""
        return self._which_most(agent.ref, parts, how, noun) if agent.label else []

    def _skip(self) -> Part:
        return Part("nothing")

    def _question_led(self, before: tuple[Part, ...], core: Form, after: tuple[Part, ...]) -> Readings:
        if any(part.kind in ("limit", "sort", "chart", "share") for part in before):
            return []
        return self._question(core, (*before, *after))

    def _followup(self, *values: Hashable) -> Part:
        parts = tuple(part for value in values for part in (value if isinstance(value, tuple) else (value,)))
        return Part("parts", parts)

    def _followup_core(self, core: Form, parts: tuple[Part, ...]) -> Readings:
        return [Part("core", form) for form in added(core, parts, self.table)]

    def _followup_count(self) -> Part:
        return Part("core", self._form(measures=(Measure("count"),)))

    def _followup_np(self, noun: Noun) -> Part | None:
        return Part("parts", (Part("where", noun.filters),)) if noun.filters else None

    def _swap_aggregate(self, name: str) -> Part:
        return Part("aggregate", name)

    def _extreme_value(self, how: Adjective, _: Rows, column: Column) -> Form | None:
        if column not in how.columns or not column.measure:
            return None
        return self._form(measures=(Measure("max" if how.direction > 0 else "min", column.ref),))

    def _counted_last(self, noun: Noun, parts: tuple[Part, ...]) -> Readings:
        return (
            added(self._form(measures=(Measure("count"),), filters=noun.filters), parts, self.table)
            if noun.rows or noun.filters
            else []
        )

    def _np_by(self, noun: Noun, part: Part) -> Readings:
        return (
            added(self._form(measures=self._counts(noun), filters=noun.filters), (part,), self.table)
            if noun.rows
            else []
        )

    def _np_count(self, noun: Noun) -> Measures | None:
        return Measures(self._counts(noun), filters=noun.filters) if noun.rows else None

    def _np_compound(self, before: tuple[Hashable, ...], rows: Rows) -> Noun | None:
        return self._np(before, rows) if base_forms(rows.word) & ROW_NOUNS else None

    def _compared(self, found: Measures, first: Filter, second: Filter) -> Readings:
        versus = self._versus(first, second)
        return [] if versus is None else added(self._numbers(found), (versus,), self.table)

    def _percent(self) -> Part:
        return Part("percent")

    def _more_than(self, how: Adjective, first: Expression, second: Expression) -> Filter | None:
        if how.columns or how.counts:
            return None
        return self._compare_columns(first, ">" if how.direction > 0 else "<", second)

    def _superlative_n(self, how: Adjective, number: Number, subject: Ref | Noun) -> Readings:
        return self._n_superlative(number, how, subject)

    def _each_period(self, first: Any, others: tuple[Any, ...]) -> Readings:
        return [
            Part("each period", found)
            for found in self._in_periods(first, others)
            if isinstance(found, Filter)
        ]

    def _counted(self) -> Costly:
        return Costly(Part("counted"), 1)

    def _core(self, form: Form) -> Form:
        return form

    def _measures(self, first: Measures, others: tuple[Measures, ...] = ()) -> Measures | None:
        every = (first, *others)
        if any(one.filters for one in every[1:]) or (len(every) > 1 and first.filters):
            return None
        return Measures(
            tuple(m for one in every for m in one.measures),
            first.bare if len(every) == 1 else None,
            first.filters,
        )

    def _two_aggregates(self, first: str, second: str, found: Expression) -> Measures:
        return Measures((found.measure(first), found.measure(second)))

    def _two_extremes(self, first: Adjective, second: Adjective, found: Expression) -> Measures | None:
        if first.direction == second.direction or any(
            a.columns and found.column not in a.columns for a in (first, second)
        ):
            return None
        names = ["max" if one.direction > 0 else "min" for one in (first, second)]
        return Measures((found.measure(names[0]), found.measure(names[1])))

    def _range(self, found: Expression) -> Measures:
        return Measures((found.measure("min"), found.measure("max"), found.measure("range")))

    # the rest

    def _change(self, found: Measures, parts: tuple[Part, ...] = ()) -> Readings:
        if len(found.measures) != 1:
            return []
        forms = [
            self._form(show="change", measures=found.measures, columns=(c.ref,), filters=found.filters)
            for c in self.table.times
        ]
        return [form for one in forms for form in added(one, parts, self.table)]

    def _trend_by(self, found: Measures, *parts: Hashable) -> Readings:
        every = [one for part in parts for one in (part if isinstance(part, tuple) else (part,))]
        return added(self._numbers(found), tuple(one for one in every if isinstance(one, Part)), self.table)

    def _top_values(self, number: Number, found: Expression, part: Part, sign: int = 1) -> Readings:
        """“the top 2 prices in each region”: rows, so many of each group."""
        limit = self._count(number)
        if limit is None or found.operator:
            return []
        form = self._form(
            show="rows",
            columns=self._naming_columns(found.column),
            order=Order(found.column.ref, sign > 0),
            limit=limit,
        )
        return added(form, (part,), self.table)

    def _bottom_values(self, number: Number, found: Expression, part: Part) -> Readings:
        return self._top_values(number, found, part, -1)

    def _np_by_verb(self, noun: Noun, column: Column, part: Part) -> Readings:
        if column.role != "date" or part.kind != "group":
            return []
        refs = tuple(replace(column.ref, grain=ref.grain) if ref.grain else ref for ref in part.value)
        return self._np_by(noun, Part("group", refs))

    def _also(self, found: Expression) -> Part:
        return Part("also", found.column.ref)

    def _verdict_np(self, noun: Noun, how: Adjective, first: Filter, second: Filter) -> Readings:
        forms: list[Any] = self._verdict(first, (), None, how, None, None, second)
        return [with_filters(form, noun.filters) for form in forms]

    def _from_value(self, value: Any) -> Any:
        return self._directed(value, _FROM)

    def _to_value(self, value: Any) -> Any:
        return self._directed(value, _TO)

    def _directed(self, value: Any, words: frozenset[str]) -> Any:
        """“from Oslo to Rome”: of columns with the same values, the one whose name says that direction."""
        return (
            Costly(Part("where", (self._value(value),)), -2) if words & set(value.column.all_words) else None
        )

    def _change_of(self, noun: Noun) -> Readings:
        only = [c for c in self.table.columns if c.measure]
        if len(only) != 1:
            return []
        forms: list[Any] = self._change(Measures((self._ways(Expression(only[0]))[0],)))
        return [with_filters(form, noun.filters) for form in forms]
