"""The origin of a number in one line, for readers who do not have the chat. Pure."""

from engine.numbers.evidence import Cell
from engine.views.answer_number import AnswerNumber
from engine.views.dossier import rounding, status_words
from engine.views.reports.report import cell_text
from engine.views.unclear_words import likely_words, maybe_words

__all__ = ["source_words"]

_MOST_CELLS = 3


def source_words(number: AnswerNumber) -> str:
    """Return a text such as `revenue_by_region: East, q3 = 271,640`, with a formula if the number was calculated."""
    traced = number.traced
    if number.status == "unclear":
        return " ".join([*(likely_words(number, one) for one in traced.likely), maybe_words(number)]).strip()
    if traced.is_refuted:
        return f"Found wrong by the review: {traced.refuted_because}"
    if not number.cells:
        return status_words(number, number.status)
    cells = "; ".join(_cell(number, cell) for cell in number.cells[:_MOST_CELLS])
    many = (traced.derivation.many if traced.derivation else 0) or len(number.cells)
    if many > _MOST_CELLS:
        cells = f"{many} cells, such as {cells}"
    told = f"{traced.derivation.formula} ({cells})" if traced.derivation else cells
    rounded = rounding(number)
    parts = [told, rounded.partition(", ")[2] if rounded else ""]
    if number.status == "stale":
        parts.append(
            f"changed since: {', '.join(number.changed)}" if number.changed else "a later result replaced it"
        )
    return " · ".join(part for part in parts if part)


def _cell(number: AnswerNumber, cell: Cell) -> str:
    table = number.results[cell.table]
    row, column = table.rows[cell.row], table.columns[cell.column]
    named = [str(value) for value in row if isinstance(value, str) and value][:3]
    where = ", ".join([*named, column]) if named else f"row {cell.row + 1}, {column}"
    return f"{table.name}: {where} = {cell_text(row[cell.column])}"
