"""Shared parts of all reply readers: the ending, growing calls, and separating thinking from text."""

from collections.abc import Iterator
from dataclasses import field
from typing import Protocol

from engine.models.finish_reasons import Meaning
from engine.models.json_access import Whole
from engine.models.model import (
    ArgumentsDelta,
    CallDelta,
    Delta,
    FinishReason,
    ReasoningDelta,
    TextDelta,
    Usage,
)
from engine.models.reply_json import Frame, Malformed, Payload, Stray, parse_json
from events.json_value import JSON
from events.late_dataclass import dataclass
from events.text import scrub_surrogates

__all__ = ["Damage", "Ending", "GrowingCall", "GrowingCalls", "ReplyReader", "Speech", "reason_of"]

_LONGER_THAN_NULL = 64


@dataclass(frozen=True, slots=True)
class Ending:
    """How a reply ended. `engine.models.failures` describes it in words."""

    reason: FinishReason
    usage: Usage = field(default_factory=Usage)
    error: JSON = None
    """The provider's error object, if it sent one."""
    broken: str = ""
    """The fault of the stream itself, with a quote; `cut` if it ended too early."""
    finish: str = ""
    """The provider's finish reason, if it means an error."""
    detail: str = ""
    """The provider's description of the error."""


@dataclass(slots=True)
class Damage:
    """Faults of a stream itself: parts that are not JSON, and a premature end."""

    begun: bool = False
    """Whether a whole JSON value of the reply was read."""
    malformed: str = ""
    stray: str = ""
    cut: str = ""
    """The beginning of a value whose end did not arrive."""

    def note(self, frame: Frame) -> None:
        """Record the fault in a frame, if there is one."""
        match frame:
            case Stray():
                self.stray = frame.text
            case Malformed(cut=True):
                self.cut = frame.text
            case Malformed():
                self.malformed = self.malformed or frame.text
            case Payload():
                self.begun = True

    @property
    def told(self) -> str:
        """Return the fault of an incomplete reply: `not JSON` with a quote if it contains other text, else `cut`."""
        if self.malformed:
            return f"not JSON: {self.malformed}"
        rest = self.cut or self.stray
        return "cut" if self.begun or rest[:1] in ("", "{", "[") else f"not JSON: {rest}"


class ReplyReader(Protocol):
    """Reads one reply of a dialect: JSON values in, deltas out. Pure: no network, no clock."""

    def read(self, frame: Frame) -> Iterator[Delta]:
        """Yield the deltas of `frame`."""
        ...

    def finish(self) -> Iterator[Delta]:
        """Yield the deltas that were held back; called once, at the end."""
        ...

    @property
    def ending(self) -> Ending:
        """Return how the reply ended; valid after `finish`."""
        ...

    @property
    def usage(self) -> Usage:
        """Return the tokens reported so far."""
        ...


@dataclass(slots=True)
class GrowingCall:
    """A call whose arguments are still arriving."""

    index: int
    name: str = ""
    provider_call_id: str = ""
    text: str = ""
    announced: bool = False
    held: list[str] = field(default_factory=list)
    """Arguments that are held back because they arrived before the name or may turn out to be `null`."""
    whole: Whole = field(default_factory=Whole)
    closed: bool = False
    """Whether the provider marked the call's end or began the next call."""

    @property
    def is_whole(self) -> bool:
        """Whether the arguments are a complete object."""
        try:
            return isinstance(parse_json(self.text), dict)
        except ValueError:
            return False


class GrowingCalls:
    """The calls of one reply, in order of first appearance."""

    def __init__(self) -> None:
        self.calls: list[GrowingCall] = []

    def begin(self) -> GrowingCall:
        """Return a new call without a name."""
        call = GrowingCall(len(self.calls))
        self.calls.append(call)
        return call

    def name(self, call: GrowingCall, name: str, provider_call_id: str = "") -> Iterator[Delta]:
        """Set name and id unless they are already set; empty values change nothing."""
        call.provider_call_id = call.provider_call_id or scrub_surrogates(provider_call_id)
        call.name = call.name or scrub_surrogates(name)
        if call.name and not call.announced:
            call.announced = True
            yield CallDelta(call.index, call.name, call.provider_call_id)
            yield from self._flush(call)

    def arguments(self, call: GrowingCall, text: str) -> Iterator[Delta]:
        """Add more of a call's arguments."""
        for clean in call.whole.pass_on(text):
            call.text += clean
            call.held.append(clean)
        yield from self._flush(call)

    def close(self) -> None:
        """Mark all calls so far as complete, because something else has begun."""
        for call in self.calls:
            call.closed = True

    def finish(self, reason: FinishReason) -> Iterator[Delta]:
        """Yield the arguments that were held back; `null` means no arguments, but only in a complete reply.

        If a reply was cut by its length limit, a closed call without arguments gets `{}`, so that it differs from the
        call that was cut.
        """
        for call in self.calls:
            for rest in call.whole.rest():
                call.text += rest
                call.held.append(rest)
            empty = call.text.strip() in ("", "null")
            if empty and reason == "length" and call.closed:
                call.held = ["{}"]
            if empty and reason in ("calls", "stop"):
                call.held.clear()
            elif call.announced and call.held:
                yield ArgumentsDelta(call.index, "".join(call.held))
                call.held.clear()

    @property
    def any(self) -> bool:
        """Whether there is a call with a name."""
        return any(call.announced for call in self.calls)

    @property
    def all_whole(self) -> bool:
        """Whether the arguments of every call are complete."""
        return all(call.is_whole for call in self.calls)

    @property
    def nameless(self) -> bool:
        """Whether any call has arguments but no name."""
        return any(call.text.strip() not in ("", "null") and not call.announced for call in self.calls)

    def _flush(self, call: GrowingCall) -> Iterator[Delta]:
        if not call.announced or not call.held:
            return
        if len(call.text) > _LONGER_THAN_NULL or not "null".startswith(call.text.strip()):
            yield ArgumentsDelta(call.index, "".join(call.held))
            call.held.clear()


def reason_of(meaning: Meaning, calls: GrowingCalls) -> FinishReason:
    """Return how a reply ended. After an unknown finish reason, calls run only if all of them are complete."""
    match meaning:
        case "length" | "content_filter":
            return meaning
        case "bad_call" | "failed":
            return "error"
        case "unknown" if not calls.all_whole:
            return "error"
    if calls.nameless:
        return "error"
    return "calls" if calls.any else "stop"


class Speech:
    """Passes on text and reasoning; thinking in tags at the start of the text is passed on as reasoning."""

    def __init__(self, tags: tuple[str, ...] = ()) -> None:
        self._tags = tags
        self._text, self._reasoning = Whole(), Whole()
        self._deciding = bool(tags)
        self._closing = ""
        self._buffer = ""
        self.said = False
        """Whether any text or reasoning has arrived."""

    def text(self, text: str) -> Iterator[Delta]:
        """Pass on more text."""
        for clean in self._text.pass_on(text):
            yield from self._split(clean)

    def plain(self, text: str) -> Iterator[Delta]:
        """Pass on more text, which is not searched for tags."""
        self._deciding = False
        yield from self._held()
        for clean in self._text.pass_on(text):
            yield from self._out(clean)

    def reasoning(self, text: str) -> Iterator[Delta]:
        """Pass on more reasoning."""
        for clean in self._reasoning.pass_on(text):
            self.said = True
            yield ReasoningDelta(clean)

    def finish(self) -> Iterator[Delta]:
        """Yield the text that was held back."""
        for rest in self._reasoning.rest():
            yield ReasoningDelta(rest)
        for rest in self._text.rest():
            yield from self._split(rest)
        yield from self._held()

    def _out(self, text: str) -> Iterator[Delta]:
        if text:
            self.said = True
            yield ReasoningDelta(text) if self._closing else TextDelta(text)

    def _held(self) -> Iterator[Delta]:
        buffer, self._buffer = self._buffer, ""
        yield from self._out(buffer)

    def _split(self, text: str) -> Iterator[Delta]:
        self._buffer += text
        while self._buffer:
            if self._closing:
                inside, tag, rest = self._buffer.partition(self._closing)
                if not tag:
                    keep = _overlap(inside, self._closing)
                    self._buffer = inside[len(inside) - keep :]
                    yield from self._out(inside[: len(inside) - keep])
                    return
                yield from self._out(inside)
                self._buffer, self._closing = rest, ""
            elif not self._deciding or (start := self._buffer.lstrip()) == "":
                yield from self._held()
            elif opened := next((tag for tag in self._tags if start.startswith(f"<{tag}>")), None):
                yield from self._out(self._buffer[: len(self._buffer) - len(start)])
                self._closing = f"</{opened}>"
                self._buffer = start[len(opened) + 2 :]
            elif any(f"<{tag}>".startswith(start) for tag in self._tags):
                return
            else:
                self._deciding = False


def _overlap(text: str, tag: str) -> int:
    """Return how many characters at the end of `text` may be the beginning of `tag`."""
    return next((n for n in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:n])), 0)
