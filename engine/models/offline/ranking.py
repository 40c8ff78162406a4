"""Rules for rankings and extremes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.columns import Column
from engine.models.offline.counting import Counting
from engine.models.offline.form import Filter, Form, Measure, Order
from engine.models.offline.heads import Heads
from engine.models.offline.meanings import Expression, Measures, Noun, Readings, Subject, same_unit
from engine.models.offline.merging import with_filters
from engine.models.offline.vocabulary import words
from engine.models.offline.words import base_forms

__all__ = ["Ranking"]

_MANY = ("most", "fewest", "least")
_LARGE = ("largest", "biggest", "smallest", "greatest")
_PERSONS = words("persons") | words("people")
_AGED, _BORN = ("oldest", "youngest"), {"birth", "born", "birthday", "dob"}
_OFTEN = ("often", "frequently")
_MOST_WAYS = 4
"""The maximum number of readings if a ranking does not name its measure."""


class Ranking(Counting):
    """The rules for rankings and extremes."""

    def _as_extreme(self, said: Heads) -> Readings:
        """Read “which region has the highest revenue”, “the oldest passenger” or “flights with the longest delay”."""
        limit, subject, filters = self._subject_of(said)
        kind = next(head.kind for head in said.heads if head.kind.startswith("sup"))
        number, how, value = said.values(kind)[0]
        if len(said.values(kind)) > 1 or subject is None or (limit and number):
            return []
        limit, subject = limit or number, replace(subject, filters=(*subject.filters, *filters))
        mods, filters = list(said.mods), ()
        if said.values("measures"):
            kinds = [head.kind for head in said.heads]
            if kinds.index("which") > kinds.index(kind):
                return []
            found = self._by_said(subject, how, said.values("measures"), limit)
        elif kind == "sup measure":
            found = self._by(subject, how, value, limit)
        elif said.asks_more:
            found = self._described(subject, kind, how, value)
        elif kind == "sup noun":
            found = self._by_count(subject, how, value, limit)
        else:
            found = self._by_adjective(subject, how, limit)
        if {"when", "where at"} & said.flags and not all(form.show == "rows" for form in found):
            return []
        if "where at" in said.flags:
            found = self._located(found)
        return self._with(found, mods)

    def _described(self, subject: Subject, kind: str, how: Adjective, value: Any) -> list[Form]:
        """Read “the tallest tree and which ward it is in” as a question for that row with its ward."""
        if kind != "sup noun" or not value.rows or how.counts or not subject.refs:
            return []
        filters = (*subject.filters, *value.filters)
        rows = [
            one
            for c in how.columns
            for one in self._rows(Subject((), filters, True, value.word), c, how.direction, None)
        ]
        return [
            replace(one, columns=tuple(dict.fromkeys((*one.columns, *subject.refs))))
            for one in rows
            if one.columns
        ]

    def _subject_of(self, said: Heads) -> tuple[int | None, Subject | None, tuple[Filter, ...]]:
        """Return the limit, subject and conditions of a ranking. The subject comes from “which”, a label or a noun for
        rows, or else from the superlative.
        """
        filters: tuple[Filter, ...] = ()
        found: list[tuple[int | None, Subject]] = list(said.values("which"))
        found += [(None, subject) for subject in said.values("label")]
        found += [(None, value) for _, _, value in said.values("sup subject")]
        if len(found) > 1:
            found = [(number, subject) for number, subject in found if subject.word != "who"]
        nouns = said.values("noun")
        if not found and not nouns and said.signature == "sup":
            found = [(None, Subject((), (), True))] if said.values("sup")[0][0] else []
        if not found and len(nouns) == 1 and nouns[0].rows:
            found = [(None, Subject((), nouns[0].filters, True, nouns[0].word))]
        elif nouns:
            filters = tuple(one for noun in nouns for one in noun.filters)
        return (*found[0], filters) if len(found) == 1 else (None, None, ())

    def _by_said(
        self, subject: Subject, how: Adjective, measures: list[Measures], limit: int | None
    ) -> list[Any]:
        """Read “who earns the most” or “which year did sales peak”."""
        if len(measures) > 1 or how.columns or measures[0].filters or len(measures[0].measures) > 1:
            return []
        often = (
            how.counts and how.word.endswith(_OFTEN) and subject.refs
        )  # “which glaze do we use most often”
        counted = self._rank(subject, [Measure("count")], how.direction, limit) if often else []
        return [*counted, *self._by(subject, how, measures[0], limit)]

    def _by(self, subject: Subject, how: Adjective, found: Measures, limit: int | None) -> list[Any]:
        subject = replace(subject, filters=(*subject.filters, *found.filters))
        return [
            form
            for sign in self._signs(how, found)
            for form in self._by_sign(subject, how, found, limit, sign)
        ]

    def _signs(self, how: Adjective, found: Measures) -> tuple[int, ...]:
        """Return the directions in which a measure may be ranked."""
        of = found.measures[0].of
        return how.signs(None if of is None or len(found.measures) > 1 else self.table.column(of))

    def _by_sign(
        self, subject: Subject, how: Adjective, found: Measures, limit: int | None, sign: int
    ) -> list[Any]:
        ways = list(found.measures)
        if found.bare is not None and subject.word == "who" and how.word in _LARGE:
            ways = [*ways, found.bare.measure("max" if sign > 0 else "min")]  # “who got the largest award”
        elif found.bare is not None and found.bare.column.adds is None and how.word in _MANY:
            ways = [found.bare.measure("sum")]
        elif (
            found.bare is not None
            and subject.refs
            and found.bare.column.adds is not True
            and found.bare.operator not in ("*", "%")
        ):
            ways = [found.bare.measure("mean"), found.bare.measure("max" if sign > 0 else "min")]
        return self._rank(subject, ways, sign, limit, found.bare)

    def _by_count(self, subject: Subject, how: Adjective, noun: Noun, limit: int | None) -> list[Any]:
        if not subject.refs:
            return []
        inner = replace(subject, filters=(*subject.filters, *noun.filters))
        if how.columns:
            ways = [Measure("mean", c.ref) for c in how.columns if c.measure]
            return self._rank(inner, ways, how.direction, limit)
        return self._rank(inner, list(self._counts(noun)), how.direction, limit)

    def _by_adjective(self, subject: Subject, how: Adjective, limit: int | None) -> list[Any]:
        if how.counts or (not how.columns and how.word in ("most", "fewest", "least") and subject.refs):
            ways = list(self._counts(Noun((), True))) if subject.refs and how.counts else []
            return self._rank(subject, ways, how.direction, limit)
        if subject.rows:
            columns = how.columns or self._sizes(how)
            if how.word in _AGED and self._is_person(subject):  # the first to be hired is not the oldest
                columns = tuple(c for c in columns if c.measure or set(c.words) & _BORN)
            return [form for c in columns for form in self._rows(subject, c, how.direction, limit)]
        ways = [m for c in how.columns if c.measure for m in self._group_ways(c, how)]
        if subject.refs and all(ref.grain for ref in subject.refs):  # “the most expensive month”
            paid = [c for c in how.columns if c.measure and same_unit("$", c) and c.adds is not False]
            ways = [Measure("sum", c.ref) for c in paid] or ways
        return self._rank(subject, ways, how.direction, limit)

    def _is_person(self, subject: Subject) -> bool:
        said = base_forms(subject.word) if subject.word else self.table.nouns | self.table.kinds
        return bool(said & _PERSONS)

    def _sizes(self, how: Adjective) -> tuple[Column, ...]:
        """Return the measures by which “largest account” may rank: all measures if there are a few; none if there is
        only one, because “largest” may then mean something else.
        """
        able = tuple(c for c in self.table.columns if c.measure and not c.table)
        return able if how.word in _LARGE and 1 < len(able) <= _MOST_WAYS else ()

    def _group_ways(self, column: Column, how: Adjective) -> list[Measure]:
        named = how.word.split()[0] in _MANY and how.word.split()[-1] in column.words  # “the most honey”
        if column.adds is True or (column.adds is None and named):
            return [Measure("sum", column.ref)]
        return [Measure("mean", column.ref), Measure("max" if how.direction > 0 else "min", column.ref)]

    def _rank(
        self,
        subject: Subject,
        ways: Sequence[Measure],
        sign: int,
        limit: int | None,
        bare: Expression | None = None,
    ) -> list[Any]:
        """Return forms for the groups or rows with the most or least of a measure."""
        if subject.rows and bare is not None and not bare.operator:
            return self._rows(subject, bare.column, sign, limit)
        if not subject.refs:
            return []
        return [
            with_filters(
                self._form(measures=(way,), groups=subject.refs, order=Order(0, sign > 0), limit=limit or 1,
                           ties=limit is None), subject.filters)
            for way in dict.fromkeys(ways)
        ]  # fmt: skip

    def _rows(self, subject: Subject, column: Column, sign: int, limit: int | None) -> list[Form]:
        if self._stands_for_a_thing(subject.word):
            return []  # this asks for the building with the most in all its months together
        columns = self._naming_columns(column) if limit in (None, 1) else ()
        form = self._form(
            show="rows",
            columns=columns,
            order=Order(column.ref, sign > 0),
            limit=limit or 1,
            ties=limit is None,
        )
        return [with_filters(form, subject.filters)]

    def _as_values_ranked(self, said: Heads) -> Readings:
        """Read “the 5 highest prices” as the rows with these prices."""
        limit, how, found = said.values("sup measure")[0]
        asks = bool({"when", "where at"} & said.flags)
        if (limit is None) != asks or found.bare is None or len(said.heads) > 1:
            return []
        signs = how.signs(found.bare.column)
        if len(signs) > 1:
            return []
        rows = self._rank(Subject((), found.filters, True), (), signs[0], limit, found.bare)
        return self._with(self._located(rows) if "where at" in said.flags else rows, said.mods)

    def _as_topped(self, said: Heads) -> Readings:
        """Read “top 5 products by revenue” or “best paid job by average salary”."""
        signs = [sign for _, sign, _ in said.values("top")] + [
            how.direction for _, how, _ in said.values("sup subject")
        ]
        limit, subject = None, None
        for number, _, value in (*said.values("top"), *said.values("sup subject")):
            limit, subject = number, value
        subject = subject or next(iter(said.values("label")), None)
        if subject is None and said.values("noun"):
            subject = Subject((), said.values("noun")[0].filters, said.values("noun")[0].rows)
        by = said.values("by") + [(how.direction, found) for _, how, found in said.values("sup measure")]
        for _, how, noun in said.values("sup noun"):
            subject = None if subject is None else replace(subject, filters=(*subject.filters, *noun.filters))
            by.append((how.direction, Measures(self._counts(noun))))
        if subject is None or len(signs) != 1 or len(by) != 1 or (by[0][0] != signs[0] and by[0][0] != 1):
            return []
        found = by[0][1]
        subject = replace(subject, filters=(*subject.filters, *found.filters))
        hows = [how for _, how, _ in said.values("sup subject")]
        adds = found.bare is not None and found.bare.column.adds is True  # “busiest line by passengers”
        adds |= any(measure.aggregate == "sum" for measure in found.measures)
        counts = found.measures == (Measure("count"),) or adds
        if any(
            (how.counts and not counts)
            or (how.columns and found.measures[0].of not in {c.ref for c in how.able})
            for how in hows
        ):
            return []
        ways = list(found.measures)
        ranked = [
            form
            for sign in (self._signs(hows[0], found) if hows else signs)
            for form in self._rank(subject, ways, sign, limit, found.bare)
        ]
        return self._with(ranked, said.mods)

    def _as_top_alone(self, said: Heads) -> Readings:
        """Read “top three breeds” as the breeds with the most rows, or with the largest sum of a column that can be
        added up."""
        if len(said.values("top")) > 1 or said.has("group", "over time"):
            return []
        limit, sign, subject = said.values("top")[0]
        if subject is None or not subject.refs:
            return []
        names = self.table.column(subject.refs[0]).naming  # donors in a list of donors are not counted
        able = [
            c
            for c in self.table.columns
            if c.measure and not c.table and (c.adds or (names and c.adds is None))
        ]
        weight = self.table.counting("")
        ways = [*([] if names else [Measure("count")]), *(Measure("sum", c.ref) for c in able)]
        ways = ways if weight is None or names else [Measure("sum", weight.ref)]
        return self._with(self._rank(subject, ways[:_MOST_WAYS], sign, limit), said.mods)

    def _as_ends_found(self, said: Heads) -> Readings:
        """Read “when was the first launch …” as a question for the earliest time (for “last”, the latest); without
        “when”, for the row with that time.
        """
        if len(said.values("ends")) > 1:
            return []
        aggregate, noun = said.values("ends")[0]
        if "when" in said.flags:
            forms = [
                self._form(measures=(Measure(aggregate, c.ref),), filters=noun.filters)
                for c in self.table.times
            ]
            return self._with(forms, said.mods)
        subject = Subject((), noun.filters, True)
        forms = [
            form
            for c in self.table.times
            for form in self._rows(subject, c, 1 if aggregate == "max" else -1, None)
        ]
        return self._with(forms, said.mods)
