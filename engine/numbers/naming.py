"""Decides whether a text mentions the row and the column of a number. Pure."""

from collections.abc import Collection

from engine.numbers.evidence import Cell
from engine.numbers.fitting import DOWN, factors_of
from engine.numbers.mention import Mention
from engine.numbers.places import Place
from engine.numbers.row_scopes import ASKED, NEAR
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.ties import loosely, part_of
from engine.numbers.words import forms

__all__ = [
    "HIGHEST",
    "LOWEST",
    "MEANS",
    "TOTALS",
    "column_named",
    "holding",
    "is_change",
    "other_kind",
    "row_named",
]


HIGHEST = forms(
    "maximum most top best leader hottest warmest longest heaviest fastest oldest strongest lead led leading biggest"
    " greatest busiest first"
)


LOWEST = forms(
    "minimum least bottom worst weakest fewest trough coldest driest shortest cheapest lightest youngest calmest"
)


_RANKS = {"second": 1, "2nd": 1, "runner": 1, "third": 2, "3rd": 2, "fourth": 3, "next": 1}


_CHANGES = forms("change difference delta diff yoy mom qoq variance movement")


TOTALS, MEANS = forms("total sum overall"), forms("mean median typical")


def is_change(names: TableNames, column: int) -> bool:
    """Return whether a column contains changes or differences, whose sign shows the direction."""
    negative = (
        column in names.table.negatives and not names.has_periods
    )  # a negative cost in a period is not a change
    return negative or bool(set(names.column_words[column]) & _CHANGES)


def column_named(
    text: Text, place: Place, names: TableNames, column: int, among: Collection[int] | None = None
) -> int | None:
    """Return how certain it is that a number is in a column: 0 if no column is named, None if another column is named.

    `among` are the possible columns; by default those with values of the number's kind.
    """
    words = set(names.column_words[column])
    if other_kind(place.clause_words, words):
        return None
    found = text.columns_of(place, names.at, holding(names, place.mention) if among is None else among)
    if found is None:
        return 0
    scores, level = found
    own, best = scores.get(column, 0), max(scores.values(), default=0)
    if own == best and own:
        return 3 if level < NEAR else 1
    if level >= NEAR or (level > 1 and loosely(text.text, place)) or part_of(text.text, place):
        return 0
    return None


def holding(names: TableNames, mention: Mention) -> frozenset[int]:
    """Return the columns whose values are of the number's kind."""
    return frozenset(at for at in names.table.numeric if factors_of(names, at, mention))


def other_kind(said: frozenset[str], words: set[str]) -> bool:
    """Return whether the text says "total" but the column is a mean, or "average" but the column is a sum."""
    if said & TOTALS and not said & MEANS and words & MEANS and not words & TOTALS:
        return True
    return bool(said & MEANS and not said & TOTALS and words & TOTALS and not words & MEANS)


def row_named(text: Text, place: Place, names: TableNames, cell: Cell) -> int | None:
    """Return how certain it is that a number is in a cell's row: 0 if no row is named, None if another row is named."""
    table = names.table
    if len(table.rows) < 2:
        return 0
    sure, own, against, doubted, alone = 0, 99, 99, 99, False
    for column in names.dimensions:
        if text.leaves_out(place, names.at, column, names.label(cell.row, column)):
            return None
        governing = text.row_of(place, names.at, column)
        if governing is None:
            continue
        if names.label(cell.row, column) in governing.labels:
            sure += 3 if governing.level < NEAR else 2
            own = min(own, governing.level)
            alone = alone or names.is_alone(cell.row, column)
        elif (governing.level < ASKED or len(governing.labels) == 1) and names.surely_names(column):
            against = min(against, governing.level)
        elif governing.level < NEAR:
            doubted = min(doubted, governing.level)
    if own == 99:
        against = min(against, doubted)
    if against < 99 and (
        against <= own or (against < NEAR and not alone)
    ):  # the name of another row is nearer than any name of this row
        if against < NEAR or _ranked(place, names, cell) is None:
            return None
        sure = 0
    of_rank = _ranked(place, names, cell)
    if of_rank is not None and not sure:
        return 3 if of_rank else None
    return sure


def _ranked(place: Place, names: TableNames, cell: Cell) -> bool | None:
    """Return whether a cell has the rank that the text mentions ("the highest"); None if it names no rank."""
    said = place.clause_words - set(names.column_words[cell.column])
    high, low = bool(said & HIGHEST), bool(said & LOWEST)
    if not high and not low:
        return None
    values = sorted(names.table.numbers(cell.column), reverse=True)
    rank = next((at for word, at in _RANKS.items() if word in said), 0)
    picks = []
    if rank < len(values):
        if high:
            picks.append(values[rank])
        if low:
            picks.append(values[-1 - rank])
    if said & DOWN and values:
        picks.append(values[-1])
    return cell.value in picks
