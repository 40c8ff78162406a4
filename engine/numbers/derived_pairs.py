"""What follows from two cells of one row or column that are named, or written beside a number."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from engine.numbers.cells import holding
from engine.numbers.derivation import COMPARED, EACH, MOVES, REST, SHARE, SUM, Bound, Derivation, told_number
from engine.numbers.evidence import Cell, is_number
from engine.numbers.fitting import DOWN, UP, fits, is_fraction, sign_fits
from engine.numbers.labels import TableNames
from engine.numbers.places import Place
from engine.numbers.scopes import NEAR, Text
from engine.numbers.words import forms

__all__ = ["named_rows", "of_pairs", "of_values"]

_FOR_EACH = forms("every each")
_TIMES = forms("times twice double ratio favour as much many")
_MOST_CELLS = 24
"""Cells of one result that are combined with each other."""


def of_pairs(text: Text, place: Place, names: TableNames, bound: Sequence[Bound]) -> Iterator[Derivation]:
    """What follows from two cells of one row or one column that are named or written beside the number."""
    written = [cell for one in bound if len(one.cells) == 1 for cell in one.cells if cell.table == names.at]
    columns = _columns(text, place, names)
    if place.mention.signed and _claims_cell(text, place, names):
        return
    if place.mention.kind == "points":
        columns = [column for column in columns if column in holding(names, place.mention)]
    narrow = place.mention.digits < 3
    if narrow:
        here = [one for one in bound if place.passage.start <= one.written.start < place.passage.end]
        written = [
            cell for one in here if len(one.cells) == 1 for cell in one.cells if cell.table == names.at
        ]
    named = [cell for cell in _named_cells(text, place, names, columns, narrow) if cell not in written]
    chosen = [*written, *named][:_MOST_CELLS]
    for a, b in combinations(chosen, 2):
        if not _comparable(names, a, b, columns):
            continue
        first, second = (a, b) if (a.row, a.column) < (b.row, b.column) else (b, a)
        x, y = first.value, second.value
        ordered = a.row == b.row or _in_time(names, a.row)
        yield from of_values(place, x, y, (first, second), is_fraction(names.table, a.column), ordered)
        if place.mention.kind == "number" and (
            place.clause_words & EACH if a.row == b.row else place.words & _FOR_EACH
        ):
            for over, under in ((x, y), (y, x)):
                if under:
                    scale, told = _per(text, place)
                    yield Derivation(
                        "ratio",
                        (first, second),
                        over / under * scale,
                        f"{told_number(over)} ÷ {told_number(under)}{told}",
                    )


def _per(text: Text, place: Place) -> tuple[float, str]:
    """Of how many a rate speaks: "per million", "per 1,000"."""
    found = _RATE.search(text.text, place.passage.start, place.passage.end)
    if found is None:
        return 1.0, ""
    scale = 1e6 if found["million"] else 1e3 if found["thousand"] else 100.0
    return scale, f" × {scale:,.0f}"


_RATE = re.compile(
    r"(?P<million>\bper million\b|\bppm\b|\bper 1,?000,?000\b)|(?P<thousand>\bper (?:thousand|1,?000)\b)"
    r"|\bper (?:hundred|100)\b"
)


def of_values(
    place: Place, x: float, y: float, cells: tuple[Cell, ...], fraction: bool = False, ordered: bool = False
) -> Iterator[Derivation]:
    """What follows from two numbers, as far as the clause says that they are compared, added or divided.

    `ordered`: the second comes after the first in time, so that a change has one direction.
    """
    kind, words, mention = place.mention.kind, place.clause_words, place.mention
    if any(fits(one * by, replace(mention, signed=False)) for one in (x, y) for by in (1.0, 100.0)):
        return  # what is left out then is too small to be seen
    compared = bool(words & (COMPARED | REST)) and not mention.signed
    moves = bool(words & (MOVES | REST)) or mention.signed
    both: tuple[tuple[float, float], ...] = ((x, y),) if ordered or mention.signed else ((x, y), (y, x))
    if "minus" in words:
        both = ((y, x),)
    if kind in ("number", "count", "points") and moves:
        by = 0.01 if kind == "points" and not fraction else 1.0
        for before, after in both:
            if compared or sign_fits(after - before, place, moves=True):
                yield Derivation(
                    "difference",
                    cells,
                    (after - before) * by,
                    f"{told_number(after)} − {told_number(before)}",
                )
    if kind == "percent" and moves:
        for before, after in both:
            growth = (after - before) / before if before else None
            if growth is not None and (compared or sign_fits(growth, place, moves=True)):
                formula = f"({told_number(after)} − {told_number(before)}) ÷ {told_number(before)}"
                yield Derivation("growth", cells, growth, formula)
    if kind == "times" and x and y:
        yield Derivation("ratio", cells, y / x, f"{told_number(y)} ÷ {told_number(x)}")
        yield Derivation("ratio", cells, x / y, f"{told_number(x)} ÷ {told_number(y)}")
    if kind in ("part", "percent") and words & (SHARE | COMPARED) and not mention.signed:
        for over, under in ((x, y), (y, x)):
            if under and 0 < over / under <= (1 if kind == "part" else 10):
                yield Derivation("share", cells, over / under, f"{told_number(over)} ÷ {told_number(under)}")
    if kind == "part" and words & DOWN and x:
        yield Derivation(
            "growth", cells, abs((y - x) / x), f"({told_number(y)} − {told_number(x)}) ÷ {told_number(x)}"
        )
    if kind == "number" and words & SUM:
        yield Derivation("sum", cells, x + y, f"{told_number(x)} + {told_number(y)}")


def _claims_cell(text: Text, place: Place, names: TableNames) -> bool:
    """Whether a clause names a column beside the number: then the number says what stands in it."""
    found = text.columns_of(place, names.at, holding(names, place.mention))
    return found is not None and found[1] < 2 and not place.clause_words & (UP | DOWN | COMPARED)


_PERIODS = forms("year month quarter week day date period hour")
_ISO_DATE = re.compile(r"(?:1[6-9]|20|21)\d\d(?:-|$)")


def _in_time(names: TableNames, row: int) -> bool:
    """Whether the rows of a result are periods."""
    return any(
        _ISO_DATE.match(names.label(row, column)) or set(names.column_words[column]) & _PERIODS
        for column in names.dimensions
    )


def _comparable(names: TableNames, a: Cell, b: Cell, columns: Sequence[int]) -> bool:
    """Whether two cells share their row, or their column and that is one which the sentence means."""
    if a.column == b.column:
        return a.row != b.row and a.column in columns
    if a.row != b.row:
        return False
    return len(columns) < 2 or len(columns) == len(names.measures) or {a.column, b.column} <= set(columns)


def _named_cells(
    text: Text, place: Place, names: TableNames, named: Sequence[int], narrow: bool = False
) -> list[Cell]:
    """The cells whose row and column the sentence names, or leaves no other."""
    columns = list(named)
    if place.words & EACH or len(names.measures) <= 5:
        columns += [column for column in names.measures if column not in columns]
    return [
        Cell(names.at, row, column, float(value or 0))
        for row in named_rows(text, place, names, narrow)[:8]
        for column in columns[:6]
        if column < len(names.table.rows[row]) and is_number(value := names.table.rows[row][column])
    ]


def _columns(text: Text, place: Place, names: TableNames) -> list[int]:
    found = text.columns_of(place, names.at, names.measures)
    in_sentence = {one.column for one in text.columns_in(names.at, (place.passage.start, place.passage.end))}
    named = [column for column in names.measures if column in in_sentence]
    if named:
        return named
    if found is not None and found[1] >= NEAR:
        near = [column for column in names.measures if column in found[0]]
        if near:
            return near
    return text.asked_columns(names.at, names.measures) or list(names.measures)


def named_rows(text: Text, place: Place, names: TableNames, narrow: bool = False) -> list[int]:
    """The rows that the sentence names, or only its clause; if it names none, those that govern it from around.

    Where that is one row and the question names another, they are compared.
    """
    table = names.table
    if len(table.rows) < 2:
        return list(range(len(table.rows)))
    sentence = ((place.passage.start, place.passage.end),)
    compares = place.clause_words & (UP | DOWN | COMPARED)
    spans = place.passage.cells or (
        place.passage.nearest(place.mention.start) if narrow and not compares else sentence
    )
    rows = set(range(len(table.rows)))
    any_named = False
    for column in names.dimensions:
        labels = {one.label for span in spans for one in text.rows_in(names.at, column, span)}
        if not labels:
            governing = text.row_of(place, names.at, column)
            labels = set(governing.labels) if governing is not None else set()
        if len(labels) == 1 and place.clause_words & (COMPARED | _TIMES):
            labels |= text.asked_rows(names.at, column)
        if labels:
            any_named = True
            rows &= {row for row in rows if names.label(row, column) in labels}
    return sorted(rows) if any_named else []
