"""Numbers that one formula over the columns of a result gives for several rows: "Sales lost 30.6%, Marketing 28.3%".

Pure. An answer often repeats a computation for some rows: leavers divided by the mean of two headcounts, the margin of
each dish. No word says how, and one number with three digits would often be matched by chance. It is hardly a
coincidence if one formula gives several numbers, each from the row that its sentence mentions.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from math import comb, prod
from typing import NamedTuple

from engine.numbers.chance import HARDLY, chance_of
from engine.numbers.column_totals import adds_up
from engine.numbers.computed_tables import cells_of
from engine.numbers.derivation import Derivation, Operation, told_number
from engine.numbers.derived_rates import is_priced
from engine.numbers.fitting import PERCENT_NAME, fits, is_fraction
from engine.numbers.places import Place
from engine.numbers.row_scopes import ASKED
from engine.numbers.scopes import Text
from engine.numbers.strangers import names_stranger
from engine.numbers.table_names import TableNames
from engine.numbers.words import forms
from events.late_dataclass import dataclass

__all__ = ["repeated_formulas"]

_MOST_TABLES, _MOST_COLUMNS, _MOST_PLACES = 6, 8, 40
"""Limits on results, on their columns, and on the numbers of an answer."""
_MOST_CELLS = 40
"""At most this many cells of a derivation are kept."""
_KINDS = ("number", "percent", "times")
_LEAST_ROWS, _MOST_ROWS = 2, 3
"""The fewest rows for which a formula must give a number, and the most rows that one number may belong to."""
_ALL = -1
"""Used as a row's index for the totals of all columns: "the company-wide rate is 18.4%"."""
_CUT = re.compile(r"\b(?:limit|top|head|nlargest|nsmallest|qualify)\b", re.IGNORECASE)
"""Words of SQL or code that may cut rows from a result. The result's totals then do not cover everything."""
_OF_ALL = forms("total overall all altogether whole entire combined together wide across everyone")


class _At(NamedTuple):
    """A number, and the rows that it may belong to."""

    place: Place
    rows: tuple[int, ...]
    quotients: tuple[float, ...]
    """The factors that turn a quotient into the number: 100 for a percentage, the base of "per 90"."""
    others: tuple[float, ...]
    """The factors that turn the value of any other formula into the number."""

    def fitting(self, value: float, quotient: bool) -> float | None:
        """Return the factor that turns `value` into the number; None if no factor does."""
        said = abs(self.place.mention.readings[0].value)
        for scale in self.quotients if quotient else self.others:
            if said * 0.9 <= abs(value * scale) <= said * 1.1 and fits(value * scale, self.place.mention):
                return scale
        return None


@dataclass(frozen=True, slots=True)
class _Operand:
    """Some columns that are added, subtracted from the first, or averaged."""

    how: str
    """ "+", "-" or "mean"."""
    columns: tuple[int, ...]

    def of(self, row: Mapping[int, float]) -> float:
        """Return the value for a row; `row` maps columns to numbers."""
        values = [row[column] for column in self.columns]
        if self.how == "-":
            return 2 * values[0] - sum(values)
        return sum(values) / (len(values) if self.how == "mean" else 1)

    def told(self, row: Mapping[int, float]) -> str:
        """Return the formula with the numbers of a row."""
        sign = " − " if self.how == "-" else " + "
        told = sign.join(told_number(row[column]) for column in self.columns)
        if len(self.columns) == 1:
            return told
        return f"(({told}) ÷ {len(self.columns)})" if self.how == "mean" else f"({told})"


@dataclass(frozen=True, slots=True)
class _Formula:
    """One operand, or two operands that are divided or multiplied."""

    first: _Operand
    sign: str = ""
    """"÷", "×" or empty."""
    second: _Operand | None = None

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that the formula uses. With more columns, more formulas give a number by chance."""
        return (*self.first.columns, *(self.second.columns if self.second else ()))

    def of(self, row: Mapping[int, float]) -> float | None:
        """Return the value in a row; None if it divides by zero."""
        value = self.first.of(row)
        if self.second is None:
            return value
        other = self.second.of(row)
        if self.sign == "×":
            return value * other
        return value / other if other else None


def repeated_formulas(text: Text, places: Sequence[Place]) -> dict[int, Derivation]:
    """Return how numbers follow from formulas that give two or more of them, by start position."""
    able = [one for one in places if one.mention.kind in _KINDS and one.mention.digits > 1][:_MOST_PLACES]
    found: dict[int, Derivation] = {}
    for names in text.labels.tables[-_MOST_TABLES:] if len(able) >= _LEAST_ROWS else ():
        if names.at in text.replaced or not 1 < len(names.measures) <= _MOST_COLUMNS or not names.table.whole:
            continue
        here = [
            _At(place, rows, *_scales(text, names, place))
            for place in able
            if 0 < len(rows := _rows(text, names, place)) <= _MOST_ROWS
        ]
        if len({row for one in here for row in one.rows}) >= _LEAST_ROWS:
            found = _explained(names, here) | found
    return found


def _rows(text: Text, names: TableNames, place: Place) -> tuple[int, ...]:
    """Return the rows that a number may belong to, or `_ALL` if its text means all of them; empty if the text mentions
    no rows.
    """
    found, levels = set(range(len(names.table.rows))), []
    for column in names.dimensions:
        governing = text.row_of(place, names.at, column)
        if governing is not None and governing.level < ASKED:
            levels.append(governing.level)
            found = {row for row in found if names.label(row, column) in governing.labels}
    if place.clause_words & _OF_ALL and min(levels, default=ASKED) > 1:
        cut = names.table.total_rows is not None or _CUT.search(names.table.program) is not None
        return () if cut or names_stranger(text, place) else (_ALL,)
    return tuple(sorted(found)) if levels else ()


def _explained(names: TableNames, places: Sequence[_At]) -> dict[int, Derivation]:
    """Return how numbers follow from formulas, if this is hardly a coincidence. Formulas that give more numbers win."""
    numbers = {row: _numbers(names, row) for one in places for row in one.rows}
    formulas = sorted(_formulas(names), key=lambda one: len(one.columns))
    tried = Counter(len(one.columns) for one in formulas)
    found: dict[int, tuple[int, Derivation]] = {}
    for formula in formulas:
        needed = {*formula.columns}
        values = {row: formula.of(given) for row, given in numbers.items() if given.keys() >= needed}
        given = [
            (one, row, scale)
            for one in places
            for row in one.rows
            if (value := values.get(row)) and (scale := one.fitting(value, formula.sign == "÷")) is not None
        ]
        given = list({one.place.mention.start: (one, row, scale) for one, row, scale in given}.values())
        if len({row for _, row, _ in given}) < _LEAST_ROWS:
            continue
        simpler = sum(many for columns, many in tried.items() if columns <= len(formula.columns))
        chances = [chance_of(one.place) * len(one.rows) for one, _, _ in given]
        if prod(chances) * comb(len(places), len(given)) * simpler > HARDLY:
            continue
        for one, row, scale in given:
            start = one.place.mention.start
            if start not in found or found[start][0] < len(given):
                found[start] = (len(given), _derivation(names, formula, one.place, row, numbers[row], scale))
        for start, how in _parts(names, formula, places, numbers):
            found.setdefault(start, (1, how))
    return {start: how for start, (_, how) in found.items()}


def _parts(
    names: TableNames, formula: _Formula, places: Sequence[_At], numbers: Mapping[int, Mapping[int, float]]
) -> Iterator[tuple[int, Derivation]]:
    """Yield the numbers that are an operand of an accepted formula, by start position: 147 in "54 leavers on a mean
    headcount of 147".
    """
    for operand in (formula.first, formula.second):
        if operand is None or len(operand.columns) < 2:
            continue
        for one in (one for one in places if len(one.rows) == 1 and one.place.mention.kind == "number"):
            row = numbers[one.rows[0]]
            if all(column in row for column in operand.columns) and fits(operand.of(row), one.place.mention):
                how = _derivation(names, _Formula(operand), one.place, one.rows[0], row, 1.0)
                yield one.place.mention.start, how


def _numbers(names: TableNames, row: int) -> dict[int, float]:
    """Return the numbers of a row by column; for all rows, the totals of the columns that add up."""
    rows = range(len(names.table.rows)) if row == _ALL else (row,)
    columns = [at for at in names.measures if row != _ALL or adds_up(names, at)]
    values = {at: [names.table.number(one, at) for one in rows] for at in columns}
    return {
        at: sum(found) for at, every in values.items() if (found := [one for one in every if one is not None])
    }


def _formulas(names: TableNames) -> Iterator[_Formula]:
    operands = list(_operands(names))
    singles = [one for one in operands if len(one.columns) == 1]
    yield from (_Formula(one) for one in operands if len(one.columns) > 1)
    for one, other in permutations(operands, 2):
        if other.how != "-":
            yield _Formula(one, "÷", other)
    for one in singles:
        yield from (
            _Formula(one, "×", other)
            for other in operands
            if other.how == "-" and one.columns[0] not in other.columns
        )
    for one, other in combinations(singles, 2):
        priced = is_priced(names, one.columns[0], other.columns[0])
        yield _Formula(other, "×", one) if priced else _Formula(one, "×", other)  # in the unit of the first


def _operands(names: TableNames) -> Iterator[_Operand]:
    """Yield each column of measures, and the sums, means and differences of two or three such columns in one unit."""
    yield from (_Operand("+", (one,)) for one in names.measures)
    by_unit = defaultdict[object, list[int]](list)
    for column in names.measures:
        percent = PERCENT_NAME.search(names.table.columns[column]) is not None
        if percent or adds_up(names, column) or names.own_units[column].unit is not None:
            by_unit[percent, names.units[column]].append(column)
    for columns in by_unit.values():
        for pair in combinations(columns, 2):
            yield from (_Operand("+", pair), _Operand("mean", pair))
        for pair in permutations(columns, 2):
            yield _Operand("-", pair)
        for first, *rest in permutations(columns, 3) if len(columns) < 6 else ():
            if rest == sorted(rest):
                yield _Operand("-", (first, *rest))
        yield from (_Operand("+", three) for three in combinations(columns, 3))


_OPERATIONS: Mapping[str, Operation] = {
    "÷": "ratio", "×": "product", "+": "sum", "-": "difference", "mean": "mean",
}  # fmt: skip
_PER = re.compile(r"\bper\s(\d[\d,]*)\b")


def _scales(text: Text, names: TableNames, place: Place) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the factors that turn a quotient into the number, and the factors for the values of other formulas."""
    kind = place.mention.kind
    if kind == "times":
        return (1.0,), ()
    if kind == "percent":
        fractions = any(is_fraction(names.table, column) for column in names.measures)
        return (100.0,), (1.0, 100.0) if fractions else (1.0,)
    scales = {1.0, *(names.units[column].scale for column in names.measures)}
    return (1.0, *_bases(text, place)), tuple(sorted(scales))


def _bases(text: Text, place: Place) -> list[float]:
    spans = place.passage.cells or ((place.passage.start, place.passage.end),)
    return [
        float(found[1].replace(",", ""))
        for start, end in spans
        for found in _PER.finditer(text.text, start, end)
    ]


def _derivation(
    names: TableNames, formula: _Formula, place: Place, row: int, numbers: Mapping[int, float], scale: float
) -> Derivation:
    """Return how a number follows from a row. The value of a percentage is a fraction."""
    second = formula.second
    columns = tuple(dict.fromkeys(formula.columns))
    every = [cells_of(names, range(len(names.table.rows)) if row == _ALL else [row], at) for at in columns]
    cells = tuple(cell for one in every for cell in one)
    told = formula.first.told(numbers)
    told = told[1:-1] if second is None else f"{told} {formula.sign} {second.told(numbers)}"
    value = formula.of(numbers) or 0.0
    if place.mention.kind == "percent":
        value *= scale / 100
    elif formula.sign == "÷" and scale != 1.0:
        told, value = f"{told} × {scale:,.0f}", value * scale
    many = len(cells) if len(cells) > _MOST_CELLS else 0
    cells = (cells[0], cells[-1]) if many else cells
    return Derivation(_OPERATIONS[formula.sign or formula.first.how], cells, value, told, many)
