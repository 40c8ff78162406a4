"""Says what in a sentence speaks against a working that a model states for a number. Pure.

The arithmetic of a working may be right although the sentence says something else: "North grew by 12%" over the cells
of West, a fall that is called a rise, percentage points that are called percent, hours for a column of minutes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from engine.numbers.arithmetic import Expression
from engine.numbers.cells import in_line
from engine.numbers.derivation import Derivation
from engine.numbers.evidence import Cell
from engine.numbers.fitting import PERCENT_NAME, is_fraction
from engine.numbers.places import Place
from engine.numbers.row_scopes import NEAR
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.units import conversion
from engine.numbers.words import forms, text_words
from engine.numbers.working_shapes import Shape, is_later, measure_of, shape_of
from engine.numbers.working_words import Naming

__all__ = ["Checked", "objection_to"]

_FEW_DIGITS, _MANY_DIGITS, _FEW_CELLS = 3, 4, 3
_RISES = forms("rose rise rising grew grow growing growth increase increased increasing climbed climb")
_FALLS = forms("fell fall falling drop dropped decline declined decrease decreased shrank")
_CHANGES = _RISES | _FALLS | forms("change changed")
_UP = re.compile(r"\bup\b.{0,12}\0|\0\W{0,4}(?:more|higher)\b", re.IGNORECASE)
_DOWN = re.compile(r"\bdown\b.{0,12}\0|\0\W{0,4}(?:less|fewer|lower)\b", re.IGNORECASE)
"""Words directly beside a number, whose place is marked."""
_POINTS = re.compile(r"percentage[\s-]points?|\bpp\b|\bp\.p\.|%[\s-]?points?", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:average|mean|typical)\b", re.IGNORECASE)
_TOTAL = re.compile(r"\b(?:total|sum|altogether|together|overall|combined)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_AROUND, _BEFORE = 28, 60


@dataclass(frozen=True)
class Checked:
    """A working that gives its number, with the sentence of the number."""

    text: Text
    place: Place
    made: Derivation
    expression: Expression
    naming: Naming

    @cached_property
    def shape(self) -> Shape:
        """What the working does with its cells."""
        return shape_of(self.made.template)

    def names(self, cell: Cell) -> TableNames:
        """Return the names of the result of a cell."""
        return self.text.labels.tables[cell.table]

    @property
    def around(self) -> str:
        """The words directly before and after the number."""
        mention = self.place.mention
        return self.text.text[max(0, mention.start - _AROUND) : mention.end + _AROUND]

    @property
    def before(self) -> str:
        """The words directly before the number."""
        start = self.place.mention.start
        return self.text.text[max(self.place.passage.start, start - _BEFORE) : start]


def objection_to(checked: Checked) -> str:
    """Return what speaks against a computation; "" if nothing does."""
    return next(_objections(checked), "")


def _objections(one: Checked) -> Iterator[str]:
    if (bare := _unnamed(one)) is not None:
        yield f"nothing says of which row or column {bare:,.10g} is"
    for table in sorted({cell.table for cell in one.made.cells}):
        if other := _other_row(one, table):
            yield f"the sentence names {other}, and its cells are of other rows"
        if other := _other_column(one, table):
            yield f"the sentence names {other}, and its cells are of other columns"
    if other := _not_used(one):
        yield f"its words name {other}, and none of its cells is of it"
    yield from _of_periods(one)
    yield from _of_measures(one)
    yield from _of_sums(one)


def _unnamed(one: Checked) -> float | None:
    """Return the value of a cell that is in the working perhaps only by chance: it has few digits, nothing names its
    row or column, and no other cell of the working is in its row or column.
    """
    cells = one.made.cells
    enough = _FEW_DIGITS if len(cells) > 1 else _MANY_DIGITS
    sure = {cell for cell in cells if any(one.naming.names(one.text.labels, cell)) or _digits(cell) >= enough}
    for cell in cells:
        if cell not in sure and not any(in_line(cell, other) for other in sure):
            return cell.value
    return None


def _digits(cell: Cell) -> int:
    return len(f"{abs(cell.value):.10g}".replace(".", "").strip("0"))


def _other_row(one: Checked, table: int) -> str:
    """Return the row that the sentence names for a number if the cells are not of this row; else ""."""
    names = one.text.labels.tables[table]
    cells = [cell for cell in one.made.cells if cell.table == table]
    span = one.place.passage.start, one.place.passage.end
    for column in names.dimensions:
        governing = one.text.row_of(one.place, table, column)
        if governing is None or governing.level >= NEAR or not names.surely_names(column):
            continue
        here = {named.label for named in one.text.rows_in(table, column, span)} | governing.labels
        own = [cell for cell in cells if names.label(cell.row, column) in here]
        if not own:
            return min(governing.labels)
        columns = {cell.column for cell in own}
        if any(cell.column not in columns for cell in cells if cell not in own):
            return min(governing.labels)
    return ""


def _other_column(one: Checked, table: int) -> str:
    """Return the column that the sentence names for a number if none of its cells is in it and the model's words name
    nothing; else "".
    """
    names = one.text.labels.tables[table]
    own = {cell.column for cell in one.made.cells if cell.table == table}
    if one.naming.words:
        return ""
    found = one.text.columns_of(one.place, table, names.measures)
    if found is None or found[1] >= NEAR:
        return ""
    best = max(found[0].values(), default=0)
    named = {column for column, score in found[0].items() if score == best}
    told = frozenset[str]().union(*(names.telling.get(column, frozenset()) for column in own))
    if named & own or any(names.telling[column] & told for column in named):
        return ""
    return names.table.columns[min(named)]


def _not_used(one: Checked) -> str:
    """Return a row or column that the model's words name although no cell is from it; else ""."""
    cells = one.made.cells
    for table in sorted({cell.table for cell in cells}):
        names = one.text.labels.tables[table]
        own = [cell for cell in cells if cell.table == table]
        named = [named for named in one.naming.words if named.table == table]
        for column in names.dimensions:
            labels = {names.label(cell.row, column) for cell in own}
            told = {named.label for named in named if named.column == column and named.label}
            excepts = one.naming.excepts or (told & labels and one.naming.ranges)
            if told - labels and names.surely_names(column) and not excepts:
                return min(told - labels)
        columns = {
            at
            for at, telling in names.telling.items()
            if _is_period(names, at) and telling <= one.naming.forms
        }
        if (unused := columns - {cell.column for cell in own}) and not one.naming.ranges:
            return names.table.columns[min(unused)]
    return ""


def _is_period(names: TableNames, column: int) -> bool:
    """Return whether only its period distinguishes a column from others: `revenue_2023` and `revenue_2024`."""
    return any(names.of_periods(column, other) for other in names.measures if other != column)


def _of_periods(one: Checked) -> Iterator[str]:
    """Yield objections to the periods of the cells: another year, or the wrong direction in time."""
    cells = one.made.cells
    passage = one.place.passage
    spans = [(passage.start, passage.end), *passage.cells]
    said = {int(year) for span in spans for year in _YEAR.findall(one.text.text[slice(*span)])}
    if said and len(cells) <= _FEW_CELLS:
        known = said | _years_around(one)
        for cell in cells:
            years = _years(one.names(cell), cell)
            if years and not any(year in known or year + 1 in said for year in years):
                yield f"it uses {max(years)}"
    shape = one.shape
    if shape.kind not in ("difference", "growth"):
        return
    first, second = (cells[at] for at in shape.cells[:2])
    later = is_later(one.names(first), first, second) if first.table == second.table else None
    if later is None or min(first.value, second.value) < 0:
        return
    old, new = (second, first) if later else (first, second)
    if (rises := _rises(one)) is not None and (new.value > old.value) != rises and new.value != old.value:
        yield "it is a fall" if rises else "it is a rise"
    if shape.kind == "growth" and cells[shape.cells[2]] == new and one.place.mention.kind == "percent":
        yield "it divides by the later value"


def _years_around(one: Checked) -> set[int]:
    """Return the years that the question and the text around a sentence name, and the latest year of the results, which
    "since 2019" and "still" mean.
    """
    told = [one.text.text[slice(*span)] for span in one.place.passage.around]
    known = {int(year) for text in (*told, one.text.question) for year in _YEAR.findall(text)}
    for table in {cell.table for cell in one.made.cells}:
        names = one.text.labels.tables[table]
        rows = range(len(names.table.rows))
        labels = [names.label(row, at) for at in names.dimensions for row in rows]
        every = [int(year) for text in (*names.table.columns, *labels) for year in _YEAR.findall(text)]
        known |= {max(every)} if every else set()
    return known


def _years(names: TableNames, cell: Cell) -> set[int]:
    labels = [names.label(cell.row, at) for at in names.dimensions]
    return {int(year) for text in (names.table.columns[cell.column], *labels) for year in _YEAR.findall(text)}


def _rises(one: Checked) -> bool | None:
    """Return whether the sentence says that the number is a rise; None if it says neither, or both."""
    mention = one.place.mention
    if mention.signed:
        return mention.value > 0
    words = {word.form for word in text_words(one.around)} & one.place.clause_words
    text = one.text.text
    beside = f"{text[max(0, mention.start - 20) : mention.start]}\0{text[mention.end : mention.end + 14]}"
    up = bool(words & _RISES) or _UP.search(beside) is not None
    down = bool(words & _FALLS) or _DOWN.search(beside) is not None
    return up if up != down else None


def _of_measures(one: Checked) -> Iterator[str]:
    """Yield objections to the kind of the number: percent for percentage points, hours for minutes."""
    cells, mention = one.made.cells, one.place.mention
    percentages = [at for at, cell in enumerate(cells) if _is_percentage(one.names(cell), cell)]
    measure = measure_of(one.made.template, percentages)
    plain = one.shape.kind == "difference"
    in_points = measure == "points" or (plain and measure != "ratio")
    changes = one.place.clause_words & _CHANGES and not _POINTS.search(one.around)
    if mention.kind == "percent" and in_points and changes:
        yield "it gives percentage points"
    if (
        mention.kind == "points"
        and _POINTS.search(one.around)
        and measure == "ratio"
        and one.shape.kind == "growth"
    ):
        yield "it gives percent, not percentage points"
    units = {one.names(cell).units[cell.column].unit for cell in cells}
    if len(units) == 1 and mention.unit is not None and one.shape.kind in ("difference", "sum", "mean"):
        unit = units.pop()
        by = conversion(unit, mention.unit)
        constants = {operand.value for operand in one.expression.operands}
        if by is not None and by != 1.0 and not constants & {by, round(1 / by, 9)}:
            yield "its cells are in another unit"


def _is_percentage(names: TableNames, cell: Cell) -> bool:
    return PERCENT_NAME.search(names.table.columns[cell.column]) is not None or is_fraction(
        names.table, cell.column
    )


def _of_sums(one: Checked) -> Iterator[str]:
    """Yield objections to a total or a mean: the one that is called the other, or rows that the words do not name."""
    if one.shape.kind not in ("sum", "mean"):
        return
    if one.shape.kind == "mean" and _TOTAL.search(one.before) and not _MEAN.search(one.before):
        yield "it gives a mean, not a total"
    if one.shape.kind == "sum" and _MEAN.search(one.before) and not _TOTAL.search(one.before):
        yield "it gives a total, not a mean"
    cells = [one.made.cells[at] for at in one.shape.cells]
    if len({(cell.table, cell.column) for cell in cells}) > 1 or one.naming.ranges:
        return
    names = one.names(cells[0])
    for column in names.dimensions:
        told = {
            named.label
            for named in one.naming.words
            if named.table == names.at and named.column == column and named.label
        }
        if told and len(told) > 1 and any(names.label(cell.row, column) not in told for cell in cells):
            yield "it has cells of rows that its words do not name"
    every = len(names.table.numbers(cells[0].column))
    if (
        one.naming.names_only_columns(names.at)
        and len(cells) < every
        and not any(named.label and named.table == names.at for named in one.naming.sentence)
    ):
        yield f"it has {len(cells)} of the {every} rows"
