"""Checks that the operands in a line of the workings are those that its words and the sentence mention. Pure.

All cells of a line may be in the results, but one may be from a wrong row, from a similar column, or on the wrong side:
"D units / hours" with the hours of B, "first dose / eligible" with the second dose, "A over B" as B over A.
"""

import re
from collections.abc import Collection, Iterator

from engine.numbers.arithmetic import sides_of
from engine.numbers.evidence import Cell
from engine.numbers.labels import Named
from engine.numbers.table_names import TableNames
from engine.numbers.working_checked import Checked

__all__ = ["objections_to_sides"]

_OVER = re.compile(r"\s(?:over|divided by|minus|less)\s|\s[/÷−-]\s", re.IGNORECASE)
_PLACE = re.compile(r"n(\d+)")


def objections_to_sides(one: Checked) -> Iterator[str]:
    """Yield objections to the cells of a line, such as a cell from a row that the line's words do not name."""
    if other := _of_two_rows(one):
        yield f"one of its cells belongs to {other}, which its words do not name"
    if pair := _next_column(one):
        yield f"its words name {pair[0]}, but its cell belongs to {pair[1]}"
    if _is_turned(one):
        yield "its words name its two sides the other way round"


def _of_two_rows(one: Checked) -> str:
    """If two cells share neither row nor column, and the words mention the row of only one of them, return the row of
    the other cell; else "".
    """
    cells = one.made.cells
    if len(cells) != 2 or cells[0].table != cells[1].table:
        return ""
    names = one.names(cells[0])
    if cells[0].row == cells[1].row or cells[0].column == cells[1].column or len(names.dimensions) != 1:
        return ""
    (column,) = names.dimensions
    rows = {told.label for told in one.naming.words if told.table == names.at and told.column == column}
    named = [names.label(cell.row, column) in rows for cell in cells]
    if named[0] == named[1] or names.grand_total in (cells[0].row, cells[1].row):
        return ""
    return names.label(cells[named.index(False)].row, column)


def _next_column(one: Checked) -> tuple[str, str] | None:
    """If the words clearly name a column, but the line uses a similar column that nothing names, return both columns;
    else None.
    """
    words = {word.form for word in one.naming.found}
    told = words | one.place.clause_words
    sides = _sides(one)
    first = sides[0] if one.shape.kind == "share" and sides is not None else one.made.cells
    used = {(cell.table, cell.column) for cell in first}
    for cell in first:
        names = one.names(cell)
        for column in names.measures:
            if (cell.table, column) in used:
                continue
            apart, own = _apart(names, column, cell.column)
            if apart and own and apart <= words and not own & told:
                return names.table.columns[column], names.table.columns[cell.column]
    return None


def _apart(names: TableNames, one: int, other: int) -> tuple[set[str], set[str]]:
    """Return the words by which two similar columns differ; two empty sets if the columns are not similar."""
    first, second = set(names.column_words[one]), set(names.column_words[other])
    if not (first & second or names.of_periods(one, other)):
        return set(), set()
    return first - second, second - first


def _is_turned(one: Checked) -> bool:
    """Return whether the two sides of a quotient or difference are in the reverse order of the line's words."""
    sides, parts = _sides(one), _OVER.split(one.naming.written)
    if sides is None or len(parts) != 2 or any(cell.value < 0 for cell in one.made.cells):
        return False
    left, right = sides
    if not left or not right or {cell.table for cell in left} != {cell.table for cell in right}:
        return False
    middle = len(parts[0])
    before = [named for named in one.naming.words if named.label and named.end <= middle]
    after = [named for named in one.naming.words if named.label and named.start >= middle]
    return (
        bool(before and after)
        and _are_of(one, left, after)
        and _are_of(one, right, before)
        and not _are_of(one, left, before)
        and not _are_of(one, right, after)
    )


def _sides(one: Checked) -> tuple[list[Cell], list[Cell]] | None:
    """Return the cells on the two sides of a quotient or difference; None if the line computes neither."""
    sides = sides_of(one.made.template)
    if sides is None:
        return None
    left, right = ([one.made.cells[int(at)] for at in _PLACE.findall(side)] for side in sides)
    return left, right


def _are_of(one: Checked, cells: Collection[Cell], named: Collection[Named]) -> bool:
    """Return whether each cell is in a named row."""
    return all(
        any(
            told.table == cell.table and told.label == one.names(cell).label(cell.row, told.column)
            for told in named
        )
        for cell in cells
    )
