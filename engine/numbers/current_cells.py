"""Chooses the cell of a number among those that fit: one that no later result replaced. Pure."""

from collections.abc import Sequence

from engine.numbers.cells import Match
from engine.numbers.evidence import Cell
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.ties import is_earlier
from engine.numbers.traced_number import TracedNumber

__all__ = ["exact_number"]


def exact_number(text: Text, place: Place, matches: Sequence[Match]) -> TracedNumber:
    """Return a number in a cell, marked as stale if its cell was replaced and the text does not say that it is old."""
    current = [match for match in matches if not _out_of_date(text, match.cell)]
    chosen = (current or matches)[0]
    others = tuple(match.cell for match in matches if match is not chosen)[:8]
    old = not current and not is_earlier(text.text, place)
    return TracedNumber(place.mention, "stale" if old else "exact", chosen.cell, chosen.factor, others=others)


def _out_of_date(text: Text, cell: Cell) -> bool:
    """Return whether a later result has another value for the same row and column."""
    newer = text.replaced.get(cell.table)
    if newer is None:
        return False
    old, new = text.labels.tables[cell.table], text.labels.tables[newer]
    name = old.table.columns[cell.column]
    if name not in new.table.columns:
        return True
    column = new.table.columns.index(name)
    own = [old.label(cell.row, dimension) for dimension in old.dimensions]
    values = [
        value
        for at, value in enumerate(new.table.values(column))
        if [new.label(at, dimension) for dimension in new.dimensions] == own
    ]
    return not any(value == cell.value for value in values)
