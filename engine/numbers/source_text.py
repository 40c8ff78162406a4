"""Describes in one line where a number comes from, for the review of an answer's numbers. Pure."""

import re
from collections.abc import Sequence

from engine.numbers.derivation import Derivation, told_number
from engine.numbers.evidence import Cell, ResultTable
from engine.numbers.traced_number import TracedNumber

__all__ = ["source_text"]

_MOST_CELLS, _LONGEST = 6, 60
_OPERAND = re.compile(r"\bn(\d+)\b")


def source_text(one: TracedNumber, tables: Sequence[ResultTable]) -> str:
    """Return the cell of a number, or the computation over cells, with the names of rows and columns; "" if none is
    known or likely.
    """
    if one.cell is not None:
        return _cell(one.cell, tables)
    made = one.derivation or one.maybe
    if made is not None:
        return _computed(made, tables)
    return " or ".join(_cell(likely.cell, tables) for likely in one.likely)


def _computed(made: Derivation, tables: Sequence[ResultTable]) -> str:
    if made.many > len(made.cells) or len(made.cells) > _MOST_CELLS:
        ends = [_cell(cell, tables) for cell in (made.cells[0], made.cells[-1])]
        return f"{made.operation} of {made.many or len(made.cells)} cells, from {ends[0]} to {ends[1]}"
    if made.template:
        return _OPERAND.sub(lambda found: f"({_cell(made.cells[int(found[1])], tables)})", made.template)
    cells = "; ".join(_cell(cell, tables) for cell in made.cells)
    return f"{made.operation}: {made.formula} from {cells}"


def _cell(cell: Cell, tables: Sequence[ResultTable]) -> str:
    """Return a cell as text, such as "412 = orders of West in R2"."""
    table = tables[cell.table]
    row = table.rows[cell.row]
    keys = [one for at, one in enumerate(row) if at != cell.column and isinstance(one, str) and one]
    if not keys and len(table.rows) > 1:
        keys = [str(row[0])] if cell.column and isinstance(row[0], int) else [f"row {cell.row + 1}"]
    column = table.columns[cell.column] if cell.column < len(table.columns) else ""
    of = f" of {', '.join(keys)[:_LONGEST]}" if keys else ""
    return f"{told_number(cell.value)} = {column[:_LONGEST]}{of} in R{cell.table + 1}"
