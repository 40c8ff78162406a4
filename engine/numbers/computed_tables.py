"""Tables that a reader might compute from a result: totals by label or period, and columns computed from others.

Answers often add up rows: "in 2024" if each row is a quarter, "in May" if each row is a plan in a month. The rules for
cells apply to these tables too. Each cell records the cells that it was computed from. Pure.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from engine.numbers.column_totals import adds_up
from engine.numbers.derivation import Derivation, told_number
from engine.numbers.evidence import Cell, ResultTable, Value
from engine.numbers.periods_of_labels import monday_of, period_of
from engine.numbers.table_names import TableNames

__all__ = [
    "ComputedTable",
    "cells_of",
    "combined_columns",
    "grouped",
    "slices",
    "split_periods",
    "totals_by_label",
]

_MOST_ROWS, _MOST_COLUMNS, _MOST_CELLS, _MOST_SLICES = 120, 5, 40, 8
"""Limits on the rows and columns of a result, the cells that a derivation lists, and the labels that select rows."""


@dataclass(frozen=True)
class ComputedTable:
    """A table computed from a result."""

    table: ResultTable
    origins: Mapping[tuple[int, int], Derivation] = field(repr=False)
    """How each cell of a measure was computed, by its row and column."""


Groups = dict[tuple[Value, ...], list[int]]
"""The rows of each combination of labels."""


def totals_by_label(names: TableNames) -> Iterator[ComputedTable]:
    """Yield the totals of a result for each column of labels that several rows share, and by year, half-year and
    quarter."""
    rows = range(len(names.table.rows))
    if not (names.table.whole and 2 < len(rows) <= _MOST_ROWS):
        return
    measures = [at for at in names.measures if adds_up(names, at)][: 2 * _MOST_COLUMNS]
    for column in names.dimensions if measures else ():
        labels = [names.label(row, column) for row in rows]
        ways = [((names.table.columns[column],), grouped([(value,) for value in names.table.values(column)]))]
        for told, groups in (*ways, *by_period(labels)):
            if 1 < len(groups) < len(rows):
                yield _totals(names, told, groups, measures)


def slices(names: TableNames, named: Collection[tuple[int, str]]) -> Iterator[ComputedTable]:
    """Yield the rows that share a label, without the label's column: “in 2024” if each row is a hotel in one year.

    `named` are the labels that the answer mentions, each with its column.
    """
    table, rows = names.table, range(len(names.table.rows))
    if not (table.whole and 2 < len(rows) <= _MOST_ROWS and len(names.dimensions) > 1):
        return
    for column, label in sorted(named)[:_MOST_SLICES]:
        members = [row for row in rows if names.label(row, column) == label]
        kept = [at for at in range(len(table.columns)) if at != column]
        if not 1 < len(members) < len(rows):
            continue
        cells = {
            (at, place): _sum_of(found, table.columns[kept[place]])
            for at, row in enumerate(members)
            for place in range(len(kept))
            if (found := cells_of(names, [row], kept[place]))
        }
        values = tuple(tuple(names.table.values(at)[row] for at in kept) for row in members)
        columns = tuple(table.columns[at] for at in kept)
        yield ComputedTable(replace(table, columns=columns, rows=values, total_rows=None), cells)


def split_periods(names: TableNames) -> Iterator[ComputedTable]:
    """Yield a result of quarters with the years in a separate column: “every quarter of 2024: Q1 …”."""
    table, rows = names.table, range(len(names.table.rows))
    if not 2 < len(rows) <= _MOST_ROWS:
        return
    for column in names.dimensions:
        periods = [period_of(names.label(row, column)) for row in rows]
        known = [one for one in periods if one is not None]
        if len(known) < len(rows) or len({one.year for one in known}) < 2 or known[0].monthly:
            continue
        kept = [at for at in range(len(table.columns)) if at != column]
        values = tuple(
            (one.year, f"Q{one.quarter}", *(names.table.values(at)[row] for at in kept))
            for row, one in enumerate(known)
        )
        cells = {
            (row, place): _sum_of(found, table.columns[at])
            for row in rows
            for place, at in enumerate(kept, 2)
            if (found := cells_of(names, [row], at))
        }
        columns = ("year", "quarter", *(table.columns[at] for at in kept))
        yield ComputedTable(replace(table, columns=columns, rows=values, made="split"), cells)


def grouped(labels: Sequence[tuple[Value, ...]]) -> Groups:
    """Return the rows of each combination of labels, except rows with an empty label."""
    found: Groups = defaultdict(list)
    for row, label in enumerate(labels):
        if all(value not in (None, "") for value in label):
            found[label].append(row)
    return found


def by_period(labels: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Groups]]:
    """Yield the rows by week, year, half-year and quarter, with column names, if all labels are quarters or dates."""
    mondays = [one for one in map(monday_of, labels) if one is not None]
    if len(mondays) == len(labels):
        yield ("week",), grouped([(one,) for one in mondays])
    periods = [one for one in map(period_of, labels) if one is not None]
    if len(periods) < len(labels):
        return
    several = len({one.year for one in periods}) > 1
    if several:
        yield ("year",), grouped([(one.year,) for one in periods])
    parts = {"half": [f"H{(one.quarter + 1) // 2}" for one in periods]}
    parts |= {"quarter": [f"Q{one.quarter}" for one in periods]} if periods[0].monthly else {}
    for told, named in parts.items():
        if several:
            yield (
                ("year", told),
                grouped([(one.year, part) for one, part in zip(periods, named, strict=True)]),
            )
        yield (told,), grouped([(part,) for part in named])


def _totals(
    names: TableNames, told: tuple[str, ...], groups: Groups, measures: Sequence[int]
) -> ComputedTable:
    rows: list[tuple[Value, ...]] = []
    origins: dict[tuple[int, int], Derivation] = {}
    for at, (label, members) in enumerate(groups.items()):
        values = list(label)
        for place, column in enumerate(measures, len(label)):
            cells = cells_of(names, members, column)
            values.append(sum(cell.value for cell in cells))
            origins[at, place] = _sum_of(cells, names.table.columns[column])
        rows.append(tuple(values))
    columns = (*told, *(names.table.columns[column] for column in measures))
    table = replace(names.table, columns=columns, rows=tuple(rows), total_rows=None, made="totals")
    return ComputedTable(table, origins)


def cells_of(names: TableNames, rows: Sequence[int], column: int) -> tuple[Cell, ...]:
    """Return the cells of a column in some rows, without missing values."""
    return tuple(
        Cell(names.at, row, column, value)
        for row in rows
        if (value := names.table.number(row, column)) is not None
    )


def _sum_of(cells: tuple[Cell, ...], name: str) -> Derivation:
    total = sum(cell.value for cell in cells)
    told = f"sum of {len(cells)} cells of {name}"
    if len(cells) > _MOST_CELLS:
        return Derivation("sum", (cells[0], cells[-1]), total, told, len(cells))
    return Derivation("sum", cells, total, told)


def combined_columns(
    names: TableNames, origins: Mapping[tuple[int, int], Derivation]
) -> ComputedTable | None:
    """Return a result's labels with columns computed from two or three others: rates, quotients, differences, sums.

    If the result is itself computed, `origins` says how each of its cells was computed.
    """
    rows = range(len(names.table.rows))
    measures = [at for at in names.measures if adds_up(names, at)]
    if not (1 < len(rows) <= _MOST_ROWS and 1 < len(measures) <= _MOST_COLUMNS + 1 and names.dimensions):
        return None
    ways = list(_ways(names, measures))
    labels = [names.table.values(column) for column in names.dimensions]
    made: list[tuple[Value, ...]] = []
    found: dict[tuple[int, int], Derivation] = {}
    for row in rows:
        values: list[Value] = [column[row] for column in labels]
        for way in ways:
            one = way.of(names, row, origins)
            if one is not None:
                found[row, len(values)] = one
            values.append(None if one is None else one.value)
        made.append(tuple(values))
    columns = (*(names.table.columns[column] for column in names.dimensions), *(way.name for way in ways))
    table = replace(names.table, columns=columns, rows=tuple(made), total_rows=None, made="combined")
    return ComputedTable(table, found) if ways else None


@dataclass(frozen=True, slots=True)
class _Way:
    """A column computed from the sum of some columns, perhaps minus, or divided by, the sum of other columns."""

    name: str
    over: tuple[int, ...]
    under: tuple[int, ...] = ()
    minus: bool = False

    def of(
        self, names: TableNames, row: int, origins: Mapping[tuple[int, int], Derivation]
    ) -> Derivation | None:
        """Return the value of the column in a row; None if a cell is missing or the divisor is zero."""
        sides = [_added(names, row, columns, origins) for columns in (self.over, self.under) if columns]
        known = [side for side in sides if side is not None]
        if len(known) < len(sides):
            return None
        if len(known) == 1:
            return known[0]
        one, other = known
        cells = tuple(dict.fromkeys((*one.cells, *other.cells)))
        told = [f"({side.formula})" if " + " in side.formula else side.formula for side in known]
        if self.minus:
            return Derivation("difference", cells, one.value - other.value, " − ".join(told))
        if not other.value:
            return None
        return Derivation("ratio", cells, one.value / other.value, " ÷ ".join(told))


def _added(
    names: TableNames, row: int, columns: Sequence[int], origins: Mapping[tuple[int, int], Derivation]
) -> Derivation | None:
    parts = [_origin(names, row, column, origins) for column in columns]
    known = [one for one in parts if one is not None]
    if len(known) < len(parts):
        return None
    cells = tuple(cell for one in known for cell in one.cells)
    told = " + ".join(told_number(one.value) for one in known)
    return Derivation("sum", cells, sum(one.value for one in known), told)


def _origin(
    names: TableNames, row: int, column: int, origins: Mapping[tuple[int, int], Derivation]
) -> Derivation | None:
    if origins:
        return origins.get((row, column))
    value = names.table.number(row, column)
    return None if value is None else Derivation("sum", (Cell(names.at, row, column, value),), value, "")


def _ways(names: TableNames, measures: Sequence[int]) -> Iterator[_Way]:
    """Yield the computed columns that make sense. Two columns in one unit give a difference, a sum, shares and, if one
    never exceeds the other, a rate; other columns give quotients. Their names contain the words that texts use for
    them.
    """
    named = {at: " ".join(names.column_words[at]) for at in measures}
    for one, other in combinations(measures, 2):
        if names.of_periods(one, other):
            continue  # other rules trace the change between two periods
        alike = names.units[one] == names.units[other]
        for over, under in ((one, other), (other, one)):
            if alike and _within(names, (over,), under):
                yield _Way(f"{named[over]} rate share of {named[under]}", (over,), (under,))
            else:
                yield _Way(_quotient(names, over, under), (over,), (under,))
        if alike:
            more, less = (other, one) if _within(names, (one,), other) else (one, other)
            yield _Way(f"{named[more]} minus {named[less]} difference net", (more,), (less,), minus=True)
            yield _Way(f"{named[one]} {named[other]} combined", (one, other))
            for part in (one, other):
                yield _Way(f"{named[part]} rate share", (part,), (one, other))
            for whole in measures:
                if whole not in (one, other) and _within(names, (one, other), whole):
                    yield _Way(
                        f"{named[one]} {named[other]} rate share of {named[whole]}", (one, other), (whole,)
                    )


def _quotient(names: TableNames, over: int, under: int) -> str:
    """Return the name of a quotient, such as `revenue mean per order_eur`, which ends with the unit of the amount."""
    unit = names.table.columns[over].rpartition("_")[2] if names.own_units[over].unit is not None else ""
    said, each = (" ".join(names.column_words[at]) for at in (over, under))
    return f"{said} mean per {each}_{unit}".rstrip("_")


def _within(names: TableNames, parts: Sequence[int], whole: int) -> bool:
    """Return whether some columns are never negative and their sum never exceeds another column, in any row."""
    for row in range(len(names.table.rows)):
        values = [names.table.number(row, column) for column in parts]
        against = names.table.number(row, whole)
        if against is None or any(value is None for value in values):
            continue
        if any((value or 0) < 0 for value in values) or sum(value or 0 for value in values) > against:
            return False
    return True
