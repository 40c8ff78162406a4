"""What a model's words beside a working say about its rows and columns. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.numbers.evidence import Cell
from engine.numbers.labels import Labels, Named
from engine.numbers.words import forms, text_words

__all__ = ["Naming", "naming_of"]

_IN_WORDS, _COLUMN_IN_WORDS, _IN_SENTENCE, _COLUMN_IN_SENTENCE = 4.0, 2.0, 3.0, 1.0
_RANGE = re.compile(
    r"\b(?:all|every|each|to|till|until|through|rest|others?|half|quarter)\b|[–—-]|\.\.",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\b(?:but|except|without|excl\w*|non|not|other than|rest)\b", re.IGNORECASE)
_SMALL = forms("the of a an in sum total per and by column all mean")


@dataclass(frozen=True, slots=True)
class Naming:
    """The rows and columns that a model's words and the sentence of the number name."""

    words: Sequence[Named]
    sentence: Sequence[Named]
    forms: frozenset[str] = frozenset()
    """The words of the model's words, in their common form."""
    others: frozenset[str] = frozenset()
    """Those of them that name no row or column."""
    ranges: bool = False
    """Whether the model's words describe rows without naming them all: "Jan to Jun", "all segments"."""
    excepts: bool = False
    """Whether the model's words name rows that are left out."""

    def score(self, labels: Labels, cell: Cell) -> float:
        """Return how much of a cell is named."""
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

    def names_only_columns(self, table: int) -> bool:
        """Return whether the model's words name columns of a result and nothing else."""
        here = [one for one in self.words if one.table == table]
        return bool(here) and not any(one.label for one in here) and self.others <= _SMALL

    def _of(self, labels: Labels, cell: Cell, named: Iterable[Named]) -> tuple[bool, bool]:
        names = labels.tables[cell.table]
        here = [one for one in named if one.table == cell.table]
        row = any(one.label and one.label == names.label(cell.row, one.column) for one in here)
        return row, any(not one.label and one.column == cell.column for one in here)


def naming_of(words: str, labels: Labels, sentence: Sequence[Named]) -> Naming:
    """Return what the words beside a working and the sentence of its number name."""
    named, found = labels.named(words), text_words(words)
    return Naming(
        named,
        sentence,
        frozenset(word.form for word in found),
        frozenset(word.form for word in found if not any(one.start <= word.start < one.end for one in named)),
        ranges=_RANGE.search(words) is not None,
        excepts=_EXCEPT.search(words) is not None,
    )
