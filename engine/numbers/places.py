"""The position of a number in its sentence, and the labels that the number refers to."""

from dataclasses import dataclass

from engine.numbers.mention import Mention
from engine.numbers.passages import Passage
from engine.numbers.words import forms

__all__ = ["EARLIER", "Governing", "Place"]

EARLIER = forms("before previously earlier originally initially formerly old until prior outdated previous")
"""Words that mark a number as an earlier value."""


@dataclass(frozen=True, slots=True)
class Governing:
    """The labels that a number refers to, in one column of labels."""

    labels: frozenset[str]
    level: int
    """How far away the labels are: 0 next to the number, 1 in its clause, 2 in its sentence, 3 or more in the text
    around it, 9 in the question.
    """


@dataclass(frozen=True)
class Place:
    """A number with the passage that contains it."""

    mention: Mention
    passage: Passage
    index: int
    """The index of this quantity in its sentence."""
    beside: tuple[Mention, ...]
    """The quantities of the sentence, including this one."""
    words: frozenset[str]
    """The words of the sentence, or of the cell's row and header."""
    own_words: frozenset[str]
    """The words of the number's clause only."""
    clause_words: frozenset[str]
    """The words of the number's clause; for a number in brackets, the words before it, also outside the brackets. If
    these are few, also the words of the clause before.
    """
