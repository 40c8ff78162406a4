"""The ordered parts of a message, as they are stored. They are formatted by the code that shows or sends the
message."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from events.declarations import Content, Refers
from events.json_value import JSON

__all__ = [
    "CallPart",
    "ImagePart",
    "OpaquePart",
    "Part",
    "ReasoningPart",
    "TextPart",
    "WorkingsPart",
    "parts_from_json",
    "text_of",
    "workings_of",
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class TextPart(_Part):
    """Text of a message."""

    kind: Literal["text"] = "text"
    text: str


class ReasoningPart(_Part):
    """The thinking that a model showed."""

    kind: Literal["reasoning"] = "reasoning"
    text: str


class WorkingsPart(_Part):
    """The block in which a model says how it computed the numbers of its answer. It is not shown as text."""

    kind: Literal["workings"] = "workings"
    text: str
    """The block as the model wrote it, with its fences and the blank lines before it."""


class CallPart(_Part):
    """The place of a tool call in the message. Arguments and result are in the call's own events."""

    kind: Literal["call"] = "call"
    call_id: Annotated[str, Refers("call", earlier=False)]
    name: str
    """The tool's name on the wire, as the model wrote it."""
    provider_call_id: str = ""
    """The provider's id of the call. It does not identify the call, because it may be unique only within its
    message.
    """


class ImagePart(_Part):
    """A picture, stored as a blob."""

    kind: Literal["image"] = "image"
    sha256: Annotated[str, Content()]
    media_type: str
    size: int
    """The size in bytes."""


class OpaquePart(_Part):
    """A provider's state (for example a thought signature) that is sent back to that provider unchanged."""

    kind: Literal["opaque"] = "opaque"
    provider: str
    """The only provider to which this part is sent back."""
    data: JSON
    """The part in the provider's own form."""


Part = Annotated[
    TextPart | ReasoningPart | WorkingsPart | CallPart | ImagePart | OpaquePart, Field(discriminator="kind")
]
"""Any part of a message."""

_parts: TypeAdapter[tuple[Part, ...]] = TypeAdapter(tuple[Part, ...], config=ConfigDict(defer_build=True))


def parts_from_json(value: JSON) -> tuple[Part, ...]:
    """Return the parts in a message's JSON."""
    return _parts.validate_python(value)


def text_of(parts: Iterable[Part]) -> str:
    """Return all text parts joined."""
    return "".join(part.text for part in parts if isinstance(part, TextPart))


def workings_of(parts: Iterable[Part]) -> str:
    """Return what a model says about how it computed the numbers of its text; "" if it says nothing."""
    return "".join(part.text for part in parts if isinstance(part, WorkingsPart))
