"""The numbers of an answer that are not in any result, each with the closest cells. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.numbers.evidence import Cell, Evidence, ResultTable, Value, is_number

__all__ = ["DoubtedNumber", "NearCell", "doubted_numbers", "nearest_cells"]

_NEAREST = 3


@dataclass(frozen=True, slots=True)
class NearCell:
    """A cell whose value is close to a number."""

    result: str
    """The name of the result."""
    column: str
    row: str
    """The text values of the row, joined; "" if it has none."""
    value: Value


@dataclass(frozen=True, slots=True)
class DoubtedNumber:
    """A number that is not in any result and does not follow from one."""

    text: str
    """The number as it is written in the answer."""
    nearest: tuple[NearCell, ...]


def doubted_numbers(answer: str, evidence: Evidence) -> tuple[DoubtedNumber, ...]:
    """Return the `unbacked` numbers of an answer in text order, each spelling once."""
    from engine.numbers.trace import trace  # noqa: PLC0415 - the matcher is imported when an answer ends

    found = {
        one.mention.text: one.mention.value for one in trace(answer, evidence) if one.status == "unbacked"
    }
    return tuple(
        DoubtedNumber(
            text, tuple(_near(evidence.every, cell) for cell in nearest_cells(value, evidence.every))
        )
        for text, value in found.items()
    )


def nearest_cells(value: float, results: Sequence[ResultTable]) -> list[Cell]:
    """Return the three cells closest to a number in size, the closest first; of equally close ones, those of calls."""
    said = abs(value)
    found = [
        (abs(abs(float(cell or 0)) - said), not table.call_id, at, row, column)
        for at, table in enumerate(results)
        for column in table.numeric
        for row, cell in enumerate(table.values(column))
        if is_number(cell)
    ]
    return [Cell(at, row, column, 0.0) for _, _, at, row, column in sorted(found)[:_NEAREST]]


def _near(results: Sequence[ResultTable], cell: Cell) -> NearCell:
    table = results[cell.table]
    row = table.rows[cell.row]
    words = ", ".join(one for one in row if isinstance(one, str) and one)
    return NearCell(table.name, table.columns[cell.column], words, row[cell.column])
