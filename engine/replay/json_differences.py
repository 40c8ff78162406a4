"""Finds where two JSON values differ. Pure."""

import math
from collections.abc import Iterator, Mapping, Sequence

from events.json_value import JSON, JSONObject
from events.late_dataclass import dataclass

__all__ = ["JsonDifference", "differences", "same_number"]

_DIGITS = 12
"""Two doubles count as equal if they agree to this number of significant digits (TIM-3)."""


@dataclass(frozen=True, slots=True)
class JsonDifference:
    """One place at which two values differ."""

    place: str
    """The place, such as `rows[2].mass`; empty for the whole value."""
    before: JSON
    now: JSON
    what: str = "changed"
    """The kind of difference: `changed`, `added` or `removed`."""
    equal: bool = False
    """Whether both values are numbers that are the same to 12 digits."""

    def to_json(self) -> JSONObject:
        """Return the difference as JSON for an event and the command line."""
        return {"place": self.place, "before": self.before, "now": self.now, "what": self.what}


def same_number(before: float, now: float) -> bool:
    """Return whether two numbers are equal to 12 significant digits."""
    return before == now or math.isclose(before, now, rel_tol=0.5 * 10 ** (1 - _DIGITS), abs_tol=0.0)


def differences(before: JSON, now: JSON, place: str = "") -> Iterator[JsonDifference]:
    """Yield every place at which `now` differs from `before`, in order. 1 equals 1.0, but 1 differs from true."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        yield from _of_objects(before, now, place)
    elif isinstance(before, list) and isinstance(now, list):
        yield from _of_lists(before, now, place)
    elif _is_number(before) and _is_number(now):
        assert isinstance(before, int | float)
        assert isinstance(now, int | float)
        if before != now:
            close = isinstance(before, float) or isinstance(now, float)
            yield JsonDifference(place, before, now, equal=close and same_number(float(before), float(now)))
    elif type(before) is not type(now) or before != now:
        yield JsonDifference(place, before, now)


def _is_number(value: JSON) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _of_objects(before: Mapping[str, JSON], now: Mapping[str, JSON], place: str) -> Iterator[JsonDifference]:
    for key in (*before, *(key for key in now if key not in before)):
        at = f"{place}.{key}" if place else key
        if key not in now:
            yield JsonDifference(at, before[key], None, "removed")
        elif key not in before:
            yield JsonDifference(at, None, now[key], "added")
        else:
            yield from differences(before[key], now[key], at)


def _of_lists(before: Sequence[JSON], now: Sequence[JSON], place: str) -> Iterator[JsonDifference]:
    for index, (one, other) in enumerate(zip(before, now, strict=False)):
        yield from differences(one, other, f"{place}[{index}]")
    for index in range(len(now), len(before)):
        yield JsonDifference(f"{place}[{index}]", before[index], None, "removed")
    for index in range(len(before), len(now)):
        yield JsonDifference(f"{place}[{index}]", None, now[index], "added")
