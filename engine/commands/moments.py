"""Commands about moments: names for states of a chat's files, by which SQL and Python read them."""

from dataclasses import dataclass

from engine.commands.base import Command

__all__ = ["ForgetMoment", "NameMoment"]


@dataclass(frozen=True, slots=True)
class NameMoment(Command[str]):
    """Give a state of a chat's files a name, which SQL and Python read as a schema. Returns the moment's id.

    If another moment of the chat has the name, the name moves to this one.
    """

    chat_id: str
    name: str
    """Lower-case letters a to z, digits and _, at most 60 of them, such as `before_cleaning`."""
    position: int | None = None
    """The files at this position of the log; None: the current files."""
    message_id: str | None = None
    """The files right after this message; not together with `position`."""
    description: str = ""
    renames: str | None = None
    """The current name of a moment to rename; without `position` and `message_id`."""


@dataclass(frozen=True, slots=True)
class ForgetMoment(Command[None]):
    """Remove a moment's name. The files stay in the history, where they can be named again."""

    chat_id: str
    name: str
