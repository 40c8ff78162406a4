"""Finds contradictions between a sentence and the line of the workings for its number. Pure.

The arithmetic of a line may be right although the sentence says something else: "North grew by 12%" with cells of West,
a fall that is called a rise, percentage points that are called percent, hours for a column of minutes.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from engine.numbers.arithmetic import Expression, evaluated
from engine.numbers.evidence import Cell
from engine.numbers.fitting import PERCENT_NAME, is_fraction
from engine.numbers.table_names import TableNames
from engine.numbers.units import conversion
from engine.numbers.words import forms, text_words
from engine.numbers.working_checked import Checked
from engine.numbers.working_names import not_used, other_row, unnamed
from engine.numbers.working_shapes import is_later, measure_of, shape_of
from engine.numbers.working_sides import objections_to_sides
from engine.numbers.working_statistics import objections_to_statistics

__all__ = ["objection_to"]

_FEW_CELLS = 3
_RISES = forms("rose rise rising grew grow growing growth increase increased increasing climbed climb")
_FALLS = forms("fell fall falling drop dropped decline declined decrease decreased shrank")
_CHANGES = _RISES | _FALLS | forms("change changed")
_RELATIVE = forms("relative relatively proportional proportionally")
_SPAN = (
    r"\s+(?:the\s+(?:same|last|past|whole|period|years?|months?|weeks?|decade)|th(?:at|is|ese|ose)|all|\d)\b"
)
_UP = re.compile(
    r"\bup\b.{0,12}\0|\0\W{0,4}(?:more|higher|above|over(?!" + _SPAN + r"))\b",
    re.IGNORECASE,
)
_DOWN = re.compile(r"\bdown\b.{0,12}\0|\0\W{0,4}(?:less|fewer|lower|below|under)\b", re.IGNORECASE)
"""Matches words for a fall directly next to a number, as `_UP` matches words for a rise. In the text, a null
character replaces the number.
"""
_POINTS = re.compile(r"percentage[\s-]points?|\bpp\b|\bp\.p\.|%[\s-]?points?", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:average|mean|typical)\b", re.IGNORECASE)
_TOTAL = re.compile(r"\b(?:total|sum|altogether|together|overall|combined)\b", re.IGNORECASE)
_WEIGHTED = re.compile(r"(?<!un)weighted\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")


def objection_to(checked: Checked) -> str:
    """Return the first objection to a line whose arithmetic gives its number; "" if there is none."""
    return next(_objections(checked), "")


def _objections(one: Checked) -> Iterator[str]:
    if (bare := unnamed(one)) is not None:
        yield f"nothing says which row or column {bare:,.10g} comes from"
    for table in sorted({cell.table for cell in one.made.cells}):
        if other := other_row(one, table):
            yield f"the sentence names {other}, but the arithmetic uses cells of other rows"
    if other := not_used(one):
        yield f"its words name {other}, but it uses no cell of {other}"
    yield from objections_to_sides(one)
    yield from objections_to_statistics(one)
    yield from _of_periods(one)
    yield from _of_base(one)
    yield from _of_measures(one)
    yield from _of_sums(one)


def _of_periods(one: Checked) -> Iterator[str]:
    """Yield objections to the periods of the cells: a different year, or the wrong direction in time."""
    cells = one.made.cells
    passage = one.place.passage
    spans = [passage.clause(one.place.mention.start), *passage.cells]
    said = {int(year) for span in spans for year in _YEAR.findall(one.text.text[slice(*span)])}
    if said and len(cells) <= _FEW_CELLS:
        known = said | (_years_around(one) if len(cells) > 1 else set())
        for cell in cells:
            years = _years(one.names(cell), cell)
            before = len(cells) > 1 and any(year + 1 in said for year in years)
            if years and not before and not years & known:
                yield f"it uses {max(years)}"
    shape = one.shape
    if shape.kind not in ("difference", "growth"):
        return
    first, second = (cells[at] for at in shape.cells[:2])
    later = is_later(one.names(first), first, second) if first.table == second.table else None
    if later is None or min(first.value, second.value) < 0:
        return
    value = evaluated(one.made.template, [cell.value for cell in cells]) or 0.0
    if (rises := _rises(one)) is not None and value and (value > 0) != (rises == later):
        yield "it gives a fall" if rises else "it gives a rise"
    new = first if later else second
    if shape.kind == "growth" and cells[shape.cells[2]] == new and one.place.mention.kind == "percent":
        yield "it divides by the later value"


def _of_base(one: Checked) -> Iterator[str]:
    """Yield an objection to a growth rate with the wrong base. A rise must be divided by the smaller value, a fall by
    the larger one.
    """
    shape, rises = one.shape, _rises(one)
    if shape.kind != "growth" or rises is None or one.place.mention.kind != "percent":
        return
    first, second, base = (one.made.cells[at] for at in shape.cells)
    if min(first.value, second.value) <= 0 or len(one.made.cells) > _FEW_CELLS:
        return
    names, in_column = one.names(first), (first.table, first.column) == (second.table, second.column)
    in_row = (first.table, first.row) == (second.table, second.row) and names.of_periods(
        first.column, second.column
    )
    compared = _UP.search(_beside(one)) or _DOWN.search(_beside(one))
    if in_column and not compared and is_later(names, first, second) is None:
        return  # "the margin climbed to 40%", of revenue and costs in two rows
    right = min(first.value, second.value) if rises else max(first.value, second.value)
    if (in_column or in_row) and base.value != right:
        yield "it does not divide by the value from which the number changed"


def _years_around(one: Checked) -> set[int]:
    """Return the years named by the question and the text around a sentence, and the latest year of the results, which
    "since 2019" and "still" imply.
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


def _beside(one: Checked) -> str:
    """Return the words directly next to the number, with a null character in its place."""
    text, mention = one.text.text, one.place.mention
    return f"{text[max(0, mention.start - 20) : mention.start]}\0{text[mention.end : mention.end + 14]}"


def _rises(one: Checked) -> bool | None:
    """Return whether the sentence says that the number is a rise; None if it says neither, or both."""
    mention = one.place.mention
    if mention.signed:
        return mention.value > 0
    words = {word.form for word in text_words(one.around)} & one.place.clause_words
    beside = _beside(one)
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
    changes = one.place.clause_words & (_CHANGES | _RELATIVE) and not _POINTS.search(one.around)
    if mention.kind == "percent" and in_points and changes:
        yield "it gives percentage points, not percent"
    relative = measure == "ratio" and not one.expression.is_one and one.shape.kind in ("growth", "other")
    if mention.kind == "points" and _POINTS.search(one.around) and relative:
        yield "it gives percent, not percentage points"
    if objection := _past_limit(one):
        yield objection
    units = {one.names(cell).units[cell.column].unit for cell in cells}
    if len(units) == 1 and mention.unit is not None and one.shape.kind in ("difference", "sum", "mean"):
        unit = units.pop()
        by = conversion(unit, mention.unit)
        constants = {one.factor, *(operand.value for operand in one.expression.operands)}
        if by is not None and by != 1.0 and not constants & {by, round(1 / by, 9)}:
            yield "its cells are in another unit"


def _past_limit(one: Checked) -> str:
    """Return an objection if "more than a fifth" is less than a fifth, or "nearly a third" is more; else ""."""
    mention = one.place.mention
    value = abs(one.made.value) * (100 if mention.kind in ("percent", "points") else 1)
    if mention.hedge == "over" and value < abs(mention.value) * (1 - 1e-9):
        return "it gives a smaller number than the sentence says"
    return (
        "it gives a larger number than the sentence says"
        if mention.hedge == "under" and value > abs(mention.value) * (1 + 1e-9)
        else ""
    )


def _is_percentage(names: TableNames, cell: Cell) -> bool:
    return PERCENT_NAME.search(names.table.columns[cell.column]) is not None or is_fraction(
        names.table, cell.column
    )


def _of_sums(one: Checked) -> Iterator[str]:
    """Yield objections to totals and means: a total is called a mean or a mean a total, weights are missing, or other
    rows are named.
    """
    outer, shape = _outer(one.expression), one.shape
    if "mean" in (outer, shape.kind):
        if _TOTAL.search(one.before) and not _MEAN.search(one.before):
            yield "it gives a mean, not a total"
        after = one.around[one.around.index(one.place.mention.text) :]
        if _WEIGHTED.search(one.before) or _WEIGHTED.search(re.split(r"[;:.)]\s", after)[0]):
            yield "it gives an unweighted mean"
    if shape.kind == "sum" and _MEAN.search(one.before) and not _TOTAL.search(one.before):
        yield "it gives a total, not a mean"
    cells = [one.made.cells[at] for at in shape.cells] if shape.kind in ("sum", "mean", "share") else []
    if not cells or len({(cell.table, cell.column) for cell in cells}) > 1:
        return
    names = one.names(cells[0])
    told = {
        column: {
            named.label for named in one.naming.words if named.table == names.at and named.column == column
        }
        - {""}
        for column in names.dimensions
    }
    if (
        shape.kind != "share"
        and not one.naming.ranges
        and any(_leaves(names, cells, column, labels) for column, labels in told.items())
    ):
        yield "it has cells of rows that its words do not name"
    if shape.kind != "share" or one.naming.every:
        yield from _incomplete(one, names, cells, told if shape.kind != "share" else {})


def _leaves(names: TableNames, cells: Sequence[Cell], column: int, labels: Collection[str]) -> bool:
    """Return whether the words mention several rows or a group, and some cells are in other rows."""
    here = [names.label(cell.row, column) in labels for cell in cells]
    every = [names.label(row, column) for row in range(len(names.table.rows))]
    groups = len(labels) == 1 and any(here) and max(map(every.count, labels)) > 1
    return (len(labels) > 1 or groups) and not all(here)


def _incomplete(
    one: Checked, names: TableNames, cells: Sequence[Cell], told: Mapping[int, Collection[str]]
) -> Iterator[str]:
    """Yield an objection to a sum or mean over only some of the rows that the line's words mean."""
    if one.naming.spans or one.naming.excepts or not one.naming.names_nothing_else(names.at):
        return
    if not any(told.values()) and any(
        named.label and named.table == names.at for named in one.naming.sentence
    ):
        return
    column = cells[0].column
    meant = [
        row
        for row in range(len(names.table.rows))
        if names.table.number(row, column) is not None
        and row != names.grand_total
        and all(not labels or names.label(row, at) in labels for at, labels in told.items())
    ]
    if len(cells) < len(meant) and {cell.row for cell in cells} < set(meant):
        yield f"it has {len(cells)} of the {len(meant)} rows"


def _outer(expression: Expression) -> str:
    """Return the kind of an expression's outermost arithmetic. An operand that equals the number of other operands is
    read as the divisor of a mean."""
    template = expression.template
    for at, operand in reversed(list(enumerate(expression.operands))):
        if operand.value == len(expression.operands) - 1:
            template = template.replace(f"n{at}", repr(operand.value))
    return shape_of(template).kind
