"""Columns of a Markdown table that repeat one computation for each row: goal differences, rates per 1,000, products.

Pure. If three or more numbers of a column follow from the same two columns of a result, each in the row that its line
names, this cannot be a coincidence, whatever the header says.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, permutations

from engine.numbers.derivation import Derivation, told_number
from engine.numbers.derived_rates import is_priced
from engine.numbers.evidence import Cell
from engine.numbers.fitting import fits
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames

__all__ = ["computed_columns"]

_LEAST, _LEAST_DIGITS = 3, 5
"""The fewest numbers of a column, and the fewest digits that they must have together."""
_MOST_COLUMNS, _MOST_ROWS = 8, 100
"""Limits on a result, because each pair of its columns is tried."""
_SCALES = (1.0, 100.0, 1_000.0, 10_000.0, 100_000.0, 1_000_000.0)
"""The bases of rates: a number in percent, per 1,000 and so on."""


def computed_columns(text: Text, places: Sequence[Place], known: Sequence[int]) -> dict[int, Derivation]:
    """Return how the numbers of table columns follow from cells, by start position; not for columns with `known`
    numbers.
    """
    found: dict[int, Derivation] = {}
    for column in _columns(places):
        digits = sum(place.mention.digits for place in column)
        if any(place.mention.start in known for place in column):
            continue
        if len(column) < _LEAST or digits < _LEAST_DIGITS:
            continue
        for names in text.labels.tables:
            small = len(names.measures) <= _MOST_COLUMNS and len(names.table.rows) <= _MOST_ROWS
            if names.at in text.replaced or not small:
                continue
            rows = [_row(text, names, place) for place in column]
            if None not in rows and len(set(rows)) == len(rows):
                series = next(_series(names, column, [row for row in rows if row is not None]), None)
                if series is not None:
                    found |= dict(zip((place.mention.start for place in column), series, strict=True))
                    break
    return found


def _columns(places: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield the quantities below each header of each Markdown table."""
    inside = [one for one in places if len(one.passage.cells) > 1 and one.mention.kind != "plain"]
    by_header = sorted(inside, key=lambda one: (one.passage.cells[-1], one.mention.start))
    for _, group in groupby(by_header, key=lambda one: one.passage.cells[-1]):
        column = list(group)
        if len({one.passage.start for one in column}) == len(column):  # one number in each cell
            yield column


def _row(text: Text, names: TableNames, place: Place) -> int | None:
    """Return the only row of a result that the line of a number names; None if there is none, or several."""
    rows, is_named = set(range(len(names.table.rows))), False
    for column in names.dimensions:
        spans = place.passage.cells[:-1]
        labels = {one.label for span in spans for one in text.rows_in(names.at, column, span)}
        if labels:
            is_named = True
            rows = {row for row in rows if names.label(row, column) in labels}
    return rows.pop() if is_named and len(rows) == 1 else None


def _series(names: TableNames, column: Sequence[Place], rows: Sequence[int]) -> Iterator[list[Derivation]]:
    """Yield each computation from two columns that gives every number of a Markdown column."""
    for one, other in permutations(names.measures, 2):
        cells = [
            (Cell(names.at, row, one, a), Cell(names.at, row, other, b))
            for row in rows
            if (a := names.table.number(row, one)) is not None
            and (b := names.table.number(row, other)) is not None
        ]
        if len(cells) < len(rows):
            continue
        ways = [list(_ways(names, first, second)) for first, second in cells]
        for made in zip(*ways, strict=True):
            if all(_is(place, way) for place, way in zip(column, made, strict=True)):
                yield list(made)


def _ways(names: TableNames, a: Cell, b: Cell) -> Iterator[Derivation]:
    """Yield the computations from two cells, the same ones in the same order for each row."""
    told = f"{told_number(a.value)} %s {told_number(b.value)}"
    if names.units[a.column] == names.units[b.column]:
        yield Derivation("difference", (a, b), a.value - b.value, told % "−")
    if a.column < b.column:
        priced = is_priced(names, a.column, b.column)  # the product is in the unit of its first cell
        yield Derivation("product", (b, a) if priced else (a, b), a.value * b.value, told % "×")
    for scale in _SCALES:
        quotient = a.value / b.value * scale if b.value else float("nan")
        base = f" × {scale:,.0f}" if scale > 1 else ""
        yield Derivation("ratio", (a, b), quotient, f"{told % '÷'}{base}")


def _is(place: Place, way: Derivation) -> bool:
    """Return whether a computation gives a number; a percentage is a ratio without a scale."""
    mention = place.mention
    percent = mention.kind in ("percent", "points")
    if mention.kind not in ("number", "percent", "points", "times") or (way.operation != "ratio" and percent):
        return False
    if way.operation == "ratio" and percent and " × " in way.formula:
        return False
    signed = way.operation != "difference" or mention.signed or way.value >= 0
    return signed and fits(way.value * (100.0 if percent else 1.0), mention)
