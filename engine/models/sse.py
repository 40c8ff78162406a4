"""Splits a provider's bytes into events: server-sent events, or the JSON that some servers send instead.

Servers really send all of these: LF, CRLF and CR; a byte order mark; comments; `data:` with and without a space, on
several lines; a last event without its blank line; whole JSON bodies and JSON arrays under the wrong content type; a
bare JSON error after proper events; an SSE field `error:`. See
https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

import re
from collections.abc import Iterator

from events.late_dataclass import dataclass

__all__ = ["Event", "EventLexer"]

_LINE_END = re.compile(rb"\r\n|\n|\r")
_JSON_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[{}\[\]]')
"""The quantifiers are possessive, so that matching a string without an end takes only linear time."""
_STRAY_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its data, and its name if it has one."""

    data: str
    name: str = ""
    bare: bool = False
    """Whether the JSON was not in a `data:` line."""
    cut: bool = False
    """Whether the bytes ended inside the event."""


class EventLexer:
    """Splits bytes into events. The bytes may arrive in pieces of any size."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._first = True
        self._after_return = False
        self._data: list[str] = []
        self._name = ""
        self._json = _JsonSplitter()
        self.stray = ""
        """The beginning of text that was neither an event nor JSON, such as a page of HTML."""

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yield the events that `data` completes."""
        if self._after_return and data:
            self._after_return = False
            data = data.removeprefix(b"\n")
        if b"\n" not in data and b"\r" not in data:
            self._pending += data
            return
        self._after_return = data.endswith(b"\r")
        lines = _LINE_END.split(data)
        lines[0] = bytes(self._pending) + lines[0]
        self._pending = bytearray(lines.pop())
        for line in lines:
            yield from self._line(line)

    def close(self) -> Iterator[Event]:
        """Yield the events that the end of the input completes or cuts off."""
        if self._pending and not _begins_a_field(self._pending):
            cut_in_line = not self._json.open
            for event in self._line(bytes(self._pending)):
                yield event if event.bare else Event(event.data, event.name, cut=cut_in_line)
        if rest := self._json.rest():
            yield Event(rest, bare=True, cut=True)
        for event in self._dispatch():
            yield Event(event.data, event.name, cut=True)

    def _line(self, raw: bytes) -> Iterator[Event]:
        line = raw.decode("utf-8", "replace")
        if self._first:
            self._first = False
            line = line.removeprefix("\ufeff")
        if self._json.open or line.lstrip()[:1] in ("{", "["):
            yield from self._dispatch()
            for text in self._json.feed(line):
                yield Event(text, bare=True)
        elif not line:
            yield from self._dispatch()
        elif not line.startswith(":"):
            yield from self._field(line)

    def _field(self, line: str) -> Iterator[Event]:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name.lower():
            case "data":
                self._data.append(value)
            case "event":
                self._name = value.strip()
            case "error":
                yield from self._dispatch()
                yield Event(value, "error")
            case "id" | "retry":
                pass
            case _ if line.strip():
                self.stray = f"{self.stray} {line.strip()}".strip()[:_STRAY_CHARACTERS]

    def _dispatch(self) -> Iterator[Event]:
        if self._data:
            event = Event("\n".join(self._data), self._name)
            self._data = []
            self._name = ""
            yield event
        self._name = ""


def _begins_a_field(line: bytearray) -> bool:
    """Return whether an incomplete last line may be the beginning of a field's name."""
    return any(name.startswith(bytes(line)) for name in (b"data:", b"event:", b"id:", b"retry:"))


class _JsonSplitter:
    """Cuts JSON text, fed line by line, into whole objects. The objects in an outer array are yielded one by one."""

    def __init__(self) -> None:
        self._depth = 0
        self._in_array = False
        self._parts: list[str] = []

    @property
    def open(self) -> bool:
        """Whether an object or array has begun but not ended."""
        return self._depth > 0 or self._in_array

    def feed(self, line: str) -> Iterator[str]:
        start = 0
        for token in _JSON_TOKEN.finditer(line):
            match token[0]:
                case "[" if self._depth == 0 and not self._in_array:
                    self._in_array = True
                case "]" if self._depth == 0:
                    self._in_array = False
                case "{" | "[":
                    if self._depth == 0:
                        start = token.start()
                    self._depth += 1
                case "}" | "]" if self._depth:
                    self._depth -= 1
                    if self._depth == 0:
                        yield "\n".join([*self._parts, line[start : token.end()]])
                        self._parts.clear()
        if self._depth:
            self._parts.append(line[start:])

    def rest(self) -> str:
        """The text of the object that has begun but not ended."""
        if not self.open:
            return ""
        self._in_array = False
        return "\n".join(self._parts) or "["
