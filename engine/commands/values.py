"""Values that commands carry, and values that they return."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.commands.carried import FileBytes

__all__ = [
    "Depth",
    "IfRunning",
    "Installed",
    "Outcome",
    "Restored",
    "Rewound",
    "TurnStart",
    "Upload",
    "Waiting",
]

Depth: TypeAlias = Literal["quick", "thorough"]
"""How many steps with tool calls a turn of a chat may have: as the settings say for each."""

IfRunning: TypeAlias = Literal["refuse", "queue"]
"""What to do with a question for a chat in which another one is being answered."""

Outcome: TypeAlias = Literal["installed", "upgraded", "unchanged"]
"""What installing a bundle changed."""

Rewound: TypeAlias = Literal["both", "chat", "files"]
"""What a rewind takes back."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that the user brings: its name, and its bytes or where they are."""

    name: str
    content: FileBytes


@dataclass(frozen=True, slots=True)
class TurnStart:
    """A turn that runs now."""

    chat_id: str
    turn_id: str
    message_id: str
    """The question that it answers."""


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
    """A toolset whose stored files are as they were installed."""

    toolset_id: str
    files: tuple[str, ...]
    """The files that were put back."""
