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
"""Text in one piece, or in several, with holds among them."""


@dataclass(frozen=True)
class Call:
    """A call of a tool."""

    name: str
    arguments: Mapping[str, Any] | Pieces = field(default_factory=dict)
    """An object; or JSON text as it stands on the wire, in one piece or several."""
    id: str | None = None
    """The provider's id; None: the server makes one; empty: it gives none."""
    signature: str = ""
    """Opaque state on this call that must come back with it (Gemini, Venice, Gemini behind a gateway)."""


@dataclass(frozen=True)
class Reply:
    """One reply of a conversation; empty parts are not sent."""

    text: Pieces = ""
    reasoning: Pieces = ""
    calls: tuple[Call, ...] = ()
    finish: str = ""
    """`stop`, `calls`, `length`, `content_filter`; empty: `calls` where there are calls, else `stop`."""
    usage: tuple[int, int] | None = (10, 5)
    """Tokens in and out."""
    signature: str = ""
    """Opaque state of the thinking: Anthropic's signature, an encrypted reasoning detail, Gemini's on the last text."""
    redacted: str = ""
    """Anthropic: a block of redacted thinking."""
    status: int = 200
    error: str = ""
    """The provider's message: with a `status` of 400 and more, or after all the above inside a stream of status 200."""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    """The connection ends after so many bytes of the body."""
    body: bytes | None = None
    """The whole body, as it is, in place of all that is above."""
    content_type: str = "text/event-stream"


def pieces(text: Pieces) -> Iterator[str | Hold]:
    """The pieces of `text`, without empty ones."""
    every: Iterable[str | Hold] = (text,) if isinstance(text, str) else text
    return (piece for piece in every if isinstance(piece, Hold) or piece)
