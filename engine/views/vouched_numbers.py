"""Numbers that the user confirmed, each with its cell if the user named one. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from engine.numbers.evidence import Cell, is_number
from engine.numbers.traced_number import UNTRACED
from engine.views.answer_number import AnswerNumber
from events.late_dataclass import dataclass

__all__ = ["VouchedCell", "with_vouched"]


@dataclass(frozen=True, slots=True)
class VouchedCell:
    """The cell that the user confirmed for a number."""

    call_id: str
    """The call that made the result; "" if the table was described to the model before any call."""
    result: str
    row: int
    """The row, from 0, counting the rows that the model received."""
    column: str


def with_vouched(one: AnswerNumber, vouched: Mapping[int, VouchedCell | None]) -> AnswerNumber:
    """Return a number with the user's confirmation, if there is one. `vouched` contains the confirmations for its
    answer, by the place at which each number starts.
    """
    start = one.traced.mention.start
    if start not in vouched or one.traced.status not in UNTRACED:
        return one
    named = vouched[start]
    cell = _cell_of(one, named) if named is not None else None
    if cell is None:
        return replace(one, vouched=True)
    factor = next((likely.factor for likely in one.traced.likely if likely.cell == cell), 1.0)
    traced = replace(one.traced, status="exact", cell=cell, factor=factor, likely=(), maybe=None)
    return replace(one, vouched=True, traced=traced)


def _cell_of(one: AnswerNumber, named: VouchedCell) -> Cell | None:
    """Return the cell that the user named, if it is in the results that were searched for the number; otherwise
    None.
    """
    for at, table in enumerate(one.results):
        if (table.call_id, table.name) != (named.call_id, named.result) or named.column not in table.columns:
            continue
        column = table.columns.index(named.column)
        value = table.values(column)[named.row] if 0 <= named.row < len(table.rows) else None
        if is_number(value):
            return Cell(at, named.row, column, float(value or 0))
    return None
