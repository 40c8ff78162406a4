"""Traces numbers to tables that a reader might compute from the results, or to computations from such tables. Pure."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Protocol

from engine.numbers.cells import Cells
from engine.numbers.computed_joins import joined
from engine.numbers.computed_means import means_by_label
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
from engine.numbers.naming import MEANS
from engine.numbers.passages import passages
from engine.numbers.table_names import TableNames, names_of
from engine.numbers.traced_number import UNTRACED, TracedNumber
from engine.numbers.words import name_words, text_words
from events.late_dataclass import dataclass

__all__ = ["with_computed"]

_MOST_RESULTS = 6
"""Tables are computed from at most this many of the latest results."""
_MOST_NUMBERS = 40
"""At most this many doubted numbers of an answer are traced again."""
_MOST_CELLS = 40
"""At most this many cells of a derivation are kept."""
_PARTS = ("share", "share of total", "rest", "product")
_SIDE_BY_SIDE = ("split", "joined")
"""Tables that only rearrange cells of results and compute nothing."""
_SMALL, _DIGITS = 100, 3
"""A number below `_SMALL` with fewer than `_DIGITS` digits can easily equal a computed cell by chance."""


class Trace(Protocol):
    """Traces the numbers of an answer except those in `known`, which are keyed by start position. With `search`, also
    tries all computations over the named rows and columns.
    """

    def __call__(
        self, answer: str, evidence: Evidence, known: Mapping[int, TracedNumber], *, search: bool = False
    ) -> list[TracedNumber]:
        """Return all numbers in text order."""


def with_computed(
    answer: str, evidence: Evidence, found: Sequence[TracedNumber], trace: Trace
) -> list[TracedNumber]:
    """Return the numbers of an answer, with those of unknown origin traced again, now also over computed tables.

    Totals are tried first, and columns computed from others only for the numbers that totals do not explain. A number
    that equals a cell of a result, although its sentence is about another cell, does not become `derived`.
    """
    traced = list(found)
    doubted = [at for at, one in enumerate(traced) if one.status in UNTRACED and not one.settled]
    if not doubted:
        return traced
    labels = Labels(evidence.results)
    cells, named = Cells(labels), labels.named(answer)
    able = set(doubted[:_MOST_NUMBERS])
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
        names_of(at, table)
        for at, table in enumerate(evidence.results)
        if at >= first and at not in evidence.replaced
    ]


def _totals(evidence: Evidence, _: Sequence[ComputedTable], named: Sequence[Named]) -> list[ComputedTable]:
    made: list[ComputedTable] = []
    latest = _names(evidence)
    made += [one for pair in permutations(latest, 2) if (one := joined(*pair)) is not None]
    for names in latest:
        made += [*split_periods(names), *totals_by_label(names), *means_by_label(names)]
        made += slices(
            names, {(one.column, one.label) for one in named if one.table == names.at and one.label}
        )
    return made


def _columns(evidence: Evidence, totals: Sequence[ComputedTable], _: Sequence[Named]) -> list[ComputedTable]:
    own = [combined_columns(names, {}) for names in _names(evidence)]
    own += [combined_columns(names_of(0, one.table), one.origins) for one in totals]
    return [one for one in own if one is not None]


class _Origins:
    """The computed tables. Their indexes come after those of the results."""

    def __init__(self, results: Sequence[ResultTable], tables: Sequence[ComputedTable]) -> None:
        self.results = results
        self._first = len(results)
        self._tables = tables

    def table(self, cell: Cell) -> ComputedTable | None:
        """Return the computed table of a cell; None for a cell of a result."""
        return None if cell.table < self._first else self._tables[cell.table - self._first]

    def cells(self, cell: Cell) -> tuple[Cell, ...]:
        """Return the cells of results that a cell was computed from; none for the label of a computed row."""
        table = self.table(cell)
        if table is None:
            return (cell,)
        how = table.origins.get((cell.row, cell.column))
        return () if how is None else how.cells


@dataclass(frozen=True, slots=True)
class _Near:
    """The text around a number."""

    sentence: str
    """The sentence of the number; in a Markdown table, with the label of its row and its header."""
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
    """Return a number with the cells of results that it was computed from; None if this is not certain.

    `often` counts the answer's numbers in each column: three in one column are not a coincidence.
    """
    if one.status == "exact" and one.cell is not None:
        table = origins.table(one.cell)
        if table is not None and table.table.made == "joined":
            return None  # a joined table only has cells of results, and these did not fit
        sure = often[one.cell.table, one.cell.column] > 2 and one.mention.digits > 1
        if table is None or not (
            sure or table.table.made in _SIDE_BY_SIDE or _tells(near, one.mention, table)
        ):
            return None
        how = table.origins.get((one.cell.row, one.cell.column))
        if how is None or (table.table.made == "means" and not _says_mean(near.sentence)):
            return None
        if table.table.made in _SIDE_BY_SIDE:
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
    resolved = _resolved(how, origins)
    return None if resolved is None else TracedNumber(one.mention, "derived", derivation=resolved)


def _says_mean(sentence: str) -> bool:
    return bool({word.form for word in text_words(sentence)} & MEANS)


def _resolved(how: Derivation, origins: _Origins) -> Derivation | None:
    """Return a derivation with computed cells replaced by the cells of results behind them; None if a computed cell has
    no such cells.
    """
    groups = [origins.cells(cell) for cell in how.cells]
    if not all(groups):
        return None
    cells = [own for group in groups for own in group]
    many = max(how.many, len(cells)) if how.many or len(cells) > _MOST_CELLS else 0
    kept = tuple(cells) if len(cells) <= _MOST_CELLS else (cells[0], cells[-1])
    totals = all(
        (table := origins.table(cell)) is None or table.table.made != "combined" for cell in how.cells
    )
    parts = tuple(map(len, groups)) if totals and not many and len(cells) > len(groups) else ()
    return replace(how, cells=kept, many=many, parts=parts)


def _names_column(sentence: str, how: Derivation, origins: _Origins) -> bool:
    """Return whether the sentence of a share mentions no change and, if it names any columns, names the share's
    column.
    """
    tables = [table for cell in how.cells if (table := origins.table(cell)) is not None]
    if any(table.table.made in _SIDE_BY_SIDE for table in tables):
        return False
    said = {word.form for word in text_words(sentence)}
    if said & (UP | DOWN):
        return False  # “up 23.5% on April” is not a share
    for cell in how.cells:
        table = origins.table(cell)
        words = [set(name_words(name)) for name in table.table.columns] if table is not None else []
        if words and not said & words[cell.column] and any(said & other for other in words):
            return False
    return True


def _names_other_row(sentence: str, table: ComputedTable, result: ResultTable) -> bool:
    """Return whether a sentence mentions rows of the result (“in March”) but none of the computed table (a quarter)."""
    own, of = (any(one.label for one in Labels([known]).named(sentence)) for known in (table.table, result))
    return of and not own


def _tells(near: _Near, mention: Mention, table: ComputedTable) -> bool:
    """Return whether a number has so many digits that it is unlikely to equal a computed cell by chance.

    A number with a sign, such as “+12”, could be any difference, so it counts only in a Markdown table, whose header
    says what it is. A small number with few digits counts only as a multiple (“3 times”) or a ratio (“2 of 3”).
    """
    if mention.kind == "number" and abs(mention.value) >= _SMALL:
        return not (table.table.made == "combined" and mention.signed and not near.in_table)
    if mention.digits >= _DIGITS:
        return not mention.signed or near.in_table
    return table.table.made != "combined" and mention.kind in ("times", "part")
