"""Periods of time in a question: years, quarters, months, days, and the months and weekdays of every year."""

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import replace

from engine.models.offline.form import Condition, Grain, Ref
from engine.models.offline.vocabulary import MONTHS, WEEKDAYS
from engine.models.offline.words import Token, base_forms
from events.late_dataclass import dataclass

__all__ = ["Period", "grain_of", "in_one_list", "periods_at", "ranges_apart", "recurring_between"]

_QUARTERS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "last": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}


@dataclass(frozen=True, slots=True)
class Period:
    """A period in the notation of a form: `2024`, `2024-Q3`, `2024-03`, `2024-03-05`, `2020s`; or a period of every
    year."""

    value: str
    grain: Grain

    def completed(self, other: "Period") -> "Period":
        """Return this period with the year of `other`: “between March 4 and March 10 2019”, “June to August 2019”.

        If this period comes later in the year than `other`, it is in the year before: “November to February 2019”.
        """
        if self.value.startswith("----"):
            return self.in_year(other.value[:4])
        if self.grain != f"{other.grain} of year":
            return self
        own = self.in_year(other.value[:4])
        return own if own.value <= other.value else self.in_year(str(other.first_year - 1))

    def in_year(self, year: str) -> "Period":
        """Return this period in `year` if it recurs every year (day, month or quarter); others are unchanged."""
        if self.value.startswith("----"):
            return Period(f"{year}{self.value[4:]}", "day")
        if self.grain == "month of year":
            return Period(f"{year}-{_MONTH_NAMES.index(self.value) + 1:02}", "month")
        return Period(f"{year}-{self.value}", "quarter") if self.grain == "quarter of year" else self

    @property
    def first_year(self) -> int:
        """The first year of the period."""
        return int(self.value[:4])


def in_one_list(periods: tuple[Period, ...]) -> tuple[Period, ...]:
    """Return the periods in a list, completed with the month or year that they share: “June and July 2021”, “June of
    2020 and 2021”.
    """
    last, first = periods[-1], periods[0]
    if last.grain in ("month", "quarter") and first.grain == f"{last.grain} of year":
        return tuple(
            replace(found, value=f"{last.first_year}{found.value[4:]}")
            for found in (period.completed(last) for period in periods)
        )
    if first.grain in ("month", "quarter") and {period.grain for period in periods[1:]} == {"year"}:
        return (first, *(Period(f"{period.value}{first.value[4:]}", first.grain) for period in periods[1:]))
    return periods


def ranges_apart(first: Condition, second: Condition) -> Ref | None:
    """If each of two ranges is within one year, and the two years differ, return the date column grouped by year; if
    this is true of decades, return it grouped by decade; else None.
    """
    ends = [str(value) for condition in (first, second) for value in condition.values]
    if any(grain_of(end) in (None, "decade") for end in ends):
        return None
    whole: tuple[tuple[Grain, int], ...] = (("year", 4), ("decade", 3))
    for grain, digits in whole:
        cut = [end[:digits] for end in ends]
        if cut[0] == cut[1] != cut[2] == cut[3]:
            return replace(first.of, grain=grain)
    return None


def recurring_between(first: Period, last: Period) -> tuple[Period, ...]:
    """Return the weekdays, or the months or quarters of every year, from `first` to `last`, both included: “Saturday to
    Monday” are three days.
    """
    names = {
        "weekday": _WEEKDAY_NAMES,
        "month of year": _MONTH_NAMES,
        "quarter of year": ["Q1", "Q2", "Q3", "Q4"],
    }[first.grain]
    start, end = names.index(first.value), names.index(last.value)
    count = (end - start) % len(names) + 1
    return tuple(Period(names[(start + n) % len(names)], first.grain) for n in range(count))


def grain_of(value: str) -> Grain | None:
    """Return the grain of a period in the notation of a form; None if it is not a period."""
    patterns: dict[Grain, str] = {
        "year": r"\d{4}", "quarter": r"\d{4}-Q[1-4]", "month": r"\d{4}-\d{2}", "day": r"\d{4}-\d{2}-\d{2}",
        "decade": r"\d{4}s"
    }  # fmt: skip
    grain = next((grain for grain, pattern in patterns.items() if re.fullmatch(pattern, value)), None)
    if grain in ("month", "day"):
        try:
            dt.date.fromisoformat(f"{value}-01"[:10] if grain == "month" else value)
        except ValueError:
            return None
    return grain


def _year(token: Token | None) -> str | None:
    if token is None or token.quoted or not re.fullmatch(r"(1[5-9]|2[01])\d\d", token.text):
        return None
    return token.text


def periods_at(tokens: list[Token], start: int) -> Iterator[tuple[int, Period]]:
    """Yield the periods that begin at `start`, each with the position where it ends."""

    def at(place: int) -> Token | None:
        return tokens[place] if place < len(tokens) else None

    token = tokens[start]
    word = token.word
    if token.quoted:
        return
    if re.fullmatch(r"\d{4}-?[Qq][1-4]", token.text):
        yield start + 1, Period(f"{word[:4]}-Q{word[-1]}", "quarter")
    elif (grain := grain_of(token.text)) in ("month", "day"):
        yield start + 1, Period(token.text, grain)
    elif (year := _year(token)) is not None:
        following = at(start + 1)
        if following is not None and re.fullmatch(r"q[1-4]", following.word):
            yield start + 2, Period(f"{year}-Q{following.word[1]}", "quarter")
        yield start + 1, Period(year, "year")
    elif decade := re.fullmatch(r"((?:1[5-9]|2[01])\d|[1-9])0s", word):
        whole = decade[1] if len(decade[1]) == 3 else f"19{decade[1]}"
        yield start + 1, Period(f"{whole}0s", "decade")
    yield from _quarters(tokens, start)
    yield from _months(tokens, start)
    day = next((WEEKDAYS[form] for form in base_forms(word) if form in WEEKDAYS), None)
    if day is not None:
        yield start + 1, Period(_WEEKDAY_NAMES[day - 1], "weekday")


_WEEKDAY_NAMES = [day.title() for day in WEEKDAYS]
_MONTH_NAMES = [month.title() for month in MONTHS if len(month) > 4 or month in ("may", "june", "july")]


def _after_of(tokens: list[Token], place: int) -> tuple[int, str | None]:
    """Return the year that follows a month or quarter (perhaps after “of”, “in” or a comma), with the place after it;
    None if there is no year.
    """
    while place < len(tokens) and tokens[place].word in ("of", ",", "in"):
        place += 1
    return (place + 1, _year(tokens[place])) if place < len(tokens) else (place, None)


def _quarters(tokens: list[Token], start: int) -> Iterator[tuple[int, Period]]:
    word, end, number = tokens[start].word, start + 1, None
    if re.fullmatch(r"q[1-4]", word):
        number = int(word[1])
    elif word in _QUARTERS and start + 1 < len(tokens) and tokens[start + 1].word == "quarter":
        number, end = _QUARTERS[word], start + 2
        if word == "last" and _after_of(tokens, end)[1] is None:
            return  # it may be the latest quarter, or the fourth quarter of every year
    if number is None:
        return
    after, year = _after_of(tokens, end)
    if year is not None:
        yield after, Period(f"{year}-Q{number}", "quarter")
    else:
        yield end, Period(f"Q{number}", "quarter of year")


def _months(tokens: list[Token], start: int) -> Iterator[tuple[int, Period]]:
    token = tokens[start]
    place, day = start, None
    if token.number is not None and token.text.isdigit() and 1 <= token.number <= 31:
        place, day = start + 1, int(token.number)
        if place < len(tokens) and tokens[place].word == "of":
            place += 1
    if place >= len(tokens) or tokens[place].word not in MONTHS:
        return
    if tokens[place].word == "may" and not tokens[place].text.istitle():
        return
    month, end = MONTHS[tokens[place].word], place + 1
    if day is None and end < len(tokens) and re.fullmatch(r"\d{1,2}(st|nd|rd|th)?", tokens[end].word):
        day, end = int(re.sub(r"\D", "", tokens[end].word)), end + 1
    after, year = _after_of(tokens, end)
    if day is not None:
        value = f"{year}-{month:02}-{day:02}"
        if year is not None and grain_of(value) == "day":
            yield after, Period(value, "day")
        elif year is None:
            yield end, Period(f"----{value[4:]}", "day")
        return
    if year is not None:
        yield after, Period(f"{year}-{month:02}", "month")
    else:
        yield end, Period(_MONTH_NAMES[month - 1], "month of year")
