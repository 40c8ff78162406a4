"""What the user's words mean. Stream `definitions` if it holds in all chats, else the chat's own stream."""

from typing import Literal

from events.event import Event, Value

__all__ = ["DefinitionForgotten", "DefinitionRef", "DefinitionSet"]


class DefinitionSet(Event):
    """A term got a meaning, which holds until it is set again or forgotten."""

    type: Literal["DefinitionSet"] = "DefinitionSet"
    definition_id: str
    version: int
    """1, 2, 3 … of this definition. Forgetting it and setting it again goes on counting."""
    term: str
    meaning: str
    call_id: str | None = None
    """The call of `remember` that the user approved; None if the user set it without one."""
    from_chat_id: str | None = None
    """The chat of that call, if the definition is for all chats."""


class DefinitionForgotten(Event):
    """The user took a definition back. Earlier answers still name it."""

    type: Literal["DefinitionForgotten"] = "DefinitionForgotten"
    definition_id: str


class DefinitionRef(Value):
    """One version of a definition."""

    definition_id: str
    version: int
