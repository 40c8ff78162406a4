"""The meanings of the user's terms. Definitions for all chats are in the stream `definitions`; a definition for one
chat is in the stream of that chat.
"""

from typing import Annotated, Literal

from events.declarations import Copied, History, Makes, Refers
from events.event import ChatEvent, Value

__all__ = ["DefinitionForgotten", "DefinitionRef", "DefinitionSet"]


class DefinitionSet(ChatEvent):
    """A term was defined. The definition applies until it is set again or removed."""

    type: Literal["DefinitionSet"] = "DefinitionSet"
    history = History("choices", "You defined {term}.")
    fork = Copied()
    definition_id: Annotated[str, Makes("definition", version="version")]
    version: int
    """The definition's version: 1, 2, 3 … Counting continues if the definition is removed and set again."""
    term: str
    meaning: str
    call_id: Annotated[str | None, Refers("call", not_copied="cleared")] = None
    """The `remember` call that the user approved; None if the user set the definition without a call."""
    from_chat_id: str | None = None
    """The chat of that call, if the definition is for all chats."""


class DefinitionForgotten(ChatEvent):
    """The user removed a definition. Earlier answers still show it."""

    type: Literal["DefinitionForgotten"] = "DefinitionForgotten"
    history = History("choices", "You removed a definition.")
    fork = Copied()
    definition_id: Annotated[str, Refers("definition")]


class DefinitionRef(Value):
    """One version of a definition."""

    definition_id: Annotated[str, Refers("definition", earlier=False, not_copied="kept")]
    version: int
