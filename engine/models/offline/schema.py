"""Tables as a question meets them: columns with words, roles and units, and an index of their values.

Built once per profile, so that reading a question is a few look-ups.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import Literal, TypeAlias

from engine.models.offline.concepts import ADDITIVE, NOUN_FAMILIES, SAME, UNITS
from engine.models.offline.places import is_states
from engine.models.offline.reserved import RESERVED
from engine.models.offline.words import stem, word_list
from engine.tables import ColumnProfile, TableProfile

__all__ = [
    "KEYS",
    "NAMES",
    "PERSONS",
    "Column",
    "Role",
    "Table",
    "ValueEntry",
    "column_of",
    "same_words",
    "split_name",
    "words_of",
]

Role: TypeAlias = Literal["number", "text", "date", "other"]

_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT",
            "FLOAT", "DOUBLE", "DECIMAL")  # fmt: skip
KEYS = frozenset(
    word_list("""
        id key uuid code number no nr ref index identifier sku
    """)
)
NAMES = frozenset({"name", "title", "label", "model", "fullname"})
_YES = frozenset({"yes", "y", "true", "t", "1", "1.0"})
_NO = frozenset({"no", "n", "false", "f", "0", "0.0"})
_TIME_NAMES = frozenset({"year", "month", "week", "day", "hour", "quarter", "weekday"})


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column, with what its name and values tell."""

    table: str
    name: str
    type: str
    role: Role
    words: tuple[str, ...]
    """Stems of its name, without a unit at the end."""
    unit: str | None
    rows: int
    distinct: int
    missing: int
    low: float | None
    high: float | None
    minimum: str | None
    maximum: str | None
    values: tuple[str, ...]
    complete: bool
    yes: str | None = None
    """Of a column with two values like yes and no: the one that means yes, as SQL."""
    no: str | None = None
    formula: str = ""
    """SQL over other columns, where the file has no such column."""

    @property
    def sql(self) -> str:
        """Its name in SQL, quoted where that is needed."""
        if self.formula:
            return self.formula
        return self.name if re.fullmatch(r"[a-z_][a-z0-9_]*", self.name) and self.name not in RESERVED else (
            '"' + self.name.replace('"', '""') + '"'
        )  # fmt: skip

    @property
    def whole(self) -> bool:
        """Whether it holds whole numbers only."""
        return self.role == "number" and "INT" in self.type

    @property
    def virtual(self) -> bool:
        """Whether it is computed from other columns."""
        return bool(self.formula)

    @property
    def unique(self) -> bool:
        """Whether every row has a value of its own."""
        return self.distinct == self.rows and self.rows > 1

    @property
    def key(self) -> bool:
        """Whether it only names rows or things: nothing to average."""
        last = self.words[-1] if self.words else ""
        if (
            self.whole
            and self.unique
            and re.fullmatch(r"column0|unnamed.*|index|x1|rownames?", self.name.lower())
        ):
            return True
        return last in KEYS and (self.role == "text" or self.whole)

    @property
    def year(self) -> bool:
        """Whether its numbers are years, in four digits or the last two."""
        if self.role != "number" or "year" not in self.words or self.low is None or self.high is None:
            return False
        return (self.low >= 1000 and self.high <= 2200) or (
            self.whole and self.low >= 0 and 40 <= self.high <= 99
        )

    @property
    def short_year(self) -> bool:
        """Whether its years are written in two digits."""
        return self.year and self.high is not None and self.high < 100

    @property
    def time_named(self) -> bool:
        """Whether its name is a unit of time, so that its numbers are labels."""
        return bool(self.words) and self.words[-1] in _TIME_NAMES

    @property
    def additive(self) -> bool:
        """Whether summing it up makes sense."""
        if self.role != "number" or self.time_named or self.unit in ("pct", "%", "percent"):
            return False
        if "total" in self.words:
            return True
        if {
            "rate",
            "price",
            "per",
            "avg",
            "average",
            "mean",
            "median",
            "score",
            "rating",
            "share",
            "ratio",
        } & set(self.words):
            return False
        return bool(ADDITIVE & {*self.words[-1:], self.unit or ""})

    @property
    def measure(self) -> bool:
        """Whether it is a number that one may average."""
        return self.role == "number" and not self.key and not self.year and not self.time_named

    @property
    def naming(self) -> bool:
        """Whether its texts name the rows' things, rather than sort them into a few kinds."""
        if self.role != "text" or self.yes:
            return False
        return bool(NAMES & set(self.words[-1:])) or (self.distinct > 50 and self.distinct * 2 > self.rows)

    @property
    def category(self) -> bool:
        """Whether it sorts the rows into groups."""
        if self.role == "text":
            return not self.unique
        return self.role == "number" and (
            self.time_named or (self.whole and self.distinct <= 30) or self.yes is not None
        )


PERSONS = frozenset(
    word_list("""
        person people passenger patient employee staff worker customer client user member student player
        guest visitor participant respondent resident individual applicant driver adult colleague
        traveler subject victim child kid child teenager
    """)
)
_PERSONAL = frozenset({"age", "sex", "gender", "birthdate", "birthday"})


@dataclass(frozen=True, slots=True)
class ValueEntry:
    """A value of a column and its words."""

    column: Column
    value: str
    stems: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Table:
    """A table, or two joined, ready to be asked."""

    name: str
    source: str
    """What stands after FROM."""
    rows: int
    columns: tuple[Column, ...]
    nouns: frozenset[str]
    """Stems of words for its rows, as far as its name and columns tell."""
    path: str = ""
    joined: bool = False
    by_first: dict[str, list[ValueEntry]] = field(default_factory=dict, repr=False)
    by_word: dict[str, list[ValueEntry]] = field(default_factory=dict, repr=False)
    by_root: dict[str, list[ValueEntry]] = field(default_factory=dict, repr=False)

    @property
    def dates(self) -> list[Column]:
        """Its columns of dates or times."""
        return [column for column in self.columns if column.role == "date"]

    @property
    def measures(self) -> list[Column]:
        """Its columns of numbers that one may average."""
        return [column for column in self.columns if column.measure]

    @property
    def categories(self) -> list[Column]:
        """Its columns of texts that make a few groups."""
        return [c for c in self.columns if c.role == "text" and 2 <= c.distinct <= 60 and not c.unique]

    @property
    def stored(self) -> list[Column]:
        """Its columns that stand in the file."""
        return [column for column in self.columns if not column.virtual]

    @property
    def panel(self) -> bool:
        """Whether it has one row for each thing at each time, so that counting rows tells nothing of either."""
        things = [c for c in self.stored if c.role == "text" and c.distinct * 2 <= self.rows]
        times = [c for c in self.stored if c.role == "date" or c.year]
        steps = [c for c in self.stored if c.whole and c.words[-1:] in (("age",), ("month",), ("quarter",))]
        crossed = prod(column.distinct for column in things)
        return len(things) >= 1 and any(
            0.95 * self.rows <= crossed * time.distinct * step <= 1.05 * self.rows
            for time in times
            for step in (1, *(s.distinct for s in steps))
        )

    @property
    def tally(self) -> Column | None:
        """The column that says how many there were, where each row is a count of things rather than a thing."""
        found = [c for c in self.measures if c.words in (("count",), ("people",), ("person",)) and c.whole]
        return found[0] if len(found) == 1 and self.panel else None

    @property
    def yearly(self) -> bool:
        """Whether each thing has at most one row a year, so far as counts tell."""
        things = [c for c in self.stored if c.role == "text" and c.distinct * 2 <= self.rows]
        years = [c for c in self.stored if c.year]
        return len(things) == 1 and len(years) == 1 and self.rows <= things[0].distinct * years[0].distinct

    def knows_family(self) -> bool:
        """Whether what its rows are is told by its name or key."""
        return any(noun in family for noun in self.nouns for family in NOUN_FAMILIES)

    def may_be_called(self, noun: str) -> bool:
        """Whether `noun` (a stem) is another word for its rows, so far as English tells."""
        if noun in self.nouns or any(len(noun) > 3 and known.endswith(noun) for known in self.nouns):
            return True
        if len(noun) >= 8 and any(known[:7] == noun[:7] for known in self.nouns):
            return True
        if noun in PERSONS - {"kid", "child", "teenager", "adult"} and any(
            _PERSONAL & set(column.words) for column in self.columns
        ):
            return True
        if (
            noun in ("car", "vehicle", "automobile")
            and sum(bool(_OF_CARS & set(c.words)) for c in self.columns) > 2
        ):
            return True
        mine = [family for family in NOUN_FAMILIES if family & self.nouns]
        return any(noun in family for family in mine)


def split_name(name: str) -> tuple[str, ...]:
    """Words of a column's or table's name: `unitPrice`, `unit_price`, `Unit price (€)` → unit, price."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    spaced = re.sub(r"\bper(?=cap)", "per ", spaced.lower())
    return tuple(stem(word) for word in re.findall(r"[^\W_]+|%", spaced))


@lru_cache(maxsize=200_000)
def words_of(text: str) -> tuple[str, ...]:
    """Stems of a value's words."""
    return tuple(
        stem(re.sub(r"'s?$", "", word)) for word in re.findall(r"\d+\.\d+|[^\W_]+(?:'s?\b)?", text.lower())
    )


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def column_of(table: TableProfile, profile: ColumnProfile) -> Column:
    """A profiled column with its words, its role and its unit."""
    words = split_name(profile.name)
    unit = None
    least = words[-1:] == ("min",) and any(split_name(c.name) == (*words[:-1], "max") for c in table.columns)
    if not least and (
        len(words) > 1
        and (words[-1] in UNITS or words[-1] in ("pct", "mins", "hrs"))
        and words[-1] not in ("year", "point")
        and words[-2] != "per"
    ):
        words, unit = words[:-1], words[-1]
    if len(words) > 1 and words[-1] in ("in", "per"):
        words = words[:-1]
    kind = profile.type.upper()
    role: Role = "other"
    if kind.startswith(_NUMBERS):
        role = "number"
    elif kind.startswith(("DATE", "TIMESTAMP")):
        role = "date"
    elif kind.startswith(("VARCHAR", "ENUM", "BOOLEAN")):
        role = "text"
    yes, no = _flag(profile, role, kind)
    if role == "text" and "state" not in words and is_states(profile.values):
        words = (*words, "state")
    return Column(
        table.name, profile.name, kind, role, words, unit, table.rows, profile.distinct, profile.missing,
        _number(profile.minimum) if role == "number" else None, _number(profile.maximum) if role == "number" else None,
        profile.minimum, profile.maximum, profile.values, profile.values_complete, yes, no,
    )  # fmt: skip


def _flag(profile: ColumnProfile, role: Role, kind: str) -> tuple[str | None, str | None]:
    if not profile.values_complete or not 1 <= len(profile.values) <= 2:
        return None, None
    yes = [value for value in profile.values if value.lower() in _YES]
    no = [value for value in profile.values if value.lower() in _NO]
    if len(yes) + len(no) != len(profile.values) or (len(profile.values) == 1 and role != "text"):
        return None, None

    def spelled(found: list[str], other: str) -> str:
        value = found[0] if found else other
        if kind.startswith("BOOLEAN"):
            return value.lower()
        return str(int(float(value))) if role == "number" else "'" + value + "'"

    return spelled(yes, "yes"), spelled(no, "no")


_OF_CARS = frozenset(
    word_list("model make manufacturer odometer mileage fuel transmission engine horsepower cylinder")
)
_PLAIN_NOUNS = frozenset(
    word_list("""
        row record entry observation line case item datum data point
    """)
)


@lru_cache(maxsize=10_000)
def same_words(word: str) -> frozenset[str]:
    """Words that may stand for `word` in a column's name."""
    return frozenset().union(*(group for group in SAME if word in group)) | {word}
