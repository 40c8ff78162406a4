"""Numbers of an answer that are cells of tables which a reader computes from the results, or follow from them. Pure."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from engine.numbers.cells import Cells
from engine.numbers.computed_tables import (
    ComputedTable,
    combined_columns,
    slices,
    split_periods,
    totals_by_label,
)
from engine.numbers.derivation import Derivation
from engine.numbers.evidence import Cell, Evidence, ResultTable
from engine.numbers.fitting import DOWN, UP
from engine.numbers.labels import Labels, Named
from engine.numbers.mention import Mention
from engine.numbers.passages import passages
from engine.numbers.table_names import TableNames
from engine.numbers.traced_number import UNTRACED, TracedNumber
from engine.numbers.words import name_words, text_words

__all__ = ["with_computed"]

_MOST_RESULTS = 6
"""How many of the latest results tables are computed from."""
_MOST_NUMBERS = 40
"""How many doubted numbers of an answer are traced again."""
_MOST_CELLS = 40
"""How many cells of a derivation are kept."""
_PARTS = ("share", "share of total", "rest", "product")
_SMALL, _DIGITS = 100, 3
"""A number below the first that has fewer digits than the second is easily equal to a computed cell by chance."""


class Trace(Protocol):
    """Traces the numbers of an answer, except known ones, by where they start; with `search`, also by all computations
    that are possible over the rows and columns that are named.
    """

    def __call__(
        self, answer: str, evidence: Evidence, known: Mapping[int, TracedNumber], *, search: bool = False
    ) -> list[TracedNumber]:
        """Return all numbers, in their order."""


def with_computed(
    answer: str, evidence: Evidence, found: Sequence[TracedNumber], trace: Trace
) -> list[TracedNumber]:
    """Return the numbers of an answer, those without a known origin traced again over computed tables as well.

    Totals come first; columns made from two others are only tried for the numbers that totals do not explain. A number
    that is in a cell of a result is not traced again: its sentence says something else of it.
    """
    traced = list(found)
    labels = Labels(evidence.results)
    cells, named = Cells(labels), labels.named(answer)
    able = set([at for at, one in enumerate(traced) if one.status in UNTRACED][:_MOST_NUMBERS])
    in_cells = {at for at in able if cells.fitting(traced[at].mention)}
    around = _around(answer, traced)
    made: list[ComputedTable] = []
    for stage in (_totals, _columns, None):
        if not able:
            break
        new = stage(evidence, made, named) if stage is not None else []
        made += new
        if new or stage is None:
            used = [one for one in made if stage is not None or one.table.made != "combined"]
            known = {one.mention.start: one for at, one in enumerate(traced) if at not in able}
            every = replace(evidence, results=(*evidence.results, *(one.table for one in used)))
            again = trace(answer, every, known, search=stage is None)
            origins = _Origins(evidence.results, used)
            often = Counter((one.cell.table, one.cell.column) for one in again if one.cell is not None)
            for at in sorted(able):
                better = _computed(around[at], again[at], origins, often)
                if better is not None and (at not in in_cells or better.status == "exact"):
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


def _totals(evidence: Evidence, _: Sequence[ComputedTable], named: Sequence[Named]) -> list[ComputedTable]:
    made: list[ComputedTable] = []
    for names in _names(evidence):
        made += [*split_periods(names), *totals_by_label(names)]
        made += slices(
            names, {(one.column, one.label) for one in named if one.table == names.at and one.label}
        )
    return made


def _columns(evidence: Evidence, totals: Sequence[ComputedTable], _: Sequence[Named]) -> list[ComputedTable]:
    own = [combined_columns(names, {}) for names in _names(evidence)]
    own += [combined_columns(TableNames(0, one.table), one.origins) for one in totals]
    return [one for one in own if one is not None]


class _Origins:
    """The computed tables, counted after the results."""

    def __init__(self, results: Sequence[ResultTable], tables: Sequence[ComputedTable]) -> None:
        self.results = results
        self._first = len(results)
        self._tables = tables

    def table(self, cell: Cell) -> ComputedTable | None:
        """Return the computed table of a cell; None for a cell of a result."""
        return None if cell.table < self._first else self._tables[cell.table - self._first]

    def cells(self, cell: Cell) -> tuple[Cell, ...]:
        """Return the cells of results that a cell comes from."""
        table = self.table(cell)
        return (cell,) if table is None else table.origins[cell.row, cell.column].cells


@dataclass(frozen=True, slots=True)
class _Near:
    """The text around a number."""

    sentence: str
    """Its sentence; in a Markdown table, its row's label and its header too."""
    in_table: bool


def _around(answer: str, found: Sequence[TracedNumber]) -> list[_Near]:
    every = passages(answer)
    starts = [one.start for one in every]
    near = [every[max(0, bisect_right(starts, one.mention.start) - 1)] for one in found]
    return [
        _Near(
            " ".join(answer[start:end] for start, end in (*one.cells, (one.start, one.end))), bool(one.cells)
        )
        for one in near
    ]


def _computed(
    near: _Near, one: TracedNumber, origins: _Origins, often: Mapping[tuple[int, int], int]
) -> TracedNumber | None:
    """Return a number with the cells of results that it follows from; None if it follows from none for certain.

    `often` is how many numbers of the answer are in a column: three in one are there by no chance.
    """
    if one.status == "exact" and one.cell is not None:
        table = origins.table(one.cell)
        sure = often[one.cell.table, one.cell.column] > 2 and one.mention.digits > 1
        if table is None or not (sure or table.table.made == "split" or _tells(near, one.mention, table)):
            return None
        how = table.origins[one.cell.row, one.cell.column]
        if table.table.made == "split":
            return replace(one, cell=how.cells[0], others=())
        if _names_other_row(near.sentence, table, origins.results[how.cells[0].table]):
            return None
        return TracedNumber(one.mention, "derived", derivation=how)
    if one.status != "derived" or one.derivation is None:
        return None
    how = one.derivation
    if how.operation in _PARTS and not (
        one.mention.digits >= _DIGITS and _names_column(near.sentence, how, origins)
    ):
        return None
    small = one.mention.kind == "number" and abs(one.mention.value) < _SMALL and one.mention.digits < _DIGITS
    if small and any(origins.table(cell) is not None for cell in how.cells):
        return None
    return TracedNumber(one.mention, "derived", derivation=_resolved(how, origins))


def _resolved(how: Derivation, origins: _Origins) -> Derivation:
    """Return a derivation with the cells of results instead of computed ones."""
    groups = [origins.cells(cell) for cell in how.cells]
    cells = [own for group in groups for own in group]
    many = max(how.many, len(cells)) if how.many or len(cells) > _MOST_CELLS else 0
    kept = tuple(cells) if len(cells) <= _MOST_CELLS else (cells[0], cells[-1])
    totals = all(
        (table := origins.table(cell)) is None or table.table.made != "combined" for cell in how.cells
    )
    parts = tuple(map(len, groups)) if totals and not many and len(cells) > len(groups) else ()
    return replace(how, cells=kept, many=many, parts=parts)


def _names_column(sentence: str, how: Derivation, origins: _Origins) -> bool:
    """Whether the sentence of a share names the column that it is of, or no other one, and no change."""
    tables = [table for cell in how.cells if (table := origins.table(cell)) is not None]
    if any(table.table.made == "split" for table in tables):
        return False
    said = {word.form for word in text_words(sentence)}
    if said & (UP | DOWN):
        return False  # “up 23.5% on April” is no share
    for cell in how.cells:
        table = origins.table(cell)
        words = [set(name_words(name)) for name in table.table.columns] if table is not None else []
        if words and not said & words[cell.column] and any(said & other for other in words):
            return False
    return True


def _names_other_row(sentence: str, table: ComputedTable, result: ResultTable) -> bool:
    """Whether a sentence names no row of a computed table, but some of the result: “in March”, of quarters."""
    own, of = (any(one.label for one in Labels([known]).named(sentence)) for known in (table.table, result))
    return of and not own


def _tells(near: _Near, mention: Mention, table: ComputedTable) -> bool:
    """Whether a number has so many digits that a computed cell hardly equals it by chance.

    A signed difference must be in a Markdown table, whose header says which one it is.
    """
    if mention.kind == "number" and abs(mention.value) >= _SMALL:
        return not (table.table.made == "combined" and mention.signed and not near.in_table)
    if mention.digits >= _DIGITS:
        return not mention.signed or near.in_table
    return table.table.made != "combined" and mention.kind in ("times", "part")
