"""Facts about one chat: its lifecycle, its messages, and the user's choices. Stream `chat-<id>`."""

from typing import Annotated, Literal, TypeAlias

from events.catalog.parts import Part
from events.declarations import ByField, Copied, Dropped, History, InFork, Makes, Refers
from events.event import ChatEvent, Value

__all__ = [
    "EDITED",
    "SENT_BACK",
    "ChatArchived",
    "ChatCreated",
    "ChatDeleted",
    "ChatForked",
    "ChatRenamed",
    "ChatRestored",
    "ChatUnarchived",
    "ConfirmationRuleSet",
    "Depth",
    "DepthSelected",
    "LeafSelected",
    "MessageAdded",
    "MessageUsage",
    "ModelSelected",
    "SendRuleSet",
    "ToolsAdded",
    "ToolsSelected",
]


Depth: TypeAlias = Literal["quick", "thorough"]


class ChatCreated(ChatEvent):
    """A chat began."""

    type: Literal["ChatCreated"] = "ChatCreated"
    history = History("choices", "The chat began.")
    fork = Dropped("the fork has its own first event")
    begins = True
    title: str = ""


class ChatRenamed(ChatEvent):
    """A chat was given a title."""

    type: Literal["ChatRenamed"] = "ChatRenamed"
    history = History("choices", "The chat got its title.")
    fork = Dropped("the fork has its own title")
    title: str
    automatic: bool = False
    """Whether the title was made from the first question; such a title never replaces the user's own."""


class ChatForked(ChatEvent):
    """This chat began as a copy of a branch of another chat. Each copied event names its original as its cause."""

    type: Literal["ChatForked"] = "ChatForked"
    history = History("choices", "The chat began as a copy of a branch of another chat.")
    fork = Dropped("the fork names its own origin")
    origin_chat_id: str
    """The chat that was copied."""
    origin_message_id: str | None
    """The last copied message; None if the chat was empty."""
    origin_position: int
    """The branch was copied as it was at this log position."""


class ChatDeleted(ChatEvent):
    """A chat was removed from the list; its events are kept."""

    type: Literal["ChatDeleted"] = "ChatDeleted"
    history = History("choices", "The chat was deleted.")
    fork = Dropped("the fork is a new chat")


class ChatArchived(ChatEvent):
    """A chat was moved from the list to the archive, where it can still be found, opened and used."""

    type: Literal["ChatArchived"] = "ChatArchived"
    history = History("choices", "You archived the chat.")
    fork = Dropped("the fork is a new chat")


class ChatUnarchived(ChatEvent):
    """An archived chat is back in the list."""

    type: Literal["ChatUnarchived"] = "ChatUnarchived"
    history = History("choices", "You restored the chat from the archive.")
    fork = Dropped("the fork is a new chat")


class ChatRestored(ChatEvent):
    """A deleted chat was restored."""

    type: Literal["ChatRestored"] = "ChatRestored"
    history = History("choices", "The chat was restored.")
    fork = Dropped("the fork is a new chat")


class ToolsSelected(ChatEvent):
    """The tools that this chat offers to the model were chosen."""

    type: Literal["ToolsSelected"] = "ToolsSelected"
    history = History("choices", "Tools were chosen.")
    fork = Dropped("the fork begins with the current choice")
    selection: dict[str, list[str]]
    """Toolset id (`builtin` for the built-in ones) → tools."""


class ToolsAdded(ChatEvent):
    """New tools of a release were selected automatically in a chat that already used their toolset."""

    type: Literal["ToolsAdded"] = "ToolsAdded"
    history = History("choices", "New tools of this release were added.")
    fork = Dropped("the fork begins with the current choice")
    selection: dict[str, list[str]]
    """All tools of the chat that are selected from now on."""
    added: list[str]
    """Ids of the tools."""


class ModelSelected(ChatEvent):
    """The model of this chat was chosen."""

    type: Literal["ModelSelected"] = "ModelSelected"
    history = History("choices", "The model {model} was chosen.")
    fork = Dropped("the fork begins with the current choice")
    model: str
    """`offline`, `scripted:FILE` or `PROVIDER:MODEL`."""
    base_url: str | None = None


class DepthSelected(ChatEvent):
    """The limit of model steps for this chat was chosen; the limits of `quick` and `thorough` are settings."""

    type: Literal["DepthSelected"] = "DepthSelected"
    history = History(
        "choices",
        ByField(
            "depth", {"quick": "Quick answers were chosen.", "thorough": "Thorough answers were chosen."}
        ),
    )
    fork = Dropped("the fork begins with the current choice")
    depth: Depth


class ConfirmationRuleSet(ChatEvent):
    """The user chose whether a tool that normally asks before it runs must ask in this chat."""

    type: Literal["ConfirmationRuleSet"] = "ConfirmationRuleSet"
    history = History("choices", "You chose whether a tool has to ask.")
    fork = Dropped("permissions apply only in the chat in which they were given")
    tool_id: str
    always: bool
    """True: its calls are approved without asking."""
    source: str = ""
    """The source of the tool's bundle, to which the rule applies; empty for tools without a bundle."""


class SendRuleSet(ChatEvent):
    """The user chose whether this chat's tools may send data to a destination without asking first."""

    type: Literal["SendRuleSet"] = "SendRuleSet"
    history = History("choices", "You chose whether sending to a destination needs your approval.")
    fork = Dropped("permissions apply only in the chat in which they were given")
    destination: str
    """The destination. For a toolset: its id and the hosts that its bundle names, as in `web-search:api.exa.ai`, or
    only the id if no hosts are known. For an MCP server: the host of its address, or `mcp:SERVER` if it has no address.
    """
    always: bool
    """True: data is sent there without asking."""
    source: str = ""
    """The source of the toolset to which the rule applies; empty for a server."""


class LeafSelected(ChatEvent):
    """The user moved to another message; the files changed to those of that message."""

    type: Literal["LeafSelected"] = "LeafSelected"
    history = History("choices", "You moved to another message.")
    fork = Dropped("the fork starts at the end of its only branch")
    message_id: Annotated[str | None, Refers("message")]
    """The message; None is the root, before any message."""
    manifest_id: Annotated[str | None, Refers("manifest")]
    """The state of the files at that message: its own state, or that of its nearest ancestor with one."""


class MessageUsage(Value):
    """The cost of one reply. A value is None if the provider does not report it."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float = 0.0
    tokens_total: int | None = None
    """All tokens of the request and the reply."""
    tokens_reasoning: int | None = None
    """Tokens that the model spent on thinking."""
    tokens_cached: int | None = None
    """Tokens of the request that the provider had cached."""


EDITED = "edited"
"""The `finish` of a message that the user wrote in place of an answer."""
SENT_BACK = "sent_back"
"""The `finish` of a draft that the model was asked to write again."""


class MessageAdded(ChatEvent):
    """A message was added to the tree. An assistant's message is one step of a turn."""

    type: Literal["MessageAdded"] = "MessageAdded"
    history = History("messages")
    fork = Copied("message_id")
    message_id: Annotated[str, Makes("message")]
    parent_id: Annotated[str | None, Refers("message")]
    """The previous message on its branch; None for the first message."""
    turn_id: Annotated[str | None, Refers("turn")] = None
    role: Literal["system", "user", "assistant"]
    """Who wrote it."""
    parts: tuple[Part, ...]
    """The parts of the message, in order."""
    becomes_leaf: Annotated[bool, InFork(True)] = True
    """Whether the chat was at the parent, and therefore moved to this message."""
    finish: str | None = None
    """How the model's reply ended; None for a user's message. `sent_back`: a draft that the model was asked to write
    again, because some of its numbers are in no result. `edited`: the user wrote it in place of an answer."""
    usage: MessageUsage | None = None
    """Tokens and time, as the provider reported them; None for a user's message."""
    replaces: Annotated[str | None, Refers("message", earlier=False, not_copied="cleared")] = None
    """The message to which this edit or retry is an alternative."""

    def sentence(self) -> str:
        """See `Event.sentence`: says who wrote the message, and whether it calls tools."""
        if self.role == "user":
            return "You asked." if self.replaces is None else "You asked in other words."
        if any(part.kind == "call" for part in self.parts):
            return "The model requested tool calls."
        if self.finish == EDITED:
            return "You edited the answer."
        if self.finish == SENT_BACK:
            return "The draft went back to the model: some of its numbers are in no result."
        return "The answer was added."
