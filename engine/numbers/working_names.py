"""Checks that the calculation in a line of the workings uses the rows and columns that the line's words and the
number's sentence mention. Pure.
"""

import math
import re
from collections.abc import Collection, Sequence

from engine.numbers.cells import in_line
from engine.numbers.evidence import Cell
from engine.numbers.row_scopes import NEAR
from engine.numbers.table_names import TableNames
from engine.numbers.working_checked import Checked

__all__ = ["not_used", "other_row", "unnamed"]

_FEW_DIGITS, _MANY_DIGITS = 3, 4


def unnamed(one: Checked) -> float | None:
    """Return the value of a cell that may be in the calculation only by chance; None if there is none.

    Such a cell has few digits, nothing names its row or column, and no other cell of the calculation shares them. If
    the line has no words, and all its cells are in one row or column, the cells need no name.
    """
    cells = one.made.cells
    lines = {(cell.table, cell.row) for cell in cells}, {(cell.table, cell.column) for cell in cells}
    if len(cells) > 1 and min(map(len, lines)) == 1 and not one.naming.found:
        return None
    enough = _FEW_DIGITS if len(cells) > 1 else _MANY_DIGITS
    sure = {cell for cell in cells if any(one.naming.names(one.text.labels, cell)) or _digits(cell) >= enough}
    operands = one.expression.operands
    own = {abs(value) for operand in operands for value in (operand.value, operand.mention.value)}
    for cell in cells:
        if cell in sure or not any(math.isclose(abs(cell.value), value) for value in own):
            continue
        if not any(in_line(cell, other) for other in sure):
            return cell.value
    return None


def _digits(cell: Cell) -> int:
    return len(f"{abs(cell.value):.10g}".replace(".", "").strip("0"))


def other_row(one: Checked, table: int) -> str:
    """Return the row that the sentence mentions for a number, if none of the cells is in this row; else "".

    A row without a value in the cells' column does not count. The line's words may mean the row of totals instead.
    """
    names = one.text.labels.tables[table]
    cells = [cell for cell in one.made.cells if cell.table == table and not _is_total(one, names, cell)]
    told = {named.label for named in one.naming.words if named.table == table and named.label}
    if not cells or (_is_compared(one, names) and all(_is_told(names, cell, told) for cell in cells)):
        return ""
    span = one.place.passage.start, one.place.passage.end
    for column in names.dimensions:
        governing = one.text.row_of(one.place, table, column)
        if governing is None or governing.level >= NEAR or not names.surely_names(column):
            continue
        here = {named.label for named in one.text.rows_in(table, column, span)} | governing.labels
        own = [cell for cell in cells if names.label(cell.row, column) in here]
        if not own and _has_value(names, column, governing.labels, cells):
            return min(governing.labels)
        if not own:
            continue
        columns = {cell.column for cell in own}
        if any(cell.column not in columns for cell in cells if cell not in own):
            return min(governing.labels)
    return ""


_AGAINST = re.compile(
    r"\b(?:(?:up|down|back) from|against|versus|vs\.?|compared (?:with|to)|than|warmer|colder)\b[^,;]*\Z",
    re.IGNORECASE,
)


def _is_compared(one: Checked, names: TableNames) -> bool:
    """Return whether a number is only a value for comparison. It may then be from another row than the sentence
    mentions: "a third" in "27% in Q2, down from a third".
    """
    found, start = _AGAINST.search(one.before), one.place.mention.start
    span = (start - len(found[0]), start) if found else (start, start)
    return found is not None and not any(one.text.rows_in(names.at, at, span) for at in names.dimensions)


def _is_told(names: TableNames, cell: Cell, told: Collection[str]) -> bool:
    return any(names.label(cell.row, column) in told for column in names.dimensions)


def _is_total(one: Checked, names: TableNames, cell: Cell) -> bool:
    """Return whether a cell is in the row of totals, and the line's words mention the totals."""
    if cell.row != names.grand_total:
        return False
    labels = {names.label(cell.row, column) for column in names.dimensions}
    return one.naming.every or any(
        told.table == names.at and told.label in labels for told in one.naming.words
    )


def _has_value(names: TableNames, column: int, labels: Collection[str], cells: Sequence[Cell]) -> bool:
    """Return whether a row with one of the labels has a number in a column of the cells."""
    rows = [row for row in range(len(names.table.rows)) if names.label(row, column) in labels]
    return any(names.table.number(row, cell.column) is not None for row in rows for cell in cells)


def not_used(one: Checked) -> str:
    """Return a row or column that the line's words mention but that has none of the cells; "" if there is none."""
    cells = one.made.cells
    used = {one.names(cell).table.columns[cell.column] for cell in cells}
    for table in sorted({cell.table for cell in cells}):
        names = one.text.labels.tables[table]
        own = [cell for cell in cells if cell.table == table]
        for column in names.dimensions:
            labels = {names.label(cell.row, column) for cell in own}
            told = {one.label for one in one.naming.words if one.table == table and one.column == column} - {
                ""
            }
            excepts = one.naming.excepts or (told & labels and one.naming.ranges)
            if names.grand_total is not None:
                told -= {names.label(names.grand_total, column)}
            if told - labels and names.surely_names(column) and not excepts:
                return min(told - labels)
        unused = one.naming.columns_named(names) - {cell.column for cell in own}
        if others := [
            names.table.columns[at] for at in sorted(unused) if names.table.columns[at] not in used
        ]:
            return others[0]
    return ""
