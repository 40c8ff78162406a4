"""Facts of a tool call, from being asked for to its end. Stream `chat-<id>`."""

from typing import Annotated, Literal

from events.catalog.moment import MomentRead
from events.declarations import ByField, Content, Copied, History, Makes, NamesContents, Refers
from events.event import BlobRef, ChatEvent, StoredValue, Value

__all__ = [
    "CallFailure",
    "Confined",
    "FinalStatus",
    "Picture",
    "ToolCallApproved",
    "ToolCallDenied",
    "ToolCallFinished",
    "ToolCallRequested",
    "ToolCallStarted",
]

FinalStatus = Literal["success", "error", "denied", "cancelled", "timed_out", "interrupted"]


class ToolCallRequested(ChatEvent):
    """A model, or the user, asked for a tool."""

    type: Literal["ToolCallRequested"] = "ToolCallRequested"
    history = History("calls", "The model called a tool.")
    fork = Copied("call_id")
    call_id: Annotated[str, Makes("call")]
    message_id: Annotated[str | None, Refers("message")]
    """The assistant message that made it; None for the user's own call."""
    turn_id: Annotated[str | None, Refers("turn")]
    index: int
    """Place among the calls of its message, from 0."""
    tool_id: str
    """The tool's id; the wire name as written where no such tool was offered."""
    arguments: StoredValue
    """The decoded object; the text as it came where it is not a JSON object."""
    provider_call_id: str = ""
    commentary: str = ""
    """The text with which the model announced its step; on the step's first call."""
    needs_confirmation: bool = False
    sends_to: str | None = None
    """Where what the call is given would leave for; None where nothing leaves, or the chat held no data."""
    from_call_id: Annotated[str | None, Refers("call", earlier=False, not_copied="kept")] = None
    """The call whose arguments the user changed to make this one."""


class ToolCallApproved(ChatEvent):
    """The user, or `--yes`, allowed a call, for these very arguments."""

    type: Literal["ToolCallApproved"] = "ToolCallApproved"
    history = History("calls", "You approved a call.")
    fork = Copied("call_id")
    call_id: Annotated[str, Refers("call")]
    arguments: StoredValue
    by: Literal["user", "yes", "always in this chat"]


class ToolCallDenied(ChatEvent):
    """The user said no."""

    type: Literal["ToolCallDenied"] = "ToolCallDenied"
    history = History("calls", "You denied a call.")
    fork = Copied("call_id")
    call_id: Annotated[str, Refers("call")]
    reason: str


class ToolCallStarted(ChatEvent):
    """A tool's process is about to run."""

    type: Literal["ToolCallStarted"] = "ToolCallStarted"
    history = History("calls", "A tool began to run.")
    fork = Copied("call_id")
    call_id: Annotated[str, Refers("call")]
    pre_manifest_id: Annotated[str | None, Refers("manifest", earlier=False)]
    toolset_version: str | None = None
    content_hash: str | None = None
    """Which stored bundle runs."""
    moments: tuple[MomentRead, ...] = ()
    """The other states of the files that it can read: those that its arguments name."""


class CallFailure(Value):
    """Why a call has no result."""

    kind: str
    """A stable word."""
    message: str
    traceback: str = ""
    """The tool's own frames."""


class Confined(Value):
    """What held the tool's process, as it was really done."""

    level: str
    layers: tuple[str, ...] = ()


class Picture(Value):
    """A picture that a call made for whoever reads its result: the user, and models that see."""

    sha256: Annotated[str, Content()]
    media_type: str
    size: int
    """Bytes."""
    caption: str = ""


class ToolCallFinished(ChatEvent):
    """A call ended, in the one way that it ends."""

    type: Literal["ToolCallFinished"] = "ToolCallFinished"
    history = History(
        "calls",
        ByField(
            "status",
            {
                "success": "A tool completed.",
                "error": "A tool failed.",
                "cancelled": "A tool was stopped.",
                "interrupted": "A tool was interrupted.",
                "timed_out": "A tool ran out of time.",
                "denied": "A call was denied.",
            },
        ),
    )
    fork = Copied("call_id")
    call_id: Annotated[str, Refers("call")]
    status: FinalStatus
    result: StoredValue | None = None
    error: CallFailure | None = None
    render_plan: Annotated[StoredValue | None, NamesContents()] = None
    post_manifest_id: Annotated[str | None, Refers("manifest", earlier=False)] = None
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0
    peak_bytes: int = 0
    confined: Confined | None = None
    files_with_secrets: tuple[str, ...] = ()
    """Files that it wrote and that hold a configured secret."""
    note: str | None = None
    """What the user should know of how it ran: that its toolset's folder is not used as it stands."""
    environment: BlobRef | None = None
    """The facts of the environment that its process ran in, as canonical JSON: versions of Python and of each loaded
    package, platform, time zone, locale, hash seed, threads. The same machine gives the same hash."""
    pictures: tuple[Picture, ...] = ()
    """Sent to models that see, beside the result."""
