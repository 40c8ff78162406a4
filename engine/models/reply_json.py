"""Parses a reply's bytes into JSON values: the step between splitting it into events and reading it in its dialect."""

import json
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from engine.models.sse import Event, EventLexer
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Done", "Frame", "Malformed", "Payload", "Stray", "frames", "parse_json"]

_KEEP_ALIVE = {"ping", "heartbeat", "keepalive", "keep-alive"}


@dataclass(frozen=True, slots=True)
class Payload:
    """One JSON value of a reply."""

    value: JSON
    event: str = ""
    """The name of the event, if it has one."""
    bare: bool = False
    """Whether it is a JSON body outside of any event; it is then the whole reply."""


@dataclass(frozen=True, slots=True)
class Done:
    """The mark `[DONE]`."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """Something that should be JSON but is not."""

    text: str
    cut: bool = False
    """Whether the bytes ended inside it."""


@dataclass(frozen=True, slots=True)
class Stray:
    """Text in a body outside events and JSON."""

    text: str


Frame: TypeAlias = Payload | Done | Malformed | Stray


def frames(chunks: Iterable[bytes]) -> Iterator[Frame]:
    """Yield the frames in `chunks`, each as soon as its bytes have arrived."""
    lexer = EventLexer()
    for chunk in chunks:
        for event in lexer.feed(chunk):
            yield from _decoded(event)
    for event in lexer.close():
        yield from _decoded(event)
    if lexer.stray:
        yield Stray(lexer.stray)


def parse_json(text: str) -> JSON:
    """Return the JSON value of `text`; NaN and infinities, which are not valid JSON, become null.

    Raises:
        ValueError: the text is not JSON, or is nested too deeply.
    """
    try:
        value: JSON = json.loads(text, parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def _decoded(event: Event) -> Iterator[Frame]:
    text = event.data.strip()
    if not text:
        return
    if text.strip('"') in ("[DONE]", "DONE"):
        yield Done()
        return
    try:
        value = parse_json(text)
    except ValueError:
        if event.name == "error":
            yield Payload({"error": {"message": text}}, "error")
        elif event.name.lower() not in _KEEP_ALIVE:
            yield Malformed(text, event.cut)
        return
    yield Payload(value, event.name, event.bare)
