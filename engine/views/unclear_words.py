"""Writes the explanation of a number whose value was found but not clearly identified, or whose stated calculation was
refused. Pure.
"""

from engine.numbers.evidence import Cell, ResultTable
from engine.numbers.traced_number import UNTRACED, Likely
from engine.views.answer_number import AnswerNumber

__all__ = ["likely_words", "maybe_words", "working_words"]


def likely_words(number: AnswerNumber, one: Likely) -> str:
    """Return a sentence that says where a number may come from, and whether its row or column is missing from the
    answer."""
    table = number.results[one.cell.table]
    row, column = _row(table, one.cell), table.columns[one.cell.column]
    where = f"{row} · {column}" if row else column
    missing = [
        word for word, named in ((row, one.row_named), (column, one.column_named)) if word and not named
    ]
    told = (
        f"The sentence does not name {' or '.join(missing)}, so check that this is the right cell."
        if missing
        else "The sentence does not say so clearly, so check that this is the right cell."
    )
    return f"{number.text} is in {table.title or table.name}, {where}. {told}"


def maybe_words(number: AnswerNumber) -> str:
    """Return a sentence that says how a number may have been computed, or that it is hypothetical; "" if neither."""
    maybe = number.traced.maybe
    if maybe is None and number.traced.assumed:
        return (
            f"{number.text} is in a hypothetical sentence. It is in no result and does not follow from one."
        )
    if maybe is None:
        return ""
    table = number.results[maybe.cells[0].table]
    if number.traced.objection:
        return (
            f"{number.text} follows from {table.title or table.name}: {maybe.formula}. Check that this is what the "
            "sentence means."
        )
    return (
        f"{number.text} follows from {table.title or table.name}: {maybe.formula}. The sentence does not say that it "
        "is computed this way, so check that this is what it means."
    )


def working_words(number: AnswerNumber) -> str:
    """Return a sentence that says why the model's calculation was not accepted; "" if it was, or if there is none."""
    objection = number.traced.objection if number.status in UNTRACED else ""
    return f"The model's calculation was not accepted: {objection}." if objection else ""


def _row(table: ResultTable, cell: Cell) -> str:
    """Return the words in a cell's row; the row's number if it has no words, "" if it is the only row."""
    words = [one for one in table.rows[cell.row] if isinstance(one, str) and one][:2]
    return ", ".join(words) or (f"row {cell.row + 1}" if len(table.rows) > 1 else "")
