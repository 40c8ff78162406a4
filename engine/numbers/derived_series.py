"""Lists of numbers that repeat one computation for each row of a result: "per visitor 23.00, 24.50, 25.30".

Pure. If three or more numbers follow from the same two columns row by row, this cannot be a coincidence.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations

from engine.numbers.confirmed import lists
from engine.numbers.derivation import Derivation, told_number
from engine.numbers.evidence import Cell
from engine.numbers.fitting import fits
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames

__all__ = ["computed_series"]

_MOST_COLUMNS, _MOST_ROWS = 8, 100
"""Limits on a result. Larger results are not tried, since each pair of columns is tried at each row."""


def computed_series(text: Text, places: Sequence[Place], known: Sequence[int]) -> dict[int, Derivation]:
    """Return how lists of numbers follow from rows in order, by start position; not for lists with `known` numbers."""
    found: dict[int, Derivation] = {}
    for run in lists(text, places):
        if any(place.mention.start in known for place in run):
            continue
        for names in text.labels.tables:
            small = len(names.measures) <= _MOST_COLUMNS and len(names.table.rows) <= _MOST_ROWS
            if (
                small
                and names.at not in text.replaced
                and (series := next(_ratios(names, run), None)) is not None
            ):
                found |= dict(zip((place.mention.start for place in run), series, strict=True))
                break
    return found


def _ratios(names: TableNames, run: Sequence[Place]) -> Iterator[list[Derivation]]:
    """Yield the quotients of two columns in consecutive rows that match the numbers of a list."""
    rows = len(names.table.rows)
    for over, under in permutations(names.measures, 2):
        for first in range(rows - len(run) + 1):
            series = [_ratio(names, first + at, over, under, place) for at, place in enumerate(run)]
            if all(one is not None for one in series):
                yield [one for one in series if one is not None]


def _ratio(names: TableNames, row: int, over: int, under: int, place: Place) -> Derivation | None:
    a, b = names.table.number(row, over), names.table.number(row, under)
    if a is None or not b:
        return None
    by = 100.0 if place.mention.kind in ("percent", "points") else 1.0
    if not fits(a / b * by, place.mention):
        return None
    cells = Cell(names.at, row, over, a), Cell(names.at, row, under, b)
    return Derivation("ratio", cells, a / b, f"{told_number(a)} ÷ {told_number(b)}")
