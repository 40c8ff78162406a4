"""Limits on untrusted values: bundles, MCP servers, models, files and API clients. Each with its reason.

The engine and the page walk such values in their own process, so each walk must end soon. Pure; standard library only.
"""

import difflib
from collections.abc import Iterable
from typing import Any

__all__ = [
    "CHECKS_DEEP",
    "CHECK_STEPS",
    "DEEPEST",
    "EXPLAINED",
    "LONGEST_COMPARED",
    "LONGEST_INTEGER_BITS",
    "LONGEST_KEY",
    "LONGEST_PATTERN",
    "MCP_DESCRIPTION",
    "MCP_FILES",
    "MCP_MESSAGE_BYTES",
    "MCP_SCHEMAS_BYTES",
    "MCP_SCHEMA_BYTES",
    "MCP_TOOLS",
    "MOST_COMPARED",
    "MOST_FAULTS",
    "MOST_IN_ARGUMENTS",
    "MOST_IN_RESULT",
    "MOST_PATTERNS",
    "PATTERN_BYTES",
    "SCHEMA_DEPTH",
    "SOURCES_BYTES",
    "SOURCE_BYTES",
    "excess",
    "nearest",
]

DEEPEST = 100
"""Levels of lists and objects in arguments and results. JSON readers and pydantic give up between 200 and 1,000
levels, each with a different error; answers of the API add a few levels.
"""
MOST_IN_ARGUMENTS = 100_000
"""Values in the arguments of one call: they are checked, recorded and drawn before the tool runs."""
MOST_IN_RESULT = 1_000_000
"""Values in the result of one call: a walk over so many takes about a second."""
LONGEST_KEY = 10_000
"""Characters of a key in an object. Keys become labels, columns and paths in error messages."""
LONGEST_INTEGER_BITS = 14_000
"""Bits of an integer: Python refuses to write an integer with more than 4,300 digits, and it is later written as
JSON.
"""

SCHEMA_DEPTH = 60
"""Levels of a JSON schema. The compiler is recursive, and a stack overflow there would end the process."""
CHECK_STEPS = 100_000
"""Schemas applied to values in one check, as counted before it: this many take compiled code less
than half a second.
"""
CHECKS_DEEP = 300
"""Schemas within schemas while one value is checked: each takes a frame of the stack."""
MOST_FAULTS = 20
"""Sentences about the arguments of one call; a model needs the first few."""
EXPLAINED = 20_000_000
"""Steps times characters up to which every fault of arguments is listed. Each fault has a copy of its value, so above
this limit only the first is listed.
"""
MOST_PATTERNS = 50
"""Regular expressions in one schema: compiling a hostile one takes milliseconds."""
LONGEST_PATTERN = 2_000
"""Characters of a regular expression in a schema."""
PATTERN_BYTES = 1 << 20
"""Size of one compiled regular expression: `(a{999}){999}` is short and compiles to gigabytes, `.{500}` to one MiB."""

SOURCE_BYTES = 256 << 10
"""Source of one module that an entrypoint names: parsing a megabyte can take five seconds and half a gigabyte."""
SOURCES_BYTES = 1 << 20
"""The same, for all such modules of a bundle."""

LONGEST_COMPARED = 120
"""Characters of a word that is compared with others for "did you mean"."""
MOST_COMPARED = 500
"""Words that a word is compared with."""

MCP_MESSAGE_BYTES = 32 << 20
"""One message of an MCP server: a result of 8 MiB, with pictures in base64."""
MCP_TOOLS = 1_000
"""Tools that one server may list; more are left out."""
MCP_SCHEMA_BYTES = 64 << 10
"""JSON of one tool's schema: a model is sent all of it with every request."""
MCP_SCHEMAS_BYTES = 2 << 20
"""JSON of the schemas of one server's tools together: they are checked whenever the server lists them."""
MCP_FILES = 100
"""Pictures and other files in one answer."""
MCP_DESCRIPTION = 4_000
"""Characters of one tool's description: a model is sent all of it with every request."""


def excess(value: Any, most: int) -> str | None:
    """Return why a JSON value is too deep or too large to be accepted, or None. `most` counts values and keys.

    Walks without recursion, and stops at the first limit that is exceeded.
    """
    level, depth, seen = [value], 0, 0
    while level:
        seen += len(level)
        if seen > most:
            return f"it has more than {most:,} values"
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                if any(len(key) > LONGEST_KEY for key in item if isinstance(key, str)):
                    return f"a key in it has more than {LONGEST_KEY:,} characters"
                below.extend(item.values())
            elif isinstance(item, list | tuple):
                below.extend(item)
            elif type(item) is int and item.bit_length() > LONGEST_INTEGER_BITS:
                return f"a number in it has more than {LONGEST_INTEGER_BITS * 3 // 10:,} digits"
            if len(below) + seen > most:
                return f"it has more than {most:,} values"
        depth += 1 if below or any(isinstance(item, dict | list | tuple) for item in level) else 0
        if depth > DEEPEST:
            return f"it is nested more than {DEEPEST} levels deep"
        level = below
    return None


def nearest(word: str, known: Iterable[str], most: int, cutoff: float = 0.6) -> list[str]:
    """Return at most `most` of the known words that look like `word`, for "did you mean".

    The time for a comparison grows with the square of the length, so only short words are compared, and few of them.
    """
    if len(word) > LONGEST_COMPARED:
        return []
    short = [other for other in known if len(other) <= LONGEST_COMPARED][:MOST_COMPARED]
    return difflib.get_close_matches(word, short, most, cutoff)
