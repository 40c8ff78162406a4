"""What follows from a whole column or some of its rows: totals, means, shares, rests."""

import re
from collections.abc import Iterator, Sequence
from statistics import fmean, median

from engine.numbers.cells import column_named, is_change
from engine.numbers.derivation import (
    MEAN,
    MEDIAN,
    MOVES,
    REST,
    SHARE,
    SUM,
    Derivation,
    Operation,
    told_number,
)
from engine.numbers.derived_pairs import named_rows
from engine.numbers.evidence import Cell
from engine.numbers.fitting import is_fraction, sign_fits
from engine.numbers.labels import TableNames
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.words import forms

__all__ = ["column_sum", "of_totals"]

_RANGE = forms("range spread gap span varied vary apart")


def of_totals(text: Text, place: Place, names: TableNames) -> Iterator[Derivation]:
    """What follows from a whole column, or from the rows of it that are named."""
    table, mention = names.table, place.mention
    if len(table.rows) < 2 or not (table.whole or len(table.rows) in text.numbers_said):
        return
    sentence = place.words | (text.question_words if mention.digits > 2 else frozenset())
    if mention.digits > 3 or _PARTS.search(text.text, max(0, mention.start - 24), mention.start):
        sentence |= SUM
    if any(one.value == table.count for one in place.beside if one is not mention) and table.count > 2:
        sentence |= SUM
    if _OF_ALL.match(text.text, place.passage.start):
        sentence |= SUM
    picked = named_rows(text, place, names)
    every = list(range(len(table.rows)))
    for column in names.measures:
        if column_named(text, place, names, column) is None:
            continue
        total = column_sum(names, column, every)
        shares = is_change(names, column) or is_fraction(table, column)
        if mention.kind == "number" and len(picked) == 1 and column == names.measures[0]:
            yield from _along_row(names, picked[0], sentence)
        if mention.kind in ("number", "count"):
            yield from _of_rows(names, column, every, sentence, "total")
            for rows in (picked, *_top(names, column, place)):
                if 1 < len(rows) < len(every):
                    yield from _of_rows(names, column, rows, sentence, "sum")
            if picked and sentence & REST:
                others = [row for row in every if row not in picked]
                yield from _of_rows(names, column, others, sentence | SUM, "rest")
        if mention.kind == "percent" and mention.digits > 2 and is_fraction(table, column):
            for row in picked[:2]:
                if (value := _number(names, row, column)) is not None:
                    yield Derivation(
                        "rest", (Cell(names.at, row, column, value),), 1 - value, f"1 − {told_number(value)}"
                    )
        if mention.kind == "percent" and total and not picked and sentence & (SHARE | SUM):
            yield from _between_totals(place, names, column, total)
        if mention.kind in ("percent", "part") and total and not shares and sentence & (SHARE | REST | SUM):
            for rows in (picked, *_top(names, column, place), *([row] for row in picked)):
                if rows and len(rows) < len(every):
                    yield from _share(names, column, rows, total)
                    if sentence & REST:
                        yield from _share(names, column, [row for row in every if row not in rows], total)


_OF_ALL = re.compile(r"\W*of\s(?:the|all)\s[*$€£]*\d", re.IGNORECASE)
_PARTS = re.compile(r"\bof\s(?:the\s|all\s)?(?:\w+['’]s?\s)?[*_$€£]*$|\bn\s?=\s?$|\d\s?/\s?$", re.IGNORECASE)


def _of_rows(
    names: TableNames, column: int, rows: Sequence[int], words: frozenset[str], whole: Operation
) -> Iterator[Derivation]:
    numbers = [value for row in rows if (value := _number(names, row, column)) is not None]
    if len(numbers) < 1:
        return
    ends = _ends(names, column, rows)
    name = names.table.columns[column]
    if words & SUM:
        yield Derivation(whole, ends, sum(numbers), f"sum of {len(numbers)} cells of {name}", len(numbers))
    if words & MEAN and len(numbers) > 1:
        yield Derivation(
            "mean", ends, fmean(numbers), f"mean of {len(numbers)} cells of {name}", len(numbers)
        )
    if words & MEDIAN and len(numbers) > 1:
        yield Derivation(
            "median", ends, median(numbers), f"median of {len(numbers)} cells of {name}", len(numbers)
        )
    if words & _RANGE and len(numbers) > 1:
        high, low = max(numbers), min(numbers)
        yield Derivation("range", ends, high - low, f"{told_number(high)} − {told_number(low)}", len(numbers))


def _along_row(names: TableNames, row: int, words: frozenset[str]) -> Iterator[Derivation]:
    """The total and mean of one row, where its columns measure the same."""
    units = {names.units[column] for column in names.measures}
    cells = [
        Cell(names.at, row, column, value)
        for column in names.measures
        if (value := _number(names, row, column)) is not None
    ]
    if len(cells) < 2 or len(units) > 1 or not words & (SUM | MEAN):
        return
    ends, values = (cells[0], cells[-1]), [cell.value for cell in cells]
    if words & SUM:
        yield Derivation("sum", ends, sum(values), f"sum of {len(cells)} cells of a row")
    if words & MEAN:
        yield Derivation("mean", ends, fmean(values), f"mean of {len(cells)} cells of a row")


def _share(names: TableNames, column: int, rows: Sequence[int], total: float) -> Iterator[Derivation]:
    part = column_sum(names, column, rows)
    formula = f"{told_number(part)} ÷ {told_number(total)}, the total of {names.table.columns[column]}"
    yield Derivation("share of total", _ends(names, column, rows), part / total, formula)


def _between_totals(place: Place, names: TableNames, column: int, total: float) -> Iterator[Derivation]:
    """The share or growth of one column's total against another's: "overall, 10% churned"."""
    every = range(len(names.table.rows))
    for other in names.measures:
        whole = column_sum(names, other, every)
        if other == column or not whole or is_fraction(names.table, other):
            continue
        cells = (*_ends(names, column, every), *_ends(names, other, every))
        told = f"totals of {names.table.columns[column]} and {names.table.columns[other]}"
        if abs(total) < abs(whole):
            yield Derivation(
                "share of total",
                cells,
                total / whole,
                f"{told_number(total)} ÷ {told_number(whole)}, the {told}",
            )
        if other < column and place.words & MOVES and sign_fits(total - whole, place, moves=True):
            formula = f"({told_number(total)} − {told_number(whole)}) ÷ {told_number(whole)}, of the {told}"
            yield Derivation("growth", cells, (total - whole) / whole, formula)


def _top(names: TableNames, column: int, place: Place) -> Iterator[list[int]]:
    """The first rows by a column where the sentence speaks of the top or bottom so many."""
    words = place.words
    if not words & {
        "top",
        "bottom",
        "first",
        "maximum",
        "leading",
        "biggest",
        "last",
        "minimum",
        "two",
        "three",
        "four",
        "five",
    }:
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


def column_sum(names: TableNames, column: int, rows: Sequence[int]) -> float:
    """Return the sum of a column over some rows; what is missing counts as nothing."""
    if len(rows) == len(names.table.rows):
        return names.table.totals[column]
    return sum(_number(names, row, column) or 0.0 for row in rows)


def _number(names: TableNames, row: int, column: int) -> float | None:
    return names.table.number(row, column)
