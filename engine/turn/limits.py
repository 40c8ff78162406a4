"""Decides when a turn must end (TRN-6, DIS-3). Pure. The counts are derived from the turn's events, so they continue
when a turn is resumed.
"""

from collections.abc import Callable, Sequence
from dataclasses import field

from engine.deciders.chat_state import ChatState
from engine.tools.builtin import PICK_TOOLS
from events.canonical import canonical_json
from events.catalog.tool_call import CallFailure
from events.event import StoredValue
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["SAFETY_CAP", "Repeats", "Tally", "steps_allowed", "tally", "total"]

SAFETY_CAP = 200
"""The maximum number of replies with tool calls in one turn, even if the user has disabled the usual limit."""

_NOT_RUN = 3
_ENDS = 5
_PICKS = 5
"""Up to this many replies that only pick tools are not counted."""


def steps_allowed(limit: int, *, on: bool) -> int:
    """Return the number of replies with calls that a turn may have before it must answer."""
    return max(1, min(limit, SAFETY_CAP)) if on else SAFETY_CAP


@dataclass(slots=True)
class Repeats:
    """Counts how often in a row the same call with the same arguments was made."""

    last: str | None = None
    count: int = 0

    def see(self, tool_id: str, arguments: object) -> CallFailure | None:
        """Count a call. From the third equal call in a row on, return the reason why it should not run."""
        mark = canonical_json([tool_id, arguments])
        self.count = self.count + 1 if mark == self.last else 1
        self.last = mark
        if self.count < _NOT_RUN:
            return None
        times = f"{self.count} times in a row"
        return CallFailure(
            kind="repeated",
            message=f"This same call was made {times}, so it was not run again. Use its result, or do something else.",
        )

    @property
    def ends_turn(self) -> bool:
        """Whether the turn makes no progress and must end."""
        return self.count >= _ENDS


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts what a turn has used of its limits."""

    replies: int
    """The number of replies with calls, not counting up to `_PICKS` replies that only pick tools."""
    calls: int = 0
    """The number of tool calls, except calls that only pick tools."""
    repeats: Repeats = field(default_factory=Repeats)


def tally(state: ChatState, turn_id: str, value_of: Callable[[StoredValue], JSON]) -> Tally:
    """Count a turn's replies with calls, and how often its last call was made in a row."""
    counted = picking = made = 0
    repeats = Repeats()
    for message in state.steps_of(turn_id):
        calls = [call.requested for call in state.calls_of(message.message_id)]
        others = [call for call in calls if call.tool_id != PICK_TOOLS.tool_id]
        counted += bool(others)
        made += len(others)
        picking += bool(calls) and not others
        for call in others:
            repeats.see(call.tool_id, value_of(call.arguments))
    return Tally(counted + max(0, picking - _PICKS), made, repeats)


def total(values: Sequence[int | None]) -> int | None:
    """Return the sum of the known values; None if no value is known."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
