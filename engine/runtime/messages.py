"""Parses the messages of a tool process, which are untrusted bytes."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn, TypeAlias, cast

from engine.runtime.protocol import Confinement, RunError
from engine.system.input_limits import MOST_IN_RESULT, excess
from events.late_dataclass import dataclass

__all__ = ["EnvironmentFacts", "Failure", "Message", "Progress", "Result", "Started", "read_message"]

_KINDS = {"exception", "refused", "not_a_dict", "not_json", "too_large", "not_found", "not_confined"}
_SUSPECT = re.compile(rb"\\u|\d[eE]\+?\d{3}|\d{300}")
"""Matches text that may be read as half of a surrogate pair or as infinity. Neither can be stored."""
_MOST_FACTS = 30
_MOST_PACKAGES = 500
_LEVELS = {"full", "filesystem only", "process only"}


@dataclass(frozen=True, slots=True)
class Started:
    """The message which says that the process has received the request."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a call: a fraction from 0 to 1, or None, and a text."""

    fraction: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """The dict that the tool returned."""

    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why the call has no result."""

    error: RunError


@dataclass(frozen=True, slots=True)
class EnvironmentFacts:
    """The environment of the call: versions and settings."""

    facts: Mapping[str, str | Mapping[str, str]]


Message: TypeAlias = Started | Progress | Result | Failure | Confinement | EnvironmentFacts


def read_message(line: bytes) -> Message | None:
    """Parse `line`; return None for an unknown message. Never raises."""
    try:
        message = json.loads(line, parse_constant=_no_constant)
        if _SUSPECT.search(line):
            json.dumps(message, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return (
            Failure(RunError("not_json", "The tool process sent something that is not JSON."))
            if b"result" in line
            else None
        )
    if not isinstance(message, dict) or len(message) != 1:
        return None
    ((name, value),) = message.items()
    match name:
        case "started":
            return Started()
        case "confined":
            return _confinement(value)
        case "progress":
            return _progress(value)
        case "result":
            return _result(value) if isinstance(value, dict) else None
        case "error":
            return _failure(value)
        case "environment":
            return _environment(value)
    return None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _result(value: dict[str, Any]) -> Result | Failure:
    too_much = excess(value, MOST_IN_RESULT)
    if too_much is None:
        return Result(value)
    words = (
        f"The tool's result was not kept: {too_much}. Return less, or write it to a file in the workspace."
    )
    return Failure(RunError("too_large", words))


def _confinement(value: object) -> Confinement | None:
    match value:
        case [str(level), list(layers)] if level in _LEVELS and len(layers) < 20:
            return Confinement(cast(Any, level), tuple(str(layer)[:80] for layer in layers))
    return None


def _progress(value: object) -> Progress | None:
    match value:
        case [None, str(text)]:
            return Progress(None, text[:500])
        case [int() | float() as fraction, str(text)] if math.isfinite(fraction):
            return Progress(min(1.0, max(0.0, float(fraction))), text[:500])
    return None


def _environment(value: object) -> EnvironmentFacts | None:
    """Return the facts if each fact is a text or a mapping of texts; otherwise None, because real hosts send only such
    facts.
    """
    if not isinstance(value, dict) or len(value) > _MOST_FACTS:
        return None
    facts: dict[str, str | Mapping[str, str]] = {}
    for name, fact in value.items():
        if isinstance(fact, str):
            facts[name[:100]] = fact[:200]
        elif isinstance(fact, dict) and len(fact) <= _MOST_PACKAGES:
            facts[name[:100]] = {str(key)[:100]: str(item)[:200] for key, item in fact.items()}
        else:
            return None
    return EnvironmentFacts(facts)


def _failure(value: object) -> Failure | None:
    match value:
        case {"kind": str(kind), "message": str(message), "traceback": str(trace)} if kind in _KINDS:
            return Failure(RunError(kind, message[:8_000], trace[:32_000]))
    return None
