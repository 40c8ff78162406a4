"""Reads functions of whole columns in a line of the workings: `sum(revenue)` and `12 / count(orders)`. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from engine.numbers.arithmetic import Expression, count_operands
from engine.numbers.evidence import Cell
from engine.numbers.labels import Labels
from engine.numbers.mention import Mention
from engine.numbers.table_names import TableNames
from engine.numbers.working_cells import is_summed
from engine.numbers.workings import Working, working_of

__all__ = ["with_columns"]

_CALL = re.compile(
    r"\b(?P<name>sum|total|mean|avg|average|median|min|max|count)\s?\(\s*(?P<mark>[`\"'])?"
    r"(?P<column>[^\W\d][^()`\"'+*/|]*?)(?(mark)(?P=mark))\s*\)",
    re.IGNORECASE,
)
_MOST_LISTED = 24
"""If there are more rows than this, a sum is read as one number, and a mean as a sum divided by a count."""


def with_columns(working: Working, labels: Labels) -> Working:
    """Replace the functions of columns in a line by arithmetic over all rows, except a row that is the total of the
    others.

    If several results have all the columns, there is a reading for each of them. If none has, each function uses the
    newest result with its column. Results that lack some of their rows are not used.
    """
    told, _, _ = working.written.partition("|")
    if _CALL.search(told) is None:
        return working
    tables = [names for names in reversed(labels.tables) if is_summed(names)]
    found = [one for names in tables for one in _readings(working.label, told, [names])]
    found = found or list(_readings(working.label, told, tables))
    return replace(working, readings=tuple(found)) if found else working


def _readings(label: Mention, told: str, tables: Sequence[TableNames]) -> tuple[Expression, ...]:
    """Return the arithmetic with its functions replaced, for these results; nothing if a column is in none of them."""
    columns: dict[str, tuple[TableNames, int]] = {}
    for names in tables:
        own = {name.casefold(): (names, at) for at, name in enumerate(names.table.columns)}
        columns = own | {f"{names.table.name.casefold()}.{name}": at for name, at in own.items()} | columns
    if any(call["column"].strip().casefold() not in columns for call in _CALL.finditer(told)):
        return ()
    pieces: list[str] = []
    known: list[Cell | None] = []
    end = 0
    for call in _CALL.finditer(told):
        before = told[end : call.start()]
        written, operands = _over(columns, call)
        pieces += [before, written]
        known += [*[None] * count_operands(before), *operands]
        end = call.end()
    readings = working_of(label, "".join([*pieces, told[end:]])).readings
    return tuple(_with_cells(one, known) for one in readings)


def _with_cells(expression: Expression, cells: Sequence[Cell | None]) -> Expression:
    """Return arithmetic with `cells` assigned to its operands; unchanged if their values do not match."""
    pairs = list(zip_longest(expression.operands, cells[: len(expression.operands)]))
    if any(cell is not None and operand.value != cell.value for operand, cell in pairs):
        return expression
    return replace(expression, operands=tuple(replace(operand, cell=cell) for operand, cell in pairs))


def _over(columns: dict[str, tuple[TableNames, int]], call: re.Match[str]) -> tuple[str, list[Cell | None]]:
    """Return a function of a column as arithmetic over its cells, with the cell of each operand (None if it is not a
    cell). The function is unchanged if the column has no numbers.
    """
    (names, column), name = columns[call["column"].strip().casefold()], call["name"].lower()
    rows = [row for row in range(len(names.table.rows)) if row != names.grand_total]
    if name == "count":
        values = names.table.values(column)
        return str(sum(values[row] is not None for row in rows)), [None]
    cells = [
        Cell(names.at, row, column, value)
        for row in rows
        if (value := names.table.number(row, column)) is not None
    ]
    if not cells:
        return call[0], []
    if name in ("min", "max"):
        end = (min if name == "min" else max)(cells, key=lambda cell: cell.value)
        return f"({end.value!r})", [end]
    if len(cells) <= _MOST_LISTED or name == "median":
        return f"{name}({', '.join(repr(cell.value) for cell in cells)})", [*cells]
    whole = repr(sum(cell.value for cell in cells))
    return (f"({whole})", [None]) if name in ("sum", "total") else (f"({whole} / {len(cells)})", [None, None])
