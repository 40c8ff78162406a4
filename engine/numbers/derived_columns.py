"""Columns of a Markdown table that repeat one computation for each row: goal differences, rates per 1,000, products.

Pure. If three or more numbers of a column follow from the same two columns of a result, each in the row that its line
names, this cannot be a coincidence, whatever the header says.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, permutations

from engine.numbers.column_totals import adds_up
from engine.numbers.derivation import Derivation, told_number
from engine.numbers.derived_rates import is_priced
from engine.numbers.evidence import Cell
from engine.numbers.fitting import fits
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames

__all__ = ["computed_columns"]

_LEAST, _LEAST_DIGITS, _DIGITS_OF_SUMS = 3, 5, 8
"""The fewest numbers of a column, and the fewest digits that they must have together, also for sums of columns."""
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
    """Yield each computation from two columns, or from sums of adjacent ones, that gives every number of a Markdown
    column.
    """
    digits = sum(place.mention.digits for place in column)
    operands = list(_operands(names)) if digits >= _DIGITS_OF_SUMS else [(one,) for one in names.measures]
    for one, other in permutations(operands, 2):
        if set(one) & set(other):
            continue
        made = [_made(names, row, one, other) for row in rows[:1]]
        fitting = [at for at, way in enumerate(made[0]) if _is(column[0], way)]
        made += [_made(names, row, one, other) for row in rows[1:]] if fitting else []
        for at in fitting:
            series = [ways[at] for ways in made if at < len(ways)]
            if len(series) == len(rows) and all(map(_is, column, series)):
                yield series


def _operands(names: TableNames) -> Iterator[tuple[int, ...]]:
    """Yield each measure, and each run of adjacent measures in one unit that can be added up."""
    measures = names.measures
    yield from ((one,) for one in measures)
    for many in range(2, len(measures) + 1):
        for at in range(len(measures) - many + 1):
            run = measures[at : at + many]
            if len({names.units[one] for one in run}) == 1 and all(adds_up(names, one) for one in run):
                yield tuple(run)


def _made(names: TableNames, row: int, one: Sequence[int], other: Sequence[int]) -> list[Derivation]:
    """Return the computations from two operands in a row, the same ones in the same order for each row; none if a cell
    is missing.
    """
    sides = [
        [
            Cell(names.at, row, at, value)
            for at in columns
            if (value := names.table.number(row, at)) is not None
        ]
        for columns in (one, other)
    ]
    if len(sides[0]) < len(one) or len(sides[1]) < len(other):
        return []
    return list(_ways(names, *sides))


def _ways(names: TableNames, a: Sequence[Cell], b: Sequence[Cell]) -> Iterator[Derivation]:
    x, y = (sum(cell.value for cell in cells) for cells in (a, b))
    first, second = (" + ".join(told_number(cell.value) for cell in cells) for cells in (a, b))
    first, second = (f"({one})" if " + " in one else one for one in (first, second))
    cells, left, right = (*a, *b), a[0].column, b[0].column
    if names.units[left] == names.units[right]:
        yield Derivation("difference", cells, x - y, f"{first} − {second}")
    if len(cells) == 2 and left < right:
        priced = is_priced(names, left, right)  # the product is in the unit of its first cell
        yield Derivation("product", (*b, *a) if priced else cells, x * y, f"{first} × {second}")
    for scale in _SCALES:
        base = f" × {scale:,.0f}" if scale > 1 else ""
        yield Derivation("ratio", cells, x / y * scale if y else float("nan"), f"{first} ÷ {second}{base}")


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
