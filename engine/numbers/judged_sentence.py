"""A sentence of an answer, judged over other results."""

from dataclasses import dataclass

__all__ = ["JudgedSentence", "Moved"]


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence, and whether it follows from the new results."""

    start: int
    end: int
    text: str
    follows: bool
    now: str = ""
    """What is true now, if the sentence no longer follows."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A traced number of the text, before and after."""

    start: int
    end: int
    table: int
    """The number of the old table."""
    column: int
    before: float
    after: float | None
    """None if its row or column is gone."""
    written: str = ""
    """The new value in the format of the answer."""
    changes: bool = False
    """Whether it is a difference or a growth, whose sign says up or down."""
