"""Canonical JSON: exactly one text for each value, so that bytes can be hashed and compared."""

import json
from typing import TypeVar, cast

from events.text import scrub_surrogates

__all__ = ["canonical_json", "ordered"]

Value = TypeVar("Value")


def canonical_json(value: object) -> str:
    """Return `value` in its canonical form: sorted keys, no spaces, unescaped text, no NaN or infinity.

    Lone surrogates, which UTF-8 and DuckDB refuse, become U+FFFD.

    Raises:
        ValueError: a number is NaN or infinite.
        TypeError: a value is not JSON.
    """
    return scrub_surrogates(_ENCODER.encode(value))


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
"""One encoder for all values, because `json.dumps` would make a new one each time."""


def ordered(value: Value) -> Value:
    """Return a JSON value as the log would return it, so that values computed from it are the same before and after
    storing.
    """
    return cast(Value, json.loads(canonical_json(value)))
