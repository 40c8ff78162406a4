"""Numbers of an answer that are cells of tables which a reader computes from the results, or follow from them. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.numbers.cells import Cells
from engine.numbers.computed_tables import ComputedTable, combined_columns, totals_by_label
from engine.numbers.evidence import Cell, Evidence
from engine.numbers.labels import Labels
from engine.numbers.mention import Mention
from engine.numbers.table_names import TableNames
from engine.numbers.traced_number import UNTRACED, TracedNumber

__all__ = ["with_computed"]

_MOST_RESULTS = 6
"""How many of the latest results tables are computed from."""
_MOST_CELLS = 40
"""How many cells of a derivation are kept."""
_SMALL, _DIGITS = 100, 3
"""A number below the first that has fewer digits than the second is easily equal to a computed cell by chance."""
Trace = Callable[[str, Evidence], list[TracedNumber]]


def with_computed(
    answer: str, evidence: Evidence, found: Sequence[TracedNumber], trace: Trace
) -> list[TracedNumber]:
    """Return the numbers of an answer, those without a known origin traced again over computed tables as well.

    Totals come first; columns made from two others are only tried for the numbers that totals do not explain. A number
    that is in a cell of a result is not traced again: its sentence says something else of it.
    """
    traced = list(found)
    cells = Cells(Labels(evidence.results))
    able = {at for at, one in enumerate(traced) if one.status in UNTRACED and not cells.fitting(one.mention)}
    made: list[ComputedTable] = []
    for stage in (_totals, _columns):
        if not able:
            break
        new = stage(evidence, made)
        made += new
        if new:
            tables = tuple(one.table for one in made)
            again = trace(answer, replace(evidence, results=(*evidence.results, *tables)))
            origins = _Origins(len(evidence.results), made)
            for at in sorted(able):
                if (better := _computed(answer, again[at], origins)) is not None:
                    traced[at] = better
                    able.discard(at)
    return traced


def _names(evidence: Evidence) -> list[TableNames]:
    first = max(0, len(evidence.results) - _MOST_RESULTS)
    return [
        TableNames(at, table)
        for at, table in enumerate(evidence.results)
        if at >= first and at not in evidence.replaced
    ]


def _totals(evidence: Evidence, _: Sequence[ComputedTable]) -> list[ComputedTable]:
    return [one for names in _names(evidence) for one in totals_by_label(names)]


def _columns(evidence: Evidence, totals: Sequence[ComputedTable]) -> list[ComputedTable]:
    own = [combined_columns(names, {}) for names in _names(evidence)]
    own += [combined_columns(TableNames(0, one.table), one.origins) for one in totals]
    return [one for one in own if one is not None]


class _Origins:
    """The computed tables, counted after the results."""

    def __init__(self, first: int, tables: Sequence[ComputedTable]) -> None:
        self._first = first
        self._tables = tables

    def table(self, cell: Cell) -> ComputedTable | None:
        """Return the computed table of a cell; None for a cell of a result."""
        return None if cell.table < self._first else self._tables[cell.table - self._first]

    def cells(self, cell: Cell) -> tuple[Cell, ...]:
        """Return the cells of results that a cell comes from."""
        table = self.table(cell)
        return (cell,) if table is None else table.origins[cell.row, cell.column].cells


def _computed(answer: str, one: TracedNumber, origins: _Origins) -> TracedNumber | None:
    """Return a number with the cells of results that it follows from; None if it follows from none for certain."""
    if one.status == "exact" and one.cell is not None:
        table = origins.table(one.cell)
        if table is None or not _tells(answer, one.mention, table):
            return None
        how = table.origins[one.cell.row, one.cell.column]
        return TracedNumber(one.mention, "derived", derivation=how)
    if one.status != "derived" or one.derivation is None:
        return None
    how = one.derivation
    small = one.mention.kind == "number" and abs(one.mention.value) < _SMALL and one.mention.digits < _DIGITS
    if small and any(origins.table(cell) is not None for cell in how.cells):
        return None
    cells = [own for cell in how.cells for own in origins.cells(cell)]
    many = max(how.many, len(cells)) if how.many or len(cells) > _MOST_CELLS else 0
    kept = tuple(cells) if len(cells) <= _MOST_CELLS else (cells[0], cells[-1])
    return TracedNumber(one.mention, "derived", derivation=replace(how, cells=kept, many=many))


def _tells(answer: str, mention: Mention, table: ComputedTable) -> bool:
    """Whether a number has so many digits that a computed cell hardly equals it by chance."""
    if mention.kind == "number" and abs(mention.value) >= _SMALL:
        return not (table.table.combined and mention.signed and not _in_table(answer, mention))
    if mention.digits >= _DIGITS:
        return not mention.signed or _in_table(answer, mention)
    return not table.table.combined and mention.kind in ("times", "part")


def _in_table(answer: str, mention: Mention) -> bool:
    """Whether a number is in a Markdown table, whose header says which difference it is."""
    line = answer.rfind("\n", 0, mention.start) + 1
    return answer[line : mention.start].lstrip().startswith("|")
