"""The grammar's functions for the subject of a question: numbers, rows, superlatives, shares."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from engine.models.offline.adjectives import Adjective
from engine.models.offline.amounts import Number
from engine.models.offline.columns import Column
from engine.models.offline.comparing_said import ComparingSaid
from engine.models.offline.form import Filter, Measure, Ref
from engine.models.offline.meanings import Measures, Noun, Part, Readings, Subject
from engine.models.offline.money import main_amount
from engine.models.offline.parser import Costly
from engine.models.offline.row_nouns import means_rows
from engine.models.offline.vocabulary import words
from engine.models.offline.words import base_forms

__all__ = ["Asking"]

_MANY = frozenset({"most", "fewest", "least"})
_ATTRIBUTES = words("attributes in plural")
_COUNTABLE = _MANY | {"highest", "largest", "greatest", "lowest", "biggest", "smallest"}
_LARGEST = frozenset({"largest", "biggest", "highest", "greatest", "smallest", "lowest"})
_PERSONS = words("persons")


def _names_people(column: Column) -> bool:
    """Whether a text column names people: `agent`, `player_name`, `name`, but not `product_name`."""
    own = set(column.all_words) - {"name", "first", "last", "full", "id", "code"}
    return bool(_PERSONS & own) if own else "name" in column.all_words


class Asking(ComparingSaid):
    """The grammar's functions for the subject of a question."""

    def _which(self, number: Number | None, subject: Subject) -> Part | None:
        limit = None if number is None else self._count(number)
        return None if number is not None and limit is None else Part("which", (limit, subject))

    def _which_grain_in(self, grain: str, period: Any) -> Readings:
        """Read “in which month of 2023”."""
        return [
            Part("which", (None, Subject((ref,), (found,))))
            for found in self._periods("=", (period,))
            for ref in self._grain_refs(grain)
            if found.any[0].of.column == ref.column
        ]

    def _grained(self, grain: str) -> list[Part]:
        return [Part("group", (ref,)) for ref in self._grain_refs(grain)]

    def _who(self) -> Readings:
        """Read “who” as the rows if each row is a person; else as a column that names people."""
        texts = [c for c in self.table.columns if c.role == "text"]
        named = [c for c in texts if c.words[-1:] == ("by",) or _names_people(c)]
        if base_forms("person") & self.table.kinds or any(c.naming for c in named):
            return [Part("which", (None, Subject((), (), True, "who")))]
        return [Part("which", (None, Subject((c.ref,), word="who"))) for c in named]

    def _who_agent(self, column: Column) -> Part:
        return Part("which", (None, Subject((column.ref,))))

    def _missing_most(self, how: Adjective, column: Column | None, *_: Hashable) -> Part | None:
        if column is None or how.columns or how.counts:
            return None
        return Part("sup measure", (None, how, Measures((Measure("missing", column.ref),))))

    def _missing_often(self, column: Column, *rest: Any) -> Part | None:
        how = next(one for one in rest if isinstance(one, Adjective))
        return self._missing_most(how, column)

    def _either(self, first: Filter, second: Filter) -> Part | None:
        return self._versus(first, second, "either")

    def _first_of(self, noun: Noun) -> Part | None:
        return Part("ends", ("min", noun)) if noun.rows else None

    def _last_of(self, noun: Noun) -> Part | None:
        return Part("ends", ("max", noun)) if noun.rows else None

    def _first_time(self) -> Part:
        """Read “when did … fly for the first time”."""
        return Part("ends", ("min", Noun((), True)))

    def _last_time(self) -> Part:
        return Part("ends", ("max", Noun((), True)))

    def _subject_rows(self, noun: Noun) -> Subject | Costly:
        found = Subject((), noun.filters, True, noun.word)
        return found if noun.rows else Costly(found, 1)

    def _labels(self, before: tuple[Hashable, ...], refs: tuple[Ref, ...]) -> Subject | None:
        filters = tuple(found for found in before if isinstance(found, Filter))
        if len(filters) != len(before):
            return None
        column = self.table.column(refs[0])
        return Subject(refs, filters, len(refs) == 1 and self.table.names_rows(column))

    def _target(self, column: Column, *_: Hashable) -> Any:
        rows = column.measure and means_rows(column.words[-1], self.table)  # the heaviest baby is a row
        label = None if rows else self._label(column)
        return None if label is None else (label,)

    def _target_of_rows(self, column: Column, *_: Hashable) -> Any:
        """Return the text column whose name follows a word for rows: the column “results” in “inspection results”. None
        for numbers and keys.
        """
        return self._target(column) if column.role == "text" and not column.key else None

    def _target_pair(self, first: Column, second: Column) -> Any:
        if not first.label or not second.label or first is second:
            return None
        return (first.ref, second.ref)

    def _target_route(self, ends: tuple[Column, Column], *_: Hashable) -> tuple[Ref, Ref]:
        """Read “route”, as in “the most popular route”, as the pair of start and end."""
        return ends[0].ref, ends[1].ref

    def _target_grain(self, grain: str) -> Readings:
        if grain == "hour":  # “at what hour do most rides start” is not about one hour of one day
            return _single(self._hour_of_day())
        return _single(self._grain(grain))

    def _target_weekday(self, *_: Hashable) -> Readings:
        return _single(self._weekday())

    def _target_month(self, *_: Hashable) -> Readings:
        return _single(self._month_of_year())

    def _target_hour(self, *_: Hashable) -> Readings:
        return _single(self._hour_of_day())

    def _limit_of(self, *numbers: Number | None) -> tuple[int | None, bool]:
        said = [number for number in numbers if number is not None]
        limit = self._count(said[0]) if len(said) == 1 else None
        return limit, len(said) < 2 and (limit is None) == (not said)

    def _ranked(self, kind: str, how: Adjective, value: Any, *numbers: Number | None) -> Part | None:
        limit, able = self._limit_of(*numbers)
        return Part(kind, (limit, how, value)) if able else None

    def _sup_subject(
        self, one: Number | None, how: Adjective, two: Number | None, subject: Subject
    ) -> Part | None:
        main = main_amount(self.table) if subject.rows and how.word in _LARGEST and not how.columns else None
        how = how if main is None else replace(how, columns=(main,))  # “the largest gift”
        return self._ranked("sup subject", how, subject, one, two)

    def _sup_top(self, number: Number, how: Adjective, subject: Subject) -> Part | None:
        """Read “top 10 best paid majors”."""
        return self._sup_subject(number, how, None, subject) if how.direction > 0 else None

    def _sup_events(self, how: Adjective, column: Column) -> Part | None:
        """Read “the most check-ins” as the most rows that have a date in the column of check-ins."""
        found = self._count_events(column)
        if found is None or how.columns or how.counts or how.word not in _COUNTABLE:
            return None
        return Part("sup measure", (None, how, found))

    def _sup_used(
        self, one: Number | None, how: Adjective, two: Number | None, subject: Subject
    ) -> Part | None:
        """Read “most used launch site” as the launch site with the most rows."""
        counted = replace(how, counts=True)
        return self._sup_subject(one, counted, two, subject) if how.word in _MANY and subject.refs else None

    def _sup_subject_done(
        self, one: Number | None, how: Adjective, two: Number | None, subject: Subject
    ) -> Part | None:
        """Read “the three most frequently launched rockets”."""
        return self._sup_subject(one, how, two, subject) if how.counts else None

    def _sup_measure(
        self, one: Number | None, how: Adjective, two: Number | None, found: Measures
    ) -> Part | None:
        able = {column.ref for column in how.able}
        fits = not able or all(measure.of in able and not measure.operator for measure in found.measures)
        if how.counts or not fits or len(found.measures) != 1:
            return None
        return self._ranked("sup measure", how, found, one, two)

    def _sup_measure_of(self, how: Adjective, before: tuple[Hashable, ...], found: Measures) -> Part | None:
        """Read “the highest refunded amount”."""
        made = self._measures_of(before, found)
        return None if made is None else self._sup_measure(None, how, None, made)

    def _sup_noun(self, how: Adjective, noun: Noun) -> Readings | Part | None:
        """Read “the most gifts” as the most rows and, if the noun can mean money, also as the largest amount. “The
        largest gift” does not ask how many gifts there are, and “the highest expenses” are amounts.
        """
        amounts = self._money_or_rows(noun, [], total=True)
        if amounts and noun.rows and how.word in (*_MANY, "highest", "lowest"):
            parts = [self._sup_measure(None, how, None, one) for one in amounts]
            return [*parts, *([Part("sup noun", (None, how, noun))] if how.word in _MANY else [])]
        able = how.word in _MANY or how.counts or bool(how.columns)
        many = how.word in ("highest", "lowest") and noun.word.endswith("s")
        able = able or (many and main_amount(self.table) is None)
        named = noun.rows or (how.word in _MANY and noun.filters and self._only_counted(noun))
        return Part("sup noun", (None, how, noun)) if named and able else None

    def _only_counted(self, noun: Noun) -> bool:
        """Whether a noun that is a value, such as “furniture”, can only mean rows. “The most furniture” may also mean
        units or sales."""
        counted = {measure.of for measure in self._counts(noun)}
        return all(c.ref in counted for c in self.table.columns if c.measure and c.adds is True)

    def _sup_number(self, how: Adjective, noun: Noun) -> Part | None:
        able = noun.rows and how.word in _COUNTABLE
        return Part("sup noun", (None, how, noun)) if able else None

    def _sup_number_of(self, how: Adjective, column: Column) -> Costly | None:
        """Read “the highest number of spoilt ballots” as the largest sum of that column."""
        able = _is_count(column) and column.adds is None and how.word in _COUNTABLE
        summed = Measures((Measure("sum", column.ref),))
        return Costly(Part("sup measure", (None, how, summed)), -1) if able else None

    def _sup_share_of(self, how: Adjective, found: Measures) -> Part | None:
        """Read “the largest share of revenue” as “the most revenue”."""
        bare = found.bare
        if bare is None or bare.operator or how.columns or how.counts or found.filters:
            return None
        summed = bare.column.adds is not False and self._share_of_everybody(bare.column) is None
        return Part("sup measure", (None, how, Measures((bare.measure("sum"),)))) if summed else None

    def _sup_often(self, how: Adjective) -> Part | None:
        return Part("sup", (None, replace(how, counts=True), None)) if not how.columns else None

    def _sup_most(self, how: Adjective) -> Part | None:
        """Read “which site has been used the most”."""
        return self._sup_often(how) if how.word in _MANY else None

    def _sup_done(self, how: Adjective) -> Readings:
        """Read “which rep invoiced the most” as the rep with the most rows, or with the largest amount."""
        if how.columns or how.word not in _MANY:
            return []
        main = main_amount(self.table)
        most = [] if main is None else [("sup measure", Measures((Measure("sum", main.ref),)), how)]
        return [
            Part(kind, (None, by, value))
            for kind, value, by in (*most, ("sup", None, replace(how, counts=True)))
        ]

    def _selling(
        self, one: Number | None, two: Number | None, subject: Subject, sign: int = 1
    ) -> Part | None:
        """Read “best selling items”, ranked by the measure that the rest of the question mentions."""
        return self._ranked("sup subject", Adjective("sup", sign), subject, one, two)

    def _selling_least(self, one: Number | None, two: Number | None, subject: Subject) -> Part | None:
        return self._selling(one, two, subject, -1)

    def _sup(self, one: Number | None, how: Adjective) -> Part | None:
        return self._ranked("sup", how, None, one)

    def _top(self, number: Number, subject: Subject | None, sign: int = 1) -> Part | None:
        limit = self._count(number)
        return None if limit is None else Part("top", (limit, sign, subject))

    def _bottom(self, number: Number, subject: Subject | None) -> Part | None:
        return self._top(number, subject, -1)

    def _top_ten(self, subject: Subject) -> Part:
        return Part("top", (10, 1, subject))

    def _busiest_for(self, found: Measures) -> Part | None:
        """Read “busiest for bicycles” as “with the most bicycles”."""
        if found.bare is None or found.bare.operator or found.bare.column.adds is False or found.filters:
            return None
        most = Adjective("sup", 1, word="most")
        return Part("sup measure", (None, most, Measures((found.bare.measure("sum"),))))

    def _by_measure(self, found: Measures) -> Part | None:
        return None if found.filters or len(found.measures) != 1 else Part("by", (1, found))


def _is_count(column: Column) -> bool:
    """Whether “the highest number of …” asks for a sum of the column (spoilt ballots), and not for a single value
    (bedrooms)."""
    last = column.words[-1] if column.words else ""
    plural = last.endswith("s") and len(base_forms(last)) > 1 and not base_forms(last) & _ATTRIBUTES
    return column.measure and column.whole and plural


def _single(readings: Readings) -> Readings:
    return [replace(one, value=(one.value,)) if isinstance(one, Costly) else (one,) for one in readings]
