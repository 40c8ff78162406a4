"""Finds the rows and columns that are named by the words after the bar in a line of the workings. Pure."""

import re
from collections.abc import Iterable, Sequence

from engine.numbers.evidence import Cell
from engine.numbers.labels import Labels, Named
from engine.numbers.table_names import TableNames
from engine.numbers.words import Word, forms, text_words
from events.late_dataclass import dataclass

__all__ = ["Naming", "naming_of"]

_IN_WORDS, _COLUMN_IN_WORDS, _IN_SENTENCE, _COLUMN_IN_SENTENCE = 4.0, 2.0, 3.0, 1.0
_RANGE = re.compile(
    r"\b(?:all|every|each|to|till|until|through|rest|others?|half|quarter)\b|[–—-]|\.\.",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\b(?:but|except|without|excl\w*|non|not|other than|rest)\b", re.IGNORECASE)
_SPANS = re.compile(
    r"\b(?:to|till|until|through|first|last|top|half|largest|paid)\b|[–—-]|\.\.", re.IGNORECASE
)
_EVERY = re.compile(r"\b(?:all|every)\b", re.IGNORECASE)
_SMALL = forms("the of a an in sum total per and by column all mean each every")


@dataclass(frozen=True, slots=True)
class Naming:
    """The rows and columns named in the model's words after the bar and in the sentence that contains the number."""

    words: Sequence[Named]
    sentence: Sequence[Named]
    literal: Sequence[Named] = ()
    """The columns written exactly as in the result: `revenue_2024`."""
    found: Sequence[Word] = ()
    """The words after the bar, one by one."""
    others: frozenset[str] = frozenset()
    """The words in `found` that name no row or column."""
    ranges: bool = False
    """Whether the model's words describe rows without naming them all: "Jan to Jun", "all segments"."""
    spans: bool = False
    """Whether the model's words give a first and a last row: "Jan to Jun"."""
    every: bool = False
    """Whether the model's words say that all rows are meant."""
    excepts: bool = False
    """Whether the model's words exclude rows: "all except West"."""
    written: str = ""
    """The model's words after the bar, as one text."""

    def score(self, labels: Labels, cell: Cell) -> float:
        """Return a score for how fully the words name the cell's row and column."""
        by_words, by_sentence = self._of(labels, cell, self.words), self._of(labels, cell, self.sentence)
        return (
            _IN_WORDS * by_words[0]
            + _COLUMN_IN_WORDS * by_words[1]
            + _IN_SENTENCE * by_sentence[0]
            + _COLUMN_IN_SENTENCE * by_sentence[1]
            + cell.table * 1e-3
        )

    def names(self, labels: Labels, cell: Cell) -> tuple[bool, bool]:
        """Return whether the row and the column of a cell are named."""
        row, column = self._of(labels, cell, (*self.words, *self.sentence))
        return row, column

    def columns_named(self, names: TableNames) -> set[int]:
        """Return the columns of a result that the model's words mention exactly as in the result."""
        return {one.column for one in self.literal if one.table == names.at and one.column in names.measures}

    def names_nothing_else(self, table: int) -> bool:
        """Return whether the model's words mention only rows and columns of a result, or all rows, without further
        description.
        """
        here = [one for one in self.words if one.table == table]
        return bool(here or self.every) and (self.every or self.others <= _SMALL)

    def _of(self, labels: Labels, cell: Cell, named: Iterable[Named]) -> tuple[bool, bool]:
        names = labels.tables[cell.table]
        here = [one for one in named if one.table == cell.table]
        row = any(one.label and one.label == names.label(cell.row, one.column) for one in here)
        return row, any(not one.label and one.column == cell.column for one in here)


def naming_of(words: str, labels: Labels, sentence: Sequence[Named]) -> Naming:
    """Return the rows and columns named by the words after the bar and by the sentence of the number."""
    literal, found = _literally(words, labels), text_words(words)
    named = [*labels.named(words), *literal]
    return Naming(
        named,
        sentence,
        literal,
        found,
        frozenset(word.form for word in found if not any(one.start <= word.start < one.end for one in named)),
        ranges=_RANGE.search(words) is not None,
        spans=_SPANS.search(words) is not None,
        every=_EVERY.search(words) is not None,
        excepts=_EXCEPT.search(words) is not None,
        written=words,
    )


def _literally(words: str, labels: Labels) -> list[Named]:
    """Return the columns that the words mention exactly as in the result: `d2024`."""
    tokens = {found[0].casefold(): found.span() for found in re.finditer(r"\w+", words)}
    return [
        Named(*tokens[name.casefold()], names.at, column, "")
        for names in labels.tables
        for column, name in enumerate(names.table.columns)
        if name.casefold() in tokens
        and not _before_number(words, tokens[name.casefold()][1])
        and (not name.isalpha() or _BEGINS.search(words[: tokens[name.casefold()][0]]))
    ]


_BEGINS = re.compile(
    r"(?:^|[,;:(/×*+|−–-]|\b(?:of|and|by|per|over|to|minus|less))\s*[`\"']?\Z", re.IGNORECASE
)
"""Matches the text before a column's name if the column is meant, as in "orders of West", not in "all orders" or "late
orders"."""


def _before_number(words: str, end: int) -> bool:
    """Return whether a number follows. The words then mention a row, not the column: "sev 3"."""
    return re.match(r"\s*=?\s*\d", words[end:]) is not None
