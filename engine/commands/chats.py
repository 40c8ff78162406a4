"""Commands about chats: begin, name, delete, fork, rewind, and choose the model."""

from collections.abc import Mapping, Sequence

from engine.commands.base import Command
from engine.commands.values import Depth, Rewound
from events.late_dataclass import dataclass

__all__ = [
    "ArchiveChat",
    "CreateChat",
    "DeleteChat",
    "ForkChat",
    "RenameChat",
    "RestoreChat",
    "RewindChat",
    "SelectDepth",
    "SelectLeaf",
    "SelectModel",
    "SelectTools",
    "UnarchiveChat",
]


@dataclass(frozen=True, slots=True)
class CreateChat(Command[str]):
    """Begin a chat without a question. Returns its id."""

    title: str = ""
    model: str | None = None
    """The chat's model; None: the default model."""
    base_url: str | None = None
    selection: Mapping[str, Sequence[str]] | None = None
    """The chat's tools, as in `SelectTools`; None: the selection for new chats."""
    depth: Depth = "quick"


@dataclass(frozen=True, slots=True)
class RenameChat(Command[None]):
    """Give a chat a title."""

    chat_id: str
    title: str


@dataclass(frozen=True, slots=True)
class DeleteChat(Command[None]):
    """Remove a chat from the list; its events are kept. A running turn is stopped."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class ArchiveChat(Command[None]):
    """Move a chat from the list to the archive. It can still be opened, searched and asked questions."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class UnarchiveChat(Command[None]):
    """Move an archived chat back to the list."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class RestoreChat(Command[None]):
    """Restore a deleted chat."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class ForkChat(Command[str]):
    """Copy the branch up to a message, with its files, into a new chat. Returns the new chat's id."""

    chat_id: str
    message_id: str | None = None
    """The last message to copy; None: the chat's current message, or its message at `position`."""
    position: int | None = None
    """The chat and its files are copied as they were at this log position; None: as they are now."""


@dataclass(frozen=True, slots=True)
class RewindChat(Command[int]):
    """Take a chat, its files, or both back to an earlier state; later events stay in the history.

    Returns the position of the log before the rewind; rewinding to that position undoes it.
    """

    chat_id: str
    position: int
    what: Rewound = "both"
    """What to rewind: the chat, its files, or both."""


@dataclass(frozen=True, slots=True)
class SelectTools(Command[None]):
    """Choose which tools a chat offers."""

    chat_id: str
    selection: Mapping[str, Sequence[str]]
    """Toolset id (`builtin` for built-in tools) → tools."""


@dataclass(frozen=True, slots=True)
class SelectModel(Command[None]):
    """Choose which model answers in a chat."""

    chat_id: str
    model: str
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class SelectDepth(Command[None]):
    """Choose how many steps the model may take in each turn of a chat, starting with the next turn."""

    chat_id: str
    depth: Depth


@dataclass(frozen=True, slots=True)
class SelectLeaf(Command[None]):
    """Go to another message. The files switch to that branch. None goes to the start of the chat."""

    chat_id: str
    message_id: str | None
