"""Joins two results about the same rows at two times: "up 11% on last year", if each year has its own result. Pure."""

import re
from dataclasses import replace

from engine.numbers.computed_tables import ComputedTable
from engine.numbers.derivation import Derivation
from engine.numbers.evidence import Cell, ResultTable, Value
from engine.numbers.label_forms import MONTHS
from engine.numbers.table_names import TableNames

__all__ = ["joined"]

_PERIOD = re.compile(
    rf"h[12]|q[1-4]|fy|week|\d{{1,4}}(?:-\d\d){{0,2}}|{'|'.join(f'{name}|{name[:3]}' for name in MONTHS)}"
)
"""A word in a title that names a period: may, 2025, q3."""
_MOST_ROWS, _MOST_COLUMNS = 120, 8
"""Limits on the rows of a result, and on the columns that two results share."""


def joined(first: TableNames, second: TableNames) -> ComputedTable | None:
    """Return two results with the same column of labels and the same measures as one table, whose columns are named
    after the periods in which the titles differ. None if they are not about the same things at two times.
    """
    tables = first.table, second.table
    told = _told_apart(*tables)
    if told is None or any(
        len(one.dimensions) != 1 or len(one.table.rows) > _MOST_ROWS for one in (first, second)
    ):
        return None
    of, against = (one.table.columns[one.dimensions[0]] for one in (first, second))
    shared = [name for name in _measures(first) if name in _measures(second)][:_MOST_COLUMNS]
    rows, others = _rows(first), _rows(second)
    common = [label for label in rows if label in others]
    if of != against or not shared or 2 * len(common) < max(len(rows), len(others)) or len(common) < 2:
        return None
    values: list[tuple[Value, ...]] = []
    origins: dict[tuple[int, int], Derivation] = {}
    for at, label in enumerate(dict.fromkeys((*rows, *others))):
        cells = [
            _cell(names, found.get(label), name)
            for name in shared
            for names, found in ((first, rows), (second, others))
        ]
        for place, cell in enumerate(cells, 1):
            if cell is not None:
                origins[at, place] = Derivation("sum", (cell,), cell.value, "")
        values.append((label, *(None if cell is None else cell.value for cell in cells)))
    columns = tuple(f"{name}_{one}" for name in shared for one in told)
    return ComputedTable(
        replace(tables[0], columns=(of, *columns), rows=tuple(values), total_rows=None, made="joined"),
        origins,
    )


def _told_apart(first: ResultTable, second: ResultTable) -> tuple[str, str] | None:
    """Return the words in which two titles differ if they are periods of one kind: 2025 and 2024, May and April."""
    words = [title.replace(",", " ").lower().split() for title in (first.title, second.title)]
    mine, its = ([word for word in one if word not in other] for one, other in (words, words[::-1]))
    if not mine or not all(map(_PERIOD.fullmatch, (*mine, *its))):
        return None
    alike = [word.isalpha() for word in mine] == [word.isalpha() for word in its]
    return ("_".join(mine), "_".join(its)) if alike else None


def _measures(names: TableNames) -> list[str]:
    return [names.table.columns[at] for at in names.measures]


def _rows(names: TableNames) -> dict[str, int]:
    """Return the rows by label; empty if a label repeats."""
    labels = [names.label(row, names.dimensions[0]) for row in range(len(names.table.rows))]
    return {} if len(set(labels)) < len(labels) else {label: row for row, label in enumerate(labels)}


def _cell(names: TableNames, row: int | None, name: str) -> Cell | None:
    column = names.table.columns.index(name)
    value = None if row is None else names.table.number(row, column)
    return None if row is None or value is None else Cell(names.at, row, column, value)
