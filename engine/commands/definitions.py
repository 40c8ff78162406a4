"""Commands about the user's definitions."""

from engine.commands.base import Command
from events.late_dataclass import dataclass

__all__ = ["ForgetDefinition", "SetDefinition"]


@dataclass(frozen=True, slots=True)
class SetDefinition(Command[str]):
    """Define a term. A term that is already defined gets a new version. Returns the definition's id."""

    term: str
    meaning: str
    chat_id: str | None = None
    """The chat in which the definition applies; None: all chats."""
    definition_id: str | None = None
    """The definition to change, including its term; None: the definition of this term, or a new one."""


@dataclass(frozen=True, slots=True)
class ForgetDefinition(Command[None]):
    """Remove the definition of a term. Earlier answers still name it."""

    term: str
    chat_id: str | None = None
    """The chat that has the definition; None: the definition for all chats."""
