"""The analyst's view of columns: roles, words, and the meaning of their sums."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

from engine.models.offline.form import Ref
from engine.models.offline.length_columns import contains_clocks, contains_lengths, first_start
from engine.models.offline.vocabulary import (
    ADDS,
    AVERAGES,
    MONTHS,
    SHORT_NAMES,
    SHORT_WORDS,
    UNITS,
    WEEKDAYS,
    counts_things,
    words,
)
from engine.models.offline.words import bare_name, base_forms, name_words, number_of
from engine.workspace.table_facts import ColumnProfile, TableProfile

__all__ = ["Column", "columns_of"]

Role: TypeAlias = Literal["number", "text", "date", "flag", "other"]

_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT",
            "FLOAT", "DOUBLE", "DECIMAL")  # fmt: skip
_YES = frozenset({"yes", "y", "true", "t", "1"})
_NO = frozenset({"no", "n", "false", "f", "0"})
_KEYS = words("keys")
_COUNTS = frozenset({"count", "n", "number", "num", "freq", "frequency", "cnt", "tally", "occurrences"})
_DURATIONS = words("durations")
_NUMBERS_TOO = frozenset({"n", "number", "num"})
"""Last words of names that may mean an identifying number and not a count: `room_number`."""
_FLAG_PREFIXES = ("is", "has", "was", "did")
_LEVELS = ("pct", "percent", "mph", "kmh", "c", "f", "degrees")
"""Units of numbers that are not added up."""
_AFTER = re.compile(r"\d+(min|mins|sec|s|h|hr|hrs)")
"""Matches the last word of a name if it is the time of a measurement: `apgar_5min`."""
_LIKE_A_NUMBER = re.compile(r"[-+(]?[$€£]?\s?[-+]?\d[\d,.' ]*\s?[%€$£)]?")
_LIKE_A_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d{1,2}:\d{2}.*)?")
_PARTS_OF_TIME = {"hour": 24, "weekday": 7, "day": 31, "week": 53, "month": 12, "quarter": 4}
"""Words for parts of time, each with its largest number."""
_YEARS = frozenset({"year", "yr", "vintage", "founded", "established", "season"})


@dataclass(frozen=True, eq=False)
class Column:
    """One column, with its meaning according to its name and values."""

    profile: ColumnProfile
    rows: int
    table: str = ""
    """The table's name if it is joined to the form's main table; else empty."""
    began: str = field(default="", kw_only=True)
    """The earliest time of day in the table's column of start times; empty if there is none."""

    @property
    def name(self) -> str:
        """The column's name in the file."""
        return self.profile.name

    @property
    def ref(self) -> Ref:
        """Return the reference to the column in a form."""
        return Ref(self.name, self.table)

    @cached_property
    def all_words(self) -> tuple[str, ...]:
        """All words of the column's name."""
        return name_words(self.name)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the column's name, without a unit at the end and without `is` at the beginning of a flag."""
        words = name_words(bare_name(self.name)) or self.all_words
        if self.role == "flag" and len(words) > 1 and words[0] in _FLAG_PREFIXES:
            words = words[1:]
        if len(words) > 1 and _AFTER.fullmatch(words[-1]):
            words = words[:-1]
        while len(words) > 1 and words[-1] in (*UNITS, "in", "at", "on") and words[-2] != "per":
            if words[-1] == "max" or (words[-1] == "year" and self.role == "number"):
                break
            if (words[-1] == "min" and not self._minutes) or self._part_of_time(words[-1]):
                break
            words = words[:-1]
        return words

    @cached_property
    def spelled(self) -> tuple[str, ...]:
        """The words of the name with abbreviations written out (`TMAX` → maximum, temperature); empty if there are
        none. A text column `assigned_to` counts as “agent”.
        """
        if self.words == ("assigned", "to") and self.role == "text":
            return ("agent",)
        found = tuple(word for short in self.words for word in SHORT_NAMES.get(short, (short,)))
        return found if found != self.words else ()

    @cached_property
    def unit(self) -> str:
        """The unit in the column's name; empty if there is none. `delay_min` is in minutes, but `temp_min` is a
        minimum."""
        last = self.all_words[-1:]
        if re.search(r"/\s*\w+\W*$", self.name):
            return ""  # tonnes per hectare are not hectares
        return last[0] if last != self.words[-1:] and last[0] in UNITS else ""

    def _part_of_time(self, last: str) -> bool:
        """Whether a name ends in a part of time and not in a unit: `crash_hour` is from 0 to 23."""
        numbers = self.profile.minimum, self.profile.maximum
        low, high = (number_of(number or "") for number in numbers)
        most = _PARTS_OF_TIME.get(last)
        if (
            most is None
            or low is None
            or high is None
            or not self.whole
            or _DURATIONS & set(self.all_words[:-1])
        ):
            return False  # `delay_hour` is a time in hours
        return low >= 0 and high <= most

    @cached_property
    def _minutes(self) -> bool:
        before = self.all_words[:-1]
        going = before[-1:] and before[-1].endswith("ing")  # `crossing_min`
        return self.all_words[-1:] == ("min",) and bool(_DURATIONS & set(before) or going)

    @cached_property
    def role(self) -> Role:
        """The kind of the column."""
        kind = self.profile.type.upper()
        if kind.startswith(("DATE", "TIMESTAMP")):
            return "date"
        if kind == "BOOLEAN":
            return "flag"
        said = {value.lower().removesuffix(".0") for value in self.profile.values}
        if kind.startswith(_NUMBERS) and counts_things(self.all_words):
            return "number"  # `red_cards`, if no match had two
        if self.profile.values_complete and len(said) == 2 and said & _YES and said & _NO:
            return "flag"
        if kind.startswith(_NUMBERS):
            return "number"
        return "text" if kind.startswith(("VARCHAR", "ENUM")) and not self.lasting else "other"

    @cached_property
    def clock(self) -> bool:
        """Whether the column contains times of day without a date, as TIME values or as texts such as 08:30."""
        return contains_clocks(self.all_words, self.profile, text=self.role == "text")

    @cached_property
    def lasting(self) -> bool:
        """Whether the column contains lengths of time such as 03:30:00, for example the finish times of a race."""
        return contains_lengths(self.all_words, self.profile, self.began)

    @cached_property
    def yes(self) -> str:
        """The value of a flag that means yes, as it is written."""
        if self.profile.type.upper() == "BOOLEAN":
            return "true"
        return next(value for value in self.profile.values if value.lower().removesuffix(".0") in _YES)

    @cached_property
    def whole(self) -> bool:
        """Whether the column contains only whole numbers."""
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
        """Whether the column's numbers are years, with four digits or only the last two."""
        if not self.whole or self.low is None or self.high is None or not _YEARS & set(self.all_words):
            return False
        return (self.low >= 1000 and self.high <= 2200) or (self.low >= 0 and 40 <= self.high <= 99)

    @cached_property
    def short_year(self) -> bool:
        """Whether its years have two digits."""
        return self.year and self.high is not None and self.high < 100

    @cached_property
    def key(self) -> bool:
        """Whether the column only identifies rows or things. Adding up its values then makes no sense."""
        last = self.words[-1] if self.words else ""
        if self.whole and re.fullmatch(r"column0|unnamed.*|index|rownames?|x1|rank", self.name.lower()):
            return True
        numbered = self.whole and last in ("number", "no", "nr", "num", "code")
        if numbered and self.profile.distinct * 3 < self.rows:
            return last == "code"
        return last in _KEYS and (self.role == "text" or self.whole)

    @cached_property
    def calendar(self) -> bool:
        """Whether the column's numbers or texts are names of months, weekdays, hours and the like."""
        last = self.words[-1] if self.words and "per" not in self.words else ""
        return last in ("month", "quarter", "weekday", "week", "hour", "day", "dayofweek") and self.role in (
            "number",
            "text",
        )

    @cached_property
    def others(self) -> tuple[str, ...]:
        """The known values that are not numbers or dates, if most values of a text column are numbers or dates; else
        empty.
        """
        if self.role != "text" or self.key:
            return ()
        for pattern in (_LIKE_A_NUMBER, _LIKE_A_DATE):
            found = tuple(value for value in self.profile.values if not pattern.fullmatch(value.strip()))
            if found and 2 * len(found) < len(self.profile.values):
                return found
        return ()

    @property
    def stuck(self) -> Literal["", "numbers", "dates"]:
        """The type of most values of a text column, if only a few values prevent the column from having that type."""
        if not self.others:
            return ""
        numbers = sum(bool(_LIKE_A_NUMBER.fullmatch(value.strip())) for value in self.profile.values)
        return "numbers" if 2 * numbers > len(self.profile.values) else "dates"

    @property
    def measure(self) -> bool:
        """Whether the column contains numbers to compute with."""
        able = self.role == "number" and not self.key and not self.year and not self.calendar
        return able or self.lasting

    @property
    def label(self) -> bool:
        """Whether the column's values can label groups of rows."""
        if self.role in ("text", "flag", "date"):
            return True
        few = self.whole and self.profile.distinct <= 100 and self.unit in ("", "year", "years", "yrs")
        return self.role == "number" and (not self.measure or few)

    @cached_property
    def naming(self) -> bool:
        """Whether its texts name the things that rows are about: titles, not categories and not the names in a joined
        table.
        """
        if self.role != "text" or self.table:
            return False
        named = self.words[-1:] and self.words[-1] in ("name", "title", "label", "model")
        return self.profile.distinct * (4 if named else 1.1) > self.rows

    @cached_property
    def adds(self) -> bool | None:
        """Whether people ask for the column's sum (True) or its average (False); None if the name does not say."""
        if self.lasting:
            return False
        forms = [base_forms(SHORT_WORDS.get(word, word)) for word in (*self.all_words, *self.spelled)]
        if {"total", "totals", "sum"} & set(self.words[:1]):
            return True
        if any(form & AVERAGES for form in forms) or self.unit in _LEVELS:
            return False
        return True if any(form & ADDS for form in forms) else None

    @cached_property
    def things(self) -> tuple[str, ...]:
        """The thing that is counted, taken from the column's name: `bird` for `bird_count` and `number_of_birds`; all
        words of the name if unclear.

        A `room_number` is not a count of rooms.
        """
        words = self.words
        if all(word in _COUNTS for word in words):
            return ()
        if words[0] in _COUNTS:
            return tuple(word for word in words[1:] if word != "of")
        return words[:-1] if words[-1] in _COUNTS - _NUMBERS_TOO else words

    @cached_property
    def sexes(self) -> bool:
        """Whether its texts are names of sexes."""
        said = {value.lower() for value in self.profile.values}
        return 1 < len(said) <= 4 and len(said & {"m", "f", "male", "female"}) == 2

    @cached_property
    def ordinal_values(self) -> bool:
        """Whether its texts are names of months or weekdays."""
        said = {value.lower() for value in self.profile.values}
        return bool(said) and (said <= set(MONTHS) or said <= set(WEEKDAYS))


def columns_of(profile: TableProfile, joined: bool = False) -> tuple[Column, ...]:
    """Return a table's columns. If the table is joined to another table, each column also has the table's name."""
    name = profile.name if joined else ""
    began = first_start([(name_words(column.name), column) for column in profile.columns])
    return tuple(Column(column, profile.rows, name, began=began) for column in profile.columns)
