"""Facts of re-runs: recorded calls that were run again, and what came of it. Stream `chat-<id>`."""

from typing import Annotated, Literal

from events.declarations import Dropped, History, Makes, Refers
from events.event import ChatEvent, StoredValue, Value

__all__ = ["CallVerdict", "ReplayFinished", "Verdict"]

Verdict = Literal["identical", "equal", "differs", "not_deterministic", "skipped", "failed"]


class CallVerdict(Value):
    """What came of running one call again."""

    call_id: Annotated[str, Refers("call")]
    verdict: Verdict
    reason: str = ""
    """Why it is not identical, was skipped, or could not run."""
    seconds: float = 0.0
    """How long it ran this time."""
    environment: tuple[str, ...] = ()
    """What is different about the environment, such as `pandas 2.3.1 → 2.3.2`; none where it is the same."""
    details: StoredValue | None = None
    """What differs: places in the result, rows of tables, files."""


class ReplayFinished(ChatEvent):
    """Recorded calls of a branch ran again, each from the files and with the tool that it had."""

    type: Literal["ReplayFinished"] = "ReplayFinished"
    history = History("calls")
    fork = Dropped("it is about the calls of the origin, not about their copies")
    replay_id: Annotated[str, Makes("replay")]
    message_id: Annotated[str | None, Refers("message")]
    """The end of the branch."""
    calls: tuple[CallVerdict, ...]
    """In the order of the log."""
    asked: int
    """How many calls were to run; more than `calls` if it was stopped."""
    live: bool = False
    """Whether calls that reach the network ran too."""
    seconds: float = 0.0

    def sentence(self) -> str:
        """See `Event.sentence`: how many calls ran again, and how many came out otherwise."""
        again = [call for call in self.calls if call.verdict != "skipped"]
        same = sum(call.verdict in ("identical", "equal") for call in again)
        stopped = f" It was stopped after {len(self.calls)} of {self.asked}." if self.stopped else ""
        return f"Calls ran again: {same} of {len(again)} came out the same.{stopped}"

    @property
    def stopped(self) -> bool:
        """Whether it was stopped before its end."""
        return len(self.calls) < self.asked
