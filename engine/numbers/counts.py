"""Numbers that count rows, distinct values of a column, items in the answer, or rows that meet a condition."""

import re
from collections.abc import Iterator, Sequence
from statistics import median

from engine.numbers.derivation_words import REST
from engine.numbers.evidence import Evidence
from engine.numbers.fitting import DOWN, UP, factors_of
from engine.numbers.mention import Mention
from engine.numbers.naming import column_named, is_change
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.words import forms, name_words
from events.late_dataclass import dataclass

__all__ = ["counted", "counts_something"]

_ROWS = forms("row record entry result line observation group case datum point item total")
_COLUMNS = forms("column field variable feature attribute measure metric")
_MISSING = forms("missing null empty blank unknown absent")
_MEAN, _MEDIAN = forms("mean"), forms("median")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S", re.MULTILINE)


def counted(text: Text, place: Place, evidence: Evidence) -> str | None:
    """Return a short description of the things that a number counts; None if nothing has that count."""
    value = place.mention.value
    written = place.mention.readings[0].step >= 1 or place.mention.kind in ("count", "none")
    if not written or not float(value).is_integer() or place.mention.unit is not None:
        return None
    for many, what in _counts(text, place, evidence):
        if many == value:
            return what
    return None


def counts_something(text: Text, place: Place) -> bool:
    """Return whether a number in words counts rows or the values of a column, and so must be found in a result."""
    nouns = _nouns(text, place)
    if re.match(
        r"\s+of\s+(?:the|its|our|all|these|those)\b", text.text[place.mention.end : place.mention.end + 12]
    ):
        return True
    if nouns & _ROWS - {"point", "total", "case", "line", "item"}:
        return True
    return any(
        nouns & set(names.column_words[column]) for names in text.labels.tables for column in names.dimensions
    )


def _nouns(text: Text, place: Place) -> frozenset[str]:
    """Return the words right after a number, also after "of the"."""
    end = min(place.mention.end + 45, place.passage.end)
    behind = text.text[place.mention.end : end]
    cut = re.search(
        r"[,;:.()|—]|\s(?:and|or|with|in|on|at|by|to|for|from|than|were|was|had|is|are|have|has)\s", behind
    )
    return text.words_in([(place.mention.end, place.mention.end + cut.start() if cut else end)])


def _counts(text: Text, place: Place, evidence: Evidence) -> Iterator[tuple[int, str]]:
    nouns, beside = _nouns(text, place), _beside(text, place)
    for names in text.labels.tables:
        table = names.table
        measured = {word for at in names.measures for word in names.column_words[at]}
        about = set(names.topic) - measured
        if nouns & (_ROWS | about) or place.mention.digits > 2 or place.mention.value >= 100:
            yield table.count, f"rows of {table.title or table.name}"
        if nouns & _COLUMNS:
            yield len(table.columns), f"columns of {table.title or table.name}"
        if place.mention.value > len(table.rows):
            continue  # all that follows counts rows, or labels of rows
        for column in names.dimensions:
            yield from _things(text, place, names, column, nouns)
        if nouns & _MISSING or place.words & _MISSING:
            for column in range(len(table.columns)):
                yield (
                    sum(value is None for value in table.values(column)),
                    f"missing in {table.columns[column]}",
                )
        yield from _holding(text, place, names, nouns, beside)
    for file in evidence.files:
        if file.rows is not None and (
            nouns & (_ROWS | set(name_words(file.name))) or place.mention.digits > 2
        ):
            yield file.rows, f"rows of {file.name}"
        if file.columns is not None and nouns & _COLUMNS:
            yield file.columns, f"columns of {file.name}"
    listed = len(_ITEM.findall(text.text))
    if listed and not nouns & {
        w for one in text.labels.tables for at in one.measures for w in one.column_words[at]
    }:
        yield listed, "things that the answer lists"


def _things(
    text: Text, place: Place, names: TableNames, column: int, nouns: frozenset[str]
) -> Iterator[tuple[int, str]]:
    table = names.table
    rows = (row for row in range(len(table.rows)) if row != names.grand_total)
    labels = {names.label(row, column) for row in rows} - {""}
    told = table.columns[column]
    yield from _labelled(text, place, names, column)
    if (nouns | place.words) & set(names.column_words[column]):
        yield len(labels), f"different {told}"
    here = {one.label for one in text.rows_in(names.at, column, (place.passage.start, place.passage.end))}
    measured = {word for at in names.measures for word in names.column_words[at]}
    if nouns & measured and not nouns & set(names.column_words[column]):  # "412 orders" are not regions
        return
    if here:
        yield len(here), f"{told} that the sentence names"
        if place.words & REST or not text.rows_in(
            names.at, column, (place.mention.end, place.mention.end + 12)
        ):
            yield len(labels - here), f"{told} that the sentence does not name"
    everywhere = {one.label for one in text.rows_in(names.at, column, (0, len(text.text)))}
    if everywhere:
        yield len(everywhere), f"{told} that the answer names"
        if place.words & REST:
            yield len(labels - everywhere), f"{told} that the answer does not name"
    if nouns & set(names.column_words[column]) and _PICKED.search(
        text.text, place.passage.start, place.mention.start
    ):
        yield int(min(place.mention.value, len(labels))), f"how many {told} are meant"


_PICKED = re.compile(r"\b(?:top|bottom|first|last|next|previous|past)\s[*_`]*$", re.IGNORECASE)
"""Words before a number that selects rows: "the top three teams"."""
_RED = forms("red negative loss")


def _labelled(text: Text, place: Place, names: TableNames, column: int) -> Iterator[tuple[int, str]]:
    """Yield the number of rows that share a label, with a description: "two mountain stages". In a Markdown table, the
    label is in the number's row, and the header names the counted things, such as "Fields".
    """
    spans = [(place.mention.end, min(place.mention.end + 30, place.passage.end))]
    if place.passage.cells:
        *row, header = place.passage.cells
        things = _ROWS | {word for at in names.dimensions for word in names.column_words[at]}
        spans = row if text.words_in([header]) & things else []
    for label in {one.label for span in spans for one in text.rows_in(names.at, column, span)}:
        many = sum(names.label(row, column) == label for row in range(len(names.table.rows)))
        if many > 1:
            yield many, f"rows of {label}"


_ABOVE = UP | forms("above over exceed clear pass top reach more least greater beat better double-digit")
_BELOW = DOWN | forms("below under less fewer most short")


@dataclass(frozen=True, slots=True)
class _Beside:
    """The nearby numbers that a column's values can be compared with, and whether a mean or median is mentioned."""

    numbers: Sequence[Mention]
    mean: bool
    median: bool


def _beside(text: Text, place: Place) -> _Beside:
    near = [(place.passage.start, place.passage.end), *place.passage.around[:1]]
    numbers = [
        other
        for other in text.mentions
        if other is not place.mention
        and other.kind not in ("plain", "count", "none", "times")
        and any(start <= other.start < end for start, end in near)
    ]
    return _Beside(numbers, bool(text.words_in(near) & _MEAN), bool(place.words & _MEDIAN))


def _holding(
    text: Text, place: Place, names: TableNames, nouns: frozenset[str], beside: _Beside
) -> Iterator[tuple[int, str]]:
    """Yield the number of rows in which a column is above or below a nearby number, its mean, zero or another column,
    and the number of rows in which it has a value or has none."""
    up, down = bool(place.words & _ABOVE), bool(place.words & _BELOW)
    if up != down and _of_all(text, place, names):
        for column in names.measures:
            yield from _moves(text, place, names, column, up)
    for column in names.measures:
        own = set(names.column_words[column])
        if not (up or down or place.words & _RED or own & place.words):
            continue
        if column_named(text, place, names, column) is None:
            continue
        values, told = names.table.values(column), names.table.columns[column]
        numbers, limits = names.table.numbers(column), list(_limits(names, column, beside))
        for limit in limits:
            if up:
                yield sum(one > limit for one in numbers), f"{told} above {limit:g}"
                yield sum(one >= limit for one in numbers), f"{told} from {limit:g}"
            if down:
                yield sum(one < limit for one in numbers), f"{told} below {limit:g}"
        if is_change(names, column):
            if up:
                yield sum(one > 0 for one in numbers), f"{told} above zero"
            if down or place.words & _RED:
                yield sum(one < 0 for one in numbers), f"{told} below zero"
        if own & place.words and not own & nouns:
            yield sum(value not in (None, 0) for value in values), f"with {told}"
            yield sum(value in (None, 0) for value in values), f"without {told}"
        if (up or down) and not limits:
            yield from _moves(text, place, names, column, up)


def _of_all(text: Text, place: Place, names: TableNames) -> bool:
    """Return whether the text gives the number of all rows after this number: "three of the five plans", if there are
    five.
    """
    behind = text.text[place.mention.end : place.mention.end + 24]
    found = _OF.match(behind)
    rows = len(names.table.rows) - (names.grand_total is not None)
    said = next(
        (one for one in text.mentions if found and one.start == place.mention.end + found.end()), None
    )
    return said is not None and said.value == rows


_OF = re.compile(r"\s+of\s+(?:the|its|our|all|these|those)?\s*(?=\w)")


def _limits(names: TableNames, column: int, beside: _Beside) -> Iterator[float]:
    """Yield the limits that a column's values can be compared with: the neighbouring numbers, and the column's mean and
    median if the text mentions them.
    """
    for other in beside.numbers:
        yield from (other.value / factor for factor in factors_of(names, column, other))
    numbers = names.table.numbers(column)
    if beside.mean:
        yield sum(numbers) / len(numbers)
    if beside.median:
        yield median(numbers)


def _moves(text: Text, place: Place, names: TableNames, column: int, up: bool) -> Iterator[tuple[int, str]]:
    """Yield the number of rows in which a column is above or below another one: an earlier period, or a named column.
    If the text counts among all rows, as in "five of the nine departments exceeded their budget", naming one of the two
    columns is enough.
    """
    spans = (place.passage.start, place.passage.end)
    named = [one.column for one in text.columns_in(names.at, spans) if one.column in names.measures]
    alone = _of_all(text, place, names) and not _beside(text, place).numbers
    alike = [
        at
        for at in names.measures
        if names.units[at][:2] == names.units[column][:2] and names.units[at].unit is not None
    ]
    for other in names.measures:
        before = other < column and ({other, column} <= set(named) or names.of_periods(other, column))
        exceeds = alone and set(named) == {other} and sorted(alike) == sorted({other, column})
        if other == column or not (before or exceeds):
            continue
        turned = (
            not names.of_periods(other, column) and column in named and other in named[: named.index(column)]
        )
        pairs = [
            (a, b)
            for row in range(len(names.table.rows))
            if row != names.grand_total
            and (a := names.table.number(row, column if turned else other)) is not None
            and (b := names.table.number(row, other if turned else column)) is not None
        ]
        told = f"{names.table.columns[column]} {'above' if up else 'below'} {names.table.columns[other]}"
        yield sum(b > a if up else b < a for a, b in pairs), told
        if not up:
            yield (
                sum(a < b for a, b in pairs),
                f"{names.table.columns[other]} below {names.table.columns[column]}",
            )
