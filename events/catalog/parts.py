"""The ordered parts of a message, as they are stored. Values only: who shows or sends them decides how."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from events.canonical import JSON
from events.declarations import Content, Refers

__all__ = ["CallPart", "ImagePart", "OpaquePart", "Part", "ReasoningPart", "TextPart", "parts_from_json"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TextPart(_Part):
    """What was said."""

    kind: Literal["text"] = "text"
    text: str


class ReasoningPart(_Part):
    """What a model showed of its thinking."""

    kind: Literal["reasoning"] = "reasoning"
    text: str


class CallPart(_Part):
    """Where in the message a tool was called. Arguments and result stand in the call's own events."""

    kind: Literal["call"] = "call"
    call_id: Annotated[str, Refers("call", earlier=False)]
    name: str
    """The tool's name on the wire, as the model wrote it."""
    provider_call_id: str = ""
    """The provider's id: an attribute, unique at most within its message."""


class ImagePart(_Part):
    """A picture, kept as a blob."""

    kind: Literal["image"] = "image"
    sha256: Annotated[str, Content()]
    media_type: str
    size: int
    """Bytes."""


class OpaquePart(_Part):
    """State of a provider (a thought signature, say) that goes back to that provider untouched."""

    kind: Literal["opaque"] = "opaque"
    provider: str
    data: JSON


Part = Annotated[TextPart | ReasoningPart | CallPart | ImagePart | OpaquePart, Field(discriminator="kind")]

_parts: TypeAdapter[tuple[Part, ...]] = TypeAdapter(tuple[Part, ...])


def parts_from_json(value: JSON) -> tuple[Part, ...]:
    """Return the parts that a message's JSON holds."""
    return _parts.validate_python(value)
