"""Reads functions of whole columns in a model's working: `sum(revenue)` and `12 / count(orders)`. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from engine.numbers.arithmetic import Expression
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
"""From more rows on, a sum is read as one number, and a mean as a sum divided by a count."""


def with_columns(working: Working, labels: Labels) -> Working:
    """Return a working with its functions of columns read over all rows, except a row with the total of the others.

    If several results have all of its columns, there is a reading for each; if none has, each function is over the
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
    """Return the arithmetic with its functions over columns of these results; none if a column is in none of them."""
    columns: dict[str, tuple[TableNames, int]] = {}
    for names in tables:
        own = {name.casefold(): (names, at) for at, name in enumerate(names.table.columns)}
        columns = own | {f"{names.table.name.casefold()}.{name}": at for name, at in own.items()} | columns
    if any(call["column"].strip().casefold() not in columns for call in _CALL.finditer(told)):
        return ()
    return working_of(label, _CALL.sub(partial(_over, columns), told)).readings


def _over(columns: dict[str, tuple[TableNames, int]], call: re.Match[str]) -> str:
    """Return a function of a column as arithmetic over the column's cells; unchanged if it has no numbers."""
    (names, column), name = columns[call["column"].strip().casefold()], call["name"].lower()
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
