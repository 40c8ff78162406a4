"""Facts about a tool call, from its request to its end. Stream `chat-<id>`."""

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
"""How a call ended."""


class ToolCallRequested(ChatEvent):
    """A model or the user requested a tool call."""

    type: Literal["ToolCallRequested"] = "ToolCallRequested"
    history = History("calls", "A tool was called.")
    fork = Copied("call_id")
    call_id: Annotated[str, Makes("call")]
    message_id: Annotated[str | None, Refers("message")]
    """The assistant message that requested the call; None for the user's own call."""
    turn_id: Annotated[str | None, Refers("turn")]
    index: int
    """The index of the call within its message, from 0."""
    tool_id: str
    """The tool's id; if no such tool was offered, the name as the model wrote it."""
    arguments: StoredValue
    """The arguments as a JSON object, or the original text if it is not a JSON object."""
    provider_call_id: str = ""
    """The provider's own id of the call."""
    commentary: str = ""
    """The model's text before the calls of a step; set only on the step's first call."""
    needs_confirmation: bool = False
    """Whether the call waits for the user's decision."""
    sends_to: str | None = None
    """The destination to which the call sends its arguments; None if it sends nothing, or if the chat contained no
    data.
    """
    from_call_id: Annotated[str | None, Refers("call", earlier=False, not_copied="kept")] = None
    """If the user made this call by changing the arguments of an earlier call, the earlier call."""


class ToolCallApproved(ChatEvent):
    """The user, or `--yes`, allowed a call with exactly these arguments."""

    type: Literal["ToolCallApproved"] = "ToolCallApproved"
    history = History("calls", "You approved a call.")
    fork = Copied("call_id")
    call_id: Annotated[str, Refers("call")]
    arguments: StoredValue
    by: Literal["user", "yes", "always in this chat"]
    """How the user agreed."""


class ToolCallDenied(ChatEvent):
    """The user denied a call."""

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
    """The state of the chat's files before the call."""
    toolset_version: str | None = None
    """Version of the toolset that ran."""
    content_hash: str | None = None
    """The hash of the stored bundle that runs."""
    moments: tuple[MomentRead, ...] = ()
    """The other states of the files that the call can read, because its arguments name them."""


class CallFailure(Value):
    """The reason why a call has no result."""

    kind: str
    """A stable error code."""
    message: str
    traceback: str = ""
    """The part of the traceback inside the tool's code."""


class Confined(Value):
    """How the tool's process was confined, as actually enforced."""

    level: str
    """The level of confinement, such as `full`."""
    layers: tuple[str, ...] = ()
    """The layers that confined the process."""


class Picture(Value):
    """A picture that a call returned, for everyone who reads its result: the user, and models that accept pictures."""

    sha256: Annotated[str, Content()]
    media_type: str
    size: int
    """The size in bytes."""
    caption: str = ""


class ToolCallFinished(ChatEvent):
    """A call ended. Each call has exactly one such event."""

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
    """How the call ended."""
    result: StoredValue | None = None
    """The value that the tool returned."""
    error: CallFailure | None = None
    """Why the call failed; None if it did not fail."""
    render_plan: Annotated[StoredValue | None, NamesContents()] = None
    """How the result is shown."""
    post_manifest_id: Annotated[str | None, Refers("manifest", earlier=False)] = None
    """The state of the chat's files after the call."""
    stdout: str = ""
    """The beginning and end of the tool's standard output."""
    stderr: str = ""
    """The beginning and end of the tool's error output."""
    seconds: float = 0.0
    peak_bytes: int = 0
    """The peak memory of the process, in bytes."""
    confined: Confined | None = None
    """How the tool process was confined; None if the tool has no process."""
    files_with_secrets: tuple[str, ...] = ()
    """Files that the tool wrote and that contain a configured secret."""
    note: str | None = None
    """A note about the run, for example that the current state of the toolset's folder was not used."""
    environment: BlobRef | None = None
    """The environment of the tool's process, as canonical JSON: versions of Python and each loaded package, platform,
    time zone, locale, hash seed, threads. The same environment gives the same hash."""
    pictures: tuple[Picture, ...] = ()
    """Pictures that are sent with the result to models that accept pictures."""
