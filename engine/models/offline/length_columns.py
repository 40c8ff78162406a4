"""Columns of times without a date: times of day such as 08:30, or lengths such as the finish times of a race. Pure."""

import re
from collections.abc import Sequence

from engine.models.offline.vocabulary import words
from engine.workspace.table_facts import ColumnProfile

__all__ = ["LENGTH_UNITS", "contains_clocks", "contains_lengths", "first_start", "length_in"]

_LIKE_A_TIME = re.compile(r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?")
_WITH_SECONDS = re.compile(r"([01]?\d|2[0-3])(:[0-5]\d){2}(\.\d+)?")
_DURATIONS = words("durations")
_LENGTHS = (_DURATIONS - {"time"}) | {"finish", "lap", "split", "net", "gun", "total", "best", "record"}
"""Words in the names of columns whose times may be lengths: a `finish_time` may say how long somebody ran."""
_SURELY = frozenset({"duration", "elapsed", "split", "lap", "net", "gun", "chip", "runtime", "length", "delay", "total",
                     "wait", "waiting", "downtime"})  # fmt: skip
"""Words in the names of columns whose times are lengths, whatever their values are."""
_RESULTS = frozenset({"finish", "race", "result", "best", "record"})
"""Words in the names of columns whose times are lengths if their values do not look like times of day."""
_STARTS = words("starts") | words("verbs of beginnings") | {"open", "opens", "opening"}
_MORNING, _SHORT = "06:00:00", "04:00:00"
_SECONDS = {
    name: size
    for names, size in (
        ("s sec secs second seconds", 1),
        ("min mins minute minutes", 60),
        ("h hr hrs hour hours", 3600),
    )
    for name in names.split()
}
LENGTH_UNITS = frozenset(_SECONDS) | {":"}
"""Units of lengths in a question; see `length_in`."""


def _is_time(profile: ColumnProfile) -> bool:
    return profile.type.upper().split(" ")[0] == "TIME"


def _tells_times(profile: ColumnProfile) -> bool:
    """Whether a column contains times, as TIME values or as texts."""
    return _is_time(profile) or bool(_LIKE_A_TIME.fullmatch(str(profile.minimum or "")))


def contains_clocks(named: Sequence[str], profile: ColumnProfile, *, text: bool) -> bool:
    """Return whether a column contains times of day without a date, as TIME values or as texts such as 08:30."""
    if _LENGTHS & set(named):
        return False
    if text:
        return bool(profile.values) and all(map(_LIKE_A_TIME.fullmatch, profile.values))
    return _is_time(profile)


def contains_lengths(named: Sequence[str], profile: ColumnProfile, began: str) -> bool:
    """Return whether a column contains lengths of time, as TIME values or as texts such as 03:30:00. `began` is the
    earliest start time of the rows, or empty. If it is given, finish times are lengths only if one of them is before
    `began`.
    """
    said = set(named)
    if said & _STARTS or not said & (_SURELY | _RESULTS | _LENGTHS):
        return False
    low, high = _ends(profile)
    if not low or not high:
        return False
    if said & _SURELY:
        return True
    if said & _RESULTS:
        odd = not low.endswith(":00") or not high.endswith(":00")
        return low < began if began else odd or low < _MORNING
    return high <= _SHORT


def _ends(profile: ColumnProfile) -> tuple[str, str]:
    """Return the shortest and the longest time in a column, or empty strings if they are not times with seconds."""
    low, high = str(profile.minimum or ""), str(profile.maximum or "")
    if _is_time(profile):
        return low, high
    text = profile.type.upper().startswith("VARCHAR")
    if not text or not all(map(_WITH_SECONDS.fullmatch, (low, high, *profile.values))):
        return "", ""
    if not profile.values_complete:  # texts are sorted like times if all of them are equally long
        return (low, high) if len(low) == len(high) == len(_MORNING) else ("", "")
    found = sorted(f"0{value}"[-8:] for value in profile.values)
    return found[0], found[-1]


def first_start(columns: Sequence[tuple[Sequence[str], ColumnProfile]]) -> str:
    """Return the earliest time of day in a column of start times; empty if there is no such column."""
    starts = [f"0{p.minimum}"[-8:] for named, p in columns if _STARTS & set(named) and _tells_times(p)]
    return min(starts, default="")


def length_in(profile: ColumnProfile, value: float, unit: str) -> str | None:
    """Return a length as a TIME value; None if its unit is unclear.

    The unit `:` means two numbers with a colon, as in 2:15: hours and minutes, or minutes and seconds. `value` is then
    in the smaller unit. Of these two possible lengths, the one that fits the column's values is returned.
    """
    if unit == ":":
        low, high = map(_seconds, _ends(profile))
        found = [value * size for size in (60, 1)]
        near = [one for one in found if low / 2 <= one <= 2 * high]
        within = near if len(near) == 1 else [one for one in near if low <= one <= high]
        return _written(within[0]) if len(within) == 1 else None
    return _written(value * _SECONDS[unit]) if unit in _SECONDS else None


def _seconds(time: str) -> float:
    hours, minutes, seconds = time.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def _written(seconds: float) -> str | None:
    whole = round(seconds)
    if not 0 <= whole < 86_400:
        return None
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
