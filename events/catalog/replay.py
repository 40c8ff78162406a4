"""Facts of re-runs: recorded calls that were run again, and their outcomes. Stream `chat-<id>`."""

from typing import Annotated, Literal

from pydantic import Field

from events.catalog.workspace import File
from events.declarations import Dropped, History, Makes, NamesFiles, Refers
from events.event import ChatEvent, StoredValue, Value

__all__ = ["CallVerdict", "ReplayFinished", "RerunCall", "RerunFinished", "RerunStarted", "Verdict"]

Verdict = Literal["identical", "equal", "differs", "not_deterministic", "skipped", "failed"]
"""The outcome of running a call again; `equal`: the same rows, stored differently."""


class CallVerdict(Value):
    """The outcome of running one call again."""

    call_id: Annotated[str, Refers("call")]
    verdict: Verdict
    reason: str = ""
    """The reason why it is not identical, was skipped, or could not run."""
    reaches_out: bool = False
    """Whether it was skipped only because it reaches the network or an MCP server, which the user can allow."""
    seconds: float = 0.0
    """How long it ran this time."""
    environment: tuple[str, ...] = ()
    """Differences in the environment, such as `pandas 2.3.1 → 2.3.2`; none if it is the same."""
    details: StoredValue | None = None
    """The differences: places in the result, rows of tables, files."""


class ReplayFinished(ChatEvent):
    """Recorded calls of a branch ran again, each with the files and the tool that it had."""

    type: Literal["ReplayFinished"] = "ReplayFinished"
    history = History("calls")
    fork = Dropped("it is about the calls of the origin, not about their copies")
    replay_id: Annotated[str, Makes("replay")]
    message_id: Annotated[str | None, Refers("message")]
    """The end of the branch."""
    calls: tuple[CallVerdict, ...]
    """In the order of the log."""
    asked: int
    """How many calls should run; more than `calls` if it was stopped."""
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


class RerunStarted(ChatEvent):
    """The calls of a branch began to run again on a new branch, with a changed argument or other files."""

    type: Literal["RerunStarted"] = "RerunStarted"
    history = History("calls")
    fork = Dropped("the fork has one of the two branches")
    rerun_id: Annotated[str, Makes("rerun")]
    message_id: Annotated[str, Refers("message")]
    """The end of the branch that runs again."""
    call_id: Annotated[str | None, Refers("call")] = None
    """The call whose arguments were changed; everything after its step runs again."""
    arguments: StoredValue | None = None
    """The new arguments of that call."""
    files: Annotated[dict[str, File], NamesFiles()]
    """Files that replace those with the same path wherever the branch received them."""
    columns: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Path → column that the calls use → column of the new file; `files` contains a renamed copy of it."""
    brought: Annotated[dict[str, File], NamesFiles()] = Field(default_factory=dict)
    """Those files as the user added them."""
    live: bool = False
    """Whether calls that reach the network or an MCP server run too."""
    asked: int = 0
    """How many calls will run."""

    def sentence(self) -> str:
        """See `Event.sentence`: describes the change."""
        if self.call_id is not None:
            return "You changed a call; it and what follows run again."
        matched = [f"{new} is read as {old}" for names in self.columns.values() for old, new in names.items()]
        told = f" Its {'; '.join(matched)}." if matched else ""
        return f"The analysis runs again with {', '.join(self.files) or 'the same files'}.{told}"


class RerunCall(Value):
    """The outcome of one call."""

    call_id: Annotated[str, Refers("call")]
    new_call_id: Annotated[str | None, Refers("call")]
    """None if it was not reached."""
    status: Literal["ran", "kept", "failed", "not reached"]
    """`kept`: its recorded result was used, because it must not run again."""
    moved: bool = False
    """Whether its result is different."""
    told: str = ""
    """What moved, or the reason why it was kept or failed, in words."""
    quotes: tuple[str, ...] = ()
    """Values in its arguments that earlier results contained but no longer contain."""


class RerunFinished(ChatEvent):
    """The calls of a branch ran again."""

    type: Literal["RerunFinished"] = "RerunFinished"
    history = History("calls")
    fork = Dropped("the fork has one of the two branches")
    rerun_id: Annotated[str, Refers("rerun")]
    message_id: Annotated[str | None, Refers("message")]
    """The end of the new branch; None if no call was reached."""
    from_message_id: Annotated[str, Refers("message")]
    """The end of the branch that ran again."""
    changed: str
    """The change in this run: the names of the files, or the call's tool."""
    calls: tuple[RerunCall, ...]
    """The outcome of each call, in order."""
    seconds: float = 0.0

    def sentence(self) -> str:
        """See `Event.sentence`: how many calls ran and moved."""
        ran = sum(call.status == "ran" for call in self.calls)
        moved = sum(call.moved for call in self.calls)
        return f"Of {len(self.calls)} calls {ran} ran again, and {moved} came to something else."
