"""Limits on untrusted values from bundles, MCP servers, models, files and API clients, with the reason for each limit.

The engine and the page walk through such values in their own process, so each walk must end soon. Pure; standard
library only.
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
"""The maximum depth of lists and objects in arguments and results. JSON readers and pydantic fail at 200 to 1,000
levels, each with a different error, and answers of the API add a few levels.
"""
MOST_IN_ARGUMENTS = 100_000
"""The maximum number of values in the arguments of one call. They are checked, recorded and drawn before the tool
runs."""
MOST_IN_RESULT = 1_000_000
"""The maximum number of values in the result of one call. A walk through so many values takes about a second."""
LONGEST_KEY = 10_000
"""The maximum number of characters of a key in an object. Keys become labels, columns and paths in error messages."""
LONGEST_INTEGER_BITS = 14_000
"""The maximum number of bits of an integer. Integers are later written as JSON, and Python refuses to write integers
with more than 4,300 digits.
"""

SCHEMA_DEPTH = 60
"""The maximum depth of a JSON schema. The compiler is recursive, and a stack overflow there would end the process."""
CHECK_STEPS = 100_000
"""The maximum number of times that a schema is applied to a value in one check, counted in advance. Compiled code needs
less than half a second for so many steps.
"""
CHECKS_DEEP = 300
"""The maximum number of nested schemas while one value is checked. Each level takes a frame of the stack."""
MOST_FAULTS = 20
"""The maximum number of faults that are reported for the arguments of one call. A model needs only the first few."""
EXPLAINED = 20_000_000
"""If the number of steps times the number of characters is above this limit, only the first fault in the arguments is
listed, because each fault contains a copy of the value.
"""
MOST_PATTERNS = 50
"""The maximum number of regular expressions in one schema. Compiling a hostile expression takes milliseconds."""
LONGEST_PATTERN = 2_000
"""The maximum number of characters of a regular expression in a schema."""
PATTERN_BYTES = 1 << 20
"""The maximum size of a compiled regular expression in bytes. `(a{999}){999}` is short but compiles to gigabytes,
`.{500}` to one MiB."""

SOURCE_BYTES = 256 << 10
"""The maximum size in bytes of a module that an entrypoint names. Parsing a megabyte can take five seconds and half a
gigabyte."""
SOURCES_BYTES = 1 << 20
"""The maximum total size in bytes of all modules of a bundle that entrypoints name."""

LONGEST_COMPARED = 120
"""The maximum number of characters of a word that is compared with known words for "did you mean"."""
MOST_COMPARED = 500
"""The maximum number of words with which a word is compared."""

MCP_MESSAGE_BYTES = 32 << 20
"""The maximum size in bytes of one message from an MCP server: enough for a result of 8 MiB, with pictures in
base64."""
MCP_TOOLS = 1_000
"""The maximum number of tools that one server may list; further tools are left out."""
MCP_SCHEMA_BYTES = 64 << 10
"""The maximum size in bytes of one tool's schema as JSON. A model is sent the whole schema with every request."""
MCP_SCHEMAS_BYTES = 2 << 20
"""The maximum size in bytes of all schemas of one server's tools together. They are checked whenever the server lists
its tools."""
MCP_FILES = 100
"""The maximum number of pictures and other files in one answer."""
MCP_DESCRIPTION = 4_000
"""The maximum number of characters of one tool's description. A model is sent the whole description with every
request."""


def excess(value: Any, most: int) -> str | None:
    """Return the reason why a JSON value is too deep or too large; None if it is neither. `most` is the limit on values
    and keys.

    This works without recursion, and stops at the first limit that is exceeded.
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

    The time for a comparison grows with the square of the length, so only a few short words are compared.
    """
    if len(word) > LONGEST_COMPARED:
        return []
    short = [other for other in known if len(other) <= LONGEST_COMPARED][:MOST_COMPARED]
    return difflib.get_close_matches(word, short, most, cutoff)
