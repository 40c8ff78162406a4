"""Numbers computed like the previous one, for another row or column: "Email converts 5.3%, Social 0.9%". Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.numbers.derivation import Bound, Derivation, told_number
from engine.numbers.derivation_words import IN_BRACKETS
from engine.numbers.evidence import Cell
from engine.numbers.places import Place
from engine.numbers.recomputed import Side, recomputed
from engine.numbers.rows_meant import clause_rows
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames

__all__ = ["derived_alike"]

_MOST_BEFORE = 6


def derived_alike(
    text: Text, place: Place, before: Sequence[tuple[Place, Derivation]], bound: Sequence[Bound]
) -> Iterator[Derivation]:
    """Apply the operations of earlier computed numbers to the row or column of a number, and yield the results.

    A number in brackets belongs to the number before it, which is one of `bound`: "312 are duplicates (0.6%), 77 are
    empty (0.2%)".
    """
    explained = [
        one
        for one in bound
        if len(one.cells) == 1 and IN_BRACKETS.fullmatch(text.text[one.written.end : place.mention.start])
    ]
    for other, derivation in reversed(before[-_MOST_BEFORE:]):
        if other.mention.kind != place.mention.kind or derivation.many or not derivation.cells:
            continue
        names = text.labels.tables[derivation.cells[0].table]
        if any(cell.table != names.at for cell in derivation.cells):
            continue
        own = [(one.cells[0], *derivation.cells[1:]) for one in explained if one.cells[0].table == names.at]
        for cells in (*own, *_moved(text, place, names, derivation.cells)):
            if cells != derivation.cells and (one := _computed(text, derivation, cells)) is not None:
                yield one


def _moved(
    text: Text, place: Place, names: TableNames, cells: tuple[Cell, ...]
) -> Iterator[tuple[Cell, ...]]:
    """Yield the corresponding cells in the row or the column that the clause mentions."""
    if len(cells) == 4 and cells[0].column == cells[1].column and cells[2].column == cells[3].column:
        cells = cells[0], replace(cells[2], row=cells[0].row)  # of totals
        for row in clause_rows(text, place, names)[:1]:
            yield from _with(names, cells, row=row)
        return
    if len({cell.row for cell in cells}) == 1:
        rows = clause_rows(text, place, names)
        if len(rows) == 1:
            yield from _with(names, cells, row=rows[0])
        if rows in ([], [cells[0].row]) and len(cells) == 2 and place.mention.digits > 2:
            for column in names.measures:
                for moved in _with(names, cells[:1], column=column):
                    yield (moved[0], cells[1])
    elif len({cell.column for cell in cells}) == 1:
        clause = place.passage.clause(place.mention.start)
        for column in {one.column for one in text.columns_in(names.at, clause)}:
            yield from _with(names, cells, column=column)


def _with(
    names: TableNames, cells: Sequence[Cell], row: int | None = None, column: int | None = None
) -> Iterator[tuple[Cell, ...]]:
    moved = []
    for cell in cells:
        at = cell.row if row is None else row, cell.column if column is None else column
        value = names.table.number(*at)
        if value is None:
            return
        moved.append(replace(cell, row=at[0], column=at[1], value=value))
    yield tuple(moved)


def _of_row(derivation: Derivation, cells: tuple[Cell, ...]) -> Derivation | None:
    """Apply a computation from two totals to two cells of a row."""
    one, other = (cell.value for cell in cells)
    if derivation.operation == "difference":
        return replace(
            derivation, cells=cells, value=one - other, formula=f"{told_number(one)} − {told_number(other)}"
        )
    if other and derivation.operation in ("ratio", "share of total"):
        return replace(
            derivation, cells=cells, value=one / other, formula=f"{told_number(one)} ÷ {told_number(other)}"
        )
    return None


def _computed(text: Text, derivation: Derivation, cells: tuple[Cell, ...]) -> Derivation | None:
    tables = [names.table for names in text.labels.tables]
    if len(cells) == 2 and len(derivation.cells) == 4:
        return _of_row(derivation, cells)
    value = recomputed(derivation, Side(derivation.cells, tables), Side(cells, tables))
    if value is None:
        return None
    told = ", ".join(told_number(cell.value) for cell in cells)
    return replace(derivation, cells=cells, value=value, formula=f"{derivation.operation} of {told}")
