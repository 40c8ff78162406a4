"""Facts about a turn and its steps. Stream `chat-<id>`."""

from typing import Annotated, ClassVar, Literal

from events.catalog.definition import DefinitionRef
from events.declarations import ByField, Copied, History, InFork, Makes, Refers
from events.event import BlobRef, ChatEvent
from events.json_value import JSON

__all__ = [
    "ContextCompacted",
    "StepStarted",
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
"""Why a turn ended."""


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
    """The model's address, if it is not the provider's usual one. A turn that waited continues with this address."""
    by_user: bool = False
    """Whether the message is a command that runs one tool without asking a model."""
    form: dict[str, JSON] | None = None
    """The query form that the user chose. If it is set, the question's text is not interpreted."""


class TurnResumed(ChatEvent):
    """A turn that waited for the user continues."""

    type: Literal["TurnResumed"] = "TurnResumed"
    history = History("messages", "The turn continued.")
    fork = Copied("turn_id")
    turn_id: Annotated[str, Refers("turn")]


class StepStarted(ChatEvent):
    """A request was sent to the model. The request can be rebuilt from two things: the blobs that the event names, and
    the branch up to `message_id`.

    In version 1, `message_ids` named every message of the branch, and the system text described the tables.
    """

    schema_version: ClassVar[int] = 2
    type: Literal["StepStarted"] = "StepStarted"
    history = History("messages", "The model was asked.")
    fork = Copied("turn_id", before_end="message_id")
    turn_id: Annotated[str, Refers("turn")]
    step: int
    """The number of the step within the turn, counted from 1."""
    model: str
    parameters: dict[str, JSON]
    """The request's parameters, such as the temperature."""
    system: BlobRef
    """The request's system text."""
    tools: BlobRef
    """The offered tools as a JSON list, each with its wire name, description and schema."""
    tool_ids: dict[str, str]
    """Wire name → tool id, for this request."""
    manifest_id: Annotated[str | None, Refers("manifest", earlier=False)]
    """The state of the chat's files."""
    message_id: Annotated[str, Refers("message")]
    """The newest message sent. All earlier messages of its branch were sent too, with the results of their calls; after
    a compaction, only those that it does not cover."""
    compaction_id: Annotated[str | None, Refers("compaction")] = None
    """The compaction whose summary was sent in place of the messages that it covers."""
    data: BlobRef | None = None
    """The text that was added to the newest message, as JSON: the `text`, and the digests of all `items` (such as
    tables) that the model then knew.
    """
    may_call: bool = True
    """Whether the model was allowed to call tools in its reply."""
    briefing: int = 1
    """Version of the rules at the beginning of the system text."""
    sees: bool = True
    """Whether pictures were sent; if not, text was sent in their place."""
    request_sha256: Annotated[str | None, InFork(None)] = None
    """Hash of the request body, if there was one; a request that is rebuilt from this event has the same hash. In a
    fork this is None, because the bytes that were sent contain the ids of the original calls."""
    definitions: tuple[DefinitionRef, ...] = ()
    """The user's definitions in the system text."""


class ContextCompacted(ChatEvent):
    """A summary replaced a branch's older messages in requests. The messages themselves stay."""

    type: Literal["ContextCompacted"] = "ContextCompacted"
    history = History("messages", "Earlier messages were summarised to make room.")
    fork = Copied("through_id")
    compaction_id: Annotated[str, Makes("compaction")]
    """The id of the summary."""
    turn_id: Annotated[str | None, Refers("turn", not_copied="cleared")]
    """The turn whose request was too long; None in a fork without that turn."""
    through_id: Annotated[str, Refers("message")]
    """The last message that the summary covers; it also covers all messages before it."""
    message_id: Annotated[str, Refers("message", instead="through_id")]
    """The newest message when the summary was made."""
    summary: BlobRef
    """The text that is sent in place of the covered messages."""
    written_by: Literal["model", "rules"]
    """`rules`: the model could not be asked, so shortened questions and answers are quoted."""
    reason: Literal["window", "refused"]
    """`window`: the request nearly filled the model's window; `refused`: the provider said that it is too long."""
    window: int
    """The token limit for requests, if it was known then."""
    window_named: bool = False
    """Whether the provider named that limit when it refused the request; otherwise the limit comes from elsewhere or is
    a guess.
    """
    model: str
    messages: int
    """The number of messages that the summary covers."""
    tokens_before: int
    """The estimated tokens of the request that was too long."""
    tokens_in: int | None = None
    """The tokens of the request for the summary."""
    tokens_out: int | None = None
    seconds: float = 0.0
    problem: str | None = None
    """The reason why the model could not write the summary."""


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
    """The error message for the user: what happened and what to do."""
    kind: str | None = None
    """The error code of a model provider's error."""
    retry_after: float | None = None
    """Seconds that the provider asked the app to wait."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float = 0.0


class ToolsPicked(ChatEvent):
    """The model chose the tools whose full specifications it needs."""

    type: Literal["ToolsPicked"] = "ToolsPicked"
    history = History("calls", "The model picked tools.")
    fork = Copied("turn_id")
    turn_id: Annotated[str, Refers("turn")]
    tool_ids: tuple[str, ...]
    """The tools that the model loaded."""
