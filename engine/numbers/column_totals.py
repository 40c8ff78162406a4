"""The total, mean, median and range of a column, or of some of its rows. Pure."""

from collections.abc import Iterator, Sequence
from statistics import fmean, median

from engine.numbers.derivation import Derivation, Operation, told_number
from engine.numbers.derivation_words import MEAN, MEDIAN, SUM
from engine.numbers.evidence import Cell
from engine.numbers.fitting import PERCENT_NAME, is_fraction
from engine.numbers.table_names import TableNames
from engine.numbers.words import forms

__all__ = ["RANGE", "adds_up", "column_sum", "ends_of", "number_of", "of_rows", "share_of"]


RANGE = forms("range spread gap span varied vary apart")


def of_rows(
    names: TableNames, column: int, rows: Sequence[int], words: frozenset[str], whole: Operation
) -> Iterator[Derivation]:
    """Yield the total, mean, median or range of some rows of a column, if `words` mention it."""
    rows = _without_total(names, rows)
    every = len(rows) == len(names.table.rows)
    kept = (number_of(names, row, column) for row in rows) if not every else names.table.numbers(column)
    numbers = [value for value in kept if value is not None]
    if len(numbers) < 1:
        return
    ends = ends_of(names, column, rows)
    name = names.table.columns[column]
    if words & SUM and adds_up(names, column):
        yield Derivation(whole, ends, sum(numbers), f"sum of {len(numbers)} cells of {name}", len(numbers))
    if words & MEAN and len(numbers) > 1:
        yield Derivation(
            "mean", ends, fmean(numbers), f"mean of {len(numbers)} cells of {name}", len(numbers)
        )
    if words & MEDIAN and len(numbers) > 1:
        yield Derivation(
            "median", ends, median(numbers), f"median of {len(numbers)} cells of {name}", len(numbers)
        )
    if words & RANGE and len(numbers) > 1:
        high, low = max(numbers), min(numbers)
        yield Derivation("range", ends, high - low, f"{told_number(high)} − {told_number(low)}", len(numbers))


_NO_SUM = forms(
    "mean median average avg min max rate ratio pct std score margin percentile quantile quartile p10 p25 p75 p90 p95"
    " p99 q25 q75"
)


def adds_up(names: TableNames, column: int) -> bool:
    """Return whether it makes sense to add the cells of a column: not if they are shares, means or extremes."""
    shares = is_fraction(names.table, column) or PERCENT_NAME.search(names.table.columns[column])
    words, unit = set(names.column_words[column]), names.own_units[column].unit
    if unit is not None and unit[0] == "time":
        words.discard("min")  # minutes, as in `downtime_min`
    return names.table.made != "combined" and not shares and not words & _NO_SUM


def share_of(names: TableNames, column: int, rows: Sequence[int], total: float) -> Iterator[Derivation]:
    """Yield the share of some rows in the total of their column."""
    if not adds_up(names, column):
        return
    part = column_sum(names, column, rows)
    formula = f"{told_number(part)} ÷ {told_number(total)}, the total of {names.table.columns[column]}"
    yield Derivation("share of total", ends_of(names, column, rows), part / total, formula)


def ends_of(names: TableNames, column: int, rows: Sequence[int]) -> tuple[Cell, ...]:
    """Return the first and last cells of some rows of a column."""
    ends = dict.fromkeys((rows[0], rows[-1]))
    return tuple(Cell(names.at, row, column, number_of(names, row, column) or 0.0) for row in ends)


def column_sum(names: TableNames, column: int, rows: Sequence[int]) -> float:
    """Return the sum of a column over some rows; missing values count as 0."""
    rows = _without_total(names, rows)
    if len(rows) == len(names.table.rows):
        return names.table.totals[column]
    return sum(number_of(names, row, column) or 0.0 for row in rows)


def _without_total(names: TableNames, rows: Sequence[int]) -> Sequence[int]:
    """Return `rows` without the row that is the total of all others, which would be counted twice. A single row is
    kept."""
    if names.grand_total is None or len(rows) < 2 or names.grand_total not in rows:
        return rows
    return [row for row in rows if row != names.grand_total]


def number_of(names: TableNames, row: int, column: int) -> float | None:
    """Return the number in a cell; None if there is none."""
    return names.table.number(row, column)
