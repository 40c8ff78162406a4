"""The verdict of a review on one number. A plain value."""

from typing import Literal

from events.late_dataclass import dataclass

__all__ = ["ReviewedNumber", "Verdict"]

Verdict = Literal["right", "label", "wrong", "unknown"]
"""`label`: the number only names something or is a limit that the sentence sets, and the sentence is true."""


@dataclass(frozen=True, slots=True)
class ReviewedNumber:
    """The verdict of a review on one number."""

    start: int
    """The index of the number's first character in the answer's text."""
    text: str
    """The number as it is written in the answer."""
    verdict: Verdict
    source: str = ""
    """For `right`: how the number follows from values of the results, if the review says so."""
    reason: str = ""
    """For `wrong`: what is wrong."""
