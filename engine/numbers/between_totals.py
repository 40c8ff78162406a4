"""Computations from the totals of two columns: rates, shares, growth, differences, costs. Pure."""

from collections.abc import Iterator
from itertools import combinations, permutations

from engine.numbers.column_totals import column_sum, ends_of, number_of
from engine.numbers.derivation import Derivation, told_number
from engine.numbers.derivation_words import MOVES, REST
from engine.numbers.derived_rates import converted, is_priced, per_many
from engine.numbers.fitting import DOWN, UP, is_fraction, sign_fits
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.words import forms

__all__ = ["between_named", "left_of_totals", "says_left", "total_worth", "totals_each"]


def total_worth(names: TableNames) -> Iterator[Derivation]:
    """Yield the total value of a column of quantities at the prices in another column."""
    every = range(len(names.table.rows))
    for many, price in permutations(names.measures, 2):
        if not is_priced(names, many, price):
            continue
        values = [
            (number_of(names, row, many) or 0.0) * (number_of(names, row, price) or 0.0) for row in every
        ]
        cells = (*ends_of(names, many, every), *ends_of(names, price, every))
        told = f"{names.table.columns[many]} × {names.table.columns[price]} of all rows"
        yield Derivation("product", cells, sum(values) * converted(names, many, price), told, len(values))


def totals_each(text: Text, place: Place, names: TableNames) -> Iterator[Derivation]:
    """Yield the total of one column divided by the total of another: "3.1 nights per booking"."""
    span = place.passage.start, place.passage.end
    named = {one.column for one in text.columns_in(names.at, span)} & set(names.measures)
    named = named or {at for at in names.measures if set(names.column_words[at]) & text.question_words}
    every = range(len(names.table.rows))
    for over, under in permutations(names.measures, 2):
        whole = column_sum(names, under, every)
        if {over, under} & named and whole and not is_fraction(names.table, over):
            total = column_sum(names, over, every)
            told = f"totals of {names.table.columns[over]} and {names.table.columns[under]}"
            cells = (*ends_of(names, over, every), *ends_of(names, under, every))
            scale, each = per_many(text, place)
            formula = f"{told_number(total)} ÷ {told_number(whole)}{each}, the {told}"
            yield Derivation("ratio", cells, total / whole * scale, formula)


def between_named(text: Text, place: Place, names: TableNames) -> Iterator[Derivation]:
    """Yield the shares of columns' totals in other columns' totals, and the growth between them; only for the columns
    that the sentence mentions, if it names any."""
    span = place.passage.start, place.passage.end
    named = {one.column for one in text.columns_in(names.at, span)} & set(names.measures)
    for column in names.measures:
        total = column_sum(names, column, range(len(names.table.rows)))
        if total and (not named or column in named):
            yield from _between_totals(place, names, column, total)


def says_left(text: Text, words: frozenset[str]) -> bool:
    """Return whether the text may be about a difference: it has a word such as "left", "no" or "fell", or it negates a
    word of the results ("unanswered" for the column `answered`)."""
    if (words | text.question_words) & _LEFT:
        return True
    return any(word[:2] == "un" and word[2:] in text.vocabulary for word in words)


_LEFT = (
    REST | UP | DOWN | forms("not un no missed unanswered unopened unsold unpaid open difference")
) - forms("of so")


def left_of_totals(names: TableNames) -> Iterator[Derivation]:
    """Yield the difference between the totals of two columns with the same unit: "50 of the 415 students did not take
    the exam".
    """
    every = range(len(names.table.rows))
    for one, other in combinations(names.measures, 2):
        if (
            names.units[one] != names.units[other]
            or is_fraction(names.table, one)
            or is_fraction(names.table, other)
        ):
            continue
        whole, part = column_sum(names, one, every), column_sum(names, other, every)
        if min(abs(whole), abs(part)) < max(abs(whole), abs(part)) * 0.005:
            continue  # without so small a part, the number would hardly change
        cells = (*ends_of(names, one, every), *ends_of(names, other, every))
        told = f"totals of {names.table.columns[one]} and {names.table.columns[other]}"
        formula = f"{told_number(whole)} − {told_number(part)}, the {told}"
        yield Derivation("difference", cells, whole - part, formula)
        yield Derivation("difference", cells, part - whole, formula)


def _between_totals(place: Place, names: TableNames, column: int, total: float) -> Iterator[Derivation]:
    """Yield the share of a column's total in another column's total ("overall, 10% churned"), and the growth between
    them."""
    every = range(len(names.table.rows))
    for other in names.measures:
        whole = column_sum(names, other, every)
        if other == column or not whole or is_fraction(names.table, other):
            continue
        cells = (*ends_of(names, column, every), *ends_of(names, other, every))
        told = f"totals of {names.table.columns[column]} and {names.table.columns[other]}"
        if abs(total) < abs(whole):
            yield Derivation(
                "share of total",
                cells,
                total / whole,
                f"{told_number(total)} ÷ {told_number(whole)}, the {told}",
            )
        if (
            other < column
            and (place.words & MOVES or place.mention.signed)
            and sign_fits(total - whole, place, moves=True)
        ):
            formula = f"({told_number(total)} − {told_number(whole)}) ÷ {told_number(whole)}, from the {told}"
            yield Derivation("growth", cells, (total - whole) / whole, formula)
