"""The numbers of a reply that is not recorded yet, with their evidence. A plain value."""

from engine.numbers.evidence import Evidence
from engine.numbers.traced_number import TracedNumber
from events.late_dataclass import dataclass

__all__ = ["TracedReply"]


@dataclass(frozen=True, slots=True)
class TracedReply:
    """The numbers of a reply that may become an answer."""

    text: str
    numbers: tuple[TracedNumber, ...]
    evidence: Evidence

    @property
    def has_values(self) -> bool:
        """Whether it has numbers that need a source."""
        return any(one.status != "plain" for one in self.numbers)
