"""A queued question for display."""

from engine.commands.catalog import Ask
from engine.errors import AnabranchError
from events.late_dataclass import dataclass

__all__ = ["Queued"]


@dataclass(frozen=True, slots=True)
class Queued:
    """A waiting question, or a question that was refused when it was about to be asked."""

    queued_id: str
    question: Ask
    refusal: AnabranchError | None = None
    due: bool = False
    """Whether the question could be asked now, but was not asked automatically because Anabranch ended first."""
