"""Numbers that are computed from labelled cells: differences, ratios, shares, growth, totals, means, rests."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean, median
from typing import Literal

from engine.numbers.cells import column_named, holding, is_change
from engine.numbers.evidence import Cell, is_number
from engine.numbers.fitting import DOWN, UP, fits, is_fraction, sign_fits
from engine.numbers.labels import TableNames
from engine.numbers.mentions import Mention
from engine.numbers.scopes import EARLIER, NEAR, Place, Text
from engine.numbers.units import conversion
from engine.numbers.words import forms

__all__ = ["Bound", "Derivation", "derived"]

Operation = Literal[
    "difference", "growth", "ratio", "share", "total", "share of total", "rest", "mean", "median", "range", "sum", "product"
]
_SUM = forms(
    "total sum overall combined combine together altogether all both across summed grand collectively jointly aggregate"
    " entire whole cumulative every plus add adding between up year quarter"
)
_MEAN, _MEDIAN = forms("mean typical per roughly"), forms("median")
_RANGE = forms("range spread gap span varied vary apart")
_SHARE = forms(
    "share of account accounted represent represented make made contribute contributed contribution comprise total"
    " accounting responsible hold holding bring brought concentrated driven come came from generated overall"
)
_REST = forms(
    "rest other others remaining remainder else elsewhere outside kept keep stayed stay not without non"
    " excluding except unaffected unexplained so"
)
_COMPARED = forms(
    "than behind ahead lead difference versus vs margin between compared against over outsold beat outperform apart"
    " trail edge separate differ missing span range wide swing lift gain uplift saving advantage gives"
)
_MOVES = UP | DOWN | _COMPARED | forms("change by swing net moved move shift up to delta plus minus")
_PRODUCT = forms("at so total worth cost")
_FOR_EACH = forms("every each")
_TIMES = forms("times twice double ratio favour as much many")
_EACH = forms("per each every apiece worth average mean dividing divided ratio ppm")
_MOST_CELLS = 24
"""Cells of one result that are combined with each other."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a number follows from cells."""

    operation: Operation
    cells: tuple[Cell, ...]
    """What it was computed from; for totals and means of a column its first and last cell."""
    value: float
    formula: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A number beside the one that is looked at, which is known to be true."""

    value: float
    cells: tuple[Cell, ...]
    written: Mention

    @property
    def percent(self) -> bool:
        """Whether it is written as a percentage; its value is then a share of one."""
        return self.written.kind in ("percent", "part")


def derived(text: Text, place: Place, bound: Sequence[Bound], above: Sequence[Bound] = ()) -> Derivation | None:
    """Return how a number follows from the numbers written beside it, or from what is named around it.

    `bound` stand in its sentence or the one beside it; `above` are those of its kind and column before it, in order.
    """
    for one in _of_written(text, place, bound, above):
        if _is(place, text.labels.tables[one.cells[0].table], one):
            return one
    for names in text.labels.tables:
        if not names.measures or (names.at in text.outdated and not place.words & EARLIER):
            continue
        for one in (*_pairs(text, place, names, bound), *_aggregates(text, place, names, bound)):
            if _is(place, names, one):
                return one
    return None


def _of_written(
    text: Text, place: Place, bound: Sequence[Bound], above: Sequence[Bound]
) -> Iterator[Derivation]:
    """What follows from the numbers of the sentence alone."""
    words, mention = place.words, place.mention
    for a, b in combinations(bound, 2):
        alike = a.percent == b.percent and (a.cells[0].column == b.cells[0].column or a.written.unit == b.written.unit)
        for one in _of_values(place, a.value, b.value, (*a.cells, *b.cells)):
            if alike or one.operation in ("ratio", "share"):
                yield one
    before = [one for one in bound if one.written.end <= mention.start and one.written.kind == mention.kind]
    same = [one for one in bound if one.written.kind == mention.kind]
    for group in (before, same):
        if len(group) > 2 or (len(group) == 2 and (words & _SUM or mention.digits > 2)):
            cells = tuple(cell for one in group for cell in one.cells)
            values = [one.value for one in group]
            if mention.digits > 1 or words & _SUM:
                yield Derivation("sum", cells, sum(values), " + ".join(map(_told, values)))
            if words & _MEAN:
                yield Derivation("mean", cells, fmean(values), f"mean of {', '.join(map(_told, values))}")
    if mention.kind == "number" and (mention.digits > 2 or mention.hedge) and place.words & (_EACH | _PRODUCT):
        for a, b in combinations(bound, 2):
            if a.written.unit != b.written.unit and not a.percent and not b.percent:
                yield Derivation("product", (*a.cells, *b.cells), a.value * b.value, f"{_told(a.value)} × {_told(b.value)}")
        for one in bound:
            for other in place.beside:
                if other.value > 1 and other.kind == "number" and other not in (mention, one.written):
                    formula = f"{_told(one.value)} × {_told(other.value)}"
                    yield Derivation("product", one.cells, one.value * other.value, formula)
    if words & _SUM and len(above) > 1:
        for many in range(2, len(above) + 1):
            last = above[-many:]
            cells = tuple(cell for one in last for cell in one.cells)
            yield Derivation("sum", cells, sum(one.value for one in last), " + ".join(_told(one.value) for one in last))
    if mention.kind in ("percent", "part"):
        for one in bound:
            names = text.labels.tables[one.cells[0].table]
            column = one.cells[0].column
            if names.table.whole and not one.percent and (total := _sum(names, column, range(len(names.table.rows)))):
                if words & (_SHARE | _SUM | _REST):
                    formula = f"{_told(one.value)} ÷ {_told(total)}"
                    yield Derivation("share of total", one.cells, one.value / total, formula)
            if 0 < one.value < 1 and (words & _REST or (one.percent and mention.digits > 2)):
                yield Derivation("rest", one.cells, 1 - one.value, f"1 − {_told(one.value)}")


def _is(place: Place, names: TableNames, one: Derivation) -> bool:
    mention = place.mention
    column = one.cells[0].column
    if mention.kind in ("percent", "points", "part"):
        return fits(one.value * (1.0 if mention.kind == "part" else 100.0), mention)
    if mention.kind == "times":
        return fits(one.value, mention)
    unit, scale = names.units[column]
    converted = conversion(unit, mention.unit)
    if converted is None:
        return False
    return any(fits(one.value * converted * by, mention) for by in {1.0, scale})


def _pairs(text: Text, place: Place, names: TableNames, bound: Sequence[Bound]) -> Iterator[Derivation]:
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
        written = [cell for one in here if len(one.cells) == 1 for cell in one.cells if cell.table == names.at]
    named = [cell for cell in _named_cells(text, place, names, columns, narrow) if cell not in written]
    chosen = [*written, *named][:_MOST_CELLS]
    for a, b in combinations(chosen, 2):
        if not _comparable(names, a, b, columns):
            continue
        first, second = (a, b) if (a.row, a.column) < (b.row, b.column) else (b, a)
        x, y = first.value, second.value
        ordered = a.row == b.row or _in_time(names, a.row)
        yield from _of_values(place, x, y, (first, second), is_fraction(names.table, a.column), ordered)
        if place.mention.kind == "number" and (
            place.clause_words & _EACH if a.row == b.row else place.words & _FOR_EACH
        ):
            for over, under in ((x, y), (y, x)):
                if under:
                    scale, told = _per(text, place)
                    yield Derivation("ratio", (first, second), over / under * scale, f"{_told(over)} ÷ {_told(under)}{told}")


def _per(text: Text, place: Place) -> tuple[float, str]:
    """Of how many a rate speaks: "per million", "per 1,000"."""
    found = _RATE.search(text.text, place.passage.start, place.passage.end)
    if found is None:
        return 1.0, ""
    scale = 1e6 if found["million"] else 1e3 if found["thousand"] else 100.0
    return scale, f" × {scale:,.0f}"


_RATE = re.compile(
    r"(?P<million>\bper million\b|\bppm\b|\bper 1,?000,?000\b)|(?P<thousand>\bper (?:thousand|1,?000)\b)|\bper (?:hundred|100)\b"
)


def _of_values(
    place: Place, x: float, y: float, cells: tuple[Cell, ...], fraction: bool = False, ordered: bool = False
) -> Iterator[Derivation]:
    """What follows from two numbers, as far as the clause says that they are compared, added or divided.

    `ordered`: the second comes after the first in time, so that a change has one direction.
    """
    kind, words, mention = place.mention.kind, place.clause_words, place.mention
    if any(fits(one * by, replace(mention, signed=False)) for one in (x, y) for by in (1.0, 100.0)):
        return  # what is left out then is too small to be seen
    compared = bool(words & (_COMPARED | _REST)) and not mention.signed
    moves = bool(words & (_MOVES | _REST)) or mention.signed
    both: tuple[tuple[float, float], ...] = ((x, y),) if ordered or mention.signed else ((x, y), (y, x))
    if "minus" in words:
        both = ((y, x),)
    if kind in ("number", "count", "points") and moves:
        by = 0.01 if kind == "points" and not fraction else 1.0
        for before, after in both:
            if compared or sign_fits(after - before, place, moves=True):
                yield Derivation("difference", cells, (after - before) * by, f"{_told(after)} − {_told(before)}")
    if kind == "percent" and moves:
        for before, after in both:
            growth = (after - before) / before if before else None
            if growth is not None and (compared or sign_fits(growth, place, moves=True)):
                formula = f"({_told(after)} − {_told(before)}) ÷ {_told(before)}"
                yield Derivation("growth", cells, growth, formula)
    if kind == "times" and x and y:
        yield Derivation("ratio", cells, y / x, f"{_told(y)} ÷ {_told(x)}")
        yield Derivation("ratio", cells, x / y, f"{_told(x)} ÷ {_told(y)}")
    if kind in ("part", "percent") and words & (_SHARE | _COMPARED) and not mention.signed:
        for over, under in ((x, y), (y, x)):
            if under and 0 < over / under <= (1 if kind == "part" else 10):
                yield Derivation("share", cells, over / under, f"{_told(over)} ÷ {_told(under)}")
    if kind == "part" and words & DOWN and x:
        yield Derivation("growth", cells, abs((y - x) / x), f"({_told(y)} − {_told(x)}) ÷ {_told(x)}")
    if kind == "number" and words & _SUM:
        yield Derivation("sum", cells, x + y, f"{_told(x)} + {_told(y)}")


def _claims_cell(text: Text, place: Place, names: TableNames) -> bool:
    """Whether a clause names a column beside the number: then the number says what stands in it."""
    found = text.columns_of(place, names.at, holding(names, place.mention))
    return found is not None and found[1] < 2 and not place.clause_words & (UP | DOWN | _COMPARED)


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
    if place.words & _EACH or len(names.measures) <= 5:
        columns += [column for column in names.measures if column not in columns]
    return [
        Cell(names.at, row, column, float(value or 0))
        for row in _named_rows(text, place, names, narrow)[:8]
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


def _named_rows(text: Text, place: Place, names: TableNames, narrow: bool = False) -> list[int]:
    """The rows that the sentence names, or only its clause; if it names none, those that govern it from around.

    Where that is one row and the question names another, they are compared.
    """
    table = names.table
    if len(table.rows) < 2:
        return list(range(len(table.rows)))
    sentence = ((place.passage.start, place.passage.end),)
    spans = place.passage.cells or (place.passage.nearest(place.mention.start) if narrow else sentence)
    rows = set(range(len(table.rows)))
    any_named = False
    for column in names.dimensions:
        labels = {one.label for span in spans for one in text.rows_in(names.at, column, span)}
        if not labels:
            governing = text.row_of(place, names.at, column)
            labels = set(governing.labels) if governing is not None else set()
        if len(labels) == 1 and place.clause_words & (_COMPARED | _TIMES):
            labels |= text.asked_rows(names.at, column)
        if labels:
            any_named = True
            rows &= {row for row in rows if names.label(row, column) in labels}
    return sorted(rows) if any_named else []


def _aggregates(
    text: Text, place: Place, names: TableNames, bound: Sequence[Bound]
) -> Iterator[Derivation]:
    """What follows from a whole column, or from the rows of it that are named."""
    table, mention = names.table, place.mention
    if not table.whole or len(table.rows) < 2:
        return
    sentence = place.words | (text.question_words if mention.digits > 2 else frozenset())
    if mention.digits > 3 or _PARTS.search(text.text, max(0, mention.start - 24), mention.start):
        sentence |= _SUM
    if any(one.value == table.count for one in place.beside if one is not mention) and table.count > 2:
        sentence |= _SUM
    if _OF_ALL.match(text.text, place.passage.start):
        sentence |= _SUM
    picked = _named_rows(text, place, names)
    every = list(range(len(table.rows)))
    for column in names.measures:
        if column_named(text, place, names, column) is None:
            continue
        total = _sum(names, column, every)
        shares = is_change(names, column) or is_fraction(table, column)
        if mention.kind == "number" and len(picked) == 1 and column == names.measures[0]:
            yield from _along_row(names, picked[0], sentence)
        if mention.kind in ("number", "count"):
            yield from _of_rows(names, column, every, sentence, "total")
            for rows in (picked, *_top(names, column, place)):
                if 1 < len(rows) < len(every):
                    yield from _of_rows(names, column, rows, sentence, "sum")
            if picked and sentence & _REST:
                others = [row for row in every if row not in picked]
                yield from _of_rows(names, column, others, sentence | _SUM, "rest")
        if mention.kind == "percent" and total and not picked and sentence & (_SHARE | _SUM):
            yield from _of_totals(place, names, column, total)
        if mention.kind in ("percent", "part") and total and not shares and sentence & (_SHARE | _REST | _SUM):
            for rows in (picked, *_top(names, column, place), *([row] for row in picked)):
                if rows and len(rows) < len(every):
                    yield from _share(names, column, rows, total)
                    if sentence & _REST:
                        yield from _share(names, column, [row for row in every if row not in rows], total)


_OF_ALL = re.compile(r"\W*of\s(?:the|all)\s[*$€£]*\d", re.IGNORECASE)
_PARTS = re.compile(
    r"\bof\s(?:the\s|all\s)?(?:\w+['’]s?\s)?[*_$€£]*$|\bn\s?=\s?$|\d\s?/\s?$", re.IGNORECASE
)


def _of_rows(
    names: TableNames, column: int, rows: Sequence[int], words: frozenset[str], whole: Operation
) -> Iterator[Derivation]:
    numbers = [value for row in rows if (value := _number(names, row, column)) is not None]
    if len(numbers) < 1:
        return
    ends = _ends(names, column, rows)
    name = names.table.columns[column]
    if words & _SUM:
        yield Derivation(whole, ends, sum(numbers), f"sum of {len(numbers)} cells of {name}")
    if words & _MEAN and len(numbers) > 1:
        yield Derivation("mean", ends, fmean(numbers), f"mean of {len(numbers)} cells of {name}")
    if words & _MEDIAN and len(numbers) > 1:
        yield Derivation("median", ends, median(numbers), f"median of {len(numbers)} cells of {name}")
    if words & _RANGE and len(numbers) > 1:
        high, low = max(numbers), min(numbers)
        yield Derivation("range", ends, high - low, f"{_told(high)} − {_told(low)}")


def _along_row(names: TableNames, row: int, words: frozenset[str]) -> Iterator[Derivation]:
    """The total and mean of one row, where its columns measure the same."""
    units = {names.units[column] for column in names.measures}
    cells = [
        Cell(names.at, row, column, value)
        for column in names.measures
        if (value := _number(names, row, column)) is not None
    ]
    if len(cells) < 2 or len(units) > 1 or not words & (_SUM | _MEAN):
        return
    ends, values = (cells[0], cells[-1]), [cell.value for cell in cells]
    if words & _SUM:
        yield Derivation("sum", ends, sum(values), f"sum of {len(cells)} cells of a row")
    if words & _MEAN:
        yield Derivation("mean", ends, fmean(values), f"mean of {len(cells)} cells of a row")


def _share(names: TableNames, column: int, rows: Sequence[int], total: float) -> Iterator[Derivation]:
    part = _sum(names, column, rows)
    formula = f"{_told(part)} ÷ {_told(total)}, the total of {names.table.columns[column]}"
    yield Derivation("share of total", _ends(names, column, rows), part / total, formula)


def _of_totals(place: Place, names: TableNames, column: int, total: float) -> Iterator[Derivation]:
    """The share or growth of one column's total against another's: "overall, 10% churned"."""
    every = range(len(names.table.rows))
    for other in names.measures:
        whole = _sum(names, other, every)
        if other == column or not whole or is_fraction(names.table, other):
            continue
        cells = (*_ends(names, column, every), *_ends(names, other, every))
        told = f"totals of {names.table.columns[column]} and {names.table.columns[other]}"
        if abs(total) < abs(whole):
            yield Derivation("share of total", cells, total / whole, f"{_told(total)} ÷ {_told(whole)}, the {told}")
        if other < column and place.words & _MOVES and sign_fits(total - whole, place, moves=True):
            formula = f"({_told(total)} − {_told(whole)}) ÷ {_told(whole)}, of the {told}"
            yield Derivation("growth", cells, (total - whole) / whole, formula)


def _top(names: TableNames, column: int, place: Place) -> Iterator[list[int]]:
    """The first rows by a column where the sentence speaks of the top or bottom so many."""
    words = place.words
    if not words & {"top", "bottom", "first", "maximum", "leading", "biggest", "last", "minimum", "two", "three", "four", "five"}:
        return
    ranked = sorted(
        (row for row in range(len(names.table.rows)) if _number(names, row, column) is not None),
        key=lambda row: -(_number(names, row, column) or 0),
    )
    numbers = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10} | {str(n): n for n in range(2, 21)}
    for many in {numbers[word] for word in words if word in numbers}:
        if many < len(ranked):
            yield ranked[:many]
            if words & {"bottom", "last", "minimum", "least", "worst"}:
                yield ranked[-many:]


def _ends(names: TableNames, column: int, rows: Sequence[int]) -> tuple[Cell, ...]:
    ends = dict.fromkeys((rows[0], rows[-1]))
    return tuple(Cell(names.at, row, column, _number(names, row, column) or 0.0) for row in ends)


def _sum(names: TableNames, column: int, rows: Iterable[int]) -> float:
    return sum(_number(names, row, column) or 0.0 for row in rows)


def _number(names: TableNames, row: int, column: int) -> float | None:
    cells = names.table.rows[row]
    value = cells[column] if column < len(cells) else None
    return float(value or 0) if is_number(value) else None


def _told(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.2f}"
