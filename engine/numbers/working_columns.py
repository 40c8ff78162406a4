"""Reads functions of whole columns in a model's working: `sum(revenue)` and `12 / count(orders)`. Pure."""

import re
from dataclasses import replace
from functools import partial

from engine.numbers.arithmetic import Expression
from engine.numbers.labels import Labels
from engine.numbers.table_names import TableNames
from engine.numbers.working_cells import is_summed
from engine.numbers.workings import Working, read_line

__all__ = ["with_columns"]

_CALL = re.compile(
    r"\b(?P<name>sum|total|mean|avg|average|median|min|max|count)\s?\(\s*(?P<mark>[`\"'])?"
    r"(?P<column>[^\W\d][^()`\"'+*/|]*?)(?(mark)(?P=mark))\s*\)",
    re.IGNORECASE,
)
_MOST_LISTED = 24
"""From more rows on, a sum is read as one number, and a mean as a sum divided by a count."""


def with_columns(working: Working, labels: Labels) -> Working:
    """Return a working with its functions of columns read over all rows, except a row with the total of the others.

    If several results have such a column, there is a reading for each. Results that lack some of their rows are not
    used.
    """
    told, _, _ = working.written.partition("|")
    if _CALL.search(told) is None:
        return working
    found = [one for names in reversed(labels.tables) for one in _readings(working.label.text, told, names)]
    return replace(working, readings=tuple(found)) if found else working


def _readings(label: str, told: str, names: TableNames) -> tuple[Expression, ...]:
    """Return the arithmetic with its functions over columns of one result; none if a column is not in it."""
    columns = {name.casefold(): at for at, name in enumerate(names.table.columns)}
    columns |= {f"{names.table.name.casefold()}.{name}": at for name, at in columns.items()}
    if not is_summed(names) or any(
        call["column"].strip().casefold() not in columns for call in _CALL.finditer(told)
    ):
        return ()
    read = read_line(f"{label} = {_CALL.sub(partial(_over, names, columns), told)}")
    return read.readings if read is not None else ()


def _over(names: TableNames, columns: dict[str, int], call: re.Match[str]) -> str:
    """Return a function of a column as arithmetic over the column's cells; unchanged if it has no numbers."""
    column, name = columns[call["column"].strip().casefold()], call["name"].lower()
    rows = [row for row in range(len(names.table.rows)) if row != names.grand_total]
    if name == "count":
        return str(sum(names.table.rows[row][column] is not None for row in rows))
    numbers = [one for row in rows if (one := names.table.number(row, column)) is not None]
    if not numbers:
        return call[0]
    if name in ("min", "max"):
        return f"({min(numbers) if name == 'min' else max(numbers)!r})"
    if len(numbers) <= _MOST_LISTED or name == "median":
        return f"{name}({', '.join(map(repr, numbers))})"
    whole = repr(sum(numbers))
    return f"({whole})" if name in ("sum", "total") else f"({whole} / {len(numbers)})"
