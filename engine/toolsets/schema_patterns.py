"""Matches regular expressions in schemas in linear time, and rejects expressions for which this is impossible.

The engine is Rust's `regex`, through jsonschema-rs. It supports neither lookaround nor backreferences, because these
can take exponential time.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from engine.system.input_limits import LONGEST_PATTERN, PATTERN_BYTES
from events.json_value import JSON, JSONObject

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

__all__ = [
    "DATA",
    "compiled",
    "names_below",
    "pattern_problem",
    "pattern_size",
    "pattern_steps",
    "patterns_of",
    "without_patterns",
]

MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Keywords whose keys are names, not keywords."""
DATA = frozenset({"enum", "const", "default", "examples"})
"""Keywords whose values are data, not schemas."""
_SIZES = tuple(PATTERN_BYTES >> shift for shift in (6, 4, 2, 0))
_STEP = 50_000
"""The cost of a match in steps is about the text's characters times the compiled pattern's bytes, divided by this
number. One step is the time to apply a small schema, five microseconds.
"""


def compiled(schema: JSONObject) -> "Draft202012Validator":
    """Compile a schema, whether or not it was checked before. This fetches nothing.

    Raises:
        jsonschema_rs.ValidationError: the schema is not valid.
        ValueError: the schema is nested too deeply, or a text in it is not valid Unicode.
    """
    return _of_size(schema, PATTERN_BYTES)


def _of_size(schema: JSONObject, size: int, *, backtracks: bool = False) -> "Draft202012Validator":
    import jsonschema_rs  # noqa: PLC0415 - most commands check no arguments

    options: Any = jsonschema_rs.RegexOptions(size_limit=size, dfa_size_limit=1 << 20)
    if backtracks:
        options = jsonschema_rs.FancyRegexOptions(size_limit=size)
    return jsonschema_rs.Draft202012Validator(
        schema, pattern_options=options, validate_formats=False, offline=True
    )


@lru_cache(maxsize=1024)
def pattern_size(pattern: str) -> int | None:
    """Return the maximum size of a compiled pattern in bytes; None if it cannot be compiled."""
    if len(pattern) > LONGEST_PATTERN:
        return None
    return next((size for size in _SIZES if _compiles(pattern, size)), None)


def pattern_steps(pattern: str, characters: int) -> int:
    """Return the maximum cost of matching a text of this length, in steps of a check."""
    return 1 + 2 * characters * (pattern_size(pattern) or PATTERN_BYTES) // _STEP


@lru_cache(maxsize=1024)
def pattern_problem(pattern: str) -> str | None:
    """Return the reason why a pattern cannot be checked here, as the end of a sentence; None if it can be checked."""
    if len(pattern) > LONGEST_PATTERN:
        return f"has {len(pattern):,} characters; the limit is {LONGEST_PATTERN:,}"
    if pattern_size(pattern) is not None:
        return None
    if _compiles(pattern, PATTERN_BYTES, backtracks=True):
        return "uses lookaround or a backreference, which can take forever; write the pattern without it"
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return "is not valid"
    return "is too large when its repetitions are written out; use maxLength, or repeat less"


def _compiles(pattern: str, size: int, *, backtracks: bool = False) -> bool:
    import jsonschema_rs  # noqa: PLC0415 - see above

    try:
        _of_size({"pattern": pattern}, size, backtracks=backtracks)
    except (jsonschema_rs.ValidationError, ValueError):
        return False
    return True


def names_below(path: Sequence[str | int]) -> bool:
    """Return whether the keys of the object at `path` in a schema are names chosen by its author, not keywords."""
    maps = 0
    for step in reversed(path):
        if step not in MAPS:
            break
        maps += 1
    return maps % 2 == 1


def patterns_of(path: Sequence[str | int], node: JSONObject) -> Iterator[str]:
    """Yield the patterns in the object at `path` of a schema."""
    if names_below(path):
        yield from map(str, node) if path[-1] == "patternProperties" else ()
    elif isinstance(pattern := node.get("pattern"), str):
        yield pattern


def without_patterns(schema: JSONObject) -> tuple[JSONObject, list[str]]:
    """Return the schema without the patterns that cannot be checked here, and a list of these patterns.

    If patterns for names are removed, rules for all other names are removed too. Otherwise those rules would refuse
    names that matched the removed patterns.
    """
    taken: list[str] = []

    def clean(node: JSON, path: list[str | int]) -> JSON:
        if isinstance(node, list):
            return [clean(item, [*path, index]) for index, item in enumerate(node)]
        if not isinstance(node, dict):
            return node
        bad = [pattern for pattern in patterns_of(path, node) if pattern_problem(pattern)]
        taken.extend(bad)
        if names_below(path):
            return {name: clean(item, [*path, name]) for name, item in node.items() if name not in bad}
        gone = {"pattern"} if bad else set()
        names = node.get("patternProperties")
        if isinstance(names, dict) and any(pattern_problem(name) for name in names):
            gone.add("additionalProperties")
        return {
            key: item if key in DATA else clean(item, [*path, key])
            for key, item in node.items()
            if key not in gone
        }

    cleaned = clean(schema, [])
    assert isinstance(cleaned, dict)
    return cleaned, taken
