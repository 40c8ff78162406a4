"""Decides whether a computation makes sense for its columns: no percentages minus counts, no sums of means. Pure."""

from typing import Literal

from engine.numbers.derivation import Derivation
from engine.numbers.fitting import PERCENT_NAME, is_fraction
from engine.numbers.table_names import TableNames
from engine.numbers.words import forms

__all__ = ["is_sensible"]

_Measure = Literal["percent", "mean", "count", "amount"]

_MEANS = forms("avg average mean median typical score arpa aov")
_PARTS = forms("share anteil contribution proportion")
_ADDS = ("total", "share of total")


def is_sensible(names: TableNames, one: Derivation) -> bool:
    """Return whether the columns of a computation can be combined in this way."""
    if any(cell.table != names.at for cell in one.cells) or one.operation == "weighted mean":
        return True
    columns = {cell.column for cell in one.cells}
    kinds = {_kind(names, column) for column in columns}
    of_totals = bool(one.parts) or (
        one.operation in ("ratio", "share") and len(one.cells) > 2 and len(columns) > 1
    )
    adds = one.operation in _ADDS or (one.operation == "sum" and len(one.cells) > 1)
    if of_totals or (adds and len(columns) == 1):
        return all(
            _kind(names, column) in ("count", "amount") or _is_part(names, column) for column in columns
        )
    if one.operation == "product":
        return "mean" not in kinds or "percent" not in kinds
    alike = len({names.units[column].unit for column in columns}) == 1 and "percent" not in kinds
    if len(columns) < 2 or len(one.cells) > 2 or names.table.made == "combined":
        return True
    if alike and all(names.units[column].unit is not None for column in columns):
        return True  # a peak and a mean in kW
    if one.operation in ("difference", "growth", "sum", "range"):
        return len(kinds) == 1 or kinds == {"count", "amount"}
    if one.operation == "ratio":
        return len(kinds) == 1 or ("percent" not in kinds and not _divides_mean(names, one))
    if one.operation == "share":
        return not ({"percent", "mean"} & kinds and len(kinds) > 1)
    return True


def _divides_mean(names: TableNames, one: Derivation) -> bool:
    """Return whether a mean is divided by a count. A count may be divided by a mean: 805 in stock at 12 sold a week."""
    first, second = one.cells[:2]
    over, under = (
        (first, second)
        if abs(one.value * second.value - first.value) < 1e-6 * abs(first.value)
        else (second, first)
    )
    return (_kind(names, over.column), _kind(names, under.column)) == ("mean", "count")


def _kind(names: TableNames, column: int) -> _Measure:
    words, name = set(names.column_words[column]), names.table.columns[column]
    if is_fraction(names.table, column) or PERCENT_NAME.search(name) or words & _PARTS:
        return "percent"
    if words & _MEANS or names.units[column].per is not None or "per" in words:
        return "mean"
    whole = all(value.is_integer() for value in names.table.numbers(column))
    return "count" if whole and names.units[column].unit is None else "amount"


def _is_part(names: TableNames, column: int) -> bool:
    """Return whether a column has the parts of a whole, which can be added: `share_of_revenue_pct`."""
    return bool(set(names.column_words[column]) & _PARTS)
