"""Facts of one chat: its life, its messages, and what it has chosen. Stream `chat-<id>`."""

from typing import Literal, TypeAlias

from events.catalog.parts import Part
from events.event import Event, Value

__all__ = [
    "ChatCreated",
    "ChatDeleted",
    "ChatForked",
    "ChatRenamed",
    "ChatRestored",
    "ConfirmationRuleSet",
    "Depth",
    "DepthSelected",
    "LeafSelected",
    "MessageAdded",
    "MessageUsage",
    "ModelSelected",
    "QuestionQueued",
    "QuestionRefused",
    "QuestionUnqueued",
    "QueuedFile",
    "ToolsAdded",
    "ToolsSelected",
]


Depth: TypeAlias = Literal["quick", "thorough"]


class ChatCreated(Event):
    """A chat began."""

    type: Literal["ChatCreated"] = "ChatCreated"
    title: str = ""


class ChatRenamed(Event):
    """A chat got a title."""

    type: Literal["ChatRenamed"] = "ChatRenamed"
    title: str
    automatic: bool = False
    """Made from the first question; the user's own title is never replaced by one."""


class ChatForked(Event):
    """This chat began as a copy of another's path. Each copied event names its origin as its cause."""

    type: Literal["ChatForked"] = "ChatForked"
    origin_chat_id: str
    origin_message_id: str | None
    origin_position: int
    """Position of the log at which the path was read."""


class ChatDeleted(Event):
    """A chat left the list; its events stay."""

    type: Literal["ChatDeleted"] = "ChatDeleted"


class ChatRestored(Event):
    """A deleted chat came back."""

    type: Literal["ChatRestored"] = "ChatRestored"


class ToolsSelected(Event):
    """Which tools this chat offers to the model."""

    type: Literal["ToolsSelected"] = "ToolsSelected"
    selection: dict[str, list[str]]
    """Toolset id (`builtin` for the built-in ones) → tools."""


class ToolsAdded(Event):
    """Tools that came with a release of Anabranch were ticked in a chat that used their toolset already."""

    type: Literal["ToolsAdded"] = "ToolsAdded"
    selection: dict[str, list[str]]
    """The chat's whole selection from now on."""
    added: list[str]
    """Ids of the tools."""


class ModelSelected(Event):
    """Which model answers in this chat."""

    type: Literal["ModelSelected"] = "ModelSelected"
    model: str
    """`offline`, `scripted:FILE` or `PROVIDER:MODEL`."""
    base_url: str | None = None


class DepthSelected(Event):
    """How many steps the model may take in this chat: `quick` and `thorough` have a setting each."""

    type: Literal["DepthSelected"] = "DepthSelected"
    depth: Depth


class ConfirmationRuleSet(Event):
    """The user said whether a tool that asks first has to ask in this chat."""

    type: Literal["ConfirmationRuleSet"] = "ConfirmationRuleSet"
    tool_id: str
    always: bool
    """True: its calls are approved without asking."""
    source: str = ""
    """The source of the tool's bundle, for which that was said; empty for tools of no bundle."""


class LeafSelected(Event):
    """The user moved to another message; files follow."""

    type: Literal["LeafSelected"] = "LeafSelected"
    message_id: str | None
    """None is the root: before any message."""
    manifest_id: str | None
    """The files of that message: its own state or its nearest ancestor's."""


class MessageUsage(Value):
    """What one reply cost; None where the provider does not say."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float = 0.0
    tokens_total: int | None = None
    tokens_reasoning: int | None = None
    tokens_cached: int | None = None


class MessageAdded(Event):
    """A message joined the tree. An assistant's is one step of a turn."""

    type: Literal["MessageAdded"] = "MessageAdded"
    message_id: str
    parent_id: str | None
    turn_id: str | None = None
    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]
    becomes_leaf: bool = True
    """Whether the chat stood on the parent, and so moved along."""
    finish: str | None = None
    """How the model's reply ended; None for a user's message."""
    usage: MessageUsage | None = None
    replaces: str | None = None
    """The message of which this is an edited or retried sibling."""


class QueuedFile(Value):
    """A file that waits with its question: it gets its path in the workspace when that is asked."""

    name: str
    sha256: str
    size: int


class QuestionQueued(Event):
    """A question waits for the end of the chat's turn; one does at most."""

    type: Literal["QuestionQueued"] = "QuestionQueued"
    queued_id: str
    text: str
    files: tuple[QueuedFile, ...] = ()


class QuestionRefused(Event):
    """A question that waited could not be asked when its time had come; it stays to be sent again or discarded."""

    type: Literal["QuestionRefused"] = "QuestionRefused"
    queued_id: str
    code: str
    """Of the refusal."""
    message: str
    """What the refusal said."""


class QuestionUnqueued(Event):
    """A question waits no more, nor stays as refused."""

    type: Literal["QuestionUnqueued"] = "QuestionUnqueued"
    queued_id: str
    reason: Literal["asked", "taken_back"]
