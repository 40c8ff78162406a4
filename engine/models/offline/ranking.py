"""The grammar's functions for rankings and extremes."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.columns import Column
from engine.models.offline.conditioning import Conditioning
from engine.models.offline.form import Form, Measure, Order, Ref
from engine.models.offline.lexer import Number, Rows
from engine.models.offline.meanings import (
    Expression,
    Measures,
    Noun,
    Part,
    Readings,
)
from engine.models.offline.merging import added

__all__ = ["Ranking"]

_MOST_LIMIT = 10_000


class Ranking(Conditioning):
    """The grammar's functions for rankings and extremes."""

    def _subject_column(self, column: Column, *_: Hashable) -> Hashable:
        return Noun((), True, "", column.ref) if column.naming else self._label(column)

    def _subject_grain(self, grain: str) -> Readings:
        return self._grain(grain)

    def _subject_month(self, *_: Hashable) -> Readings:
        return self._month_of_year()

    def _subject_hour(self, *_: Hashable) -> Readings:
        return self._hour_of_day()

    def _subject_weekday(self, *_: Hashable) -> Readings:
        return self._weekday()

    def _rank_rows(
        self,
        subject: Ref | Noun,
        ways: Sequence[Measure],
        sign: int,
        limit: int | None,
        parts: tuple[Part, ...],
        bare: Expression | None = None,
        ties: bool = True,
    ) -> Readings:
        """The groups, or rows, with the most or least of a measure."""
        found: list[Form] = []
        if isinstance(subject, Noun) and subject.named is not None and bare is None:
            subject = subject.named
        if isinstance(subject, Noun):
            if bare is None or bare.operator:
                return []
            columns = self._naming_columns(bare.column) if limit == 1 else ()
            order = Order(bare.column.ref, sign > 0)
            form = self._form(
                show="rows", columns=columns, order=order, limit=limit, ties=ties, filters=subject.filters
            )
            found = [form]
        else:
            for way in ways:
                order = Order(0, sign > 0)
                found.append(
                    self._form(measures=(way,), groups=(subject,), order=order, limit=limit, ties=ties)
                )
        return [form for one in found for form in added(one, parts, self.table)]

    def _counts(self, noun: Noun) -> tuple[Measure, ...]:
        counted = self._count_np(replace(noun, filters=())) or []
        return tuple(m for one in counted for m in one.measures)

    def _naming_columns(self, *wanted: Column) -> tuple[Ref, ...]:
        """Columns that say which row it is, and those that are asked for."""
        able = [c for c in self.table.columns if c.naming or c.key]
        able.sort(key=lambda c: (c.words[-1:] not in (("name",), ("title",), ("model",)), c.key))
        names = able[:1]
        dates = [c for c in self.table.columns if c.role == "date"][:1]
        labels = [] if names else [c for c in self.table.columns if c.role == "text"][:2]
        return tuple(dict.fromkeys(c.ref for c in (*names, *labels, *dates, *wanted)))

    def _of_groups(self, found: Measures, _subject: Ref | Noun) -> Sequence[Measure]:
        """What a number means for each group."""
        return found.measures[:1] if len(found.measures) == 1 else ()

    def _about(self, how: Adjective, found: Measures) -> bool:
        """Whether an adjective can be about measures: “best rated … by average points”."""
        able = {column.ref for column in how.columns}
        return not able or all(measure.of in able and not measure.operator for measure in found.measures)

    def _which(
        self, subject: Ref | Noun, parts: tuple[Part, ...], how: Adjective, found: Measures
    ) -> Readings:
        if how.counts or found.filters or not self._about(how, found):
            return []
        ways = list(self._of_groups(found, subject))
        if isinstance(subject, Ref) and found.bare is not None and found.bare.column.adds is not True:
            ways = [found.bare.measure("mean"), found.bare.measure("max" if how.direction > 0 else "min")]
        return self._rank_rows(subject, ways, how.direction, 1, parts, found.bare)

    def _which_n(
        self, count: Number, subject: Ref | Noun, parts: tuple[Part, ...], how: Adjective, found: Measures
    ) -> Readings:
        return [
            replace(form, limit=int(count.value), ties=False)
            for form in self._which(subject, parts, how, found)
        ]

    def _which_after(
        self, subject: Ref | Noun, parts: tuple[Part, ...], found: Measures, how: Adjective
    ) -> Readings:
        return self._which(subject, parts, how, found) if not how.columns else []

    def _which_plain(self, *_: Hashable) -> None:
        return None

    def _which_most(
        self, subject: Ref | Noun, parts: tuple[Part, ...], how: Adjective, noun: Noun
    ) -> Readings:
        """“the most movies” counts; “the lightest cars” compares their average."""
        if isinstance(subject, Noun) or not noun.rows:
            return []
        where = Part("where", noun.filters)
        if how.columns:
            ways = [Measure("mean", c.ref) for c in how.columns if c.measure]
            return self._rank_rows(subject, ways, how.direction, 1, (*parts, where, Part("said mean")))
        if how.word not in ("most", "fewest", "least", "highest", "largest", "lowest") and not how.counts:
            return []
        counted = self._count_np(replace(noun, filters=())) or []
        ways = [m for one in counted for m in one.measures]
        return self._rank_rows(subject, ways, how.direction, 1, (*parts, where))

    def _which_n_most(
        self, count: Number, subject: Ref | Noun, parts: tuple[Part, ...], how: Adjective, noun: Noun
    ) -> Readings:
        return [
            replace(form, limit=int(count.value), ties=False)
            for form in self._which_most(subject, parts, how, noun)
        ]

    def _which_adjective(self, subject: Ref | Noun, parts: tuple[Part, ...], how: Adjective) -> Readings:
        if isinstance(subject, Noun):
            return self._extreme_rows(subject, how, 1, parts)
        if how.counts:
            return self._rank_rows(subject, [Measure("count")], how.direction, 1, parts)
        ways = [m for c in how.columns if c.measure for m in self._group_ways(c, how)]
        return self._rank_rows(subject, ways, how.direction, 1, parts)

    def _group_ways(self, column: Column, how: Adjective) -> list[Measure]:
        if column.adds is True:
            return [Measure("sum", column.ref)]
        return [Measure("mean", column.ref), Measure("max" if how.direction > 0 else "min", column.ref)]

    def _which_adjective_rows(
        self, subject: Ref | Noun, parts: tuple[Part, ...], how: Adjective, _: Rows
    ) -> Readings:
        return self._which_adjective(subject, parts, how)

    def _extreme_rows(self, noun: Noun, how: Adjective, limit: int, parts: tuple[Part, ...] = ()) -> Readings:
        found = []
        for column in how.columns:
            form = self._form(
                show="rows", columns=self._naming_columns(column) if limit == 1 else (),
                order=Order(column.ref, how.direction > 0),
                limit=limit, ties=limit == 1, filters=noun.filters,
            )  # fmt: skip
            found += added(form, parts, self.table)
        return list(found)

    def _superlative(self, how: Adjective, subject: Ref | Noun) -> Readings:
        return self._which_adjective(subject, (), how) if how.counts or how.columns else []

    def _who(self, found: Expression, how: Adjective) -> Readings:
        """“who earns the most”: the row."""
        return (
            self._which(Noun((), True), (), replace(how, columns=()), Measures((), found))
            if not how.counts
            else []
        )

    def _who_is(self, how: Adjective) -> Readings:
        return self._extreme_rows(Noun((), True), how, 1) if how.columns else []

    def _which_often(self, subject: Ref | Noun, parts: tuple[Part, ...], how: Adjective) -> Readings:
        return (
            self._rank_rows(subject, [Measure("count")], how.direction, 1, parts)
            if isinstance(subject, Ref)
            else []
        )

    def _which_peak(self, subject: Ref | Noun, parts: tuple[Part, ...], found: Measures) -> Readings:
        where = Part("where", found.filters)
        return self._which(subject, (*parts, where), Adjective("sup", 1), replace(found, filters=()))

    def _which_with_np(self, subject: Ref | Noun, how: Adjective, noun: Noun) -> Readings:
        return self._which_most(subject, (), how, noun)

    def _n_with_np(self, number: Number, subject: Ref | Noun, how: Adjective, noun: Noun) -> Readings:
        return self._which_n_most(number, subject, (), how, noun)

    def _top_one(self, subject: Ref | Noun, found: Measures) -> Readings:
        return self._which(subject, (), Adjective("sup", 1), found)

    def _superlative_by(
        self, how: Adjective, subject: Ref | Noun, parts: tuple[Part, ...], found: Measures
    ) -> Readings:
        if how.counts or not self._about(how, found):
            return []
        return self._which(subject, parts, replace(how, columns=()), found)

    def _count(self, number: Number) -> int | None:
        return (
            int(number.value)
            if 1 <= number.value <= _MOST_LIMIT and float(number.value).is_integer()
            else None
        )

    def _top(
        self, number: Number, subject: Ref | Noun, parts: tuple[Part, ...], found: Measures, sign: int = 1
    ) -> Readings:
        limit = self._count(number)
        if limit is None or found.filters:
            return []
        return self._rank_rows(subject, found.measures, sign, limit, parts, found.bare, ties=False)

    def _bottom(
        self, number: Number, subject: Ref | Noun, parts: tuple[Part, ...], found: Measures
    ) -> Readings:
        return self._top(number, subject, parts, found, -1)

    def _top_open(self, subject: Ref | Noun, found: Measures) -> Readings:
        return self._top(Number(10.0), subject, (), found)

    def _n_with(
        self, number: Number, subject: Ref | Noun, parts: tuple[Part, ...], how: Adjective, found: Measures
    ) -> Readings:
        return [] if how.columns or how.counts else self._top(number, subject, parts, found, how.direction)

    def _which_with(self, subject: Ref | Noun, how: Adjective, found: Measures) -> Readings:
        return self._which(subject, (), how, found)

    def _rows_with(self, noun: Noun, how: Adjective, found: Expression) -> Readings:
        return self._which(noun, (), how, Measures((), found)) if noun.rows else []

    def _n_superlative(self, number: Number, how: Adjective, subject: Ref | Noun) -> Readings:
        limit = self._count(number)
        forms = self._superlative(how, subject) if limit is not None else []
        whole = {"columns": ()} if limit != 1 else {}
        return [
            replace(form, limit=limit, ties=False, **(whole if form.show == "rows" else {})) for form in forms
        ]

    def _n_highest(self, number: Number, how: Adjective, found: Expression) -> Readings:
        """“the 5 biggest sales”: rows."""
        if how.counts or not self._about(how, Measures((found.measure("max"),))):
            return []
        return self._top(number, Noun((), True, ""), (), Measures((), found), how.direction)

    def _n_top(self, number: Number, found: Expression) -> Readings:
        return self._top(number, Noun((), True, ""), (), Measures((), found))

    def _n_superlative_rows(self, number: Number, how: Adjective) -> Readings:
        return self._n_superlative(number, how, Noun((), True, ""))

    def _n_superlative_by(
        self, number: Number, how: Adjective, subject: Ref | Noun, parts: tuple[Part, ...], found: Measures
    ) -> Readings:
        if not self._about(how, found):
            return []
        return [] if how.counts else self._top(number, subject, parts, found, how.direction)

    def _top_within(
        self, number: Number, subject: Ref | Noun, found: Measures, _: Hashable, label: Ref, sign: int = 1
    ) -> Readings:
        forms: list[Any] = self._top(number, subject, (), found, sign)
        return [
            replace(form, within=(label,), groups=(label, *form.groups)) if form.show == "numbers"
            else replace(form, within=(label,), columns=tuple(dict.fromkeys((label, *form.columns))))
            for form in forms if label not in form.groups
        ]  # fmt: skip

    def _bottom_within(self, number: Number, subject: Ref | Noun, found: Measures, label: Ref) -> Readings:
        return self._top_within(number, subject, found, None, label, -1)

    def _ranked(self, subject: Ref | Noun, found: Measures) -> Readings:
        return self._rank_rows(subject, found.measures, 1, None, (), found.bare, ties=False)
