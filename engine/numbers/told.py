"""Decides whether a number matches a cell: the text must mention enough of the cell's row and column, and no other row
or column. Pure.
"""

from engine.numbers.evidence import Cell
from engine.numbers.fitting import PERCENT_NAME, sign_fits
from engine.numbers.naming import MEANS, TOTALS, column_named, is_change, row_named
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.strangers import names_other_measure, names_other_period, names_stranger
from engine.numbers.table_names import TableNames
from engine.numbers.unnamed_rows import is_grand_total, is_missing_count

__all__ = ["among_named", "told_of"]


_TOO_LITTLE = (0, False)


def told_of(
    text: Text, place: Place, names: TableNames, cell: Cell, factor: float
) -> tuple[int, bool] | None:
    """Return how much of a cell's row and column is named, and whether the column is named; None if the text mentions
    another row or column.
    """
    if names.matrix is not None:
        named = _in_matrix(text, place, names, cell)
        return None if named is None else (named, True)
    if is_missing_count(place, names, cell):
        return 4, True
    column = column_named(text, place, names, cell.column)
    if column == 0 and _is_rate(place, names, cell):
        column = 1
    if column is None and factor == names.own_units[cell.column].scale != 1.0:
        column = 1  # "518.2 million" can only be of the column in millions
    if column is None or cell.column in names.ordinals:
        return None
    if not sign_fits(cell.value, place, is_change(names, cell.column)):
        return None
    row = 2 if is_grand_total(place, names, cell) else row_named(text, place, names, cell)
    if not row and _of_many_rows(place, names, cell):
        return None
    if not column and _needs_column(place, names, cell):
        return None
    if row is None or not (column or _counts_label(text, place, names, cell)):
        return None
    if not row and len(names.table.rows) > 1 and names.dimensions and names_stranger(text, place):
        return None
    if not (row and column) and names_other_period(text, place, names):
        return None
    if not column and names_other_measure(text, place, names, cell.column):
        return None
    return (row + column + 1, column > 0) if _enough(place, names, row, column) else _TOO_LITTLE


def _is_rate(place: Place, names: TableNames, cell: Cell) -> bool:
    """Return whether a number is a price per unit ("14.3 ct per kWh") and only the cell's column (`cent_per_grid_kwh`)
    has this unit.
    """
    mention, own = place.mention, names.own_units[cell.column]
    if mention.unit is None or mention.per is None or own.unit is None or own.per is None:
        return False
    if not own.unit[0].startswith(("money", "cents")):
        return False  # milligrams per litre may be of anything
    alike = [
        one
        for one in names.own_units
        if one.unit is not None and (one.unit[0], one.per) == (own.unit[0], own.per)
    ]
    return (mention.unit[0], mention.per[0]) == (own.unit[0], own.per[0]) and len(alike) == 1


def _needs_column(place: Place, names: TableNames, cell: Cell) -> bool:
    """Return whether a number matches this cell only if the text mentions the column. This is so for a number without a
    percent sign in a column of percentages, and for a small whole number in a column of decimals.
    """
    mention = place.mention
    if mention.kind != "number" or mention.unit is not None or place.passage.cells:
        return False
    percent = PERCENT_NAME.search(names.table.columns[cell.column]) is not None
    rounded = mention.value.is_integer() and not cell.value.is_integer() and mention.digits < 3
    return len(names.measures) > 1 and (percent or (rounded and not mention.hedge))


def among_named(text: Text, place: Place, names: TableNames, cell: Cell) -> bool:
    """Return False if the sentence or the question mentions several rows, but not the row of this cell."""
    span = place.passage.start, place.passage.end
    for column in names.dimensions:
        here = {one.label for one in text.rows_in(names.at, column, span)} | text.asked_rows(names.at, column)
        if len(here) > 1 and names.label(cell.row, column) not in here:
            return False
    return True


def _of_many_rows(place: Place, names: TableNames, cell: Cell) -> bool:
    """Return whether the text mentions a total or a mean although the cell is a single row's value in a column of
    neither totals nor means.
    """
    said, words = place.clause_words, set(names.column_words[cell.column])
    if len(names.table.rows) < 2 or place.passage.cells:
        return False
    return bool((said & TOTALS and not words & TOTALS) or (said & MEANS and not words & MEANS))


def _counts_label(text: Text, place: Place, names: TableNames, cell: Cell) -> bool:
    """Return False if the text counts the row's label ("541 office chairs") but the cell is not a whole number."""
    mention = place.mention
    if mention.unit is not None or mention.kind != "number" or float(cell.value).is_integer():
        return True
    behind = (mention.end, mention.end + 2)
    if text.text[mention.end : mention.end + 1] != " ":
        return True
    return not any(text.rows_in(names.at, column, behind) for column in names.dimensions)


def _in_matrix(text: Text, place: Place, names: TableNames, cell: Cell) -> int | None:
    """Return a score if the text mentions both things that a cell of a matrix relates; else None. If the words near the
    number mention such things, one of these two must be among them.
    """
    assert names.matrix is not None
    passage = place.passage
    spans = (*passage.cells, (passage.start, passage.end), *passage.around[:1])
    here = {one.label for span in spans for one in text.rows_in(names.at, names.matrix, span)}
    here |= text.asked_rows(names.at, names.matrix)
    near = {
        one.label
        for span in passage.nearest(place.mention.start)
        for one in text.rows_in(names.at, names.matrix, span)
    }
    own = {names.label(cell.row, names.matrix), names.table.columns[cell.column].casefold()}
    if not own <= here or (near and not own & near) or not sign_fits(cell.value, place, moves=False):
        return None
    return 6


def _enough(place: Place, names: TableNames, row: int, column: int) -> bool:
    """Return whether the text mentions so much of a cell that a match is no coincidence, even if the number has few
    digits."""
    digits = place.mention.digits
    if len(names.table.rows) == 1 and (column or len(names.table.numeric) == 1):
        return True
    if row + column:
        return digits >= 2 or row > 0 or place.mention.kind in ("percent", "times", "points")
    if len(names.table.rows) > 1:
        return digits >= 4
    return digits >= 3 or (digits == 2 and (len(names.table.numeric) <= 3 or place.mention.kind == "percent"))
