"""Tables and columns as the analyst sees them: roles, words, and what a sum of a column means."""

import datetime as dt
import re
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

from engine.models.offline.form import FormError, Grain, Join, Ref
from engine.models.offline.vocabulary import ADDS, AVERAGES, KINDS, MONTHS, SHORT_WORDS, UNITS, WEEKDAYS
from engine.models.offline.words import bare_name, base_forms, name_words, number_of, related
from engine.workspace.table_facts import ColumnProfile, TableProfile

__all__ = ["Column", "Table", "columns_of", "single"]

Role: TypeAlias = Literal["number", "text", "date", "flag", "other"]

_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT",
            "FLOAT", "DOUBLE", "DECIMAL")  # fmt: skip
_YES = frozenset({"yes", "y", "true", "t", "1"})
_NO = frozenset({"no", "n", "false", "f", "0"})
_KEYS = frozenset(
    {"id", "key", "uuid", "code", "number", "no", "nr", "num", "ref", "index", "sku", "zip", "rank", "fips"}
)
_FLAG_PREFIXES = ("is", "has", "was", "did")
_COUNTS = frozenset({"count", "n", "number", "num", "freq", "frequency", "cnt", "tally", "occurrences"})
_YEARS = frozenset({"year", "yr", "vintage", "founded", "established"})
_SHORT = frozenset({"of", "in", "by", "to", "at", "on", "my", "the", "and", "is", "id", "v1", "v2"})
"""Words of files' names that are no nouns."""
_MOST_DAYS = 2_000
_STARTS = frozenset(
    {
        "start",
        "started",
        "begin",
        "begun",
        "created",
        "opened",
        "order",
        "ordered",
        "departure",
        "from",
        "occurred",
        "checkout",
        "publish",
        "published",
        "invoice",
        "signup",
        "hire",
        "hired",
    }
)
_ENDS = frozenset(
    {
        "return",
        "returned",
        "reported",
        "modified",
        "ship",
        "shipped",
        "delivery",
        "delivered",
        "cancel",
        "cancelled",
        "expiry",
        "expires",
        "payment",
        "paid",
        "last",
        "end",
        "ended",
        "finish",
        "finished",
        "closed",
        "resolved",
        "due",
        "updated",
        "arrival",
        "to",
        "until",
    }
)


@dataclass(frozen=True, eq=False)
class Column:
    """One column, with what its name and values say about it."""

    profile: ColumnProfile
    rows: int
    table: str = ""
    """The table's name if it is joined to the form's own table; else empty."""

    @property
    def name(self) -> str:
        """Its name in the file."""
        return self.profile.name

    @property
    def ref(self) -> Ref:
        """Return how a form names it."""
        return Ref(self.name, self.table)

    @cached_property
    def all_words(self) -> tuple[str, ...]:
        """All words of its name."""
        return name_words(self.name)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of its name without a unit at the end, and without `is` at the beginning of a flag."""
        words = name_words(bare_name(self.name)) or self.all_words
        if self.role == "flag" and len(words) > 1 and words[0] in _FLAG_PREFIXES:
            words = words[1:]
        while len(words) > 1 and words[-1] in (*UNITS, "in", "at", "on") and words[-2] != "per":
            if words[-1] in ("min", "max") or (words[-1] == "year" and self.role == "number"):
                break
            words = words[:-1]
        return words

    @cached_property
    def unit(self) -> str:
        """The unit in its name; empty if there is none."""
        return (
            self.all_words[-1]
            if self.all_words[-1:] != self.words[-1:] and self.all_words[-1] in UNITS
            else ""
        )

    @cached_property
    def role(self) -> Role:
        """What kind of column it is."""
        kind = self.profile.type.upper()
        if kind.startswith(("DATE", "TIMESTAMP")):
            return "date"
        if kind == "BOOLEAN":
            return "flag"
        said = {value.lower().removesuffix(".0") for value in self.profile.values}
        if self.profile.values_complete and len(said) == 2 and said & _YES and said & _NO:
            return "flag"
        if kind.startswith(_NUMBERS):
            return "number"
        return "text" if kind.startswith(("VARCHAR", "ENUM")) else "other"

    @cached_property
    def yes(self) -> str:
        """Of a flag: the value that means yes, as it is written."""
        kind = self.profile.type.upper()
        if kind == "BOOLEAN":
            return "true"
        return next(value for value in self.profile.values if value.lower().removesuffix(".0") in _YES)

    @cached_property
    def whole(self) -> bool:
        """Whether it contains whole numbers only."""
        return self.role == "number" and "INT" in self.profile.type.upper()

    @cached_property
    def low(self) -> float | None:
        """The smallest number."""
        return number_of(self.profile.minimum or "") if self.role == "number" else None

    @cached_property
    def high(self) -> float | None:
        """The largest number."""
        return number_of(self.profile.maximum or "") if self.role == "number" else None

    @cached_property
    def year(self) -> bool:
        """Whether its numbers are years of four digits, or their last two."""
        if not self.whole or self.low is None or self.high is None or not _YEARS & set(self.all_words):
            return False
        return (self.low >= 1000 and self.high <= 2200) or (self.low >= 0 and 40 <= self.high <= 99)

    @cached_property
    def short_year(self) -> bool:
        """Whether its years have two digits."""
        return self.year and self.high is not None and self.high < 100

    @cached_property
    def key(self) -> bool:
        """Whether it only names rows or things, so that there is nothing to add up."""
        last = self.words[-1] if self.words else ""
        if self.whole and re.fullmatch(r"column0|unnamed.*|index|rownames?|x1|rank", self.name.lower()):
            return True
        if (
            self.whole
            and last in ("number", "no", "nr", "num", "code")
            and self.profile.distinct * 3 < self.rows
        ):
            return last == "code"
        return last in _KEYS and (self.role == "text" or self.whole)

    @cached_property
    def calendar(self) -> bool:
        """Whether its numbers or texts name months, weekdays, hours and the like."""
        last = self.words[-1] if self.words else ""
        return last in ("month", "quarter", "weekday", "week", "hour", "day", "dayofweek") and self.role in (
            "number",
            "text",
        )

    @property
    def measure(self) -> bool:
        """Whether it is a number to compute with."""
        return self.role == "number" and not self.key and not self.year and not self.calendar

    @property
    def label(self) -> bool:
        """Whether rows can be grouped by it."""
        if self.role in ("text", "flag", "date"):
            return True
        return self.role == "number" and (not self.measure or (self.whole and self.profile.distinct <= 100))

    @cached_property
    def naming(self) -> bool:
        """Whether its texts name the rows' things: a title rather than a category."""
        if self.role != "text":
            return False
        named = self.words[-1:] and self.words[-1] in ("name", "title", "label", "model")
        return self.profile.distinct * (4 if named else 1.1) > self.rows

    @cached_property
    def adds(self) -> bool | None:
        """Whether one asks for its sum (True) or for its average (False); None if the name does not say."""
        forms = [base_forms(SHORT_WORDS.get(word, word)) for word in self.all_words]
        if {"total", "totals", "sum"} & set(self.words[:1]):
            return True
        if any(form & AVERAGES for form in forms) or self.unit in (
            "pct",
            "percent",
            "mph",
            "kmh",
            "c",
            "f",
            "degrees",
        ):
            return False
        return True if any(form & ADDS for form in forms) else None

    @cached_property
    def sexes(self) -> bool:
        """Whether its texts are sexes."""
        said = {value.lower() for value in self.profile.values}
        return 1 < len(said) <= 4 and len(said & {"m", "f", "male", "female"}) == 2

    @cached_property
    def ordinal_values(self) -> bool:
        """Whether its texts are names of months or weekdays."""
        said = {value.lower() for value in self.profile.values}
        return bool(said) and (said <= set(MONTHS) or said <= set(WEEKDAYS))


@dataclass(frozen=True, eq=False)
class Table:
    """A table, or one with another joined to it, ready to be asked."""

    profile: TableProfile
    columns: tuple[Column, ...]
    joins: tuple[Join, ...] = ()
    others: tuple[TableProfile, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """Its name in SQL."""
        return self.profile.name

    @cached_property
    def nouns(self) -> frozenset[str]:
        """The words of its name and its file's, for its rows."""
        stem = PurePosixPath(self.profile.path).name.split(".")[0]
        words = name_words(self.name) + name_words(stem)
        return frozenset(
            form
            for word in words
            if len(word) > 1 and word not in _SHORT and not word.isdigit()
            for form in base_forms(word)
        )

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Nouns for its rows that follow from its columns: persons have an age, cars have cylinders."""
        words = {word for column in self.columns for word in column.words}
        found = {
            noun
            for least, needed, nouns in KINDS
            if len(words & set(needed.split())) >= least
            for noun in nouns.split()
        }
        for column in self.columns:
            if (
                column.role == "date"
                and column.profile.distinct == self.profile.rows
                and len(self.dates) == 1
            ):
                found |= {"day", "date"} if _daily(column) else set()
        return frozenset(found)

    @cached_property
    def dates(self) -> tuple[Column, ...]:
        """Its columns of dates; of a start and an end only the start, unless the end is asked for by name."""
        return tuple(column for column in self.columns if column.role == "date")

    @cached_property
    def times(self) -> tuple[Column, ...]:
        """The columns that a year or a month without a column may mean: dates, else years."""
        if len(self.dates) > 1:
            main = [c for c in self.dates if not _ENDS & set(c.all_words)]
            starts = [c for c in self.dates if _STARTS & set(c.all_words)]
            return tuple(starts if len(starts) == 1 else main or self.dates)
        return self.dates or tuple(column for column in self.columns if column.year)

    def counting(self, word: str) -> Column | None:
        """Return the column that says how many of `word` a row stands for, if each row is such a count."""
        able = [c for c in self.columns if c.measure and c.whole and not c.table]
        named = [c for c in able if len(c.words) == 1 and related(word, c.words[0]) is not None and c.adds]
        counts = [
            c
            for c in able
            if set(c.words) <= _COUNTS
            or (c.adds and len(c.words) == 1 and base_forms(c.words[0]) & self.nouns)
        ]
        found = named or counts
        return found[0] if len(found) == 1 else None

    def time_groups(self) -> tuple[Ref, ...]:
        """Return the groups that “over time” means: days, or months or years if there are too many days."""
        return tuple(
            replace(column.ref, grain=_grain_over(column)) if column.role == "date" else column.ref
            for column in self.times
        )

    def column(self, ref: Ref) -> Column:
        """Return the column that a form names; raise FormError if there is none."""
        for column in self.columns:
            if column.name == ref.column and column.table in (
                ref.table,
                "" if ref.table == self.name else ref.table,
            ):
                return column
        raise FormError(f"The table {ref.table or self.name} has no column {ref.column}.")


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


def columns_of(profile: TableProfile, joined: bool = False) -> tuple[Column, ...]:
    """Return a table's columns; with the table's name in each if it is joined to another."""
    name = profile.name if joined else ""
    return tuple(Column(column, profile.rows, name) for column in profile.columns)


@lru_cache(maxsize=64)
def single(profile: TableProfile) -> Table:
    """Return a table by itself."""
    return Table(profile, columns_of(profile))
