"""Rules for numbers, counts and changes."""

from dataclasses import replace
from typing import Any

from engine.models.offline.form import Condition, Filter, Form, Measure, Ref, Window
from engine.models.offline.heads import CONDITIONS, Heads
from engine.models.offline.listing import Listing
from engine.models.offline.meanings import Measures, Noun, Part, Readings, Subject, either
from engine.models.offline.merging import with_filters
from engine.models.offline.parser import Costly
from engine.models.offline.schema import RECURRING, is_time
from engine.models.offline.spans import Span

__all__ = ["Counting"]

_COUNTING = frozenset({"how many", "changed", "trend", "whether"})
"""Flags that ask to count rows instead of listing them."""


class Counting(Listing):
    """The rules for numbers, counts and changes."""

    def _as_numbers(self, said: Heads) -> Readings:
        every = said.values("measures")
        filters = every[0].filters
        if any(one.filters != filters for one in every):
            return []
        if "how many" in said.flags and any(m.aggregate != "missing" for one in every for m in one.measures):
            return []
        share = any(part.kind == "how much" and part.value == "percent" for part in said.parts)
        if share and "changed" not in said.flags and not said.has("window", "stepped"):
            return []  # “… and what percent is that” asks for more
        measures = tuple(m for one in every for m in one.measures)
        if len(every) == 1 and every[0].bare is not None and said.adds_up:
            if every[0].bare.column.adds is False and not isinstance(every[0].bare.column, Span):
                return []  # there is no running total of temperatures
            measures = (every[0].bare.measure("sum"),)
        if len(every) == 1 and every[0].bare is not None and said.has("added up"):
            measures = (every[0].bare.measure("sum"),)  # “what do all the salaries add up to”
        if "changed" in said.flags:
            return self._change(said, measures, filters)
        form = with_filters(self._form(measures=measures), filters)
        mods = self._of_event(said.mods, filters)
        if (said.has("window") or "trend" in said.flags) and not said.has("group", "over time", "stepped"):
            mods = [*mods, *self._over_years(mods)]
        made = self._with([form], mods)
        if (
            len(every) == 1
            and every[0].bare is not None
            and not said.has("said mean", "said sum", "combined")
        ):
            made = [one for one in made if one.value.groups or not _of_itself(one.value)]
            made += [_counted_instead(one) for one in made if _of_itself(one.value)]
        return [one for one in made if _apart(one.value)] if "compare" in said.flags else made

    def _over_years(self, mods: list[Part]) -> list[Part]:
        """Group “develop from 2016 to 2023” by year; without a range of years, group in the same way as “over time”."""
        timed = self._over_time()[:1]
        every = [c for part in mods if part.kind in CONDITIONS for f in part.value for c in f.any]
        spans = {c.of for c in every if c.compare == "between" and c.of.grain == "year"}
        refs = [ref for part in timed for ref in part.value if replace(ref, grain="year") in spans]
        return [Part("over time", (replace(ref, grain="year"),)) for ref in refs] or timed

    def _of_event(self, mods: list[Part], filters: tuple[Filter, ...]) -> list[Part]:
        """Read “cancellations by quarter” by the date of cancelling: use the date column of the counted event for all
        times."""
        events = [f.any[0].of.column for f in filters if f.any[0].compare == "present"]
        times = {c.name for c in self.table.times if c.role == "date"}
        if len(events) != 1 or events[0] in times:
            return mods

        def moved(ref: Ref) -> Ref:
            return replace(ref, column=events[0]) if ref.column in times else ref

        def timed(part: Part) -> Part:
            if part.kind in ("group", "over time"):
                return replace(part, value=tuple(moved(ref) for ref in part.value))
            if part.kind not in CONDITIONS:
                return part
            every = (Filter(tuple(replace(c, of=moved(c.of)) for c in f.any)) for f in part.value)
            return replace(part, value=tuple(every))

        return [timed(part) for part in mods]

    def _timed(self, part: Part) -> bool:
        return (
            part.kind in ("group", "over time") and any(is_time(ref, self.table) for ref in part.value)
        ) or part.kind == "stepped"

    def _change(self, said: Heads, measures: tuple[Measure, ...], filters: tuple[Filter, ...]) -> Readings:
        """Read “how much did revenue grow from 2022 to 2023” as the change between the two years; with groups in time,
        as the change from one group to the next.
        """
        if len(measures) != 1:
            return []
        percent = "percent" in [part.value for part in said.parts if part.kind in ("changed", "how much")]
        if said.has("stepped", "window"):
            more = [Part("percent")] if percent else []
            return self._with([with_filters(self._form(measures=measures), filters)], [*said.mods, *more])
        sides = [part for part in said.mods if part.kind in ("versus", "pair")]
        if any(isinstance(value, Condition) for part in sides for value in part.value[1]):
            return []  # a change between two ranges of time is not a change from year to year
        if sides and not any(part.value[0].grain for part in sides) and "how much" not in said.flags:
            return self._as_numbers(Heads([p for p in said.parts if p.kind not in ("changed", "how")]))
        if (each := self._change_of_each(said, measures, filters, percent=percent)) is not None:
            return each
        timed = [part for part in said.mods if self._timed(part)]
        form = with_filters(self._form(measures=measures), filters)
        if timed and not said.flags & {"how", "how much", "whether"}:
            step = Window("percent change" if percent else "change")
            return self._with([form], [Part("window", step), *said.mods])
        if timed or ("how" in said.flags and said.has("group", "over time")):
            return self._with([form], said.mods)
        mods = [self._both(part) for part in said.mods]
        forms = [
            self._form(show="change", measures=measures, columns=(c.ref,), filters=filters)
            for c in self.table.times
        ]
        made = self._with(forms, mods)  # “June” of several years is not earlier than “July”
        return [one for one in made if not any(ref.grain in RECURRING for ref in one.value.columns)]

    def _change_of_each(
        self, said: Heads, measures: tuple[Measure, ...], filters: tuple[Filter, ...], *, percent: bool
    ) -> Readings | None:
        """Read “how much did the score of each hotel change from 2021 to 2023” as the scores of both years, with the
        change between them for each hotel. None unless the question names one group and two periods.
        """
        groups = [part for part in said.mods if part.kind == "group"]
        ends = [(part, both) for part in said.mods if (both := self._two_periods(part)) is not None]
        able = (
            len(groups) == len(ends) == 1 and not self._timed(groups[0]) and said.flags & {"how much", "how"}
        )
        if not able:
            return None
        period, (ref, found) = ends[0]
        rest = [part for part in said.mods if part is not period and part is not groups[0]]
        step = Part("window", Window("percent change" if percent else "change"))
        form = with_filters(self._form(measures=measures, groups=(*groups[0].value, ref)), (*filters, found))
        return self._with([form], [*rest, step])

    def _two_periods(self, part: Part) -> tuple[Ref, Filter] | None:
        """Return the time column of two periods such as “from 2021 to 2023”, and a condition that selects rows in
        either of them; None if the part does not name two periods.
        """
        if part.kind in ("versus", "pair"):
            ref, values = part.value
        elif part.kind in CONDITIONS and len(part.value) == 1 and len(part.value[0].any) == 1:
            condition = part.value[0].any[0]
            ref, values = condition.of, condition.values if condition.compare in ("between", "=") else ()
        else:
            return None
        timed = is_time(ref, self.table) and len(values) == 2
        return (ref, either(ref, values)) if timed else None

    def _both(self, part: Part) -> Part:
        """Turn two compared periods into a condition; other parts are unchanged."""
        if part.kind not in ("versus", "pair") or not part.value[0].grain:
            return part
        return Part("where", (either(*part.value),))

    def _as_counted(self, said: Heads) -> Readings:
        """Read a noun that stands for rows, such as “orders”, as a list of the rows, or as their number, perhaps by
        group.
        """
        noun: Noun = said.values("noun")[0]
        if len(said.values("noun")) > 1 or (
            "how much" in said.flags and not said.flags & {"changed", "trend"}
        ):
            return []  # “how much did they give” does not ask for rows
        counted = (
            said.has("window", "stepped", "chart", "group", "by values", "over time")
            or said.flags & _COUNTING
        )
        if counted:
            meant = noun.rows or "how many" in said.flags or (noun.filters and self._only_counted(noun))
            if not meant or self.of_others(noun):
                return []
            rest = [p for p in said.parts if p.kind not in ("noun", "how many")]
            ways: Readings = [Measures(self._counts(noun), filters=noun.filters)]
            if "how many" not in said.flags:
                ways = self._money_or_rows(noun, ways)
            return [one for way in ways for one in self._as_numbers(Heads([*rest, Part("measures", way)]))]
        if self.of_others(noun):
            return []
        narrowed = noun.filters or said.has(*CONDITIONS)
        if not noun.rows and "listing" not in said.flags:
            return []
        if not narrowed and not said.has("limit", "limit by", "sort", "only"):
            return []
        return self._with([self._form(show="rows", filters=noun.filters)], said.mods)

    def _as_conditions(self, said: Heads) -> Readings:
        """Read “… missing: how many?” as a question for the number of rows that meet the conditions."""
        if said.flags != {"how many"} or not said.has(*CONDITIONS, "versus"):
            return []
        nouns = [part.noun for part in said.mods if part.noun]
        others = any(c.of.table for p in said.mods if p.kind in CONDITIONS for f in p.value for c in f.any)
        if others and not nouns:
            return []  # “how many Foundations gave” asks for donors, not for gifts
        rows = any((part.kind, part.value) == ("how many", "rows") for part in said.parts)
        counts = self._counts(Noun((), True, nouns[0] if nouns else "rows" if rows else ""))
        return self._with([self._form(measures=(one,)) for one in counts], said.mods)

    def _as_special(self, said: Heads) -> Readings:
        if len(said.values("form")) > 1:
            return []
        form = said.values("form")[0]
        mods = [*said.mods, *([Part("counted")] if "how many" in said.flags else [])]
        return self._with([form], mods)

    def _as_grouped_labels(self, said: Heads) -> Readings:
        """Read “each region with its revenue” as the revenue by region."""
        subject: Subject = said.values("label")[0]
        kinds = [part.kind for part in said.parts]
        if len(said.values("label")) > 1 or "listing" not in kinds[: kinds.index("label")]:
            return []  # “how many gifts did donors give” asks for one number
        every = [m.aggregate for one in said.values("measures") for m in one.measures]
        if "which" in [part.value for part in said.parts] and {"max", "min"} & {*every}:
            return []  # “which rocket carried the heaviest payload, and how heavy was it” asks for one rocket
        found = self._as_numbers(Heads([part for part in said.parts if part.kind != "label"]))
        return [
            replace(one, value=with_filters(replace(one.value, groups=(*subject.refs, *one.value.groups)),
                                            subject.filters), cost=one.cost + 2)
            for one in found if isinstance(one, Costly) and one.value.show == "numbers"
        ]  # fmt: skip


def _of_itself(form: Form) -> bool:
    """Whether a condition compares a column that is also measured: “animals aged under 6” names an age, but does not
    ask for its average.
    """
    of = {measure.of for measure in form.measures}
    compared = (c for f in form.filters for c in f.any if c.compare not in ("present", "missing"))
    return any(c.of in of for c in compared)


def _counted_instead(one: Any) -> Costly:
    """Return a reading that counts rows instead: “delays over 10 minutes by cause” may also ask how many there are."""
    return Costly(replace(one.value, measures=(Measure("count"),)), one.cost)


def _apart(form: Form) -> bool:
    """Whether each of the compared things has its own number, instead of one number for all of them."""
    several = (c.of for f in form.filters for c in f.any if c.compare == "=" and len(c.values) > 1)
    return all(any(ref.column == of.column for ref in form.groups) for of in several)
