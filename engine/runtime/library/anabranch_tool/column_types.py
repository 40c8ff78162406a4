"""Decides the real type of a text column from sample values. The type is later checked against all values.

A column becomes numbers or dates only if nearly all of its values can be read as numbers or dates. A text column keeps
all of its words, even `NA` and `None`.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

from anabranch_tool.column_dates import date_format, is_date
from anabranch_tool.column_habits import UNKNOWN, Habits, habits_of
from anabranch_tool.column_numbers import Number, NumberFormat, number_format
from anabranch_tool.table_shape import quoted

__all__ = ["Boolean", "Format", "Text", "decide", "decide_all", "is_missing", "missing_sql", "quote"]

_CODE = re.compile(r"0\d+$")
_LETTERED = re.compile(r"[A-Za-z]{1,3}[-. ]?(\d{4,})|(\d{4,})[A-Z]")
_FEW = 0.4
"""The values of a text column that are not numbers, or not dates, are reported if their share is below this limit."""
_NULL_IN_OTHERS = frozenset(
    ("", "na", "n/a", "#n/a", "#na", "nan", "null", "<na>", "-", "--", "—", "–", "?", ".", "..", "none", "nil",
     "missing", "unknown", "n.a.", "k.a.", "keine angabe", "not available")
)  # fmt: skip


class Format(Protocol):
    """The format in which the values of a column are written."""

    @property
    def type(self) -> str:
        """The DuckDB type."""

    @property
    def doubt(self) -> str:
        """A sentence about how the values were read, and the other possible meaning; empty if there is no other."""

    def note(self) -> str | None:
        """Return the assumptions that were made, as the end of a sentence."""

    def sql(self, column: str) -> tuple[str, str]:
        """Return SQL that tests whether a value of `column` has this format, and SQL that reads it."""


@dataclass(frozen=True, slots=True)
class Text:
    """Texts, without space around them. A word such as `NA` or `Null` is a text like any other, because it may be a
    name."""

    others: tuple[str, ...] = ()
    """Some values that are not numbers or dates, in a column of mostly numbers or dates."""
    missing: tuple[str, ...] = ()
    """Words that mean a missing value in this column, because they mean a missing value in other columns of the file.
    """
    type: ClassVar[str] = "VARCHAR"
    doubt: ClassVar[str] = ""

    def note(self) -> str | None:
        """Return the reason why a column of mostly numbers or dates stays text, as the end of a sentence."""
        if not self.others:
            return None
        shown = ", ".join(f'"{quoted(text, 40)}"' for text in self.others)
        return f"stays text: most values are numbers or dates, but not {shown}"

    def sql(self, column: str) -> tuple[str, str]:
        """Return SQL that accepts every value as text."""
        # most texts have no space around them, and checking both ends is faster than making a trimmed copy
        clean = f"{column} >= '!' AND NOT suffix({column}, ' ')"
        value = f"CASE WHEN {clean} THEN {column} ELSE nullif(trim({column}), '') END"
        if not self.missing:
            return "true", value
        words = ", ".join("'" + word.replace("'", "''") + "'" for word in self.missing)
        return "true", f"CASE WHEN trim({column}) NOT IN ({words}) THEN {value} END"


@dataclass(frozen=True, slots=True)
class Boolean:
    """The words `true` and `false`."""

    type: ClassVar[str] = "BOOLEAN"
    doubt: ClassVar[str] = ""

    def note(self) -> str | None:
        """Return None, because nothing is assumed."""
        return None

    def sql(self, column: str) -> tuple[str, str]:
        """Return SQL that tests for both words and reads them; case is ignored."""
        return f"lower(trim({column})) IN ('true', 'false')", f"try_cast(trim({column}) AS BOOLEAN)"


def quote(name: str) -> str:
    """Return a name in quotes for SQL."""
    return '"' + name.replace('"', '""') + '"'


def missing_sql(column: str) -> str:
    """Return SQL that checks, in a column of any type but text, whether a value is a word for a missing value."""
    words = "|".join(re.escape(word) for word in sorted(_NULL_IN_OTHERS))
    return f"regexp_full_match(lower(trim({column})), '{words}')"


def is_missing(text: str) -> bool:
    """Return whether `text` means a missing value in a column that is not text."""
    return text.strip().lower() in _NULL_IN_OTHERS


def decide_all(sample: Mapping[str, Sequence[str]], share: float) -> tuple[dict[str, Format], Habits]:
    """Return the format of each column's values, and the habits that decided about ambiguous values."""
    alone = {name: decide(values, share=share) for name, values in sample.items()}
    habits = habits_of(alone.values())
    doubtful = {name: decide(sample[name], share=share, habits=habits) for name in alone if alone[name].doubt}
    return alone | doubtful, habits


def decide(
    sample: Sequence[str],
    others: Sequence[str] = (),
    weight: float = 1.0,
    share: float = 0.05,
    habits: Habits = UNKNOWN,
) -> Format:
    """Return the format of a column's values; `habits` are the habits of the other columns.

    `sample` contains values from the whole column. `others` contains values that did not fit the previous format; each
    counts as `weight` values of the sample. `share` is the share of values that may be unreadable; the caller checks it
    exactly.
    """
    weights: dict[str, float] = {}
    padded = False
    for texts, each in ((sample, 1.0), (others, weight)):
        for text, count in Counter(texts).items():
            bare = text.strip()
            padded = padded or len(bare) < len(text)
            if bare.lower() not in _NULL_IN_OTHERS:
                weights[bare] = weights.get(bare, 0.0) + count * each
    values = list(weights.items())
    total = sum(weight for _, weight in values)
    if not values:
        return Text()
    if all(text.lower() in ("true", "false") for text, _ in values):
        return Boolean()
    enough = total * (1 - 2 * share)  # the exact share is checked later, over all rows
    taken = [(Number.of(text), weight) for text, weight in values]
    numbers = [(number, weight) for number, weight in taken if number is not None]
    if _are_codes(values):
        return Text(_among_numbers(values, total))
    if sum(weight for _, weight in numbers) >= enough:
        found = number_format(numbers, habits.decimal)
        if found is not None and sum(weight for n, weight in numbers if found.reads(n)) >= enough:
            return _unpadded(found) if padded else found
    dates = date_format(values, habits.day_first)
    if dates is not None and sum(weight for text, weight in values if dates.reads(text)) >= enough:
        return replace(dates, padded=padded)
    return Text(_among_numbers(values, total))


def _are_codes(values: Sequence[tuple[str, float]]) -> bool:
    """Return whether the column has whole numbers of the same length, and also such numbers with a letter before them:
    536365 and C536402.
    """
    lengths = {len(text) for text, _ in values if text.isdigit()}
    if len(lengths) != 1:
        return False
    found = (_LETTERED.fullmatch(text) for text, _ in values)
    return any(len(match[1] or match[2]) in lengths for match in found if match)


def _unpadded(found: NumberFormat) -> NumberFormat:
    return replace(found, plain=False)


def _among_numbers(values: Sequence[tuple[str, float]], total: float) -> tuple[str, ...]:
    """Return some of the values that are not numbers or dates, and so keep a column of mostly numbers or dates as text.
    The result is empty if the column would be text anyway.
    """
    if any(_CODE.match(text) for text, _ in values):
        return ()
    for reads in (Number.of, is_date):
        others = [(text, weight) for text, weight in values if not reads(text)]
        if others and sum(weight for _, weight in others) < _FEW * total:
            return tuple(text for text, _ in others[:3])
    return ()
