"""Finds the cell that a number in an answer came from: its value fits, and its row and column are those named."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.numbers.evidence import Cell, is_number
from engine.numbers.fitting import DOWN, PERCENTISH, factors_of, fits, sign_fits
from engine.numbers.labels import Labels, TableNames
from engine.numbers.mentions import Mention
from engine.numbers.places import Place
from engine.numbers.scopes import NEAR, Text
from engine.numbers.strangers import names_stranger
from engine.numbers.ties import loosely, part_of
from engine.numbers.words import forms, name_words

__all__ = ["Cells", "Match", "column_named", "holding", "in_line", "is_change"]

HIGHEST = forms(
    "maximum most top best leader hottest warmest longest heaviest fastest oldest strongest lead led leading biggest"
    " greatest busiest first"
)
LOWEST = forms(
    "minimum least bottom worst weakest fewest trough coldest driest shortest cheapest lightest youngest calmest"
)
_RANKS = {"second": 1, "2nd": 1, "runner": 1, "third": 2, "3rd": 2, "fourth": 3, "next": 1}
_CHANGES = forms("change difference delta diff net balance profit loss return yoy mom qoq variance movement")
_TOTAL, _MEAN = forms("total sum overall"), forms("mean median typical")


@dataclass(frozen=True, slots=True)
class Match:
    """A cell that a number may have come from."""

    cell: Cell
    factor: float
    """By what the cell is multiplied to be in the text's unit."""
    named: int
    """How much of its row and column the text names: the higher, the surer."""


class Cells:
    """The numbers in all results, by value."""

    def __init__(self, labels: Labels) -> None:
        self._names = labels.tables
        cells = []
        for names in labels.tables:
            for column in names.table.numeric:
                for row, value in enumerate(names.table.values(column)):
                    if is_number(value):
                        cells.append(Cell(names.at, row, column, float(value or 0)))
        cells.sort(key=lambda cell: abs(cell.value))
        self._cells = cells
        self._sizes = [abs(cell.value) for cell in cells]

    def near(self, low: float, high: float) -> Sequence[Cell]:
        """Return the cells whose size, without sign, lies within two bounds."""
        return self._cells[bisect_left(self._sizes, low) : bisect_right(self._sizes, high)]

    def matches(self, text: Text, place: Place, beside: Sequence[Cell] = ()) -> list[Match]:
        """Return the cells that fit the number and its sentence, the surest first.

        With `beside`, the cells of numbers that this one is set against ("31 of 1,843", "8.0% compared with 7.8%"),
        a cell of the same row or column needs no other name.
        """
        found = []
        for cell, factor in self._by_value(place.mention):
            names = self._names[cell.table]
            if (named := _told(text, place, names, cell)) is not None:
                found.append(Match(cell, factor, named))
            elif (
                place.mention.digits > 1
                and any(in_line(cell, other) for other in beside)
                and sign_fits(cell.value, place, is_change(names, cell.column))
            ):
                found.append(Match(cell, factor, 1))
        return sorted(found, key=lambda match: (-match.named, -match.cell.table, match.cell.row))

    def fitting(self, mention: Mention) -> list[Match]:
        """Return the cells whose value fits, whatever is named."""
        return [Match(cell, factor, 1) for cell, factor in self._by_value(mention)]

    def _by_value(self, mention: Mention) -> Iterator[tuple[Cell, float]]:
        seen = set()
        for factor in (1.0, 100.0, 0.01, 1e3, 1e6, 1e9, 1 / 60, 60.0, 1 / 3600, 3600.0, 24.0, 1 / 24, 1e-3):
            for reading in mention.readings:
                size = abs(reading.value) / factor
                slack = max(size * 0.06 if mention.hedge else size * 1e-9, reading.step / 2 / factor * 1.0001)
                if mention.kind in ("part", "times") and not reading.step:
                    slack = size * 0.15
                for cell in self.near(size - slack, size + slack):
                    if (cell, factor) in seen:
                        continue
                    seen.add((cell, factor))
                    allowed = factors_of(self._names[cell.table], cell.column, mention)
                    if mention.kind == "percent" and _share_in_row(self._names[cell.table], cell):
                        allowed = (*allowed, 100.0)
                    if any(abs(one / factor - 1) < 1e-9 for one in allowed) and fits(
                        cell.value * factor, mention
                    ):
                        yield cell, factor


def _share_in_row(names: TableNames, cell: Cell) -> bool:
    """Whether a cell is a share of one because its row says so: `discount` in a table that describes columns."""
    if not 0 < abs(cell.value) < 1:
        return False
    return any(PERCENTISH & set(name_words(names.label(cell.row, column))) for column in names.dimensions)


def in_line(cell: Cell, other: Cell) -> bool:
    """Return whether two cells share a row or a column, and are two."""
    return cell.table == other.table and (cell.column == other.column) != (cell.row == other.row)


def _told(text: Text, place: Place, names: TableNames, cell: Cell) -> int | None:
    """How much of a cell's row and column is named around a number; None: something else is, or too little."""
    if names.matrix is not None:
        return _in_matrix(text, place, names, cell)
    column = column_named(text, place, names, cell.column)
    if column is None or cell.column in names.ordinals:
        return None
    if not sign_fits(cell.value, place, is_change(names, cell.column)):
        return None
    row = row_named(text, place, names, cell)
    if not row and _of_many_rows(place, names, cell):
        return None
    if row is None or not _counts_label(text, place, names, cell):
        return None
    if not row and len(names.table.rows) > 1 and names.dimensions and names_stranger(text, place):
        return None
    return row + column if _enough(place, names, row, column) else None


def _of_many_rows(place: Place, names: TableNames, cell: Cell) -> bool:
    """Whether the text speaks of a total or a mean, and the cell is one row of many whose column is neither."""
    said, words = place.clause_words, set(names.column_words[cell.column])
    if len(names.table.rows) < 2 or place.passage.cells:
        return False
    return bool((said & _TOTAL and not words & _TOTAL) or (said & _MEAN and not words & _MEAN))


def _counts_label(text: Text, place: Place, names: TableNames, cell: Cell) -> bool:
    """Whether a cell can be a count, where the text says "541 office chairs" and the row's label is what is counted."""
    mention = place.mention
    if mention.unit is not None or mention.kind != "number" or float(cell.value).is_integer():
        return True
    behind = (mention.end, mention.end + 2)
    if text.text[mention.end : mention.end + 1] != " ":
        return True
    return not any(text.rows_in(names.at, column, behind) for column in names.dimensions)


def _in_matrix(text: Text, place: Place, names: TableNames, cell: Cell) -> int | None:
    """A cell between two things that the sentence names, in either order, one of them in the clause of the number."""
    assert names.matrix is not None
    passage = place.passage
    spans = (*passage.cells, (passage.start, passage.end), *passage.around[:1])
    here = {one.label for span in spans for one in text.rows_in(names.at, names.matrix, span)}
    here |= text.asked_rows(names.at, names.matrix)
    near = {
        one.label
        for span in passage.nearest(place.mention.start)
        for one in text.rows_in(names.at, names.matrix, span)
    }
    own = {names.label(cell.row, names.matrix), names.table.columns[cell.column].casefold()}
    if not own <= here or (near and not own & near) or not sign_fits(cell.value, place, moves=False):
        return None
    return 6


def _enough(place: Place, names: TableNames, row: int, column: int) -> bool:
    """Whether so much is named that digits so few cannot be there by chance."""
    digits = place.mention.digits
    if len(names.table.rows) == 1 and (column or len(names.table.numeric) == 1):
        return True
    if row + column:
        return digits >= 2 or row > 0 or place.mention.kind in ("percent", "times", "points")
    if len(names.table.rows) > 1:
        return digits >= 4
    return digits >= 3 or (digits == 2 and (len(names.table.numeric) <= 3 or place.mention.kind == "percent"))


def is_change(names: TableNames, column: int) -> bool:
    """Return whether a column holds changes or differences, whose sign says up or down."""
    return bool(set(names.column_words[column]) & _CHANGES) or column in names.table.negatives


def column_named(text: Text, place: Place, names: TableNames, column: int) -> int | None:
    """Return how surely a number is said of a column: 0 if no column is named, None if it is another one."""
    words = set(names.column_words[column])
    if _other_kind(place.clause_words, words):
        return None
    found = text.columns_of(place, names.at, holding(names, place.mention))
    if found is None:
        return 0
    scores, level = found
    own, best = scores.get(column, 0), max(scores.values(), default=0)
    if own == best and own:
        return 3 if level < NEAR else 1
    if level >= NEAR or (level and loosely(text.text, place)) or part_of(text.text, place):
        return 0
    return None


def holding(names: TableNames, mention: Mention) -> frozenset[int]:
    """Return the columns whose kind of values a number could be."""
    return frozenset(at for at in names.table.numeric if factors_of(names, at, mention))


def _other_kind(said: frozenset[str], words: set[str]) -> bool:
    """Whether the text says "total" of a mean, or "average" of a sum."""
    if said & _TOTAL and not said & _MEAN and words & _MEAN and not words & _TOTAL:
        return True
    return bool(said & _MEAN and not said & _TOTAL and words & _TOTAL and not words & _MEAN)


def row_named(text: Text, place: Place, names: TableNames, cell: Cell) -> int | None:
    """Return how surely a number is said of a row: 0 if no row is named, None if it is another one."""
    table = names.table
    if len(table.rows) < 2:
        return 0
    sure, own, against, doubted = 0, 99, 99, 99
    for column in names.dimensions:
        if text.leaves_out(place, names.at, column, names.label(cell.row, column)):
            return None
        governing = text.row_of(place, names.at, column)
        if governing is None:
            continue
        if names.label(cell.row, column) in governing.labels:
            sure += 3 if governing.level < NEAR else 2
            own = min(own, governing.level)
        elif governing.level < 9 and column not in names.ordinals:
            against = min(against, governing.level)
        elif governing.level < NEAR:
            doubted = min(doubted, governing.level)
    if own == 99:
        against = min(against, doubted)
    if against < 99 and against <= own:  # a name of another row stands nearer than any of this one
        if against < NEAR or _ranked(place, names, cell) is None:
            return None
        sure = 0
    ranked = _ranked(place, names, cell)
    if ranked is not None and not sure:
        return 3 if ranked else None
    return sure


def _ranked(place: Place, names: TableNames, cell: Cell) -> bool | None:
    """Whether a cell has the rank that the text names ("the highest"); None: it names none."""
    said = place.clause_words
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
