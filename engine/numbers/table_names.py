"""The names of the rows and columns of one result."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from copy import copy
from functools import cached_property
from itertools import combinations, pairwise

from engine.numbers.column_units import ColumnUnit, unit_of_column, unit_of_title
from engine.numbers.evidence import ResultTable
from engine.numbers.label_forms import WEAK, label_forms, plain_label
from engine.numbers.words import forms, name_words, text_words

__all__ = ["TableNames", "names_of"]


_ENTITIES = forms(
    "customer user client account store shop order invoice ticket employee product item sku zip code machine sensor"
    " station device patient student case batch lot line no number index"
)


_ORDINAL_NAMES = (
    "year",
    "month",
    "quarter",
    "week",
    "day",
    "hour",
    "date",
    "rank",
    "id",
    "decade",
    "period",
    "weekday",
)


_IN_UNITS = frozenset({"t", "per"})
"""Words inside a unit, before its last word: `yield_t_per_ha`."""

_PERIOD = re.compile(r"(?:q|fy|h|w)?\d+|before|after|prev|now|current|last|this|new|start|end")


_GRAND_TOTALS = frozenset({"", "all", "total", "overall", "grand total", "sum", "everyone", "gesamt", "alle"})
"""Labels of a row that is the total of all others. A grouping (`ROLLUP`) leaves the label of its total empty."""
_TOTAL_LABEL = re.compile(
    r"\W*(?:all|total|overall|sum|gesamt|insgesamt|summe|ensemble|toute?s|tous)\b", re.IGNORECASE
)
"""The beginning of a label of a row that may be the total. It is the total if its numbers are the sums of all others.
"""

_KEPT = (
    "grand_total",
    "dimensions",
    "ordinals",
    "measures",
    "telling",
    "topic",
    "vocabulary",
    "_labels",
    "_counts",
)
"""Properties that are computed once for a result, because they do not depend on its index."""


def names_of(at: int, table: ResultTable) -> "TableNames":
    """Return the names of the result with index `at`. Most properties are cached with the result."""
    kept: TableNames | None = table.facts.get("names")
    if kept is None:
        kept = TableNames(at, table)
        for name in _KEPT:
            getattr(kept, name)
        table.facts["names"] = kept
    found = copy(kept)
    found.at = at
    return found


class TableNames:
    """The names of the rows and columns of one result."""

    def __init__(self, at: int, table: ResultTable) -> None:
        self.at = at
        self.table = table
        self.column_words = [name_words(name) for name in table.columns]
        self.own_units = [unit_of_column(name) for name in table.columns]
        told = unit_of_title(table.title)
        self.units: list[ColumnUnit] = [told if one == ColumnUnit() else one for one in self.own_units]

    @cached_property
    def dimensions(self) -> tuple[int, ...]:
        """The columns whose cells name their row: text, dates, and numbers such as years."""
        found = [at for at in range(len(self.table.columns)) if at not in self.table.numeric]
        return tuple(sorted({*found, *self.ordinals}))

    @cached_property
    def ordinals(self) -> frozenset[int]:
        """The columns of whole numbers that name periods or things rather than measure something."""
        return frozenset(at for at in self.table.numeric if len(self.table.rows) > 1 and self._names_rows(at))

    @cached_property
    def grand_total(self) -> int | None:
        """The only row that is the total of all others, by its labels, or by a label and its numbers; None if there is
        none.
        """
        rows = range(len(self.table.rows)) if self.dimensions else range(0)
        if len(rows) < 2:
            return None
        found = [row for row in rows if all(self.label(row, at) in _GRAND_TOTALS for at in self.dimensions)]
        found = found or [row for row in rows if self._calls_itself_total(row) and self._adds_others_up(row)]
        return found[0] if len(found) == 1 else None

    def _calls_itself_total(self, row: int) -> bool:
        """Return whether a label of a row begins with a word such as "all": "All vessels"."""
        return any(_TOTAL_LABEL.match(self.label(row, at)) for at in self.dimensions)

    def _adds_others_up(self, row: int) -> bool:
        """Return whether a row's number in some column is the sum of all other rows."""
        others = [one for one in range(len(self.table.rows)) if one != row]
        for column in self.measures:
            own = self.table.number(row, column)
            rest = math.fsum(self.table.number(one, column) or 0.0 for one in others)
            if own and len(others) > 1 and math.isclose(own, rest, rel_tol=1e-3):
                return True
        return False

    def is_alone(self, row: int, column: int) -> bool:
        """Return whether no other row has the same label in a column."""
        return self._counts[column][self.label(row, column)] == 1

    @cached_property
    def _counts(self) -> dict[int, Counter[str]]:
        rows = range(len(self.table.rows))
        return {column: Counter(self.label(row, column) for row in rows) for column in self.dimensions}

    def surely_names(self, column: int) -> bool:
        """Return whether text that matches a label of a column must mean the label. A small number in the text may be a
        count instead.
        """
        return column not in self.ordinals or min(self.table.numbers(column), default=0) > 1000

    def _names_rows(self, column: int) -> bool:
        numbers = self.table.numbers(column)
        if not all(one.is_integer() for one in numbers):
            return False
        words, name = self.column_words[column], self.table.columns[column].casefold()
        if self._is_lone_key(column, numbers):
            return True
        if (
            words
            and words[-1] in _ORDINAL_NAMES
            and (len(words) == 1 or words[-1] in ("id", "year", "month", "quarter"))
        ):
            return not name.endswith("s")
        first = column == 0 and len(self.table.columns) > 1 and len(set(numbers)) == len(numbers)
        return (
            first
            and self.table.columns[0].casefold().rstrip("s") == self.table.columns[0].casefold()
            and bool(set(words) & _ENTITIES)
        )

    def _is_lone_key(self, column: int, numbers: Sequence[float]) -> bool:
        """Return whether a column is the first one and names the rows: it counts up (2, 3, 4 clusters), or rises in a
        table without text.
        """
        key = column == 0 and len(self.table.columns) > 1 and len(numbers) == len(self.table.rows) > 2
        steps = [after - before for before, after in pairwise(numbers)]
        alone = len(self.table.numeric) == len(self.table.columns)
        return key and (all(step == 1 for step in steps) or (alone and min(steps) > 0))

    @cached_property
    def measures(self) -> tuple[int, ...]:
        """The numeric columns that measure something rather than name rows."""
        return tuple(at for at in self.table.numeric if at not in self.ordinals)

    def of_periods(self, one: int, other: int) -> bool:
        """Return whether two columns measure the same thing in two periods: `q1` and `q2`, `sales_2023` and
        `sales_2024`."""
        first, second = (
            [word for word in self.column_words[at] if not _PERIOD.fullmatch(word)] for at in (one, other)
        )
        return first == second and self.column_words[one] != self.column_words[other]

    @cached_property
    def has_periods(self) -> bool:
        """Whether some columns measure the same thing in several periods."""
        return any(self.of_periods(one, other) for one, other in combinations(self.measures, 2))

    def label(self, row: int, column: int) -> str:
        """Return the name of a row in one column, like `Named.label`."""
        return self._labels[column][row]

    @cached_property
    def _labels(self) -> tuple[tuple[str, ...], ...]:
        columns = range(len(self.table.columns))
        return tuple(tuple(plain_label(value) for value in self.table.values(column)) for column in columns)

    def _without_unit(self, column: int) -> frozenset[str]:
        words = self.column_words[column]
        own = self.own_units[column]
        told = (own.unit is not None) + (own.per is not None)
        if not 0 < told < len(words):
            return frozenset(words)
        return frozenset({words[0], *(word for word in words[1:-told] if word not in _IN_UNITS)})

    @cached_property
    def row_units(self) -> dict[int, ColumnUnit]:
        """The units of rows that describe columns: `load_ms` in a table of means and medians."""
        found = {}
        for row in range(len(self.table.rows)):
            for column in self.dimensions:
                label = self.label(row, column)
                if "_" in label and (unit := unit_of_column(label)).unit is not None:
                    found[row] = unit
        return found

    @cached_property
    def matrix(self) -> int | None:
        """The column whose cells are the other columns' names, as in a table of correlations; None if there is none."""
        names = {plain_label(name) for name in self.table.columns}
        for column in self.dimensions:
            labels = {self.label(row, column) for row in range(len(self.table.rows))}
            if len(labels) > 1 and labels <= names:
                return column
        return None

    @cached_property
    def periods(self) -> frozenset[str]:
        """The words that may be periods: those of row labels, column names, and the result's name and title."""
        found = set[str]()
        for column in self.dimensions:
            for form, _ in label_forms(self.table.values(column), self.column_words[column]):
                found.update(form)
        return frozenset(found.union(*self.column_words) | self.topic)

    @cached_property
    def clocks(self) -> frozenset[str]:
        """The times of day in the labels of rows."""
        labels = (self.label(row, at) for at in self.dimensions for row in range(len(self.table.rows)))
        return frozenset(clock for label in labels for clock in re.findall(r"\b\d{1,2}:\d{2}\b", label))

    @cached_property
    def topic(self) -> frozenset[str]:
        """The words of the result's name and title."""
        told = f"{self.table.name} {self.table.title}".replace("_", " ")
        return frozenset(word.form for word in text_words(told))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words of the result: of its columns, name, title and rows, and of the program that made it."""
        table = self.table
        told = " ".join((table.name, table.title, table.program)).replace("_", " ")
        words = {word.form for word in text_words(told)}.union(*self.column_words)
        for column in self.dimensions:
            for row in range(len(table.rows)):
                words |= {word.form for word in text_words(self.label(row, column).replace("_", " "))}
        return frozenset(words)

    def short_labels(self, column: int) -> frozenset[str]:
        """Return the labels of one or two characters as they are written."""
        return frozenset(str(value) for value in self.table.values(column) if len(str(value)) < 3)

    @cached_property
    def telling(self) -> dict[int, frozenset[str]]:
        """The words of each measure's name, except those that all measures share."""
        named = {at: self._without_unit(at) for at in self.measures}
        shared = frozenset.intersection(*named.values()) if len(named) > 1 else frozenset[str]()
        return {
            at: words - shared - (WEAK if words - shared - WEAK else frozenset())
            for at, words in named.items()
        }
