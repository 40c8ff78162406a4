"""A sentence of an earlier answer, and whether it still follows from the new results."""

from events.late_dataclass import dataclass

__all__ = ["JudgedSentence", "Moved"]


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence, and whether it follows from the new results."""

    start: int
    end: int
    text: str
    follows: bool
    now: str = ""
    """The fact that is true now, if the sentence no longer follows from the results."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A traced number of the text, with its old and new values."""

    start: int
    end: int
    table: int
    """The index of the old table."""
    column: int
    before: float
    after: float | None
    """None if its row or column no longer exists."""
    written: str = ""
    """The new value in the format of the answer."""
    changes: bool = False
    """Whether it is a difference or growth. Its sign then shows whether the value rose or fell."""
