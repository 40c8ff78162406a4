"""The numbers of an answer that are not in any result, each with the closest cells. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from engine.numbers.evidence import Cell, ResultTable, Value, is_number
from engine.numbers.mention import Mention
from engine.numbers.traced_number import TracedNumber
from engine.numbers.traced_reply import TracedReply
from events.late_dataclass import dataclass

__all__ = ["DoubtedNumber", "NearCell", "doubted_numbers", "nearest_cells"]

_NEAREST = 3
_AROUND = 40


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
    """A number that is not in any result and does not follow from one, or that the review calls wrong."""

    text: str
    """The number as it is written in the answer."""
    nearest: tuple[NearCell, ...]
    sentence: str = ""
    """The words around it, shortened."""
    same: bool = False
    """Whether the first of `nearest` has this value, although the sentence mentions another row or column."""
    objection: str = ""
    """Why the line that the model gave for it in the workings was not accepted; "" if there is no such line."""
    reason: str = ""
    """The fault that the review found; "" if the review does not call the number wrong."""


def doubted_numbers(reply: TracedReply) -> tuple[DoubtedNumber, ...]:
    """Return the numbers of a reply that are `unbacked` or that its review calls wrong, in text order, each spelling
    once.
    """
    found = {one.mention.text: one for one in reply.numbers if one.status == "unbacked" or one.is_refuted}
    return tuple(_doubted(reply.text, one, reply.evidence.every) for one in found.values())


def _doubted(answer: str, one: TracedNumber, results: Sequence[ResultTable]) -> DoubtedNumber:
    from engine.numbers.fitting import fits  # noqa: PLC0415 - slow to import

    mention = one.mention
    cells = nearest_cells(mention.value, results) if mention.kind != "plain" else []
    nearest = tuple(_near(results, cell) for cell in cells)
    shown = [float(one.value or 0) for one in nearest[:1]]
    same = any(fits(abs(value), replace(mention, signed=False)) for value in shown)
    return DoubtedNumber(
        mention.text, nearest, _around(answer, mention), same, one.objection, one.refuted_because
    )


def _around(answer: str, mention: Mention) -> str:
    """Return up to 40 characters on each side of a number, cut at a line's end or between words."""
    before = answer[max(0, mention.start - _AROUND) : mention.start].rpartition("\n")[2]
    after = answer[mention.end : mention.end + _AROUND].partition("\n")[0]
    before = before.partition(" ")[2] if len(before) == _AROUND else before
    after = after.rpartition(" ")[0] if len(after) == _AROUND else after
    return f"{before}{mention.text}{after}".strip()


def nearest_cells(value: float, results: Sequence[ResultTable]) -> list[Cell]:
    """Return the three cells closest to a number in size, the closest first; results of calls win ties. The `value` of
    these cells is not set; it is 0."""
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
