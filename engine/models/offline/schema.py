"""The analyst's view of tables: their columns, time columns, and nouns for their rows."""

import datetime as dt
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import PurePosixPath

from engine.models.offline.columns import Column, columns_of
from engine.models.offline.form import FormError, Grain, Join, Ref
from engine.models.offline.quoting import seconds_in
from engine.models.offline.spans import Span, span_between, span_meant
from engine.models.offline.vocabulary import KINDS, words
from engine.models.offline.words import base_forms, name_words, related, same_family
from engine.workspace.table_facts import TableProfile

__all__ = ["RECURRING", "Table", "is_time", "single"]

_SHORT = words("no file nouns")
"""Words in the names of files that are not nouns for rows."""
_TAILS = ("name", "id", "type", "number", "code")
"""Last words of column names such as `store_name` and `store_type`. The values name or classify the stores."""
_MOST_DAYS = 2_000
RECURRING = ("month of year", "quarter of year", "weekday", "part of week", "hour of day", "day of month")
_MASSES = words("masses of money")
_BOTH_SEXES = ({"men", "women"}, {"male", "female"}, {"boy", "girl"})
_DURATION = frozenset({"duration", "time", "total", "elapsed"})
_STARTS = words("starts")
_ENDS = words("ends")
_CREATED = words("verbs of creation")
_PERSONS = words("persons")
_OF_PEOPLE = frozenset({"birth", "birthdate", "dob", "surname", "forename", "given"})
"""Words of columns that only people have."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table, or two joined tables, prepared for questions."""

    profile: TableProfile
    columns: tuple[Column, ...]
    joins: tuple[Join, ...] = ()
    others: tuple[TableProfile, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """The table's name in SQL."""
        return self.profile.name

    @cached_property
    def nouns(self) -> frozenset[str]:
        """The words in the names of the table and its file, as nouns for its rows."""
        source = self.profile.source
        stem = PurePosixPath(self.profile.path).name.split(".")[0]
        words = name_words(source.table) if source is not None else name_words(self.name) + name_words(stem)
        words = tuple(word for word in words if not self._sorts(word, head=word == words[-1]))
        return frozenset(
            form
            for word in words
            if len(word) > 1 and word not in _SHORT | _MASSES and not word.isdigit()
            for form in base_forms(word)
        )

    def _sorts(self, word: str, *, head: bool) -> bool:
        """Whether a word does not mean the rows, because it is the name of a column with repeated values: rows of
        `store_sales` are not stores if there is a column `store` or `store_id`. The last word (`head`) still means the
        rows, unless there is a column of such names: `hotel_name` in `hotel`.
        """
        names = ((word, "name"),) if head else ((word,), *((word, tail) for tail in _TAILS))
        named = (c for c in self.columns if c.words in names and (c.role == "text" or c.key) and not c.table)
        return any(2 * c.profile.distinct <= self.profile.rows for c in named)

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Nouns for the rows, derived from the columns: people have an age, cars have cylinders."""
        words = {word for column in self.columns for word in column.words}
        others = {column.words[-1] for column in self.columns if self._of_others(column)}
        found = {
            noun
            for least, needed, nouns in KINDS
            if len(words & needed) >= least and (least > 1 or not words & needed <= others)
            for noun in nouns
        }
        if self.nouns & _PERSONS and (words & _OF_PEOPLE or {"first", "last"} <= words):
            found |= {"person", "people"}
        for column in self.columns:
            if (
                column.role == "date"
                and column.profile.distinct == self.profile.rows
                and len(self.dates) == 1
            ):
                found |= {"day", "date"} if _daily(column) else set()
        return frozenset(found)

    def _of_others(self, column: Column) -> bool:
        """Whether a column describes something other than the row itself: `PI Gender`, in a table of grants."""
        return len(column.words) == 2 and column.words[0] not in self.nouns

    @cached_property
    def dates(self) -> tuple[Column, ...]:
        """The date columns."""
        return tuple(column for column in self.columns if column.role == "date")

    @cached_property
    def times(self) -> tuple[Column, ...]:
        """The columns to which a year or month without a column name may refer: dates, preferably of a start; else
        years."""
        own = [c for c in self.dates if not c.table] or self.dates
        if len(own) > 1:
            main = [c for c in own if not _ENDS & set(c.all_words)]
            starts = [c for c in main if (_STARTS | _CREATED) & set(c.all_words)]
            named = [
                c for c in main if any(same_family(word, noun) for word in c.words for noun in self.nouns)
            ]
            if not starts and len(named) == 1:
                return tuple(named)  # `date_serviced`, in `equipment_service`, and not `purchase_date`
            return tuple(starts if len(starts) == 1 else main or own)
        return tuple(own) or tuple(column for column in self.columns if column.year)

    def counting(self, word: str) -> Column | None:
        """Return the column that says how many of the things `word` each row has; None if there is no such column."""
        able = [c for c in self.columns if c.measure and c.whole and not c.table]
        named = [
            c for c in able
            if len(c.things) == 1 and related(word, c.things[0]) is not None and (c.adds or c.things != c.words)
        ]  # fmt: skip
        counts = [
            c
            for c in able
            if not c.things
            or (c.adds and len(c.words) == 1 and base_forms(c.words[0]) & self.nouns)
            or (len(c.things) == 1 and self.nouns <= base_forms(c.things[0]))
        ]
        found = named or counts
        return found[0] if len(found) == 1 else None

    @cached_property
    def everybody(self) -> Column | None:
        """The column with the number of people in each row, `Total`, beside columns with the men and the women."""
        counts = [c for c in self.columns if c.measure and c.whole and not c.table]
        named = {c.words[-1].removesuffix("s") for c in counts}
        totals = [c for c in counts if c.words[0] == "total"]
        both = any(pair <= named for pair in _BOTH_SEXES)
        return totals[0] if both and len(totals) == 1 else None

    def names_rows(self, column: Column) -> bool:
        """Return whether a column's texts name the rows. For example, a `customer` column does not name the rows of a
        table that has an `order_id` if some customers have several orders.
        """
        if not column.naming or column.profile.distinct >= 0.95 * (column.rows - column.profile.missing):
            return column.naming
        own = any(base_forms(word) & (self.nouns | self.kinds) for word in column.words)
        return own or not any(c.key and c.profile.distinct == c.rows for c in self.columns)

    @cached_property
    def tells_new(self) -> bool:
        """Whether a column or value distinguishes new rows, as in a table of new and used cars. If not, each row was
        “new” on its date.
        """
        return any("new" in (*c.words, *map(str.lower, c.profile.values)) for c in self.columns)

    @cached_property
    def span(self) -> Span | None:
        """The meaning of “duration” if no column has that name: the time between two date columns."""
        said = _DURATION | self.nouns | self.kinds
        named = (
            c for c in self.columns if c.measure and not c.table and {*c.words, *c.spelled} & {"duration"}
        )
        return None if any(set(c.spelled or c.words) <= said for c in named) else span_meant(self.columns)

    def time_groups(self) -> tuple[Ref, ...]:
        """Return the groups that “over time” means: days; if there are too many days, months or years."""
        return tuple(
            replace(column.ref, grain=_grain_over(column)) if column.role == "date" else column.ref
            for column in self.times
        )

    def column(self, ref: Ref) -> Column:
        """Return the column that a form names; raise FormError if there is no such column."""
        for column in self.columns:
            if column.name == ref.column and column.table in (
                ref.table,
                "" if ref.table == self.name else ref.table,
            ):
                if ref.width and not column.measure:
                    raise FormError(
                        f"{ref.column} is not a column of numbers, so it cannot be divided into steps."
                    )
                if ref.unit and not ref.until and (not column.unit or seconds_in(column.name) is None):
                    raise FormError(f"{ref.column} has no unit of time, so it cannot be shown in {ref.unit}.")
                return self._until(column, ref) if ref.until else column
        raise FormError(f"The table {ref.table or self.name} has no column {ref.column}.")

    def _until(self, start: Column, ref: Ref) -> Column:
        span = span_between(start, self.column(Ref(ref.until, ref.table)), ref.unit)
        if span is None:
            raise FormError(
                f"The time from {ref.column} to {ref.until} cannot be computed: both must be dates."
            )
        return span


def _daily(column: Column) -> bool:
    """Whether most days between the first and the last have a row."""
    try:
        first, last = (
            dt.date.fromisoformat(str(end)[:10]) for end in (column.profile.minimum, column.profile.maximum)
        )
    except ValueError:
        return False
    return column.rows >= 0.9 * ((last - first).days + 1)


def _grain_over(column: Column) -> Grain:
    try:
        first, last = (
            dt.date.fromisoformat(str(end)[:10]) for end in (column.profile.minimum, column.profile.maximum)
        )
    except ValueError:
        return "day"
    days = (last - first).days
    return "day" if days <= _MOST_DAYS else "month" if days <= 30 * _MOST_DAYS else "year"


@lru_cache(maxsize=64)
def single(profile: TableProfile) -> Table:
    """Return a table that is not joined to another table."""
    return Table(profile, columns_of(profile))


def is_time(ref: Ref, table: Table) -> bool:
    """Return whether groups of this column follow each other in time."""
    if ref.grain in (*RECURRING, "presence"):
        return False
    return bool(ref.grain) or table.column(ref).role == "date" or table.column(ref).year
