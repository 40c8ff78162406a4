"""Finds the numbers in a question, with units and scales, and the words for times between two dates."""

import re
from collections.abc import Iterator

from engine.models.offline.amounts import Number, are_metres
from engine.models.offline.items import Item
from engine.models.offline.meanings import Expression
from engine.models.offline.schema import Table
from engine.models.offline.vocabulary import UNITS, words
from engine.models.offline.words import Token, alike, base_forms

__all__ = ["numbers_at", "spans_at"]

_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_DURATIONS = words("spans")


def spans_at(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Read “duration” as the time between two columns if no column has that name."""
    forms = base_forms(tokens[start].word)
    if table.span is not None and forms & _DURATIONS and not any(forms & set(c.words) for c in table.columns):
        yield Item(start + 1, "span", Expression(table.span))


def numbers_at(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Yield the number that begins at a token, in digits or in words such as “a million”."""
    token = tokens[start]
    if token.number is not None and are_metres(token, table):
        yield Item(start + 1, "n", Number(token.number / token.scale, unit="m"))
        return
    yield from _plain_numbers(tokens, start, table)
    yield from _halves(tokens, start)
    if any(column.lasting for column in table.columns):
        yield from _lengths(tokens, start)
    if token.word in _SCALES and start and tokens[start - 1].number is None:
        yield from _scaled(tokens, start, 1.0, table)


def _plain_numbers(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Yield the number in a token: by itself, and with the unit, percent sign or scale after it."""
    token = tokens[start]
    if token.number is None or token.quoted:
        return
    if token.word in ("once", "twice"):
        yield Item(start + 1, "n", Number(token.number, unit="times"))
        return
    sign = "$" if token.text[:1] in "$€£" else ""
    yield Item(start + 1, "n", Number(token.number, token.percent, sign, token.scale))
    after = tokens[start + 1].word if start + 1 < len(tokens) else ""
    if after in ("percent", "pct"):
        yield Item(start + 2, "n", Number(token.number, True))
    elif after in UNITS or any(alike(after, column.unit) for column in table.columns if column.unit):
        yield Item(start + 2, "n", Number(token.number, token.percent, after, token.scale))
    elif after in _SCALES:
        yield from _scaled(tokens, start + 1, token.number, table)


def _lengths(tokens: list[Token], start: int) -> Iterator[Item]:
    """Read “2:15”, “2:15:30” and “3 hours 30 minutes” as lengths of time."""
    said = [token.word for token in tokens[start : start + 5]]
    numbers = [token.number for token in tokens[start : start + 5]]
    if (
        not re.fullmatch(r"\d{1,2}", said[0])
        or numbers[0] is None
        or any(t.quoted for t in tokens[start : start + 5])
    ):
        return
    if said[1:2] == [":"] and re.fullmatch(r"[0-5]\d", said[2] if len(said) > 2 else ""):
        first, second = int(said[0]), int(said[2])
        if said[3:4] == [":"] and len(said) > 4 and re.fullmatch(r"[0-5]\d", said[4]):
            yield Item(start + 5, "n", Number(first * 3600 + second * 60 + int(said[4]), unit="seconds"))
        else:
            yield Item(start + 3, "n", Number(first * 60 + second, unit=":"))
    joined = said[:2] + [word for word in said[2:] if word != "and"]
    minutes = [number for number in numbers[2:4] if number is not None]
    units = len(joined) > 3 and joined[1] in _HOURS and joined[3] in _MINUTES
    if units and minutes and joined[2].isdigit():
        yield Item(
            start + 4 + ("and" in said[2:3]), "n", Number(numbers[0] * 60 + minutes[0], unit="minutes")
        )


def _halves(tokens: list[Token], start: int) -> Iterator[Item]:
    """Read “half an hour”, “an hour and a half” and “two and a half hours”."""
    said = [token.word for token in tokens[start : start + 5]]
    number = 1.0 if said[0] in ("a", "an") else tokens[start].number
    if said[0] == "half" and said[1:2] in (["a"], ["an"]) and said[2:3] and said[2] in _OF_TIME:
        yield Item(start + 3, "n", Number(0.5, unit=said[2]))
    elif number is None or tokens[start].quoted:
        return
    elif said[1:4] == ["and", "a", "half"] and len(said) > 4 and said[4] in UNITS:
        yield Item(start + 5, "n", Number(number + 0.5, unit=said[4]))
    elif said[1:2] and said[1] in _OF_TIME and said[2:] == ["and", "a", "half"]:
        yield Item(start + 5, "n", Number(number + 0.5, unit=said[1]))


_OF_TIME = (
    "minute",
    "minutes",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
)
_HOURS, _MINUTES = ("h", "hour", "hours", "hrs", "hr"), ("m", "min", "mins", "minute", "minutes")


def _scaled(tokens: list[Token], start: int, number: float, table: Table) -> Iterator[Item]:
    """Read “1.5 million” or “a million dollars”."""
    scale = _SCALES[tokens[start].word]
    value = number * scale
    sign = "$" if start and tokens[start - 1].text[:1] in "$€£" else ""
    yield Item(start + 1, "n", Number(value, unit=sign, scale=scale))
    after = tokens[start + 1].word if start + 1 < len(tokens) else ""
    if after in UNITS:
        unit = after if any(c.unit for c in table.columns) else ""
        yield Item(start + 2, "n", Number(value, unit=unit, scale=scale))
