"""The reviews of the numbers in answers."""

from collections.abc import Mapping
from typing import Any

from engine.numbers.reviewed_number import ReviewedNumber
from events.late_dataclass import dataclass

__all__ = ["ReviewView", "reviews_of"]


@dataclass(frozen=True, slots=True)
class ReviewView:
    """A model's review of the numbers in one answer."""

    model: str
    numbers: tuple[ReviewedNumber, ...]
    problem: str | None
    """The reason why the model did not review the numbers."""
    request: str | None = None
    """The hash of the text that the model was sent."""
    reply: str | None = None
    """The hash of its reply."""


def reviews_of(rows: list[dict[str, Any]]) -> Mapping[str, ReviewView]:
    """Return the reviews in rows of `number_reviews`, by message."""
    return {
        row["message_id"]: ReviewView(
            row["model"] or "",
            tuple(
                ReviewedNumber(**{name: one[name] for name in ReviewedNumber.__slots__ if name in one})
                for one in row["numbers"] or ()
            ),
            row["problem"],
            *(row[name]["sha256"] if row[name] else None for name in ("request", "reply")),
        )
        for row in rows
    }
