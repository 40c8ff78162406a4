"""The natural order of values: numbers by size, months as in the calendar, times in sequence."""

import re
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["natural_order"]

_MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_ISO = re.compile(r"\d{4}([-/]\d{2}([-/]\d{2}([ T].*)?)?)?|\d{4}-W\d{2}")
_QUARTER = re.compile(r"(?i)(?:(\d{4})[ -]?)?Q([1-4])(?:[ -]?(\d{4}))?")
_MONTH_YEAR = re.compile(r"([A-Za-z]+)\.?[ -](\d{4})")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")


def natural_order(values: Sequence[Any]) -> list[Any] | None:
    """Return distinct values in their natural order; None if they have no natural order.

    Numbers and texts of numbers are ordered by size, months and weekdays by the calendar, dates, quarters and times
    of day in sequence, and false before true.
    """
    real = [v for v in values if v is not None]
    if not real:
        return None
    if all(isinstance(v, bool | int | float) for v in real):
        return sorted(real)
    texts = [str(v) for v in real]
    for key in (_number, _named(_MONTHS), _named(_DAYS), _iso, _quarter, _month_year, _clock):
        keys: list[Any] = [key(text.strip()) for text in texts]
        if all(found is not None for found in keys):
            return [value for _, value in sorted(zip(keys, real, strict=True), key=lambda pair: pair[0])]
    return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _named(names: Sequence[str]) -> Callable[[str], int | None]:
    def place(text: str) -> int | None:
        low = text.lower().rstrip(".")
        return next((at for at, name in enumerate(names) if low in (name, name[:3], name[:4])), None)

    return place


def _iso(text: str) -> str | None:
    return text if _ISO.fullmatch(text) else None


def _quarter(text: str) -> tuple[int, int] | None:
    found = _QUARTER.fullmatch(text)
    return (int(found[1] or found[3] or 0), int(found[2])) if found else None


def _month_year(text: str) -> tuple[int, int] | None:
    found = _MONTH_YEAR.fullmatch(text)
    month = _named(_MONTHS)(found[1]) if found else None
    return (int(found[2]), month) if found and month is not None else None


def _clock(text: str) -> tuple[int, ...] | None:
    found = _CLOCK.fullmatch(text)
    return tuple(int(part or 0) for part in found.groups()) if found else None
