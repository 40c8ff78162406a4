"""A number where it stands in its sentence, and what it is said of there."""

from dataclasses import dataclass

from engine.numbers.mentions import Mention
from engine.numbers.passages import Passage

__all__ = ["Governing", "Place"]


@dataclass(frozen=True, slots=True)
class Governing:
    """What a number is said of, in one dimension."""

    labels: frozenset[str]
    level: int
    """0 beside the number, 1 in its clause, 2 in its sentence, from 3 on around it, 9 in the question."""


@dataclass(frozen=True)
class Place:
    """A number with the passage that it stands in."""

    mention: Mention
    passage: Passage
    index: int
    """Which of the sentence's quantities it is, from 0."""
    beside: tuple[Mention, ...]
    """The quantities of the sentence, itself among them."""
    words: frozenset[str]
    """The words of the sentence, or of the cell's row and header."""
    clause_words: frozenset[str]
    """Of its clause; with the clause before, where it stands in brackets or says little more than the number."""
