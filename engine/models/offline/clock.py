"""Times of day in a question: 9am, 7:30 p.m., 18:00, noon. Pure."""

import re
from collections.abc import Iterator

from engine.models.offline.words import Token
from events.late_dataclass import dataclass

__all__ = ["Clock", "clocks_at"]

_HOUR_AND_HALF = re.compile(r"(\d{1,2})([ap])m")
_MINUTE_AND_HALF = re.compile(r"(\d{2})([ap])m")
_NAMED = {"noon": 12 * 60, "midday": 12 * 60}


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day."""

    minutes: int
    """The minutes since midnight, from 0 to 1,439."""
    bare: bool = False
    """Whether nothing says which half of the day is meant: 7:30."""

    def __str__(self) -> str:
        """Return the time as a form writes it: 07:30."""
        return f"{self.minutes // 60:02}:{self.minutes % 60:02}"

    @classmethod
    def of(cls, hour: float, minute: int = 0, half: str = "") -> "Clock | None":
        """Return a time of day; None if there is no such time. If `half` is `a` or `p`, the hour is in that half of the
        day.
        """
        low, high = (1, 12) if half else (0, 23)
        if not float(hour).is_integer() or not low <= hour <= high or not 0 <= minute < 60:
            return None
        whole = int(hour) % 12 + 12 * (half == "p") if half else int(hour)
        return cls(whole * 60 + minute, bare=not half)


def clocks_at(tokens: list[Token], start: int) -> Iterator[tuple[int, Clock]]:
    """Yield the times of day that begin at `start`, each with the position where it ends. A bare number is not a time
    of day."""
    found = _written(tokens, start)
    if found is not None and found[1] is not None:
        yield found[0], found[1]


def _written(tokens: list[Token], start: int) -> tuple[int, Clock | None] | None:
    words = [token.word for token in tokens[start : start + 5]]
    if tokens[start].quoted:
        return None
    if words[0] in _NAMED:
        return start + 1, Clock(_NAMED[words[0]])
    if (short := _HOUR_AND_HALF.fullmatch(words[0])) is not None:
        return start + 1, Clock.of(int(short[1]), half=short[2])
    hour = tokens[start].number
    if hour is None or not re.fullmatch(r"\d{1,2}", words[0]):
        return None
    if words[1:2] == [":"]:
        return _with_minutes(words, start, hour)
    end, half = _half_at(words, 1)
    if half:
        return start + end, Clock.of(hour, half=half)
    return (start + 3, Clock.of(hour)) if words[1:3] == ["o", "clock"] else None


def _with_minutes(words: list[str], start: int, hour: float) -> tuple[int, Clock | None] | None:
    said = words[2] if len(words) > 2 else ""
    if (short := _MINUTE_AND_HALF.fullmatch(said)) is not None:
        return start + 3, Clock.of(hour, int(short[1]), short[2])
    if not re.fullmatch(r"\d{2}", said):
        return None
    end, half = _half_at(words, 3)
    return start + end, Clock.of(hour, int(said), half)


def _half_at(words: list[str], place: int) -> tuple[int, str]:
    """Return the end and first letter of “am” or “p.m.” at `place`; `place` and "" if there is neither."""
    if words[place : place + 1] in (["am"], ["pm"]):
        return place + 1, words[place][0]
    if words[place : place + 2] in (["a", "m"], ["p", "m"]):
        return place + 2, words[place]
    return place, ""
