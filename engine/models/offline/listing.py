"""Rules for lists of rows, of values, and of groups that meet a condition on a number."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.models.offline.asking import Asking
from engine.models.offline.columns import Column
from engine.models.offline.form import Filter, Form, Having, Measure, Ref
from engine.models.offline.heads import CONDITIONS, Heads
from engine.models.offline.meanings import Part, Readings, Subject, one
from engine.models.offline.merging import added
from engine.models.offline.parser import Costly
from engine.models.offline.people import person_names
from engine.models.offline.row_nouns import is_row_noun, numbers_rows
from engine.models.offline.vocabulary import words
from engine.models.offline.words import base_forms

__all__ = ["Listing"]

_TITLES = (("name",), ("title",))
_PLACES = words("places")

_MOST_CATEGORIES = 50
_OUTCOMES = frozenset(
    {"result", "outcome", "status", "state", "verdict", "decision", "grade", "priority", "severity", "level", "type",
     "reason", "method", "mode", "channel", "gender", "sex"}
)  # fmt: skip
"""Last words in the names of columns that say something about a row, and do not name things that could be counted."""


def _is_category(column: Column) -> bool:
    """Whether a column has only a few different texts, each in many rows."""
    few = column.profile.distinct <= _MOST_CATEGORIES and 3 * column.profile.distinct <= column.rows
    return column.role == "text" and few and not column.key


def _groups(made: Any) -> int:
    form = made.value if isinstance(made, Costly) else made
    return len(form.groups)


class Listing(Asking):
    """The rules for lists of rows, of values, and of groups that meet a condition on a number."""

    def _with(self, forms: Sequence[Any], mods: Sequence[Part]) -> Readings:
        found: Readings = []
        for given in forms:
            form, cost = (given.value, given.cost) if isinstance(given, Costly) else (given, 0)
            found += [Costly(made, cost) for made in added(form, _plainly(mods), self.table)]
        return found

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
        crossed = [] if said.values("which") else self._crossed(said, subject)
        if limit is not None or not asks or crossed:
            return crossed if limit is None else []
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

    def _crossed(self, said: Heads, subject: Subject) -> Readings:
        """Read “results by district” as the number of rows by result and district. “Cuisines by district” may also ask
        how many different cuisines there are.
        """
        groups = [ref for part in said.mods if part.kind == "group" for ref in part.value]
        if len(subject.refs) != 1 or not groups or subject.refs[0] in groups or said.has("having"):
            return []
        column = self.table.column(subject.refs[0])
        labels = [self.table.column(ref) for ref in groups if not ref.grain]
        if not all(_is_category(one) for one in (column, *labels)):
            return []
        counts = self._form(measures=(Measure("count"),), groups=subject.refs, filters=subject.filters)
        made = self._with([counts], said.mods)
        if _OUTCOMES & set(column.words[-1:]):
            return made
        distinct = Measure("distinct", column.ref)
        return [*made, *self._with([self._form(measures=(distinct,), filters=subject.filters)], said.mods)]

    def _totals_held(self, subject: Subject, column: Column, mods: Sequence[Part]) -> Readings:
        """Read “which regions had more than 400,000 births” also as a condition on the sum of a region's rows, if
        regions have several rows.
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

    def _naming_columns(self, *wanted: Column) -> tuple[Ref, ...]:
        """Return the columns that identify a row, then the `wanted` columns."""
        able = [c for c in self.table.columns if c.naming or c.key]
        able.sort(key=lambda c: (c.words[-1:] not in (*_TITLES, ("model",)), c.key))
        titled = [c for c in self.table.columns if c.words[-1:] in _TITLES and not c.table]
        titled = [c for c in titled if any(is_row_noun(word, self.table) for word in c.words[:-1])]
        unnamed = not any(c.naming and not c.key for c in able)
        names = [*(titled[:1] if unnamed else []), *able[:1]]
        dates = [c for c in self.table.columns if c.role == "date"][:1]
        if called := person_names(self.table):
            names, dates = list(called), []
        numbers = [c for c in self.table.columns if set(c.words[:1]) & self.table.nouns and numbers_rows(c)]
        labels = [] if names else [*numbers, *(c for c in self.table.columns if c.role == "text")][:3]
        return tuple(dict.fromkeys(c.ref for c in (*names, *labels, *dates, *wanted)))

    def _named(self, refs: tuple[Ref, ...]) -> tuple[Filter, ...]:
        """Return conditions that exclude rows without a value in the named columns, as for “which directors”."""
        columns = [self.table.column(ref) for ref in refs]
        return tuple(one(column, "present") for column in columns if column.profile.missing)

    def _held(self, subject: Subject, having: list[Any], mods: Sequence[Part]) -> Readings:
        if not subject.refs:
            return []
        measures = tuple(dict.fromkeys(measure for measure, _, _ in having))
        conditions = tuple(Having(measures.index(m), how, float(value)) for m, how, value in having)
        filters = (*subject.filters, *self._named(subject.refs))
        form = self._form(measures=measures, groups=subject.refs, having=conditions, filters=filters)
        # “… in every year” asks for regions that meet the condition each year, not for years
        return [made for made in self._with([form], mods) if _groups(made) == len(subject.refs)]

    def _stands_for_a_thing(self, word: str) -> bool:
        """Return whether a noun for rows names a thing that has several rows: a building, with a row for each month."""
        named = (c for c in self.table.columns if c.words[-1:] in (*_TITLES, ("id",)) and not c.table)
        same = (c for c in named if len(c.words) == 2 and c.words[0] in base_forms(word))
        key = self.of_lines()
        line = key is not None and bool(set(key.words) & base_forms(word))
        return line or any(2 * c.profile.distinct <= c.rows for c in same)

    def _located(self, forms: Sequence[Form]) -> list[Form]:
        """Read “where was …” as rows with the columns that contain places; return no forms if there are no such
        columns."""
        places = tuple(c.ref for c in self.table.columns if c.role == "text" and _PLACES & set(c.words))
        if not places:
            return []
        return [
            replace(f, columns=tuple(dict.fromkeys((*f.columns, *places))) if f.columns else ())
            for f in forms
        ]


def _plainly(mods: Sequence[Part]) -> tuple[Part, ...]:
    """Return conditions of every kind as plain conditions."""
    return tuple(replace(part, kind="where") if part.kind in CONDITIONS else part for part in mods)
