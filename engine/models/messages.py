"""Messages in the form that models and views see: a role and ordered parts, independent of storage."""

from typing import Literal, TypeAlias

from events.catalog.parts import (
    CallPart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    WorkingsPart,
    text_of,
)
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = [
    "OFFLINE",
    "CallPart",
    "HistoryItem",
    "ImagePart",
    "Message",
    "OpaquePart",
    "Part",
    "ReasoningPart",
    "Role",
    "TextPart",
    "ToolMessage",
    "ToolRequest",
    "WorkingsPart",
]

Role: TypeAlias = Literal["system", "user", "assistant"]

OFFLINE = "offline"
"""The name of the offline analyst, the only model that reads query forms."""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call in an assistant message, to which its `CallPart` refers."""

    call_id: str
    name: str
    """The tool's name on the wire."""
    arguments: JSON
    """The decoded arguments; the raw text if they were not a JSON object."""
    provider_call_id: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat."""

    message_id: str
    role: Role
    parts: tuple[Part, ...]
    requests: tuple[ToolRequest, ...] = ()
    """The calls of an assistant message, in the order of its parts."""
    data_part: str = ""
    """The text that Anabranch adds to a user's message, such as the date and the tables. For an assistant message, it
    is added after the results of the calls.
    """

    @property
    def text(self) -> str:
        """All text parts joined."""
        return text_of(self.parts)


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """A finished call's result as sent to the model."""

    call_id: str
    name: str
    status: str
    """The status: `success`, `error`, `denied`, `cancelled`, `timed_out` or `interrupted`."""
    content: JSON
    """The result, or `{"error": …}`."""
    provider_call_id: str = ""
    pictures: tuple[ImagePart, ...] = ()
    """Pictures in the result, for models that accept pictures."""


HistoryItem: TypeAlias = Message | ToolMessage
