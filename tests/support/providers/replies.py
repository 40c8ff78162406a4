"""Replies of a fake provider, independent of any dialect; each dialect renders them in its own way."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

__all__ = ["HOLD", "Call", "Chunk", "Hold", "Pieces", "Reply", "pieces"]


class Hold:
    """A pause between pieces: the server waits there for `release()`."""


HOLD: Final = Hold()
Chunk: TypeAlias = bytes | Hold
Pieces: TypeAlias = str | tuple[str | Hold, ...]
"""Text in one piece, or in several with holds between them."""


@dataclass(frozen=True)
class Call:
    """A call of a tool."""

    name: str
    arguments: Mapping[str, Any] | Pieces = field(default_factory=dict)
    """An object, or its JSON text as it is sent, in one piece or several."""
    id: str | None = None
    """The provider's id for the call. None: the server makes one; empty: the server sends none."""
    signature: str = ""
    """Opaque state of this call that later requests must contain (Gemini, Venice, Gemini behind a gateway)."""


@dataclass(frozen=True)
class Reply:
    """One reply of a conversation; empty parts are not sent."""

    text: Pieces = ""
    reasoning: Pieces = ""
    calls: tuple[Call, ...] = ()
    finish: str = ""
    """`stop`, `calls`, `length`, `content_filter`; empty: `calls` if there are calls, else `stop`."""
    usage: tuple[int, int] | None = (10, 5)
    """The numbers of tokens in and out."""
    signature: str = ""
    """Opaque state of the thinking: Anthropic's signature, an encrypted reasoning detail, or Gemini's signature of the
    last text."""
    redacted: str = ""
    """A block of redacted thinking, which only Anthropic has."""
    status: int = 200
    error: str = ""
    """The provider's error message: the body if `status` is 400 or more; with status 200, sent in the stream after
    everything above."""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    """The number of bytes of the body after which the connection is cut."""
    body: bytes | None = None
    """The whole body, sent unchanged in place of everything above."""
    content_type: str = "text/event-stream"


def pieces(text: Pieces) -> Iterator[str | Hold]:
    """The pieces of `text`, without empty ones."""
    every: Iterable[str | Hold] = (text,) if isinstance(text, str) else text
    return (piece for piece in every if isinstance(piece, Hold) or piece)
