"""Computations from two cells in the same row or column. The text mentions the row or column, or contains the cells'
numbers nearby.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from engine.numbers.claimed import claims_cell
from engine.numbers.derivation import Bound, Derivation, told_number
from engine.numbers.derivation_words import COMPARED, EACH
from engine.numbers.derived_rates import WORTH, divides, margins, per_many, rates, worth
from engine.numbers.derived_values import of_values
from engine.numbers.evidence import Cell, is_number
from engine.numbers.fitting import DOWN, UP, is_fraction
from engine.numbers.naming import holding
from engine.numbers.places import Place
from engine.numbers.row_scopes import NEAR
from engine.numbers.rows_meant import clause_rows, in_time, named_rows
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.words import forms

__all__ = ["of_pairs"]

_MOST_CELLS = 24
"""The maximum number of cells of one result that are paired with each other."""


def of_pairs(text: Text, place: Place, names: TableNames, bound: Sequence[Bound]) -> Iterator[Derivation]:
    """Yield computations from two cells of one row or column. The text mentions the cells' rows and columns, or
    contains their numbers nearby.
    """
    if claims_cell(text, place, names):
        return
    narrow = place.mention.digits < 3
    columns = _columns(text, place, names)
    if place.mention.kind == "points":
        columns = [column for column in columns if column in holding(names, place.mention)]
    yield from margins(place, names, named_rows(text, place, names)[:4])
    here = [
        one for one in bound if not narrow or place.passage.start <= one.written.start < place.passage.end
    ]
    written = [cell for one in here if len(one.cells) == 1 for cell in one.cells if cell.table == names.at]
    named = [cell for cell in _named_cells(text, place, names, columns, narrow) if cell not in written]
    named += [cell for cell in _crossed(text, place, names, written) if cell not in (*written, *named)]
    unnamed = not text.columns_in(names.at, (place.mention.end, place.mention.end + 14))
    any_column = unnamed and not names.has_periods and not narrow
    asked = text.asked_columns(names.at, names.measures)
    for a, b in combinations([*written, *named][:_MOST_CELLS], 2):
        if names.table.made == "combined" and a.column != b.column:
            continue
        of_column = a.column == b.column and (any_column or a in written or b in written)
        if of_column or _comparable(names, a, b, columns, asked):
            first, second = sorted((a, b), key=lambda cell: (cell.row, *_age(names, cell.column)))
            yield from _of_pair(text, place, names, first, second)


def _of_pair(text: Text, place: Place, names: TableNames, first: Cell, second: Cell) -> Iterator[Derivation]:
    in_row, kind = first.row == second.row, place.mention.kind
    ordered = in_row or in_time(names, first.row)
    unlike = names.units[first.column].unit == names.units[second.column].unit
    alike, fraction = _alike(names, first.column, second.column), is_fraction(names.table, first.column)
    for one in of_values(place, first.value, second.value, (first, second), fraction, ordered):
        if alike or one.operation == "ratio" or (one.operation == "share" and unlike):
            yield one
    if (
        not in_row
        and first.column == second.column
        and kind in ("percent", "part")
        and _ARROW.search(text.text, place.passage.start, place.mention.start)
    ):
        formula = f"{told_number(second.value)} ÷ {told_number(first.value)}"
        if first.value:
            yield Derivation("share", (first, second), second.value / first.value, formula)
    if in_row and kind in ("percent", "part"):
        yield from rates(text, place, names, first, second)
    if in_row and kind == "number" and place.words & WORTH:
        yield from worth(names, first, second)
    if kind == "number" and divides(text, place, names, first, second):
        for over, under in ((first, second), (second, first)):
            if under.value not in (0, 1) and over.value:
                scale, told = per_many(text, place)
                formula = f"{told_number(over.value)} ÷ {told_number(under.value)}{told}"
                yield Derivation("ratio", (over, under), over.value / under.value * scale, formula)


_ARROW = re.compile(r"→|->|⟶")


def _comparable(names: TableNames, a: Cell, b: Cell, columns: Sequence[int], asked: Sequence[int]) -> bool:
    """Return whether two cells share a row or a column, and the sentence may mean their columns."""
    if a.column == b.column:
        return a.row != b.row and a.column in columns
    if a.row != b.row:
        return False
    if len(columns) == 1:
        return columns[0] in (a.column, b.column)
    return len(columns) == len(names.measures) or {a.column, b.column} <= {*columns, *asked}


def _rows(text: Text, place: Place, names: TableNames, narrow: bool) -> list[int]:
    """Return the named rows. If there is only one, it is a period, and the text states a change, include the period
    before it.
    """
    rows = named_rows(text, place, names, narrow)[:8]
    own = clause_rows(text, place, names)
    told = place.own_words & (UP | DOWN) and not place.own_words & COMPARED
    if len(own) == 1 and told and in_time(names, own[0]):
        rows = own
    beside = _row_beside(text, place, names)
    moved = place.mention.signed or (place.words & (UP | DOWN) and not place.own_words & COMPARED)
    if len(beside) == 1 and moved and in_time(names, beside[0]):
        rows = beside  # "February (−6.7%) and May (−4.3%)"
    if len(rows) == 1 and "sinc" in place.words and in_time(names, rows[0]):
        return [*rows, len(names.table.rows) - 1]
    moves = place.mention.signed or place.clause_words & (UP | DOWN)
    if len(rows) == 1 and rows[0] > 0 and moves and in_time(names, rows[0]):
        return [rows[0] - 1, *rows]
    if not rows and len(names.table.rows) == 2 and place.clause_words & (UP | DOWN | COMPARED):
        return [0, 1]
    return rows


def _row_beside(text: Text, place: Place, names: TableNames) -> list[int]:
    """Return the rows with the label closest to a percentage in its sentence; none if there are several labels."""
    if place.mention.kind not in ("percent", "points") or len(names.dimensions) != 1:
        return []
    (column,) = names.dimensions
    governing = text.row_of(place, names.at, column)
    if governing is None or governing.level >= NEAR or len(governing.labels) != 1:
        return []
    return [row for row in range(len(names.table.rows)) if names.label(row, column) in governing.labels]


_BEFORE = forms("last previous before old earlier yesterday start opening")


def _age(names: TableNames, column: int) -> tuple[int, int, int]:
    """Return a key that sorts columns by time: `last_week` before `this_week`, `2023` before `2024`."""
    words = names.column_words[column]
    year = next((int(word) for word in words if word.isdigit() and len(word) == 4), 0)
    return (0 if set(words) & _BEFORE else 1, year, column)


def _alike(names: TableNames, one: int, other: int) -> bool:
    """Return whether two columns have the same unit and can therefore be added."""
    fractions = is_fraction(names.table, one), is_fraction(names.table, other)
    return names.units[one][:2] == names.units[other][:2] and fractions[0] == fractions[1]


def _named_cells(
    text: Text, place: Place, names: TableNames, named: Sequence[int], narrow: bool = False
) -> list[Cell]:
    """Return the cells of the named rows in the named columns, and in the other columns if there are only a few."""
    columns = list(named)
    if place.words & EACH or len(names.measures) <= 5:
        columns += [column for column in names.measures if column not in columns]
    return [
        Cell(names.at, row, column, float(value or 0))
        for row in _rows(text, place, names, narrow)
        for column in columns[:6]
        if column < len(names.table.rows[row]) and is_number(value := names.table.rows[row][column])
    ]


def _crossed(text: Text, place: Place, names: TableNames, written: Sequence[Cell]) -> Iterator[Cell]:
    """Yield the cells where rows of nearby numbers meet named columns, and where columns of these numbers meet named
    rows.
    """
    span = place.passage.start, place.passage.end
    columns = dict.fromkeys(one.column for one in text.columns_in(names.at, span))
    rows = named_rows(text, place, names)[:8]
    places = [(cell.row, column) for column in columns for cell in written]
    places += [(row, cell.column) for row in rows for cell in written]
    for row, column in dict.fromkeys(places):
        if (value := names.table.number(row, column)) is not None:
            yield Cell(names.at, row, column, value)


def _columns(text: Text, place: Place, names: TableNames) -> list[int]:
    mention = place.mention
    able = holding(names, mention) if mention.unit else names.measures
    found = text.columns_of(place, names.at, names.measures)
    in_sentence = {one.column for one in text.columns_in(names.at, (place.passage.start, place.passage.end))}
    named = [column for column in names.measures if column in in_sentence]
    if named and not set(named) & set(able):  # a sum of money beside the name of a weight
        return [*named, *able]
    if named:
        return named
    if found is not None and found[1] >= NEAR:
        near = [column for column in names.measures if column in found[0]]
        if near:
            return near
    return text.asked_columns(names.at, names.measures) or list(names.measures)
