"""When a turn must come to its end (TRN-6). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from events.canonical import canonical_json
from events.catalog.turn import CallFailure

__all__ = ["SAFETY_CAP", "Repeats", "steps_allowed", "total"]

SAFETY_CAP = 200
"""Replies with calls in one turn when the user switched the limit off."""

_NOT_RUN = 3
_ENDS = 5


def steps_allowed(limit: int, *, on: bool) -> int:
    """How many replies with calls a turn may have before it must answer."""
    return max(1, min(limit, SAFETY_CAP)) if on else SAFETY_CAP


@dataclass(slots=True)
class Repeats:
    """Counts how often in a row the same call with the same arguments was made."""

    last: str | None = None
    count: int = 0

    def see(self, tool_id: str, arguments: object) -> CallFailure | None:
        """Take note of a call; returns why it is not to be run, from the third time in a row on."""
        mark = canonical_json([tool_id, arguments])
        self.count = self.count + 1 if mark == self.last else 1
        self.last = mark
        if self.count < _NOT_RUN:
            return None
        times = f"{self.count} times in a row"
        return CallFailure(
            kind="repeated",
            message=f"This very call was made {times}; it was not run again. Use its result, or do otherwise.",
        )

    @property
    def ends_turn(self) -> bool:
        """Whether the turn goes nowhere."""
        return self.count >= _ENDS


def total(values: Sequence[int | None]) -> int | None:
    """Sum what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
