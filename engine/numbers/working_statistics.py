"""Checks that a line of the workings computes the statistic that its sentence mentions: a median, a mean, a sum of
three. Pure."""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import TypeGuard

from engine.numbers.arithmetic import parsed
from engine.numbers.evidence import Cell
from engine.numbers.number_words import word_numbers
from engine.numbers.table_names import TableNames
from engine.numbers.working_checked import Checked
from engine.numbers.working_shapes import addends_of, cells_of

__all__ = ["objections_to_statistics"]

_MEAN = re.compile(r"\b(?:average|averages|averaged|mean|typical|typically)\b", re.IGNORECASE)
_MEDIAN = re.compile(r"\bmedian\b", re.IGNORECASE)
_THESE = re.compile(
    r"\b(?:the|these|those|all|its|our|their)\s+(?P<many>\w+)\s+(?:[\w-]+\s+){0,4}?"
    r"(?:together|combined|in total|account(?:s|ed)? for|taken together|add(?:s|ed)? up)\b",
    re.IGNORECASE,
)
_TO = re.compile(r"\s*(?:to|through|until|till|–|—|-|\.\.)\s*", re.IGNORECASE)
_WITHOUT = re.compile(
    r"\b(?:without|except|excluding|excl\.?|but not|other than)\s+(?:the\s+)?\Z", re.IGNORECASE
)
_CLOSE = 1e-9


def objections_to_statistics(one: Checked) -> Iterator[str]:
    """Yield objections to the statistic that a line computes."""
    medians = "median(" in one.made.template
    if medians and _MEAN.search(one.before) and not _MEDIAN.search(one.around + one.before):
        yield "it gives a median, not a mean"
    mean = one.shape.kind == "mean" and not medians
    if mean and _MEDIAN.search(one.before) and (other := _median_of(one)) is not None:
        yield f"the median of its column is {other:,.10g}"
    if (wrong := _divided_by(one)) is not None:
        yield f"it adds up {wrong[0]} numbers and divides by {wrong[1]}"
    if (said := _said_of(one)) is not None:
        yield f"its sentence is about {said}, but it adds up a different number of them"
    if told := _beyond_range(one):
        yield f"it does not use all of {told}"
    if told := _left_out(one):
        yield f"its words leave out {told}, but it uses the cell of {told}"
    if (pair := _of_other_whole(one)) is not None:
        yield f"its part belongs to {pair[0]}, but its whole to {pair[1]}"
    if _averages_ratios(one):
        yield "it gives a mean of ratios, without weights"


def _median_of(one: Checked) -> float | None:
    """Return the column's median if a line over several cells of the column gives another number; else None."""
    cells = one.made.cells
    if len(cells) < 2 or len({(cell.table, cell.column) for cell in cells}) > 1:
        return None
    names = one.names(cells[0])
    if _MEDIAN.search(" ".join(names.column_words[cells[0].column])):
        return None
    values = [names.table.number(row, cells[0].column) for row in _rows(names, cells[0])]
    found = median([value for value in values if value is not None])
    alike = abs(found - one.made.value) <= _CLOSE * max(1.0, abs(found))
    return None if alike or not names.table.whole else found


def _rows(names: TableNames, cell: Cell) -> list[int]:
    """Return the rows with a number in the column of a cell, without a row that is the total of the others."""
    every = range(len(names.table.rows))
    return [
        row for row in every if row != names.grand_total and names.table.number(row, cell.column) is not None
    ]


def _divided_by(one: Checked) -> tuple[int, int] | None:
    """If a mean divides by one more or one less than the number of its terms, return this number and the divisor; else
    None."""
    if not any(map(_MEAN.search, (one.before, one.around, one.naming.written))):
        return None
    match parsed(one.made.template):
        case ast.BinOp(op=ast.Div(), left=added, right=ast.Constant(value=int() | float() as by)):
            many = len(addends_of(added))
            return (many, int(by)) if many > 1 and abs(by - many) == 1 else None
    return None


def _said_of(one: Checked) -> str | None:
    """Return the words that say how many things a sentence adds up, such as "the three stores together", if the line
    adds up a different number of cells; else None.
    """
    found = _THESE.search(one.before)
    tree = parsed(one.made.template)
    if found is None or tree is None:
        return None
    words = [int(word.value) for word in word_numbers(found["many"]) if word.kind == "count"]
    said = words[0] if words else 0
    many = len(addends_of(tree))
    rows = {(cell.table, cell.row) for cell in one.made.cells}
    columns = {(cell.table, cell.column) for cell in one.made.cells}
    if said < 2 or many < 2 or said in (many, len(rows), len(columns), len(one.made.cells)):
        return None
    return found[0].casefold()


def _beyond_range(one: Checked) -> str:
    """Return the range of rows that the words of a sum or mean name ("June to August") if its cells are not from
    exactly these rows; else "".
    """
    cells = [one.made.cells[at] for at in one.shape.cells] if one.shape.kind in ("sum", "mean") else []
    if len(cells) < 2 or len({(cell.table, cell.column) for cell in cells}) > 1 or one.naming.excepts:
        return ""
    names = one.names(cells[0])
    for column in names.dimensions:
        told = [
            named
            for named in one.naming.words
            if (named.table, named.column) == (names.at, column) and named.label
        ]
        ends = [
            (first, last)
            for first, last in pairwise(sorted(set(told), key=lambda named: named.start))
            if _TO.fullmatch(one.naming.written[first.end : last.start])
        ]
        if len(ends) != 1 or len({named.label for named in told}) != 2:
            continue
        labels = [names.label(row, column) for row in range(len(names.table.rows))]
        (first, last) = ends[0]
        meant = _between(labels, first.label, last.label)
        if meant and {cell.row for cell in cells} != set(meant) & set(_rows(names, cells[0])):
            return one.naming.written[first.start : last.end]
    return ""


def _left_out(one: Checked) -> str:
    """Return a row that the line's words exclude ("without West") although its cell is part of the computation and is
    not subtracted; else "".
    """
    tree = parsed(one.made.template)
    taken = [node for node in ast.walk(tree) if _is_difference(node)] if tree is not None else []
    sides = [(cells_of(node.left), cells_of(node.right)) for node in taken]
    off = {at for whole, part in sides if len(whole) == 1 or len(whole) > len(part) for at in part}
    for named in one.naming.words:
        if not named.label or not _WITHOUT.search(one.naming.written[: named.start]):
            continue
        rows = {
            one.names(cell).label(cell.row, named.column): at in off
            for at, cell in enumerate(one.made.cells)
            if cell.table == named.table
        }
        if named.label in rows and len(rows) > 1 and not rows[named.label]:
            return named.label
    return ""


def _is_difference(node: ast.AST) -> TypeGuard[ast.BinOp]:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)


def _of_other_whole(one: Checked) -> tuple[str, str] | None:
    """Return the columns of the part and the whole of a share if they are for different periods; else None."""
    tree = parsed(one.made.template)
    if one.shape.kind != "share" or not isinstance(tree, ast.BinOp):
        return None
    whole = [one.made.cells[at] for at in one.shape.cells]
    part = [one.made.cells[at] for at in cells_of(tree.left)]
    columns = [{(cell.table, cell.column) for cell in cells} for cells in (part, whole)]
    if any(len(every) != 1 for every in columns) or columns[0] == columns[1]:
        return None
    if not {cell.row for cell in part} < {cell.row for cell in whole}:
        return None  # the same rows, as "2024 is at 94% of 2019"
    (table, first), (other, second) = (every.pop() for every in columns)
    names = one.text.labels.tables[table]
    if table != other or not names.of_periods(first, second):
        return None
    return names.table.columns[first], names.table.columns[second]


def _averages_ratios(one: Checked) -> bool:
    """Return whether the line averages several quotients although neither the sentence nor the line's words mention an
    average.
    """
    if any(map(_MEAN.search, (one.before, one.around, one.naming.written))):
        return False
    match parsed(one.made.template):
        case ast.BinOp(op=ast.Div(), left=added, right=ast.Constant(value=int() | float() as by)):
            parts = addends_of(added)
            return len(parts) == by > 1 and all(map(_is_ratio, parts))
    return False


def _is_ratio(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and isinstance(node.right, ast.Name)


def _between(labels: Sequence[str], first: str, last: str) -> range | None:
    """Return the range of rows between two labels; None if a label is not in exactly one row."""
    if labels.count(first) != 1 or labels.count(last) != 1:
        return None
    start, end = sorted((labels.index(first), labels.index(last)))
    return range(start, end + 1)
