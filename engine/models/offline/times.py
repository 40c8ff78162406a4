"""Spans of time in a question: days, months, quarters, years, decades, and parts of the year that come again."""

import calendar
import re
from dataclasses import dataclass

from engine.models.offline.words import Token, word_list

__all__ = ["MONTHS", "Period", "Recurring", "When", "read_time"]

_NAMES = [name.lower() for name in calendar.month_name[1:]]
MONTHS = {name: number for number, name in enumerate(_NAMES, 1)} | {
    name[:3]: number for number, name in enumerate(_NAMES, 1)
} | {"sept": 9}  # fmt: skip
_DAYS = {name.lower(): number for number, name in enumerate(calendar.day_name, 1)}
_DAYS |= {name + "s": number for name, number in _DAYS.items()}
_SEASONS = {"spring": (3, 4, 5), "summer": (6, 7, 8), "autumn": (9, 10, 11), "winter": (12, 1, 2)}
_ORDINALS = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "last": 4,
}
_AMBIGUOUS = ("may", "march", "mar", "dec", "sat", "sun", "fall")
_BEFORE_A_TIME = word_list("""
    in of since during from until by for on to and between before after every each than last vs versus only just about
    or through
""")


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `start` up to but without `end`, as ISO dates."""

    start: str
    end: str
    grain: str
    label: str


@dataclass(frozen=True, slots=True)
class Recurring:
    """A part of every year or week: `part` is `month`, `weekday`, `quarter`, or `monthday` (a month and its day)."""

    part: str
    numbers: tuple[int, ...]
    label: str


When = Period | Recurring


def day_of_year(when: When | None, year: int) -> Period | None:
    """A month and its day in one year; None for any other time."""
    if not isinstance(when, Recurring) or when.part != "monthday":
        return None
    return _day(year, *when.numbers)


def year_period(year: int, years: int = 1, grain: str = "year") -> Period:
    """Whole years from `year` on."""
    label = str(year) if years == 1 else f"{year}–{year + years - 1}"
    return Period(f"{year:04d}-01-01", f"{year + years:04d}-01-01", grain, label)


def _months(year: int, month: int, count: int, grain: str, label: str) -> Period:
    last = month + count
    end_year, end_month = year + (last - 1) // 12, (last - 1) % 12 + 1
    return Period(f"{year:04d}-{month:02d}-01", f"{end_year:04d}-{end_month:02d}-01", grain, label)


def _day(year: int, month: int, day: int) -> Period | None:
    if not (1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]):
        return None
    start = f"{year:04d}-{month:02d}-{day:02d}"
    if day < calendar.monthrange(year, month)[1]:
        end = f"{year:04d}-{month:02d}-{day + 1:02d}"
    else:
        end = f"{year + month // 12:04d}-{month % 12 + 1:02d}-01"
    return Period(start, end, "day", start)


def _year(token: Token | None) -> int | None:
    if token is None or token.number is None or not re.fullmatch(r"\d{4}", token.text):
        return None
    return int(token.number) if 1500 <= token.number <= 2200 else None


def _ordinal(token: Token | None) -> int | None:
    if token is None:
        return None
    found = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", token.word)
    return int(found.group(1)) if found and 1 <= int(found.group(1)) <= 31 else None


def read_time(tokens: list[Token], start: int) -> tuple[int, When] | None:
    """Read a span of time that begins at `start`: how many tokens it has, and what it is. Bare years are numbers."""
    token = tokens[start]

    def at(offset: int) -> Token | None:
        return tokens[start + offset] if start + offset < len(tokens) else None

    return (
        _iso(token)
        or _month(tokens, start)
        or _day_month(token, at)
        or _quarter(token, at)
        or _decade(token)
        or _recurring(tokens, start)
    )


def _iso(token: Token) -> tuple[int, When] | None:
    if found := re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})", token.text):
        day = _day(*(int(part) for part in found.groups()))
    elif found := re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", token.text):
        month, number, year = (int(part) for part in found.groups())
        day = _day(year, month, number) or _day(year, number, month)
    elif found := re.fullmatch(r"(\d{4})-(\d{2})", token.text):
        year, month = int(found.group(1)), int(found.group(2))
        return (1, _months(year, month, 1, "month", token.text)) if 1 <= month <= 12 else None
    else:
        return None
    return (1, day) if day else None


def _month(tokens: list[Token], start: int) -> tuple[int, When] | None:
    token = tokens[start]
    month = MONTHS.get(token.word)
    if month is None:
        return None
    following = tokens[start + 1 : start + 4]
    if following and (year := _year(following[0])):
        return 2, _months(year, month, 1, "month", f"{calendar.month_name[month]} {year}")
    if len(following) > 1 and following[0].word == "of" and (year := _year(following[1])):
        return 3, _months(year, month, 1, "month", f"{calendar.month_name[month]} {year}")
    day = _ordinal(following[0]) if following else None
    if day and len(following) > 1 and (year := _year(following[1])) and (exact := _day(year, month, day)):
        return 3, exact
    if day and following and not following[0].text.startswith("0") and _may_be_day(tokens, start + 1):
        return 2, Recurring("monthday", (month, day), f"{calendar.month_name[month]} {day}")
    before = tokens[start - 1].word if start else ""
    if token.word in _AMBIGUOUS and before not in _BEFORE_A_TIME and not (start and token.text[0].isupper()):
        return None
    return 1, Recurring("month", (month,), calendar.month_name[month])


_AFTER_A_DAY = ("", "and", "to", "until", "through", "or", "in", "at", "was", "were")


def _may_be_day(tokens: list[Token], place: int) -> bool:
    """Whether a number after a month is its day, and does not count what follows."""
    following = tokens[place + 1].word if place + 1 < len(tokens) else ""
    return not tokens[place].text.isdigit() or following in _AFTER_A_DAY


def _day_month(token: Token, at) -> tuple[int, When] | None:  # type: ignore[no-untyped-def]
    day = _ordinal(token)
    if day is None:
        return None
    skip = 1 if (of := at(1)) is not None and of.word == "of" else 0
    name, year = at(1 + skip), _year(at(2 + skip))
    if name is None or name.word not in MONTHS or year is None:
        return None
    exact = _day(year, MONTHS[name.word], day)
    return (3 + skip, exact) if exact else None


def _quarter(token: Token, at) -> tuple[int, When] | None:  # type: ignore[no-untyped-def]
    if found := re.fullmatch(r"([qh])([1-4])", token.word):
        size, number, used = (3 if found.group(1) == "q" else 6), int(found.group(2)), 1
    elif token.word in _ORDINALS and (kind := at(1)) is not None and kind.word in ("quarter", "half"):
        size, number, used = (3 if kind.word == "quarter" else 6), _ORDINALS[token.word], 2
        number = 2 if size == 6 and token.word == "last" else number
    else:
        return None
    skip = 1 if (of := at(used)) is not None and of.word == "of" else 0
    year = _year(at(used + skip))
    if year is None:
        return (used, Recurring("quarter", (number,), f"Q{number}")) if size == 3 and used == 1 else None
    label = f"Q{number} {year}" if size == 3 else f"H{number} {year}"
    return used + skip + 1, _months(year, (number - 1) * size + 1, size, "quarter", label)


def _decade(token: Token) -> tuple[int, When] | None:
    found = re.fullmatch(r"(\d{2})?(\d0)s", token.word) or re.fullmatch(
        r"(\d{2})?(\d0)'?s", token.text.lower()
    )
    if not found:
        return None
    century = found.group(1) or ("20" if int(found.group(2)) < 30 else "19")
    return 1, year_period(int(century + found.group(2)), 10, "decade")


def _recurring(tokens: list[Token], start: int) -> tuple[int, When] | None:
    token = tokens[start]
    before = tokens[start - 1].word if start else ""
    if token.word in _DAYS:
        return 1, Recurring("weekday", (_DAYS[token.word],), calendar.day_name[_DAYS[token.word] - 1])
    if token.stem == "weekend":
        return 1, Recurring("weekday", (6, 7), "weekends")
    if token.stem == "weekday" and before in ("on", "during", "and", "than", "vs"):
        return 1, Recurring("weekday", (1, 2, 3, 4, 5), "weekdays")
    if token.stem in _SEASONS and before in ("in", "the", "during", "every", "each", "than", "and"):
        return 1, Recurring("month", _SEASONS[token.stem], token.stem)
    return None
