"""The means of a result's columns over the rows that share a label: "on average 80.7% for Pd/C". Pure."""

from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean

from engine.numbers.computed_tables import ComputedTable, cells_of, grouped
from engine.numbers.derivation import Derivation
from engine.numbers.evidence import Value
from engine.numbers.table_names import TableNames

__all__ = ["means_by_label"]

_MOST_ROWS, _MOST_COLUMNS = 120, 8
"""Limits on the rows of a result, and on its columns that are averaged."""


def means_by_label(names: TableNames) -> Iterator[ComputedTable]:
    """For each column of labels that several rows share, yield a table with the means of the columns by label."""
    table = names.table
    if not (table.whole and 2 < len(table.rows) <= _MOST_ROWS):
        return
    measures = names.measures[:_MOST_COLUMNS]
    for column in names.dimensions if measures else ():
        groups = grouped([(value,) for value in table.values(column)])
        if not 1 < len(groups) < len(table.rows):
            continue
        rows: list[tuple[Value, ...]] = []
        origins: dict[tuple[int, int], Derivation] = {}
        for at, (label, members) in enumerate(groups.items()):
            values = list(label)
            for place, measure in enumerate(measures, 1):
                cells = cells_of(names, members, measure)
                if len(cells) > 1:
                    mean = fmean(cell.value for cell in cells)
                    told = f"mean of {len(cells)} cells of {table.columns[measure]}"
                    origins[at, place] = Derivation("mean", cells, mean, told)
                values.append(origins[at, place].value if len(cells) > 1 else None)
            rows.append(tuple(values))
        columns = (table.columns[column], *(_mean_of(table.columns[measure]) for measure in measures))
        made = replace(table, columns=columns, rows=tuple(rows), total_rows=None, made="means")
        yield ComputedTable(made, origins)


def _mean_of(name: str) -> str:
    """Return the name of a column of means, whose last word is still the unit: `mean_yield_pct`."""
    return f"mean_{name}"
