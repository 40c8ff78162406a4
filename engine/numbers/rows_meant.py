"""The rows that a sentence refers to, by the names in it and around it."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from engine.numbers.derivation_words import COMPARED
from engine.numbers.fitting import DOWN, UP
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.words import forms

__all__ = ["clause_rows", "in_time", "named_rows", "ranged_rows", "top_rows"]

_TIMES = forms("twice double ratio favour as much many")
_PERIODS = forms("year month quarter week day date period hour")
_ISO_MONTH = re.compile(r"(\d{4})-(\d\d)(?:-01)?(?:$|[T ])")
_ISO_DATE = re.compile(r"(?:1[6-9]|20|21)\d\d(?:-|$)")


def in_time(names: TableNames, row: int) -> bool:
    """Return whether a row of a result is a period."""
    return any(
        _ISO_DATE.match(names.label(row, column)) or set(names.column_words[column]) & _PERIODS
        for column in names.dimensions
    )


def named_rows(text: Text, place: Place, names: TableNames, narrow: bool = False) -> list[int]:
    """Return the rows named in the sentence, or only in the clause if `narrow`; if there are none, the rows that the
    text around it mentions.

    If only one row is found, but the text compares rows and the question mentions another row, both are returned.
    """
    table = names.table
    if len(table.rows) < 2:
        return list(range(len(table.rows)))
    sentence = ((place.passage.start, place.passage.end),)
    compares = place.mention.kind in ("points", "times", "part") or place.clause_words & (
        UP | DOWN | COMPARED
    )
    spans = place.passage.cells or (
        place.passage.nearest(place.mention.start) if narrow and not compares else sentence
    )
    rows = set(range(len(table.rows)))
    any_named = False
    for column in names.dimensions:
        here = [one for span in spans for one in text.rows_in(names.at, column, span)]
        labels = {one.label for one in here}
        if labels and all(
            one.start > place.mention.end for one in here
        ):  # "its rate is 31% against 25% for A"
            governing = text.row_of(place, names.at, column)
            labels |= set(governing.labels) if governing is not None and len(governing.labels) == 1 else set()
        if not labels:
            governing = text.row_of(place, names.at, column)
            labels = set(governing.labels) if governing is not None else set()
        compared = place.mention.kind == "times" or place.clause_words & (COMPARED | _TIMES)
        if len(labels) == 1 and compared:
            labels |= text.asked_rows(names.at, column)
        if labels:
            any_named = True
            rows &= {row for row in rows if names.label(row, column) in labels}
    return sorted(rows) if any_named else []


def clause_rows(text: Text, place: Place, names: TableNames) -> list[int]:
    """Return the rows that the clause of a number names; if it names none, the rows of its sentence."""
    clause = place.passage.clause(place.mention.start)
    rows = set(range(len(names.table.rows)))
    here = {
        column: {one.label for one in text.rows_in(names.at, column, clause)} for column in names.dimensions
    }
    for column, labels in here.items():
        if labels:
            rows &= {row for row in rows if names.label(row, column) in labels}
    return sorted(rows) if any(here.values()) else named_rows(text, place, names, narrow=True)


_THROUGH = re.compile(r"\s?(?:to|through|thru|until|till|up to|–|—|-)\s?(?:the\s)?")


def ranged_rows(text: Text, place: Place, names: TableNames) -> Iterator[list[int]]:
    """Yield the rows of each range ("January to March") and part of a year ("Q2") that the text mentions."""
    spans = place.passage.cells or place.passage.nearest(place.mention.start)
    for column in names.dimensions:
        here = [one for span in spans for one in text.rows_in(names.at, column, span)]
        for one, other in pairwise(here):
            if _THROUGH.fullmatch(text.text[one.end : other.start]) is None:
                continue
            rows = range(len(names.table.rows))
            labels = list(dict.fromkeys(names.label(row, column) for row in rows))
            first, last = labels.index(one.label), labels.index(other.label)
            meant = {labels[at] for at in _between(first, last, len(labels), comes_again=in_time(names, 0))}
            yield [row for row in rows if names.label(row, column) in meant]
        sentence = place.passage.cells or ((place.passage.start, place.passage.end),)
        yield from _parts_of_years(text, names, column, sentence)


def _between(first: int, last: int, many: int, *, comes_again: bool) -> list[int]:
    """Return the positions from one label to another. If the labels are periods that repeat (`comes_again`), the
    positions may wrap around."""
    if first <= last:
        return list(range(first, last + 1))
    return sorted((*range(first, many), *range(last + 1))) if comes_again else list(range(last, first + 1))


_PART_OF_YEAR = re.compile(
    r"\b(?:(?P<q>q[1-4])|(?P<h>h[12])|(?P<nth>first|second|third|fourth|last)\s(?P<part>quarter|half))\b"
    r"(?:\s(?:of\s)?(?P<year>(?:19|20)\d\d))?",
    re.IGNORECASE,
)
_NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}


def _parts_of_years(
    text: Text, names: TableNames, column: int, spans: Sequence[tuple[int, int]]
) -> Iterator[list[int]]:
    """Yield the months of a quarter or half-year that the sentence mentions: "Q2", "the first half of 2024"."""
    months = {row: _ISO_MONTH.match(names.label(row, column)) for row in range(len(names.table.rows))}
    if not all(months.values()):
        return
    for found in (one for span in spans for one in _PART_OF_YEAR.finditer(text.text, *span)):
        half = bool(found["h"]) or (found["part"] or "").lower() == "half"
        nth = _NTH[found["nth"].lower()] if found["nth"] else int((found["q"] or found["h"])[1])
        size = 6 if half else 3
        nth = min(nth, 12 // size)
        rows = [
            row
            for row, month in months.items()
            if month and (int(month[2]) - 1) // size == nth - 1 and found["year"] in (None, month[1])
        ]
        if len(rows) == size:  # one quarter, all of it
            yield rows


def top_rows(names: TableNames, column: int, place: Place) -> Iterator[list[int]]:
    """Yield the top N rows by a column for "the top three" and the like, and also the bottom N for words such as
    "last"."""
    words = place.words
    if not words & {
        "top",
        "bottom",
        "first",
        "maximum",
        "leading",
        "biggest",
        "last",
        "minimum",
        "two",
        "three",
        "four",
        "five",
    }:
        return
    ranked = sorted(
        (row for row in range(len(names.table.rows)) if names.table.number(row, column) is not None),
        key=lambda row: -(names.table.number(row, column) or 0),
    )
    numbers = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10} | {str(n): n for n in range(2, 21)}
    for many in {numbers[word] for word in words if word in numbers}:
        if many < len(ranked):
            yield ranked[:many]
            if words & {"bottom", "last", "minimum", "least", "worst"}:
                yield ranked[-many:]
