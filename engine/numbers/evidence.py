"""The results that are searched for the numbers of an answer, as plain tables. Pure values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from engine.numbers.reviewed_number import ReviewedNumber

__all__ = ["Cell", "Evidence", "FileFacts", "ResultTable", "Value", "is_number", "number_of"]

Value = str | int | float | bool | None
"""The value of a cell. Dates and times are ISO text."""


@dataclass(frozen=True)
class ResultTable:
    """A result with rows and columns, or the part of it that the model received."""

    name: str
    """Its name in SQL and in the answer."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    title: str = ""
    call_id: str = ""
    total_rows: int | None = None
    """The number of rows of the whole result; None if `rows` has all of them."""
    printed: bool = False
    """Whether it was made from printed text, where the words of a line are its labels."""
    made: Literal["", "split", "joined", "totals", "means", "combined"] = ""
    """How it was computed from a result: "split" has years and quarters in separate columns, "joined" has two results
    side by side, "totals" has sums of rows, and "combined" has columns computed from others, which cannot be added up.
    """
    program: str = ""
    """The SQL or code that made it. Its words count as words of this result."""
    facts: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """A cache of values computed from this table, because an answer is traced up to four times over the same results,
    and the next answer over most of these results again.
    """

    @property
    def whole(self) -> bool:
        """Whether it has all rows of the result. Only then can totals and counts be computed from it."""
        return self.total_rows is None or self.total_rows == len(self.rows)

    @property
    def count(self) -> int:
        """The number of rows of the whole result."""
        return len(self.rows) if self.total_rows is None else self.total_rows

    @cached_property
    def numeric(self) -> tuple[int, ...]:
        """The columns that contain only numbers and missing values, and at least one number."""
        return tuple(at for at in range(len(self.columns)) if _numeric(self.values(at)))

    def values(self, column: int) -> list[Value]:
        """Return the cells of a column in order; None where a row is too short."""
        return [row[column] if column < len(row) else None for row in self.rows]

    def numbers(self, column: int) -> tuple[float, ...]:
        """Return the numbers of a column, without missing values."""
        return self._numbers[column]

    def number(self, row: int, column: int) -> float | None:
        """Return the number in a cell; None if there is none."""
        return self._cells[column][row]

    @cached_property
    def totals(self) -> tuple[float, ...]:
        """The sum of each column; missing values count as 0."""
        return tuple(map(sum, self._numbers))

    @cached_property
    def _cells(self) -> tuple[tuple[float | None, ...], ...]:
        columns = range(len(self.columns))
        return tuple(
            tuple(float(one or 0) if is_number(one) else None for one in self.values(at)) for at in columns
        )

    @cached_property
    def _numbers(self) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(one for one in cells if one is not None) for cells in self._cells)

    @cached_property
    def fractions(self) -> frozenset[int]:
        """The columns that contain fractions, such as 0.25 for 25%."""
        return frozenset(
            at
            for at, numbers in enumerate(self._numbers)
            if numbers and max(map(abs, numbers)) <= 1.5 and not all(one.is_integer() for one in numbers)
        )

    @cached_property
    def negatives(self) -> frozenset[int]:
        """The columns that contain a negative number."""
        return frozenset(at for at, numbers in enumerate(self._numbers) if any(one < 0 for one in numbers))


def is_number(value: Value) -> bool:
    """Return whether a cell is a number to compute with: not a boolean, not infinite, not too large for a float."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -_MOST < value < _MOST


def number_of(value: Value) -> float | None:
    """Return the number in a cell, even if the result gives it as text to keep its digits; None if there is none."""
    if isinstance(value, str):
        value = float(value) if _WRITTEN.fullmatch(value) else None
    return float(value) if value is not None and is_number(value) else None


_MOST = 1e300
_WRITTEN = re.compile(r"[+-]?\d{1,40}(?:\.\d{1,40})?")


def _numeric(values: Sequence[Value]) -> bool:
    present = [value for value in values if value is not None and (is_number(value) or not _beyond(value))]
    return bool(present) and all(is_number(value) for value in present)


def _beyond(value: Value) -> bool:
    """Return whether a cell is a number that cannot be used in computations, and so counts as missing."""
    return isinstance(value, int | float) and not isinstance(value, bool) and not is_number(value)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a result, with its value."""

    table: int
    """The index of its result."""
    row: int
    column: int
    value: float


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file that the user added."""

    name: str
    rows: int | None = None
    columns: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that an answer can be based on."""

    results: tuple[ResultTable, ...]
    """The results in the order in which they were fetched. If a query ran twice, the later one replaced the earlier."""
    questions: tuple[str, ...] = ()
    """The user's messages on this branch. The last one is the question that the answer is for."""
    files: tuple[FileFacts, ...] = ()
    replaced: Mapping[int, int] = field(default_factory=dict)
    """The results that are out of date, each with the result that replaced it."""
    briefed: tuple[ResultTable, ...] = ()
    """The tables that the model received before any call. They are searched for numbers that are in no result. In
    `replaced` and in cells, their indexes follow those of the results.
    """
    quoted: frozenset[float] = frozenset()
    """The numbers in the arguments of calls, such as limits in SQL or the width of a bin."""
    workings: str = ""
    """The block in which the model says how it computed numbers of this answer."""
    review: tuple[ReviewedNumber, ...] = ()
    """The verdicts of a model's review of this answer."""

    @property
    def every(self) -> tuple[ResultTable, ...]:
        """All tables in the order of their indexes: the results, then the briefing."""
        return self.results + self.briefed

    @property
    def of_briefing(self) -> "Evidence":
        """The evidence with only the tables that the model received before any call."""
        first = len(self.results)
        replaced = {at - first: by - first for at, by in self.replaced.items() if at >= first}
        return replace(self, results=self.briefed, briefed=(), replaced=replaced)
