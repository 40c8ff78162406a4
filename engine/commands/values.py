"""Values that commands contain and return."""

from typing import Literal, TypeAlias

from engine.commands.carried import FileBytes
from events.late_dataclass import dataclass

__all__ = [
    "Collected",
    "Depth",
    "IfRunning",
    "Installed",
    "Linked",
    "Outcome",
    "Rebuilt",
    "Restored",
    "Rewound",
    "TurnStart",
    "Unexplained",
    "Upload",
    "Waiting",
]

Depth: TypeAlias = Literal["quick", "thorough"]
"""The depth of a chat's turns. For each depth, a setting limits the number of steps with tool calls in a turn."""

IfRunning: TypeAlias = Literal["refuse", "queue"]
"""What to do with a question if the chat is still answering another question."""

Outcome: TypeAlias = Literal["installed", "upgraded", "unchanged"]
"""The kind of change that installing a bundle made."""

Rewound: TypeAlias = Literal["both", "chat", "files"]
"""The part of a chat that a rewind takes back: messages, files or both."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that the user adds: its name, and its bytes or their location."""

    name: str
    content: FileBytes


@dataclass(frozen=True, slots=True)
class Linked:
    """A link to files outside the data folder, ready to be added to a chat."""

    name: str
    """The name of the link in the chat."""
    text: str
    """The content of the link's file, in UTF-8."""
    location: str
    files: int
    """The number of files to which the link refers."""
    bytes: int
    """The total size of all files."""


@dataclass(frozen=True, slots=True)
class TurnStart:
    """A turn that has started."""

    chat_id: str
    turn_id: str
    message_id: str
    """The question that the turn answers."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A question that was queued."""

    chat_id: str
    queued_id: str


@dataclass(frozen=True, slots=True)
class Installed:
    """A toolset that was installed."""

    toolset_id: str
    version: str
    content_hash: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Restored:
    """A toolset whose stored files were restored."""

    toolset_id: str
    files: tuple[str, ...]
    """The restored files."""


@dataclass(frozen=True, slots=True)
class Unexplained:
    """A folder, or contents in a folder, whose origin this log does not explain."""

    name: str
    """The name for `gc --unexplained`: a chat's id, a toolset's `ID/VERSION-HASH`, or `toolset-copies`."""
    kind: Literal["chat", "contents", "toolset", "copies"]
    """The kind of item: a chat's folder, contents in a chat's folder, a toolset's folder or copies of toolset files."""
    files: int
    """The number of files in the item."""
    bytes: int

    def __str__(self) -> str:
        """Return the item's name and size."""
        what = {
            "chat": f"chat {self.name} is not in this log",
            "contents": f"chat {self.name}: written while nothing in this chat was running, and not named by any event",
            "toolset": f"toolset {self.name} is not in this log",
            "copies": f"{self.name}: copies of toolsets that are not in this log",
        }[self.kind]
        return f"{what} ({self.files:,} {'file' if self.files == 1 else 'files'}, {self.bytes:,} bytes)"


@dataclass(frozen=True, slots=True)
class Collected:
    """The outcome of `gc`: removed contents, and contents that were kept because their origin is unknown."""

    removed: int
    """The number of removed files."""
    bytes: int
    unexplained: tuple[Unexplained, ...] = ()
    """Folders and contents that were kept because this log does not explain their origin."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Read models that were computed again."""

    events: int
    """The number of events that were read."""
    seconds: float
    identical: bool | None
    """Whether the new rows are identical to the earlier rows; None if the earlier rows could not be read."""
