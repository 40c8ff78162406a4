"""Facts about re-runs: recorded calls that were run again, and their outcomes. Stream `chat-<id>`."""

from typing import Annotated, Literal

from pydantic import Field

from events.catalog.workspace import File
from events.declarations import Dropped, History, Makes, NamesFiles, Refers
from events.event import ChatEvent, StoredValue, Value

__all__ = ["CallVerdict", "ReplayFinished", "RerunCall", "RerunFinished", "RerunStarted", "Verdict"]

Verdict = Literal["identical", "equal", "differs", "not_deterministic", "skipped", "failed"]
"""The outcome of running a call again. `equal` means the same rows, stored differently."""


class CallVerdict(Value):
    """The outcome of running one call again."""

    call_id: Annotated[str, Refers("call")]
    verdict: Verdict
    reason: str = ""
    """Why the result is not identical, or why the call was skipped or could not run."""
    reaches_out: bool = False
    """Whether the call was skipped only because it reaches the network or an MCP server, which the user can allow."""
    seconds: float = 0.0
    """How many seconds the call ran this time."""
    environment: tuple[str, ...] = ()
    """Differences in the environment, such as `pandas 2.3.1 → 2.3.2`; none if it is the same."""
    details: StoredValue | None = None
    """The differences: places in the result, rows of tables, files."""


class ReplayFinished(ChatEvent):
    """Recorded calls of a branch ran again, each with its original files and tool."""

    type: Literal["ReplayFinished"] = "ReplayFinished"
    history = History("calls")
    fork = Dropped("it is about the calls of the origin, not about their copies")
    replay_id: Annotated[str, Makes("replay")]
    message_id: Annotated[str | None, Refers("message")]
    """The last message of the branch."""
    calls: tuple[CallVerdict, ...]
    """The outcome of each call, in the order of the log."""
    asked: int
    """The number of calls that should run; higher than the number of `calls` if the re-run was stopped."""
    live: bool = False
    """Whether calls that reach the network also ran."""
    seconds: float = 0.0

    def sentence(self) -> str:
        """See `Event.sentence`: says how many calls ran again, and how many gave different results."""
        again = [call for call in self.calls if call.verdict != "skipped"]
        same = sum(call.verdict in ("identical", "equal") for call in again)
        stopped = f" It was stopped after {len(self.calls)} of {self.asked}." if self.stopped else ""
        return f"Calls ran again: {same} of {len(again)} gave the same result.{stopped}"

    @property
    def stopped(self) -> bool:
        """Whether the re-run was stopped before its end."""
        return len(self.calls) < self.asked


class RerunStarted(ChatEvent):
    """The calls of a branch began to run again on a new branch, with changed arguments or other files."""

    type: Literal["RerunStarted"] = "RerunStarted"
    history = History("calls")
    fork = Dropped("the fork has one of the two branches")
    rerun_id: Annotated[str, Makes("rerun")]
    message_id: Annotated[str, Refers("message")]
    """The last message of the branch that runs again."""
    call_id: Annotated[str | None, Refers("call")] = None
    """The call whose arguments were changed; everything after its step runs again."""
    arguments: StoredValue | None = None
    """The new arguments of that call."""
    files: Annotated[dict[str, File], NamesFiles()]
    """Files that replace the user's files with the same paths, at each message to which the user added them."""
    columns: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Path → column that the calls use → column of the new file. `files` contains a copy of the new file with renamed
    columns.
    """
    brought: Annotated[dict[str, File], NamesFiles()] = Field(default_factory=dict)
    """The replacing files as the user added them, before columns were renamed."""
    live: bool = False
    """Whether calls that reach the network or an MCP server also run."""
    asked: int = 0
    """How many calls will run."""

    def sentence(self) -> str:
        """See `Event.sentence`: describes the change."""
        if self.call_id is not None:
            return "You changed a call; it and the calls after it run again."
        matched = [f"{new} is read as {old}" for names in self.columns.values() for old, new in names.items()]
        told = f" Its {'; '.join(matched)}." if matched else ""
        return f"The analysis runs again with {', '.join(self.files) or 'the same files'}.{told}"


class RerunCall(Value):
    """The outcome of one call."""

    call_id: Annotated[str, Refers("call")]
    new_call_id: Annotated[str | None, Refers("call")]
    """The new call; None if the re-run did not reach it."""
    status: Literal["ran", "kept", "failed", "not reached"]
    """How the call ended; `kept`: its recorded result was used, because it must not run again."""
    moved: bool = False
    """Whether the result is different."""
    told: str = ""
    """The difference, or the reason why the recorded result was used or the call failed, in words."""
    quotes: tuple[str, ...] = ()
    """Values in the call's arguments that come from results of earlier calls, but that are not in the new results of
    those calls."""


class RerunFinished(ChatEvent):
    """The calls of a branch ran again."""

    type: Literal["RerunFinished"] = "RerunFinished"
    history = History("calls")
    fork = Dropped("the fork has one of the two branches")
    rerun_id: Annotated[str, Refers("rerun")]
    message_id: Annotated[str | None, Refers("message")]
    """The last message of the new branch; None if no call was reached."""
    from_message_id: Annotated[str, Refers("message")]
    """The last message of the branch that ran again."""
    changed: str
    """What was changed for this re-run: the names of the files, or the tool of the call."""
    calls: tuple[RerunCall, ...]
    """The outcome of each call, in order."""
    seconds: float = 0.0

    def sentence(self) -> str:
        """See `Event.sentence`: says how many calls ran, and how many results changed."""
        ran = sum(call.status == "ran" for call in self.calls)
        moved = sum(call.moved for call in self.calls)
        return f"Of {len(self.calls)} calls, {ran} ran again and {moved} gave a different result."
