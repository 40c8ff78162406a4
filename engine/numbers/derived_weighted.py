"""The mean of a column weighted by another, if the text says that it is weighted. Pure."""

import re
from collections.abc import Iterator
from itertools import permutations

from engine.numbers.column_totals import ends_of
from engine.numbers.derivation import Derivation
from engine.numbers.fitting import is_fraction
from engine.numbers.places import Place
from engine.numbers.recomputed import weighted_mean
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.words import forms

__all__ = ["is_weighted", "weighted_means"]

_WEIGHTED = re.compile(r"\bweight(?:ed|ing)\b", re.IGNORECASE)
"""Does not match the noun "weight", which may be a column."""
_UNWEIGHTED = forms("unweighted simple plain straight")


def is_weighted(text: Text, place: Place) -> bool:
    """Return whether a number's sentence is about a weighted mean, and its clause is not about an unweighted one."""
    said = text.said(_WEIGHTED, place.passage)
    return said is not None and not place.own_words & _UNWEIGHTED


def weighted_means(text: Text, place: Place, names: TableNames) -> Iterator[Derivation]:
    """Yield the means of columns, each weighted by a column of whole numbers, over all rows of a result.

    If the sentence or the question mentions columns that can be weights, only these are used.
    """
    table = names.table
    if not is_weighted(text, place) or not table.whole or len(table.rows) < 2:
        return
    weights = [column for column in names.measures if _is_weight(names, column)]
    told = place.words | text.question_words
    rows = range(len(table.rows))
    for column, weight in permutations(names.measures, 2):
        other = told - set(names.column_words[column])  # "the price, weighted by the number of wines"
        if weight not in ([one for one in weights if set(names.column_words[one]) & other] or weights):
            continue
        value = weighted_mean(*([table.number(row, at) for row in rows] for at in (column, weight)))
        if value is None:
            continue
        percent = place.mention.kind in ("percent", "part") and not is_fraction(table, column)
        yield Derivation(
            "weighted mean",
            (*ends_of(names, column, rows), *ends_of(names, weight, rows)),
            value * 0.01 if percent else value,
            f"mean of {table.columns[column]} weighted by {table.columns[weight]}",
            len(rows),
        )


def _is_weight(names: TableNames, column: int) -> bool:
    numbers = names.table.numbers(column)
    return len(set(numbers)) > 1 and all(one >= 0 and one.is_integer() for one in numbers)
