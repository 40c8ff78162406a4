"""Assembles arguments that Gemini streams in pieces (`partialArgs`) into an object. Pure.

Each piece has a value and its place as a JSON path. While `willContinue` is true, the next piece continues the same
string.
"""

import re

from engine.models.json_access import objects_of, text_of
from events.json_value import JSON, JSONObject

__all__ = ["add_pieces"]

_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]""")
_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")
_LONGEST_LIST = 10_000


def add_pieces(arguments: JSONObject, pieces: JSON) -> None:
    """Add `pieces` to `arguments`, in their order."""
    for piece in objects_of(pieces):
        steps = _steps(text_of(piece.get("jsonPath")))
        kind = next((name for name in _VALUES if name in piece), None)
        if not steps or kind is None or isinstance(steps[0], int):
            continue
        _put(arguments, steps, None if kind == "nullValue" else piece[kind])


def _steps(path: str) -> list[str | int]:
    steps: list[str | int] = []
    for member, number, single, double in _STEP.findall(path.removeprefix("$")):
        quoted = re.sub(r"\\(.)", r"\1", single or double)
        steps.append(int(number) if number else member or quoted)
    return steps


def _put(place: JSON, steps: list[str | int], value: JSON) -> None:
    """Set or extend the value at a place, and create the objects and lists on the way to it if they are missing."""
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        last = after is None
        fresh: JSON = None if last else [] if isinstance(after, int) else {}
        if isinstance(place, dict) and isinstance(step, str):
            if last:
                place[step] = _joined(place.get(step), value)
                return
            if not isinstance(place.get(step), dict | list):
                place[step] = fresh
            place = place[step]
        elif isinstance(place, list) and isinstance(step, int) and step < _LONGEST_LIST:
            place.extend([None] * (step + 1 - len(place)))
            if last:
                place[step] = _joined(place[step], value)
                return
            if not isinstance(place[step], dict | list):
                place[step] = fresh
            place = place[step]
        else:
            return


def _joined(old: JSON, new: JSON) -> JSON:
    return old + new if isinstance(old, str) and isinstance(new, str) else new
