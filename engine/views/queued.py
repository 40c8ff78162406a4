"""A queued question for display. A value."""

from dataclasses import dataclass

from engine.commands.catalog import Ask
from engine.errors import AnabranchError

__all__ = ["Queued"]


@dataclass(frozen=True, slots=True)
class Queued:
    """A question that waits, or that was refused when it was about to be asked."""

    queued_id: str
    question: Ask
    refusal: AnabranchError | None = None
    due: bool = False
    """Whether it could be asked now: Anabranch ended before it was asked."""
