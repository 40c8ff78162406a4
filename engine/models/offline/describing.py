"""The grammar's functions for charts and for descriptions of a table. Each returns a whole form."""

from collections.abc import Hashable
from dataclasses import replace
from itertools import pairwise
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.amounts import Number
from engine.models.offline.columns import Column
from engine.models.offline.daytimes import Daytimes
from engine.models.offline.form import Aggregate, Filter, Form, Grain, Measure, Order, Ref
from engine.models.offline.items import Rows
from engine.models.offline.meanings import Expression, Measures, Noun, Part, Readings, one
from engine.models.offline.merging_numbers import with_filters
from engine.models.offline.money import main_amount
from engine.models.offline.words import base_forms

__all__ = ["Describing"]

_MOST_LIMIT = 10_000
_BILLED = frozenset({"invoice", "bill"})
"""Verbs for amounts of money that are also nouns for rows."""


class Describing(Daytimes):
    """The functions for charts and for descriptions of a table."""

    def _count(self, number: Number) -> int | None:
        return (
            int(number.value)
            if 1 <= number.value <= _MOST_LIMIT and float(number.value).is_integer()
            else None
        )

    def _counts(self, noun: Noun) -> tuple[Measure, ...]:
        counted = self._count_np(replace(noun, filters=())) or []
        return tuple(m for one in counted for m in one.measures)

    def _done_more(self, noun: Noun) -> list[Measure]:
        """Read “did China launch more than Japan” as the number of rows, but “invoice more” as an amount."""
        main = main_amount(self.table) if base_forms(noun.word) & _BILLED else None
        return [Measure("sum", main.ref)] if main is not None else list(self._counts(noun))

    def _cmp_done(self, how: Adjective) -> Part | None:
        """Read “does A lend more than B” as a comparison of the numbers of rows."""
        named = how.columns or how.counts
        return None if named else Part("cmp", (how, Measures(self._counts(Noun((), True)))))

    def _correlation(self, first: Expression, second: Expression) -> Form | None:
        if first.operator or second.operator or first.column is second.column:
            return None
        return self._form(measures=(Measure("correlation", first.column.ref, "", second.column.ref),))

    def _goes_with(self, *said: Any) -> Form | None:
        """Read “does a higher price go with a heavier payload” as a correlation."""
        for how, named in pairwise(said):
            fits = (
                not isinstance(how, Adjective) or not isinstance(named, Expression) or how.fits(named.column)
            )
            if not fits:
                return None
        first, second = (one for one in said if isinstance(one, Expression))
        return self._correlation(first, second)

    def _goes_with_cmp(self, first: Expression, how: Adjective) -> Readings:
        """Read “does gas use go up if it is colder” as correlations with each column that “colder” can describe."""
        made = [self._correlation(first, Expression(c)) for c in how.columns if c.measure]
        return [form for form in made if form is not None]

    def _more_of(self, first: Expression, second: Expression) -> Form | None:
        """Read “are there more men or women” as a question for the sums of two columns."""
        adds = all(one.column.adds is True and not one.operator for one in (first, second))
        ways = (first.measure("sum"), second.measure("sum"))
        return self._form(measures=ways) if adds and ways[0] != ways[1] else None

    def _correlation_where(self, *said: Any) -> Form | None:
        """Read “correlation between temperature and gas usage” as a correlation over the rows with the value “gas”."""
        first, second = (one for one in said if isinstance(one, Expression))
        (value,) = (one for one in said if not isinstance(one, Expression))
        made = self._correlation(first, second)
        return None if made is None else with_filters(made, (self._value(value),))

    def _year_number(self, column: Column) -> Expression | None:
        return Expression(column) if column.year else None

    def _count_each(self, label: Ref) -> Form:
        return self._form(measures=self._counts(Noun((), True)), groups=(label,))

    def _rows_spread(self, noun: Noun, label: Ref) -> Form:
        """Read “how are the inspections spread over the weekdays”."""
        return with_filters(self._form(measures=self._counts(noun), groups=(label,)), noun.filters)

    def _count_at(self, column: Column, grain: Grain) -> Form | None:
        """Read “check-ins per month” as the number of rows by the month of the check-in date."""
        cut = self._grain_of(grain, column)
        if cut is None:
            return None
        form = self._form(measures=self._counts(Noun((), True)), groups=(cut,))
        return with_filters(form, (one(column, "present"),) if column.profile.missing else ())

    def _count_new(self, rows: Rows, grain: Grain) -> Form | None:
        """Read “new listings per month” as the number of listings per month, by the table's only date column."""
        dates = self._dates_of(None)
        if len(dates) != 1:
            return None
        return self._form(
            measures=self._counts(Noun((), True, rows.word)), groups=(replace(dates[0].ref, grain=grain),)
        )

    def _points(self, up: Expression, across: Expression) -> Form | None:
        if up.operator or across.operator or up.column is across.column:
            return None
        return self._form(show="points", columns=(across.column.ref, up.column.ref), chart="point")

    def _points_xy(self, across: Expression, up: Expression) -> Form | None:
        return self._points(up, across)

    def _histogram_of(self, found: Expression) -> Form | None:
        if found.operator:
            return None
        return self._form(show="histogram", columns=(found.column.ref,), chart="histogram")

    def _histogram_banded(self, label: Ref) -> Form:
        """Read “histogram of the scores in buckets of 5”."""
        return replace(self._distribution_banded(label), chart="bar")

    def _distribution_banded(self, label: Ref) -> Form:
        return self._form(measures=(Measure("count"),), groups=(label,))

    def _distribution_of(self, found: Expression) -> Form | None:
        few = found.column.whole and found.column.profile.distinct <= 20
        return None if few else self._histogram_of(found)

    def _distribution(self, column: Column, *_: Hashable) -> Form | None:
        many = column.measure and column.profile.distinct > 20
        if not column.label or column.key or column.role == "date" or many:
            return None
        return self._form(measures=(Measure("count"),), groups=(column.ref,), order=Order(0))

    def _crosstab(self, first: Column, second: Column) -> Form | None:
        labels = self._label(first), self._label(second)
        if labels[0] is None or labels[1] is None or labels[0] == labels[1]:
            return None
        return self._form(measures=(Measure("count"),), groups=(labels[0], labels[1]))

    def _share_of_rows(self, column: Column, *_: Hashable) -> Form | None:
        label = self._label(column)
        measures = tuple(replace(measure, share=True) for measure in self._counts(Noun((), True, "")))
        return None if label is None else self._form(measures=measures, groups=(label,))

    def _missing_in_each(self, first: Column, others: tuple[Column, ...]) -> Form:
        """Read “how many lack the country and how many the age” as a question for two numbers, one for each column."""
        columns = dict.fromkeys((first, *others))
        return self._form(measures=tuple(Measure("missing", column.ref) for column in columns))

    def _missing_table(self, *_: Hashable) -> Form:
        return self._form(show="missing")

    def _duplicates(self, *said: Hashable) -> Form | None:
        """Read “duplicate rows”. Return None if a column has the noun as its name: “duplicate majors” may mean repeated
        values of `Major`.
        """
        nouns = {form for one in said if isinstance(one, Rows) for form in base_forms(one.word)}
        named = any(
            c.role == "text" and len(c.words) == 1 and c.words[0] in nouns for c in self.table.columns
        )
        return None if named else self._form(show="duplicates")

    def _rows_repeated(self, rows: Rows) -> Form:
        """Read “are any listings in there twice” as a search for repeated ids, or for equal rows if there are
        no ids.
        """
        keys = [
            c for c in self.table.columns if c.key and not c.table and 10 * c.profile.distinct >= 9 * c.rows
        ]
        own = [c for c in keys if len(c.words) == 1 or base_forms(rows.word) & set(c.words[:-1])] or keys
        return self._duplicates_of(own[0]) if len(own) == 1 else self._form(show="duplicates")

    def _duplicates_of(self, column: Column) -> Form:
        return self._form(show="duplicates", columns=(column.ref,))

    def _outliers(self, found: Expression) -> Form | None:
        return None if found.operator else self._form(show="outliers", columns=(found.column.ref,))

    def _describe(self, *_: Hashable) -> Form:
        return self._form(show="columns")

    def _extent(self, *_: Hashable) -> Readings:
        return [
            self._form(measures=(Measure("min", column.ref), Measure("max", column.ref)))
            for column in self.table.times
        ]

    def _both_ends(self, noun: Noun) -> Readings:
        """Read “when was the first and last performance of Hamlet”."""
        forms = [
            self._form(measures=(Measure("min", c.ref), Measure("max", c.ref)))
            for c in self.table.times
            if noun.rows
        ]
        return [with_filters(form, noun.filters) for form in forms]

    def _last_of_each(self, label: Ref, verb: Hashable = None, *, first: bool = False) -> Readings:
        """Read “when was each hive last inspected”; `verb` is a date column if it names one."""
        name: Aggregate = "min" if first else "max"
        return [self._form(measures=(Measure(name, c.ref),), groups=(label,)) for c in self._dates_of(verb)]

    def _dates_of(self, verb: Hashable) -> list[Column]:
        """Return the date column that a verb names; without such a verb, the date columns that “when” may mean."""
        named = [verb] if isinstance(verb, Column) else self.table.times
        return [column for column in named if column.role == "date"]

    def _first_of_each(self, label: Ref, verb: Hashable = None) -> Readings:
        return self._last_of_each(label, verb, first=True)

    def _last_of_one(self, found: Filter, verb: Hashable = None) -> Readings:
        """Read “when was Luna last here”."""
        return self._end_of_one("max", found, verb)

    def _first_of_one(self, found: Filter, verb: Hashable = None) -> Readings:
        return self._end_of_one("min", found, verb)

    def _end_of_one(self, end: Aggregate, found: Filter, verb: Hashable) -> Readings:
        return [self._form(measures=(Measure(end, c.ref),), filters=(found,)) for c in self._dates_of(verb)]

    def _summary(self, found: Expression) -> Form | None:
        names = ("count", "mean", "stddev", "min", "median", "max")
        if found.operator:
            return None
        measures = (found.measure(name) if name != "count" else Measure("count") for name in names)
        return self._form(measures=tuple(measures))

    def _everything(self, *_: Hashable) -> Form:
        return self._form(show="rows")

    def _values(self, column: Column, *_: Hashable) -> Form | None:
        able = column.label and not column.measure and column.role != "date"
        return self._form(show="values", columns=(column.ref,)) if able else None

    def _first_rows(self, number: Number, *_: Hashable) -> Form | None:
        limit = self._count(number)
        return None if limit is None else self._form(show="rows", limit=limit)
