"""Collects the typed deltas of one step's reply into the ordered parts of a message and its calls."""

from collections.abc import Callable, Iterable
from dataclasses import field

from engine.models.messages import CallPart, ImagePart, Part, ReasoningPart, TextPart, WorkingsPart
from engine.models.model import (
    ArgumentsDelta,
    CallDelta,
    Delta,
    Finished,
    FinishReason,
    ImageDelta,
    OpaqueDelta,
    ReasoningDelta,
    TextDelta,
)
from engine.turn.workings_stream import Piece, WorkingsStream
from events.catalog.parts import text_of, workings_of
from events.identity import NewId
from events.late_dataclass import dataclass

__all__ = ["Reply", "ReplyCall", "gather", "read_quietly"]


_NO_END = Finished(
    "error", error="The connection to the model ended before its reply did. Retry.", kind="broken"
)


@dataclass(slots=True)
class ReplyCall:
    """A call as the model wrote it."""

    call_id: str
    name: str
    provider_call_id: str
    text: str = ""
    """The arguments as text."""


@dataclass(slots=True)
class Reply:
    """A whole reply, or the part that has arrived."""

    parts: list[Part] = field(default_factory=list)
    calls: list[ReplyCall] = field(default_factory=list)
    end: Finished = _NO_END
    seconds: float = 0.0

    @property
    def finish(self) -> FinishReason:
        """How the model's reply ended."""
        return self.end.reason

    @property
    def has_images(self) -> bool:
        """Whether the reply contains a picture."""
        return any(isinstance(part, ImagePart) for part in self.parts)

    @property
    def text(self) -> str:
        """All text of the reply, without its workings."""
        return text_of(self.parts)

    @property
    def workings(self) -> str:
        """The blocks in which the model says how it computed numbers."""
        return workings_of(self.parts)


def gather(
    deltas: Iterable[Delta],
    new_id: NewId,
    *,
    on_text: Callable[[str], None],
    on_call: Callable[[ReplyCall], None],
    keep_image: Callable[[ImageDelta], ImagePart],
) -> Reply:
    """Read a stream to its end. A stream that ends without a final event was cut off. This is reported as an error
    unless the turn was cancelled.
    """
    reply = Reply()
    by_index: dict[int, ReplyCall] = {}
    text = _Text(reply.parts, on_text)
    for delta in deltas:
        if not isinstance(delta, TextDelta | ArgumentsDelta):
            text.end()
        match delta:
            case TextDelta():
                text.add(delta.text)
            case ReasoningDelta():
                _extend(reply.parts, delta.text, ReasoningPart)
            case CallDelta():
                call = ReplyCall(new_id(), delta.name, delta.provider_call_id)
                by_index[delta.index] = call
                reply.calls.append(call)
                reply.parts.append(_call_part(call))
                on_call(call)
            case ArgumentsDelta():
                by_index[delta.index].text += delta.text
            case OpaqueDelta():
                reply.parts.append(delta.part)
            case ImageDelta():
                reply.parts.append(keep_image(delta))
            case Finished():
                reply.end = delta
    text.end()
    return reply


def read_quietly(deltas: Iterable[Delta], new_id: NewId) -> Reply:
    """Read a stream to its end without showing it to watchers. A picture in it is not stored."""

    def no_image(image: ImageDelta) -> ImagePart:
        return ImagePart(sha256="", media_type=image.media_type, size=len(image.data))

    return gather(deltas, new_id, on_text=lambda _: None, on_call=lambda _: None, keep_image=no_image)


class _Text:
    """Adds text to the parts of a reply: the text for the reader, which is also passed to `on_text`, and the
    workings."""

    def __init__(self, parts: list[Part], on_text: Callable[[str], None]) -> None:
        self._parts, self._on_text = parts, on_text
        self._split = WorkingsStream()

    def add(self, text: str) -> None:
        self._keep(self._split.add(text))

    def end(self) -> None:
        """End the current text, because a part of another kind follows."""
        self._keep(self._split.end())
        self._split = WorkingsStream()

    def _keep(self, pieces: Iterable[Piece]) -> None:
        for kind, text in pieces:
            _extend(self._parts, text, TextPart if kind == "text" else WorkingsPart)
            if kind == "text":
                self._on_text(text)


def _extend(
    parts: list[Part], text: str, kind: type[TextPart] | type[ReasoningPart] | type[WorkingsPart]
) -> None:
    last = parts[-1] if parts else None
    if isinstance(last, kind):
        parts[-1] = kind(text=last.text + text)
    elif text:
        parts.append(kind(text=text))


def _call_part(call: ReplyCall) -> CallPart:
    return CallPart(call_id=call.call_id, name=call.name, provider_call_id=call.provider_call_id)
