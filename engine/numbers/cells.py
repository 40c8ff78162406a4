"""Finds the cell that a number in an answer came from: it has the number's value, and the text mentions the cell's row
and column.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from engine.numbers.evidence import Cell, is_number
from engine.numbers.fitting import FACTORS, PERCENTISH, factors_of, fits, sign_fits
from engine.numbers.labels import Labels
from engine.numbers.mention import Mention
from engine.numbers.naming import column_named, is_change
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.told import among_named, told_of
from engine.numbers.words import name_words
from events.late_dataclass import dataclass

__all__ = ["Cells", "Match", "in_line"]


@dataclass(frozen=True, slots=True)
class Match:
    """A cell that a number may have come from."""

    cell: Cell
    factor: float
    """The factor from the cell's unit to the text's unit."""
    named: int
    """How much of the cell's row and column the text mentions. A higher value is more certain."""
    column_named: bool = False
    """Whether the text mentions the cell's column. If it does not, it mentions no other column either."""


class Cells:
    """The numbers in all results, sorted by size."""

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
        self._fitting: dict[Mention, list[Match]] = {}

    def near(self, low: float, high: float) -> Sequence[Cell]:
        """Return the cells whose absolute value is between two bounds."""
        return self._cells[bisect_left(self._sizes, low) : bisect_right(self._sizes, high)]

    def matches(self, text: Text, place: Place, beside: Sequence[Cell] = ()) -> list[Match]:
        """Return the cells that fit the number and its sentence, the most certain first.

        `beside` are the cells of numbers that this one is compared with ("31 of 1,843", "8.0% compared with 7.8%"). A
        cell in the same row or column as one of these cells fits even if the text mentions neither the row nor the
        column of the cell.
        """
        found = []
        for cell, factor in self._by_value(place.mention):
            names = self._names[cell.table]
            told = told_of(text, place, names, cell, factor)
            if told and told[0]:
                found.append(Match(cell, factor, *told))
            elif (
                (place.mention.digits > 1 or abs(place.mention.value) >= 100)
                and any(in_line(cell, other) for other in beside)
                and among_named(text, place, names, cell)
                and sign_fits(cell.value, place, is_change(names, cell.column))
            ):
                found.append(Match(cell, factor, 1))
        return sorted(found, key=lambda match: (-match.named, -match.cell.table, match.cell.row))

    def fitting(self, mention: Mention) -> list[Match]:
        """Return all cells whose value fits the number, even if the text mentions other rows or columns."""
        found = self._fitting.get(mention)
        if found is None:
            found = [Match(cell, factor, 1) for cell, factor in self._by_value(mention)]
            self._fitting[mention] = found
        return found

    def uncontradicted(self, text: Text, place: Place) -> list[Match]:
        """Return the cells that fit and that the text does not contradict, even if it names too little to be sure."""
        return [
            Match(cell, factor, 1)
            for cell, factor in self._by_value(place.mention)
            if told_of(text, place, self._names[cell.table], cell, factor) is not None
        ]

    def of_column(self, text: Text, place: Place) -> list[Match]:
        """Return the cells that fit, in any row, if the text does not contradict their column."""
        return [
            Match(cell, factor, 1)
            for cell, factor in self._by_value(place.mention)
            if column_named(text, place, self._names[cell.table], cell.column) is not None
        ]

    def alone(self, text: Text, place: Place) -> list[Match]:
        """Return the cells that fit if all have the same value, else none. Used for text that is not in English."""
        found = self.uncontradicted(text, place) if place.mention.digits > 1 else []
        return found if len({abs(match.cell.value) for match in found}) == 1 else []

    def ends(self, cell: Cell) -> tuple[float, float]:
        """Return the lowest and highest numbers in the column of a cell."""
        numbers = self._names[cell.table].table.numbers(cell.column)
        return min(numbers), max(numbers)

    def are_ends(self, low: Cell, high: Cell) -> bool:
        """Return whether two cells are the lowest and highest of one column."""
        many = len(self._names[low.table].table.numbers(low.column)) > 2
        return many and low.column == high.column and (low.value, high.value) == self.ends(low)

    def are_extremes(self, low: Cell, high: Cell) -> bool:
        """Return whether two cells of one row are in columns named minimum and maximum."""
        words = self._names[low.table].column_words
        return low.row == high.row and "min" in words[low.column] and "max" in words[high.column]

    def _by_value(self, mention: Mention) -> Iterator[tuple[Cell, float]]:
        seen = set()
        for factor in FACTORS:
            for reading in mention.readings:
                size = abs(reading.value) / factor
                slack = max(size * 0.06 if mention.hedge else size * 1e-9, reading.step / 2 / factor * 1.0001)
                if mention.kind in ("part", "times") and not reading.step:
                    slack = size * 0.15
                for cell in self.near(size - slack, size + slack):
                    if (cell, factor) in seen:
                        continue
                    seen.add((cell, factor))
                    allowed = factors_of(self._names[cell.table], cell.column, mention, cell.row)
                    if mention.kind == "percent" and _share_in_row(self._names[cell.table], cell):
                        allowed = (*allowed, 100.0)
                    if any(abs(one / factor - 1) < 1e-9 for one in allowed) and fits(
                        cell.value * factor, mention
                    ):
                        yield cell, factor


def _share_in_row(names: TableNames, cell: Cell) -> bool:
    """Return whether a row's label says that its cells are fractions, such as the row `discount` in a table that
    describes columns."""
    if not 0 < abs(cell.value) < 1:
        return False
    return any(PERCENTISH & set(name_words(names.label(cell.row, column))) for column in names.dimensions)


def in_line(cell: Cell, other: Cell) -> bool:
    """Return whether two different cells share a row or a column."""
    return cell.table == other.table and (cell.column == other.column) != (cell.row == other.row)
