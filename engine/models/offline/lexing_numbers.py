"""Finds the numbers in a question, with units and scales, and the words for times between two dates."""

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
    """Yield “duration” if two columns contain the beginning and the end and no column has that name."""
    forms = base_forms(tokens[start].word)
    if table.span is not None and forms & _DURATIONS and not any(forms & set(c.words) for c in table.columns):
        yield Item(start + 1, "span", Expression(table.span))


def numbers_at(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Yield the number that begins at a token, or that words such as “a million” name."""
    token = tokens[start]
    if token.number is not None and are_metres(token, table):
        yield Item(start + 1, "n", Number(token.number / token.scale, unit="m"))
        return
    yield from _plain_numbers(tokens, start, table)
    if token.word in _SCALES and start and tokens[start - 1].number is None:
        yield from _scaled(tokens, start, 1.0, table)


def _plain_numbers(tokens: list[Token], start: int, table: Table) -> Iterator[Item]:
    """Yield the number in a token: by itself, and with the unit, percent sign or scale after it."""
    token = tokens[start]
    if token.number is None or token.quoted:
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
