"""Facts of a turn: its steps and its tool calls. Stream `chat-<id>`."""

from typing import Annotated, ClassVar, Literal

from events.canonical import JSON
from events.catalog.definition import DefinitionRef
from events.declarations import ByField, Content, Copied, History, InFork, Makes, NamesContents, Refers
from events.event import BlobRef, ChatEvent, StoredValue, Value

__all__ = [
    "CallFailure",
    "Confined",
    "ContextCompacted",
    "FinalStatus",
    "Picture",
    "StepStarted",
    "ToolCallApproved",
    "ToolCallDenied",
    "ToolCallFinished",
    "ToolCallRequested",
    "ToolCallStarted",
    "ToolsPicked",
    "TurnFinish",
    "TurnFinished",
    "TurnResumed",
    "TurnStarted",
]

TurnFinish = Literal[
    "stop",
    "limit",
    "length",
    "content_filter",
    "cancelled",
    "error",
    "awaiting_confirmation",
    "interrupted",
]
FinalStatus = Literal["success", "error", "denied", "cancelled", "timed_out", "interrupted"]


class TurnStarted(ChatEvent):
    """The engine began to answer a user's message."""

    type: Literal["TurnStarted"] = "TurnStarted"
    history = History("messages", "The turn began.")
    fork = Copied("turn_id")
    turn_id: Annotated[str, Makes("turn")]
    message_id: Annotated[str, Refers("message")]
    """The user's message."""
    model: str
    base_url: str | None = None
    """Where that model is, if not at its provider's own address: a turn that waited goes on there."""
    by_user: bool = False
    """The message is a command that runs one tool; no model is asked."""
    form: dict[str, JSON] | None = None
    """The query form that the user chose, if the question is not to be read from its text."""


class TurnResumed(ChatEvent):
    """A turn that waited for the user goes on."""

    type: Literal["TurnResumed"] = "TurnResumed"
    history = History("messages", "The turn went on.")
    fork = Copied("turn_id")
    turn_id: Annotated[str, Refers("turn")]


class StepStarted(ChatEvent):
    """A request went to the model. With the blobs that it names and the path of its message, it can be built again.

    Version 1 named every message of the path (`message_ids`), and its system text described the tables.
    """

    schema_version: ClassVar[int] = 2
    type: Literal["StepStarted"] = "StepStarted"
    history = History("messages", "The model was asked.")
    fork = Copied("turn_id", before_end="message_id")
    turn_id: Annotated[str, Refers("turn")]
    step: int
    """1, 2, 3 … within the turn."""
    model: str
    parameters: dict[str, JSON]
    system: BlobRef
    """The system text."""
    tools: BlobRef
    """JSON list of what was offered: wire name, description and schema."""
    tool_ids: dict[str, str]
    """Wire name → tool id, for this request."""
    manifest_id: Annotated[str | None, Refers("manifest", earlier=False)]
    """The files that the chat had."""
    message_id: Annotated[str, Refers("message")]
    """The newest message sent. All messages of its path were sent with the results of their calls, from the root or
    from the end of what the compaction covers."""
    compaction_id: Annotated[str | None, Refers("compaction")] = None
    """The compaction whose summary went in place of what it covers."""
    data: BlobRef | None = None
    """What was added to the newest message, as JSON: the `text`, and the digests of all `items` that the model then
    knew, such as tables."""
    may_call: bool = True
    """Whether the reply could call tools."""
    briefing: int = 1
    """Version of the rules at the beginning of the system text."""
    sees: bool = True
    """Whether pictures went along; else words in their place."""
    request_sha256: Annotated[str | None, InFork(None)] = None
    """Hash of the body that went out, where one did: what is built again from this event has it too. A fork has none:
    ids of calls are part of the bytes that were sent."""
    definitions: tuple[DefinitionRef, ...] = ()
    """The user's definitions that the system text contained."""


class ContextCompacted(ChatEvent):
    """A summary takes the place of a branch's older messages in requests. The messages themselves stay."""

    type: Literal["ContextCompacted"] = "ContextCompacted"
    history = History("messages", "Earlier messages were summarised to make room.")
    fork = Copied("through_id")
    compaction_id: Annotated[str, Makes("compaction")]
    turn_id: Annotated[str | None, Refers("turn", not_copied="cleared")]
    """The turn whose request was too long; None in a fork without that turn."""
    through_id: Annotated[str, Refers("message")]
    """The last message that the summary covers; it covers all before it, too."""
    message_id: Annotated[str, Refers("message", instead="through_id")]
    """The newest message when it was made."""
    summary: BlobRef
    """The text that is sent in place of the covered messages."""
    written_by: Literal["model", "rules"]
    """`rules`: the model could not be asked, so questions and answers are quoted in short."""
    reason: Literal["window", "refused"]
    """`window`: the request came near the model's window; `refused`: the provider said that it is too long."""
    window: int
    """Tokens that a request may have, as far as known then."""
    window_named: bool = False
    """Whether the provider named that limit when it refused the request; else it is known from elsewhere or guessed."""
    model: str
    messages: int
    """How many messages it covers."""
    tokens_before: int
    """Tokens of the request that was too long, by our estimate."""
    tokens_in: int | None = None
    """Tokens of the request for the summary."""
    tokens_out: int | None = None
    seconds: float = 0.0
    problem: str | None = None
    """Why the model could not write it."""


class TurnFinished(ChatEvent):
    """A turn ended, or waits for the user."""

    type: Literal["TurnFinished"] = "TurnFinished"
    history = History(
        "messages",
        ByField(
            "reason",
            {
                "stop": "The turn ended with its answer.",
                "awaiting_confirmation": "The turn waits for you.",
                "cancelled": "You stopped the turn.",
                "error": "The turn ended without an answer.",
                "interrupted": "The turn was interrupted.",
                "limit": "The turn ended at its limit of steps.",
                "length": "The answer was cut off.",
            },
            otherwise="The turn ended.",
        ),
    )
    fork = Copied("turn_id")
    turn_id: Annotated[str, Refers("turn")]
    reason: TurnFinish
    message: str | None = None
    """For an error: what happened and what to do, in words for the user."""
    kind: str | None = None
    """For an error of a model's provider: a stable word."""
    retry_after: float | None = None
    """Seconds that the provider asks to wait."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float = 0.0


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


class ToolsPicked(ChatEvent):
    """The model chose tools whose full specifications it wants."""

    type: Literal["ToolsPicked"] = "ToolsPicked"
    history = History("calls", "The model picked tools.")
    fork = Copied("turn_id")
    turn_id: Annotated[str, Refers("turn")]
    tool_ids: tuple[str, ...]
