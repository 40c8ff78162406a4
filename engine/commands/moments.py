"""Commands about moments. A moment is a named state of a chat's files, whose tables SQL and Python can read."""

from engine.commands.base import Command
from events.late_dataclass import dataclass

__all__ = ["ForgetMoment", "NameMoment"]


@dataclass(frozen=True, slots=True)
class NameMoment(Command[str]):
    """Name a state of a chat's files, so that SQL and Python can read its tables as NAME.table. Returns the moment's
    id.

    If another moment of the chat has this name, the other moment loses the name.
    """

    chat_id: str
    name: str
    """The name: at most 60 lower-case letters a to z, digits and _, such as `before_cleaning`."""
    position: int | None = None
    """The log position whose files are named; None: the current files."""
    message_id: str | None = None
    """The message whose files are named, as they were right after it; cannot be combined with `position`."""
    description: str = ""
    renames: str | None = None
    """The current name of a moment to rename; cannot be combined with `position` and `message_id`."""


@dataclass(frozen=True, slots=True)
class ForgetMoment(Command[None]):
    """Remove a moment's name. The state stays in the history, where it can be named again."""

    chat_id: str
    name: str
