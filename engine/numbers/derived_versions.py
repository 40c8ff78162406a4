"""Computations from a cell and the cell that replaced it: "177 fewer than before". Pure."""

from collections.abc import Iterator

from engine.numbers.derivation import Derivation
from engine.numbers.derived_values import of_values
from engine.numbers.evidence import Cell
from engine.numbers.fitting import is_fraction
from engine.numbers.places import Place
from engine.numbers.rows_meant import named_rows
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames

__all__ = ["of_versions"]


def of_versions(text: Text, place: Place, new: TableNames) -> Iterator[Derivation]:
    """Yield the changes in the named rows between a result and the results that it replaced."""
    for at, by in text.replaced.items():
        if by != new.at:
            continue
        old = text.labels.tables[at]
        for row in named_rows(text, place, new)[:4]:
            for before, after in _pairs(old, new, row):
                fraction = is_fraction(new.table, after.column)
                yield from of_values(
                    place, before.value, after.value, (before, after), fraction, ordered=True
                )


def _pairs(old: TableNames, new: TableNames, row: int) -> Iterator[tuple[Cell, Cell]]:
    """Yield the measures of a row, each as a pair of its old and new cells."""
    own = [new.label(row, column) for column in new.dimensions]
    for at in range(len(old.table.rows)):
        if [old.label(at, column) for column in old.dimensions] != own:
            continue
        for column in new.measures:
            name = new.table.columns[column]
            if name not in old.table.columns:
                continue
            other = old.table.columns.index(name)
            before = old.table.number(at, other) if other in old.table.numeric else None
            after = new.table.number(row, column)
            if before is not None and after is not None:
                yield Cell(old.at, at, other, before), Cell(new.at, row, column, after)
