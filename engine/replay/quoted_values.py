"""Finds the values that are quoted in a call's arguments, and the values that a result no longer contains. Pure."""

import re
from collections.abc import Iterator

from events.json_value import JSON

__all__ = ["gone_values", "quoted_values"]

_QUOTED = re.compile(r"'((?:[^'\\\n]|'')*)'|\"((?:[^\"\\\n]|\"\")*)\"")
_LONGEST = 200
_TEXTS = ("sql", "code")


def quoted_values(arguments: JSON) -> frozenset[str]:
    """Return the texts in quotes in a call's SQL or code, and the text values of its other arguments."""
    if not isinstance(arguments, dict):
        return frozenset()
    found: set[str] = set()
    for name, value in arguments.items():
        if name in _TEXTS and isinstance(value, str):
            for single, double in _QUOTED.findall(value):
                found.add(single.replace("''", "'") or double.replace('""', '"'))
        elif name != "title":
            found |= set(_texts(value))
    return frozenset(text for text in found if text and len(text) <= _LONGEST)


def gone_values(before: JSON, now: JSON) -> frozenset[str]:
    """Return the texts that the cells of a result contained but no longer contain."""
    return frozenset(_cells(before)) - frozenset(_cells(now))


def _cells(value: JSON) -> Iterator[str]:
    """Yield the texts in rows and lists of values, but not column names or sentences."""
    if isinstance(value, dict):
        for name, below in value.items():
            if name in ("rows", "tables", "values"):
                yield from _texts(below) if name != "tables" else _cells(below)
    elif isinstance(value, list):
        for below in value:
            yield from _cells(below)


def _texts(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for below in value.values():
            yield from _texts(below)
    elif isinstance(value, list):
        for below in value:
            yield from _texts(below)
