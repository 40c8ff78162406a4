"""Finds the cells that the operands in a line of the workings come from, and computes the line from them. Pure."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, product

from engine.numbers.arithmetic import Expression, Operand, evaluated
from engine.numbers.cells import Cells
from engine.numbers.derivation import Derivation, told_number
from engine.numbers.digits import Reading
from engine.numbers.evidence import Cell
from engine.numbers.labels import Labels
from engine.numbers.table_names import TableNames
from engine.numbers.working_shapes import summands_of
from engine.numbers.working_words import Naming
from events.late_dataclass import dataclass

__all__ = ["Earlier", "Source", "column_sums", "computed_from", "in_one_line", "is_summed", "sources_of"]

_MOST_SOURCES, _MOST_CELLS, _MOST_COMBINATIONS, _MOST_SUMMED = 5, 60, 60, 200
_SURE_DIGITS = 3
"""An operand with fewer digits than this must equal an earlier number or a sum exactly."""
_CONSTANTS = frozenset(
    {1, 2, 3, 4, 5, 7, 10, 12, 13, 24, 26, 30, 31, 52, 60, 90, 100, 168, 365, 366, 1000, 1440, 3600, 10_000}
    | {86_400, 100_000, 1_000_000, 1_000_000_000}
)
"""Factors between units, including units of time. A line may use these constants even if they are in no result."""
_OTHER_SIGN, _ROUNDED, _REPEATED, _IN_LINE = 0.5, 3.0, 10.0, 0.4
_UNITS, _UNIT = frozenset({1, 100, 1_000, 1_000_000, 1_000_000_000}), 10.0
"""Constants that hardly ever mean the value of a cell, and their score as constants."""
_SAME_TABLE = 0.5


@dataclass(frozen=True, slots=True)
class Earlier:
    """A number that an earlier line computed, or the sum of a column."""

    readings: tuple[Reading, ...]
    found: Derivation
    percent: bool = False
    """Whether it is written as a percentage."""


def is_summed(names: TableNames) -> bool:
    """Return whether functions may use whole columns of a result: it has all its rows, and not too many."""
    return names.table.whole and 2 <= len(names.table.rows) <= _MOST_SUMMED


def column_sums(labels: Labels) -> list[Earlier]:
    """Return the sums of the columns of complete results. Models often use these sums without having queried them."""
    found = []
    for names in labels.tables:
        if not is_summed(names):
            continue
        for column in names.measures:
            rows = [
                row
                for row in range(len(names.table.rows))
                if row != names.grand_total and names.table.number(row, column) is not None
            ]
            cells = tuple(Cell(names.at, row, column, names.table.number(row, column) or 0.0) for row in rows)
            value = math.fsum(cell.value for cell in cells)
            told = f"sum of {len(cells)} cells of {names.table.columns[column]}"
            template = f"sum({', '.join(f'n{at}' for at in range(len(cells)))})"
            made = Derivation("working", cells, value, told, template=template)
            found.append(Earlier((Reading(value, abs(value) * 1e-9),), made))
    return found


@dataclass(frozen=True, slots=True)
class Source:
    """A possible source of an operand: a cell, an earlier number, or a constant if it is neither."""

    operand: Operand
    cell: Cell | None = None
    factor: float = 1.0
    """The factor from the cell to the operand's value."""
    earlier: Derivation | None = None
    score: float = 0.0

    @property
    def value(self) -> float:
        """The unrounded value of the source."""
        if self.cell is not None:
            return self.cell.value * self.factor
        return self.earlier.value if self.earlier is not None else self.operand.value

    @property
    def kind(self) -> str:
        """The kind of source: "cell", "earlier" or "constant"."""
        return "cell" if self.cell is not None else "constant" if self.earlier is None else "earlier"

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells that the source consists of."""
        if self.cell is not None:
            return (self.cell,)
        return self.earlier.cells if self.earlier is not None else ()


def sources_of(
    operand: Operand,
    cells: Cells,
    labels: Labels,
    naming: Naming,
    earlier: Sequence[Earlier],
    known: frozenset[float],
) -> list[Source]:
    """Return the possible sources of an operand, the most likely first; none if it is in no result and is not a known
    number.

    Args:
        known: numbers that need no cell, such as counts of rows and numbers in the question or the answer.
    """
    if operand.cell is not None:
        return [Source(operand, operand.cell)]
    found = [*_cells_of(operand, cells, labels, naming), *_earlier_of(operand, earlier)]
    if operand.value in _CONSTANTS or operand.value in known or operand.mention.value in known:
        sure = operand.mention.digits >= _SURE_DIGITS and found and operand.value not in _CONSTANTS
        found.append(Source(operand, score=_UNIT if operand.value in _UNITS else 0.0 if sure else 1.1))
    found.sort(key=lambda one: -one.score)
    return found[:_MOST_CELLS]


def in_one_line(sources: Sequence[Sequence[Source]]) -> list[list[Source]]:
    """Return only the first few sources of each operand. Cells that share a row or column with the cells of less
    ambiguous operands come first.
    """
    few = [
        one.cell for every in sources if len(every) <= _MOST_SOURCES for one in every if one.cell is not None
    ]
    lines = {(cell.table, "row", cell.row) for cell in few} | {
        (cell.table, "column", cell.column) for cell in few
    }

    def beside(one: Source) -> bool:
        cell = one.cell
        return (
            cell is not None
            and {(cell.table, "row", cell.row), (cell.table, "column", cell.column)} & lines != set()
        )

    return [
        list(every)
        if len(every) <= _MOST_SOURCES
        else sorted(every, key=lambda one: -one.score - _IN_LINE * beside(one))[:_MOST_SOURCES]
        for every in sources
    ]


def _cells_of(operand: Operand, cells: Cells, labels: Labels, naming: Naming) -> Iterator[Source]:
    """Yield the cells with the value of an operand. A loss may be written without its minus."""
    percent = 0.01 if operand.mention.kind == "percent" else 1.0
    for match in cells.fitting(operand.mention):
        if match.factor in (1.0, 100.0):
            score = naming.score(labels, match.cell)
            alike = (match.cell.value < 0) == (operand.value < 0)
            factor = match.factor * percent * (1.0 if alike else -1.0)
            score -= 0.0 if alike else _OTHER_SIGN
            same = math.isclose(abs(match.cell.value * factor), abs(operand.value), rel_tol=1e-9)
            if not same and operand.mention.digits < _SURE_DIGITS:
                continue  # the 3 of "/ 3" is not 3.265
            yield Source(operand, match.cell, factor, score=score if same else score - _ROUNDED)


def _earlier_of(operand: Operand, earlier: Sequence[Earlier]) -> Iterator[Source]:
    """Yield the earlier numbers with the value of an operand."""
    few = operand.mention.digits < _SURE_DIGITS
    if operand.value in _CONSTANTS and few:
        return
    percent = operand.mention.kind == "percent"
    value = abs(operand.mention.value)
    slack = max(0.0 if few else operand.mention.readings[0].step * 0.5001, value * 1e-9)
    for one in earlier:
        scales = (0.01,) if one.percent and not percent else (1.0,)
        if any(
            abs(abs(reading.value) * scale - value) <= slack * scale
            for reading in one.readings
            for scale in scales
        ):
            yield Source(operand, earlier=one.found, score=1.2)


def computed_from(
    expression: Expression, sources: Sequence[Sequence[Source]]
) -> Iterator[tuple[Derivation, tuple[str, ...]]]:
    """Yield the ways to compute an expression from cells, the most likely first, each with the kinds of its operands:
    cells, earlier numbers or constants.
    """
    ways = list(islice(product(*_apart(expression, sources)), _MOST_COMBINATIONS))
    groups = summands_of(expression.template)
    ways.sort(key=lambda way: _REPEATED * _repeats(way, groups) - _likeliness(way))
    for way in ways:
        made = _derivation(expression, way)
        if made is not None and made.cells:
            yield made, tuple(one.kind for one in way)


def _apart(expression: Expression, sources: Sequence[Sequence[Source]]) -> list[Sequence[Source]]:
    """Reorder the sources so that equal operands of a sum come from different cells."""
    found = list(sources)
    for places in summands_of(expression.template):
        seen: Counter[float] = Counter()
        for place in places:
            value = expression.operands[place].value
            by = seen[value] % max(1, len(found[place]))
            found[place] = [*found[place][by:], *found[place][:by]]
            seen[value] += 1
    return found


def _likeliness(way: Sequence[Source]) -> float:
    cells = [one.cell for one in way if one.cell is not None]
    tables = {cell.table for cell in cells}
    lines = Counter((cell.table, cell.column, -1) for cell in cells) + Counter(
        (cell.table, -1, cell.row) for cell in cells
    )
    together = _SAME_TABLE * len(way) * (len(tables) <= 1) + _IN_LINE * max(lines.values(), default=0)
    return sum(one.score for one in way) + together


def _repeats(way: Sequence[Source], groups: Sequence[Sequence[int]]) -> int:
    """Return how many operands of sums have the same cell as another operand of their sum."""
    cells = [[cell for place in group if (cell := way[place].cell) is not None] for group in groups]
    return sum(len(group) - len(set(group)) for group in cells)


def _derivation(expression: Expression, way: Sequence[Source]) -> Derivation | None:
    cells = tuple(dict.fromkeys(cell for one in way for cell in one.cells))
    places = {cell: at for at, cell in enumerate(cells)}
    pieces = [_piece(one, places) for one in way]
    template = expression.template
    for at in reversed(range(len(pieces))):
        template = template.replace(f"n{at}", f"<{at}>")
    for at, piece in enumerate(pieces):
        template = template.replace(f"<{at}>", piece)
    value = evaluated(template, [cell.value for cell in cells])
    if value is None:
        return None
    formula = expression.written([_name(one) for one in way])
    return Derivation("working", cells, value, formula, template=template)


def _piece(one: Source, places: dict[Cell, int]) -> str:
    """Return the template of one operand, with its cells numbered as in the whole line."""
    if one.cell is not None:
        name = f"n{places[one.cell]}"
        return (
            name
            if one.factor == 1.0
            else f"(-{name})"
            if one.factor == -1.0
            else f"({name} * {one.factor!r})"
        )
    if one.earlier is None:
        return repr(one.operand.value)
    template = one.earlier.template
    for at in reversed(range(len(one.earlier.cells))):
        template = template.replace(f"n{at}", f"<{at}>")
    for at, cell in enumerate(one.earlier.cells):
        template = template.replace(f"<{at}>", f"n{places[cell]}")
    return f"({template})"


def _name(one: Source) -> str:
    if one.cell is not None and one.factor == 1.0:
        return told_number(one.cell.value)
    if one.cell is not None and one.factor == -1.0:
        return told_number(-one.cell.value)
    return f"({one.earlier.formula})" if one.earlier is not None else one.operand.text
