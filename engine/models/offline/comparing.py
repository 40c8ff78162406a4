"""Rules for shares and comparisons."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.columns import Column
from engine.models.offline.form import Condition, Filter, Measure, Order
from engine.models.offline.heads import CONDITIONS, FLAGS, HEADS, Heads, dearer
from engine.models.offline.meanings import Measures, Noun, Part, Readings, Subject, negative
from engine.models.offline.merging import with_filters
from engine.models.offline.ranking import Ranking
from engine.models.offline.schema import RECURRING, is_time

__all__ = ["Comparing"]


class Comparing(Ranking):
    """The rules for shares and comparisons."""

    def _as_shares(self, said: Heads) -> Readings:
        whole = said.values("share")[0]
        place = next(n for n, part in enumerate(said.parts) if part.kind == "share")
        before = [part for part in said.parts[:place] if part.kind not in HEADS | FLAGS]
        after = [part for part in said.parts[place:] if part.kind not in HEADS | FLAGS]
        measures: tuple[Measure, ...]
        if isinstance(whole, Noun):
            nouns = [part.noun for part in after if part.noun]
            whole = replace(whole, word=nouns[0]) if nouns and not whole.word else whole
            filters, measures = whole.filters, self._counts(whole)
            rows = whole.rows
        else:
            filters, measures, rows = (), (whole.measure("sum"),), True
        grouped = any(part.kind in ("group", "over time", "versus", "timed") for part in (*before, *after))
        chosen = self._condition(after, not grouped)
        found: Readings = []
        if chosen is not None:
            made = tuple(replace(m, share=True, where=chosen.value) for m in measures)
            rest = [*before, *(part for part in after if part is not chosen)]
            found += self._with([with_filters(self._form(measures=made), filters)], rest)
        if (chosen is None or (filters and chosen.kind == "where")) and filters:
            made = tuple(replace(m, share=True, where=filters) for m in measures)
            # “percentage of women in engineering” may be about all women, or about all of engineering
            more = 0 if chosen is not None and self._of_texts(chosen.value) else 1
            found += [dearer(one, more) for one in self._with([self._form(measures=made)], [*before, *after])]
        if grouped and chosen is None and rows and not filters:
            made = tuple(replace(m, share=True) for m in measures)
            wholes = [(replace(m, operator="%", other=c.ref),) for m in measures for c in self._wholes(m)]
            found += self._with([self._form(measures=one) for one in (made, *wholes)], [*before, *after])
        return found

    def _as_compared(self, said: Heads) -> Readings:
        """Read “compare A and B by price”."""
        if "compare" not in said.flags or not said.has("pair"):
            return []
        return self._as_numbers(Heads([replace(p, kind="measures", value=p.value[1]) if p.kind == "by" else p
                                       for p in said.parts]))  # fmt: skip

    def _as_ranked_all(self, said: Heads) -> Readings:
        """Read “countries by population” as a list of all countries, sorted by population."""
        sign, found = said.values("by")[0]
        subjects = said.values("label") + [Subject((), n.filters, n.rows) for n in said.values("noun")]
        if len(subjects) != 1:
            return []
        subject = replace(subjects[0], filters=(*subjects[0].filters, *self._named(subjects[0].refs)))
        made = self._rank(subject, list(found.measures), sign, 1, found.bare)
        return self._with([replace(form, limit=None, ties=False, columns=()) for form in made], said.mods)

    def _as_largest_share(self, said: Heads) -> Readings:
        """Read “which depot has the highest percentage of late deliveries”. Without a condition, all rows
        count: the depot with “the largest share of deliveries” is the one with the most deliveries.
        """
        how, whole = said.values("sup share")[0]
        limit, subject, filters = self._subject_of(said)
        if len(said.values("sup share")) > 1 or subject is None or not subject.refs:
            return []
        subject = replace(subject, filters=(*subject.filters, *filters))
        defining: list[Part | None] = [] if whole.filters else [*self._defining(said.mods)]
        found: Readings = []
        for chosen in defining or [None]:
            part = whole.filters if chosen is None else chosen.value
            counted = self._counts(replace(whole, filters=()))
            ways = [replace(measure, share=bool(part), where=part) for measure in counted]
            rest = [one for one in said.mods if one is not chosen]
            found += self._with(self._rank(subject, ways, how.direction, limit), rest)
        return found

    def _wholes(self, part: Measure) -> list[Column]:
        """Return the columns that may be the whole of a measure, such as `total` for `women`: “share of women by
        category” may mean a share of such a column.
        """
        if part.of is None or part.operator:
            return []
        of = self.table.column(part.of)
        able = [
            c for c in self.table.columns if c.measure and c is not of and not c.table and c.whole == of.whole
        ]
        named = [
            c
            for c in able
            if len(c.words) == 1 and c.words[0] in {"total", "all", "overall", *self.table.nouns}
        ]
        return [c for c in named if (c.high or 0) >= (of.high or 0) and (c.low or 0) >= (of.low or 0)]

    def _of_texts(self, filters: Sequence[Filter]) -> bool:
        every = [c for f in filters for c in f.any]
        return all(c.compare == "=" and self.table.column(c.of).role == "text" for c in every)

    def _condition(self, after: Sequence[Part], timed: bool) -> Part | None:
        """Return the phrase that defines the part in a share: a predicate, else a relative clause, else the last
        condition.

        `timed`: whether a condition on time is accepted if there is no other.
        """
        lasting = self._defining(after)
        if lasting:
            return lasting[-1]
        found = [part for part in after if part.kind in CONDITIONS]
        return found[-1] if found and timed else None

    def _defining(self, after: Sequence[Part]) -> list[Part]:
        """Return the phrases that may define the part in a share, except conditions on time: the predicates; if there
        are none, the relative clauses; else the conditions.
        """
        for kind in ("predicate", "relative", "where"):
            found = [part for part in after if part.kind == kind]
            lasting = [p for p in found if not all(self._is_dated(c) for f in p.value for c in f.any)]
            if lasting:
                return lasting
        return []

    def _is_dated(self, condition: Condition) -> bool:
        """Whether a condition is about a time, and not only about whether something has happened at all."""
        return is_time(condition.of, self.table) and condition.compare not in ("present", "missing")

    def _as_more_than(self, said: Heads) -> Readings:
        """Read “how much more did we sell in 2023 than in 2022” as a question for both numbers and the change over
        time. For two values that are not periods, ask for both numbers and their difference.
        """
        second: Filter | None = said.values("than")[0]
        measures = said.values("measures")
        measures += [Measures(self._counts(noun), filters=noun.filters) for noun in said.values("noun")]
        if (
            "how much" not in said.flags
            or second is None
            or len(measures) != 1
            or len(measures[0].measures) != 1
        ):
            return []
        every = [f for part in said.mods if part.kind in CONDITIONS for f in part.value]
        sides = [f for f in every if (made := self._versus(f, second)) is not None and made.value[0].grain]
        sides = [f for f in sides if f.any[0].of.grain not in RECURRING]  # August is not after every July
        if not sides:
            return self._difference(measures[0], every, second, said.mods)
        if len(sides) != 1:
            return []
        ref, values = second.any[0].of, (*sides[0].any[0].values, *second.any[0].values)
        filters = (*measures[0].filters, *(f for f in every if f is not sides[0]))
        form = self._form(show="change", measures=measures[0].measures, columns=(ref,))
        form = with_filters(form, (*filters, Filter((Condition(ref, "=", values),))))
        return self._with([form], [part for part in said.mods if part.kind not in CONDITIONS])

    def _difference(
        self, found: Measures, every: Sequence[Filter], second: Filter, mods: Sequence[Part]
    ) -> Readings:
        """Read “how many more births were in Durham than in Wake” as a question for both numbers and their
        difference.
        """
        sides = [f for f in every if (made := self._versus(f, second)) is not None and made.value[1]]
        versus = self._versus(sides[0], second) if len(sides) == 1 else None
        if versus is None:
            return []
        rest = (*found.filters, *(f for f in every if f is not sides[0]))
        form = with_filters(self._form(measures=found.measures, compares="difference"), rest)
        return self._with([form], [*(part for part in mods if part.kind not in CONDITIONS), versus])

    def _as_verdict(self, said: Heads) -> Readings:
        """Read “is A more expensive than B” as a question for both numbers and a yes or no; “how much more expensive is
        A than B” as a question for both numbers and their difference.
        """
        by_how_much = any(head.kind == "cmp" and head.noun == "difference" for head in said.heads)
        how, named = said.values("cmp")[0]
        second: Filter | None = said.values("than")[0]
        measures = self._compared_measures(said, named)
        if len(measures) > 1 or len(said.values("noun")) > 1:
            return []
        first = [f for noun in said.values("noun") for f in noun.filters]
        first += [f for part in said.mods if part.kind in CONDITIONS for f in part.value]
        if second is None:
            sides = [f for f in first if self._versus(f, negative(f) or f) is not None]
            second = self._positive(negative(sides[0]) or sides[0]) if len(sides) == 1 else None
        if second is not None:
            second = self._positive(second)
            first = [self._positive(f) for f in first]
            sides = [f for f in first if (made := self._versus(f, second)) is not None and made.value[1]]
        if len(sides) != 1:
            return []
        versus = None if second is None else self._versus(sides[0], second)
        if versus is None:
            return []
        rest = tuple(f for f in first if f is not sides[0])
        mods = [part for part in said.mods if part.kind not in CONDITIONS]
        asked: Any = "more" if how.direction > 0 else "less"
        asked = "difference" if by_how_much else asked
        ways = self._compared_ways(how, measures, said.has("said mean"), is_time(versus.value[0], self.table))
        if not measures and not how.columns and not how.counts:
            ways = [way for noun in said.values("noun") if noun.rows for way in self._done_more(noun)]
        extra = measures[0].filters if measures else ()
        forms = [
            with_filters(self._form(measures=(way,), compares=asked), (*rest, *extra))
            for way in dict.fromkeys(ways)
        ]
        return self._with(forms, [*mods, versus])

    @staticmethod
    def _compared_measures(said: Heads, named: Measures | None) -> list[Measures]:
        """Return the compared measures: at most one, unless the parts of the question do not fit together."""
        measures = [*said.values("measures"), *([named] if named is not None else [])]
        if len(measures) == 2 and measures[0].bare is not None and measures[0].bare == measures[1].bare:
            measures = measures[1:]  # “pay higher fares”
        counted = named is not None and named.bare is None and named.measures
        narrowed = any(one.filters and not counted for one in measures)
        return [*measures, *measures] if narrowed else measures

    def _positive(self, found: Filter) -> Filter:
        """Turn “not a smoker” into the other value, if the column has only two values; other conditions are
        unchanged.
        """
        one = found.any[0]
        column = self.table.column(one.of)
        values = [v for v in column.profile.values if v not in map(str, one.values)]
        if (
            len(found.any) > 1
            or one.compare != "!="
            or len(values) != 1
            or not column.profile.values_complete
        ):
            return found
        return Filter((replace(one, compare="=", values=(values[0],)),))

    def _compared_ways(
        self, how: Adjective, measures: list[Measures], mean: bool, periods: bool
    ) -> list[Measure]:
        if not measures and how.counts:
            return list(self._counts(Noun((), True)))  # “more often”
        if not measures:
            return [Measure("sum" if c.adds is True and periods and not mean else "mean", c.ref)
                    for c in how.columns if c.measure]  # fmt: skip
        found = measures[0]
        if len(found.measures) != 1 or (how.columns and not (found.bare and how.fits(found.bare.column))):
            return []
        if found.bare is None:
            return list(found.measures)
        if mean or found.bare.column.adds is not True:
            return [found.bare.measure("mean")]
        return (
            [found.bare.measure("mean"), found.bare.measure("sum")]
            if not periods
            else [found.bare.measure("sum")]
        )

    def _as_either_of(self, said: Heads) -> Readings:
        """Read “were more boys or girls born?” as a question for both numbers."""
        ref, values = said.values("either")[0]
        measures = [
            *said.values("measures"),
            *(named for _, named in said.values("cmp") if named is not None),
        ]
        if any(subject.refs not in ((), (ref,)) for _, subject in said.values("which")):
            return []
        hows = [how for how, _ in said.values("cmp")] + [how for _, how, _ in said.values("sup")]
        if len(measures) > 1 or len(hows) > 1 or not values:
            return []
        ways = list(measures[0].measures) if measures else []
        bare = measures[0].bare if measures else None
        if bare is not None and bare.column.adds is not True and hows and hows[0].columns:
            ways = [bare.measure("mean")]  # “is the wait longer in A or in B”
        if not ways:
            columns = hows[0].columns if hows else ()
            nouns = said.values("noun")
            ways = [Measure("mean", c.ref) for c in columns if c.measure]
            ways = ways or self._done_more(nouns[0] if nouns else Noun((), True))
        order = Order(0, not hows or hows[0].direction > 0)
        filters = (
            *(f for one in measures for f in one.filters),
            *(f for n in said.values("noun") for f in n.filters),
        )
        forms = [with_filters(self._form(measures=(way,), order=order), filters) for way in ways]
        return self._with(forms, [*said.mods, Part("versus", (ref, values))])
