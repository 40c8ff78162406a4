"""A number's place in its sentence, and what the number refers to there."""

from dataclasses import dataclass

from engine.numbers.mention import Mention
from engine.numbers.passages import Passage
from engine.numbers.words import forms

__all__ = ["EARLIER", "Governing", "Place"]

EARLIER = forms("before previously earlier originally initially formerly old until prior outdated previous")
"""Words that say that a number is not the latest."""


@dataclass(frozen=True, slots=True)
class Governing:
    """What a number refers to, in one dimension."""

    labels: frozenset[str]
    level: int
    """0 beside the number, 1 in its clause, 2 in its sentence, from 3 on around it, 9 in the question."""


@dataclass(frozen=True)
class Place:
    """A number with the passage that contains it."""

    mention: Mention
    passage: Passage
    index: int
    """The number of this quantity in its sentence, from 0."""
    beside: tuple[Mention, ...]
    """The quantities of the sentence, including this one."""
    words: frozenset[str]
    """The words of the sentence, or of the cell's row and header."""
    own_words: frozenset[str]
    """The words of its clause only."""
    clause_words: frozenset[str]
    """The words of its clause. If the clause is in brackets or says little more than the number, also those of the
    clause before.
    """
