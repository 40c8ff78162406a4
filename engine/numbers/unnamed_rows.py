"""Rows and values that a text means without their names: totals of a grouping, and counts of missing values. Pure."""

from engine.numbers.evidence import Cell
from engine.numbers.naming import TOTALS
from engine.numbers.places import Place
from engine.numbers.table_names import TableNames
from engine.numbers.words import Word, forms, text_words

__all__ = ["is_grand_total", "is_missing_count"]

_COUNTED = forms("missing null nulls blank empty unknown unrecorded invalid without unusable")
"""Words in the name of a column that counts missing values."""
_LEFT = forms(
    "missing null blank empty unknown unrecorded invalid without unusable no not none lack lacking left excluded"
    " omitted unavailable unreadable usable recorded"
)
"""Words of a sentence about missing values."""
_ALL = TOTALS | forms("all everyone everything whole altogether overall entire combined")


def is_grand_total(place: Place, names: TableNames, cell: Cell) -> bool:
    """Return whether a cell is in the row of grand totals, and the sentence is about all rows."""
    return names.grand_total == cell.row and bool(place.words & _ALL)


def is_missing_count(place: Place, names: TableNames, cell: Cell) -> bool:
    """Return whether a cell counts missing values, and the sentence is about missing values. The sentence must name the
    cell's row, or no row with such a count.
    """
    counts = bool(set(names.column_words[cell.column]) & _COUNTED)
    if not counts or place.mention.kind != "number" or place.mention.unit or not place.words & _LEFT:
        return False
    numbers = names.table.numbers(cell.column)
    own = {word.form for column in names.dimensions for word in _words_of(names, cell.row, column)}
    others = [
        {word.form for column in names.dimensions for word in _words_of(names, row, column)}
        for row in range(len(names.table.rows))
        if row != cell.row and names.table.number(row, cell.column)
    ]
    if own & place.words:
        return True
    return (
        place.mention.digits > 1
        and numbers.count(cell.value) == 1
        and not any(one & place.words for one in others)
    )


def _words_of(names: TableNames, row: int, column: int) -> list[Word]:
    return list(text_words(names.label(row, column).replace("_", " ")))
