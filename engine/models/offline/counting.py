"""Rules for numbers, lists of rows and values, and changes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.models.offline.asking import Asking
from engine.models.offline.columns import Column
from engine.models.offline.form import Condition, Filter, Form, Having, Measure, Ref, Window
from engine.models.offline.heads import CONDITIONS, Heads
from engine.models.offline.meanings import Measures, Noun, Part, Readings, Subject
from engine.models.offline.merging import added, with_filters
from engine.models.offline.parser import Costly
from engine.models.offline.schema import is_time
from engine.models.offline.spans import Span

__all__ = ["Counting"]

_COUNTING = frozenset({"how many", "changed", "trend", "whether"})
"""Flags that ask to count rows instead of listing them."""


def _groups(made: Any) -> int:
    form = made.value if isinstance(made, Costly) else made
    return len(form.groups)


class Counting(Asking):
    """The rules for numbers, lists of rows and values, and changes."""

    def _with(self, forms: Sequence[Any], mods: Sequence[Part]) -> Readings:
        found: Readings = []
        for one in forms:
            form, cost = (one.value, one.cost) if isinstance(one, Costly) else (one, 0)
            found += [Costly(made, cost) for made in added(form, _plainly(mods), self.table)]
        return found

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
        if "changed" in said.flags:
            return self._change(said, measures, filters)
        form = with_filters(self._form(measures=measures), filters)
        mods = self._of_event(said.mods, filters)
        if (said.has("window") or "trend" in said.flags) and not said.has("group", "over time", "stepped"):
            mods = [*mods, *self._over_time()[:1]]
        made = self._with([form], mods)
        if (
            len(every) == 1
            and every[0].bare is not None
            and not said.has("said mean", "said sum", "combined")
        ):
            made = [one for one in made if one.value.groups or not _of_itself(one.value)]
            made += [_counted_instead(one) for one in made if _of_itself(one.value)]
        return [one for one in made if _apart(one.value)] if "compare" in said.flags else made

    def _of_event(self, mods: list[Part], filters: tuple[Filter, ...]) -> list[Part]:
        """Read “cancellations by quarter” by the date of cancelling: move times to the date of the counted event."""
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
        """Read “how much did revenue grow from 2022 to 2023”; with groups in time, as the change from one group to the
        next.
        """
        if len(measures) != 1:
            return []
        percent = "percent" in [part.value for part in said.parts if part.kind in ("changed", "how much")]
        if said.has("stepped", "window"):
            more = [Part("percent")] if percent else []
            return self._with([with_filters(self._form(measures=measures), filters)], [*said.mods, *more])
        sides = [part for part in said.mods if part.kind in ("versus", "pair")]
        if sides and not any(part.value[0].grain for part in sides) and "how much" not in said.flags:
            return self._as_numbers(Heads([p for p in said.parts if p.kind not in ("changed", "how")]))
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
        return self._with(forms, mods)

    def _both(self, part: Part) -> Part:
        """Return two compared periods as a condition."""
        if part.kind not in ("versus", "pair") or not part.value[0].grain:
            return part
        return Part("where", (Filter((Condition(part.value[0], "=", part.value[1]),)),))

    def _as_counted(self, said: Heads) -> Readings:
        """A noun for rows: the rows are listed, counted, or counted by groups."""
        noun: Noun = said.values("noun")[0]
        if len(said.values("noun")) > 1 or (
            "how much" in said.flags and not said.flags & {"changed", "trend"}
        ):
            return []  # “how much did they give” asks for no rows
        counted = said.has("window", "stepped", "chart", "group", "over time") or said.flags & _COUNTING
        if counted:
            meant = noun.rows or "how many" in said.flags or (noun.filters and self._only_counted(noun))
            if not meant or self.of_others(noun):
                return []
            measures = Measures(self._counts(noun), filters=noun.filters)
            return self._as_numbers(
                Heads(
                    [
                        *(p for p in said.parts if p.kind not in ("noun", "how many")),
                        Part("measures", measures),
                    ]
                )
            )
        if self.of_others(noun):
            return []
        narrowed = noun.filters or said.has(*CONDITIONS)
        if not noun.rows and "listing" not in said.flags:
            return []
        if not narrowed and not said.has("limit", "limit by", "sort", "only"):
            return []
        return self._with([self._form(show="rows", filters=noun.filters)], said.mods)

    def _as_conditions(self, said: Heads) -> Readings:
        """Read “… missing: how many?” as a question for the number of those rows."""
        if said.flags != {"how many"} or not said.has(*CONDITIONS):
            return []
        nouns = [part.noun for part in said.mods if part.noun]
        others = any(c.of.table for p in said.mods if p.kind in CONDITIONS for f in p.value for c in f.any)
        if others and not nouns:
            return []  # “how many Foundations gave” asks for donors, not for gifts
        counts = self._counts(Noun((), True, nouns[0])) if nouns else (Measure("count"),)
        return self._with([self._form(measures=(one,)) for one in counts], said.mods)

    def _as_labels_listed(self, said: Heads) -> Readings:
        """Read “which stations have …” as a question for rows, for the values of a column, or for groups that meet a
        condition on a number.
        """
        if len(said.heads) > 1:
            return self._columns_listed(said)
        limit, subject = said.values("which")[0] if said.values("which") else (None, said.values("label")[0])
        if "repeated" in said.flags:
            return [self._form(show="duplicates", columns=subject.refs)] if len(subject.refs) == 1 else []
        asks = said.values("which") or {"listing", "what"} & said.flags or said.has("having")
        if limit is not None or not asks:
            return []
        if said.has("chart") and said.has("group", "over time") and subject.refs:
            form = self._form(measures=(Measure("count"),), groups=subject.refs, filters=subject.filters)
            return self._with([form], said.mods)
        having = [part.value for part in said.mods if part.kind == "having"]
        rest = [part for part in said.mods if part.kind != "having"]
        if having:
            return self._held(subject, having, rest)
        if subject.rows and (subject.filters or said.has(*CONDITIONS)):
            return self._with([self._form(show="rows", filters=subject.filters)], rest)
        if len(subject.refs) != 1:
            return []
        column = self.table.column(subject.refs[0])
        able = column.label and not column.measure and (column.role != "date")
        form = self._form(show="values", columns=(column.ref,), filters=subject.filters)
        held = self._totals_held(subject, column, rest)
        return [*(self._with([form], rest) if able else []), *held]

    def _totals_held(self, subject: Subject, column: Column, mods: Sequence[Part]) -> Readings:
        """Read “which regions had more than 400,000 births” also as a condition on the sum of a region's rows, if it
        has several.
        """
        alone = [part for part in mods if part.compares_alone]
        if len(alone) != 1 or 2 * column.profile.distinct > column.rows:
            return []
        condition = alone[0].value[0].any[0]
        if condition.other is not None or self.table.column(condition.of).adds is not True:
            return []
        having = [(Measure("sum", condition.of), condition.compare, condition.values[0])]
        return self._held(subject, having, [part for part in mods if part is not alone[0]])

    def _columns_listed(self, said: Heads) -> Readings:
        """Read “list dates and stations where …” as a question for the rows with only these columns."""
        subjects = [*said.values("label"), *(subject for _, subject in said.values("which"))]
        if "listing" not in said.flags or not said.has(*CONDITIONS) or any(s.filters for s in subjects):
            return []
        refs = tuple(dict.fromkeys(replace(ref, grain="") for subject in subjects for ref in subject.refs))
        return self._with([self._form(show="rows", columns=refs)], said.mods)

    def _held(self, subject: Subject, having: list[Any], mods: Sequence[Part]) -> Readings:
        if not subject.refs:
            return []
        measures = tuple(dict.fromkeys(measure for measure, _, _ in having))
        conditions = tuple(Having(measures.index(m), how, float(value)) for m, how, value in having)
        form = self._form(measures=measures, groups=subject.refs, having=conditions, filters=subject.filters)
        # “… in every year” asks for regions for which it holds each year, and not for years
        return [made for made in self._with([form], mods) if _groups(made) == len(subject.refs)]

    def _as_special(self, said: Heads) -> Readings:
        if len(said.values("form")) > 1:
            return []
        form = said.values("form")[0]
        mods = [*said.mods, *([Part("counted")] if "how many" in said.flags else [])]
        return self._with([form], mods)

    def _as_grouped_labels(self, said: Heads) -> Readings:
        """Read “each region with its revenue” as a question for the number of each region."""
        subject: Subject = said.values("label")[0]
        kinds = [part.kind for part in said.parts]
        if len(said.values("label")) > 1 or "listing" not in kinds[: kinds.index("label")]:
            return []  # “how many gifts did donors give” asks for one number
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
    return bool(form.groups) or not any(
        c.compare == "=" and len(c.values) > 1 for f in form.filters for c in f.any
    )


def _plainly(mods: Sequence[Part]) -> tuple[Part, ...]:
    """Return conditions of every kind as plain conditions."""
    return tuple(replace(part, kind="where") if part.kind in CONDITIONS else part for part in mods)
