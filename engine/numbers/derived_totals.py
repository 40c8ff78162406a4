"""Computations from a whole column or some of its rows: totals, means, shares, remainders."""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from statistics import fmean

from engine.numbers.between_totals import between_named, left_of_totals, says_left, total_worth, totals_each
from engine.numbers.claimed import claims_cell
from engine.numbers.column_totals import RANGE, column_sum, ends_of, number_of, of_rows, share_of
from engine.numbers.connectives import PART_OF
from engine.numbers.derivation import Derivation, told_number
from engine.numbers.derivation_words import EACH, MEAN, MEDIAN, REST, SHARE, SUM
from engine.numbers.evidence import Cell
from engine.numbers.fitting import DOWN, PERCENT_NAME, UP, is_fraction
from engine.numbers.naming import column_named, holding, is_change
from engine.numbers.places import Place
from engine.numbers.rows_meant import clause_rows, named_rows, ranged_rows, top_rows
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.words import forms
from events.late_dataclass import dataclass

__all__ = ["of_totals"]


def of_totals(text: Text, place: Place, names: TableNames) -> Iterator[Derivation]:
    """Yield computations from a whole column, or from those of its rows that the text mentions."""
    table = names.table
    if len(table.rows) < 2 or not (table.whole or len(table.rows) in text.numbers_said):
        return
    if claims_cell(text, place, names):
        return
    said = _said(text, place, names)
    yield from _of_two_columns(text, place, names, said)
    if place.mention.digits > 2 and said.words & SUM:
        yield from _of_every_cell(names)
    for column in names.measures:
        if not _may_mean(text, place, names, column, said):
            continue
        if place.mention.kind == "number" and len(said.own) == 1 and column == names.measures[0]:
            counted = place.mention.unit is None and _counts_all(text, place, names)
            yield from _along_row(names, said.own[0], said.words, counted)
        if place.mention.kind in ("number", "count"):
            yield from _of_numbers(place, names, column, said)
        else:
            yield from _of_shares(place, names, column, said)


@dataclass(frozen=True, slots=True)
class _Said:
    """The words, rows and columns that a sentence gives for computing totals."""

    words: frozenset[str]
    """The words of the sentence, plus words for a sum, a share or a rest if it implies one."""
    picked: list[int]
    ranges: list[list[int]]
    of_row: bool
    """Whether the sentence names a row before the end of the number's clause, or the question names one."""
    own_row: bool
    """Whether the sentence names a row before the end of the number's clause."""
    own: list[int]
    """The rows that the clause refers to."""
    columns: Collection[int]
    """The columns whose totals may be meant."""
    only: frozenset[int]
    """The only columns that may be meant; empty if all may be."""
    apart: bool
    """Whether the text names a column, but not in the number's clause."""


def _said(text: Text, place: Place, names: TableNames) -> _Said:
    mention, table = place.mention, names.table
    asked = mention.digits > 2 or (mention.kind == "percent" and "pct" in text.question_words)
    words = place.words | (text.question_words if asked else frozenset())
    of_row = _named_before(text, place, names)
    of_all = any(one.value == table.count for one in place.beside if one is not mention) and table.count > 2
    part = _PARTS.search(text.text, max(0, mention.start - 24), mention.start)
    counts = not of_row and _counts_all(text, place, names)
    if mention.digits > 3 or part or of_all or counts or _OF_ALL.match(text.text, place.passage.start):
        words |= SUM
    if text.said(_OVER_ALL, place.passage):
        words |= SUM
    picked = named_rows(text, place, names)
    if len(picked) > 1 and PART_OF.match(text.text, mention.end):
        words |= SUM  # "752 of 1,227 answered good or very good"
    if mention.kind in ("percent", "part") and _OF_SOME.match(text.text, mention.end):
        words |= SHARE
    labels = ((column, names.label(row, column)) for row in picked for column in names.dimensions)
    if any(text.leaves_out(place, names.at, column, label) for column, label in labels):
        words |= REST
    ranges, own = list(ranged_rows(text, place, names)), clause_rows(text, place, names)
    own_row = _named_before(text, place, names, asked=False)
    return _Said(words, picked, ranges, of_row, own_row, own, *_columns(text, place, names))


def _columns(text: Text, place: Place, names: TableNames) -> tuple[Collection[int], frozenset[int], bool]:
    """Return the fields `columns`, `only` and `apart` of `_Said`. If the clause only continues the clause before it,
    `only` contains the columns that the sentence mentions before the number.
    """
    share = place.mention.kind in ("percent", "part")
    among: Collection[int] = names.measures if share else holding(names, place.mention)
    if _goes_on(text, place, names):
        before = place.passage.start, place.mention.start
        named = {one.column for one in text.columns_in(names.at, before)} & set(names.measures)
        return among, frozenset(named), False
    return among, frozenset(), (text.columns_of(place, names.at, among) or ({}, 0))[1] > 1


def _of_two_columns(text: Text, place: Place, names: TableNames, said: _Said) -> Iterator[Derivation]:
    """Yield computations from the totals of two columns."""
    mention = place.mention
    if mention.kind == "percent" and not said.picked and (said.words & (SHARE | SUM) or mention.signed):
        yield from between_named(text, place, names)
    if mention.kind != "number":
        return
    if mention.digits > 2 and not said.of_row:
        yield from total_worth(names)
    overall = text.question_words & EACH and _OVERALL.search(text.text, place.passage.start, mention.start)
    if (not said.of_row and said.words & EACH) or overall:
        yield from totals_each(text, place, names)
    part = PART_OF.match(text.text, mention.end) or _FEWER.match(text.text, mention.end)
    if (mention.digits > 2 or part) and not said.of_row and (says_left(text, said.words) or mention.signed):
        yield from left_of_totals(names)


def _may_mean(text: Text, place: Place, names: TableNames, column: int, said: _Said) -> bool:
    """Return whether the total of a column may be meant: the clause mentions no other column."""
    share = place.mention.kind in ("percent", "part")
    if said.only and column not in said.only:
        return False
    if not said.apart and column_named(text, place, names, column, said.columns) is None:
        return False
    return share or place.mention.unit is not None or _may_be(text, place, names, column)


def _goes_on(text: Text, place: Place, names: TableNames) -> bool:
    """Return whether a clause is only a name and a number, and so continues the one before it: "PC 32%"."""
    clause = place.passage.clause(place.mention.start)
    labels = [(one.start, one.end) for at in names.dimensions for one in text.rows_in(names.at, at, clause)]
    others = {word for word in place.own_words if word.isalpha() and len(word) > 3}
    return bool(labels) and others <= text.words_in(labels)


def _of_numbers(place: Place, names: TableNames, column: int, said: _Said) -> Iterator[Derivation]:
    every = range(len(names.table.rows))
    averaged = (
        not said.own_row and place.words & _AVERAGE
    )  # the row that only the question names is not a mean
    no_means = MEAN | MEDIAN if said.of_row and not averaged else frozenset[str]()
    yield from of_rows(names, column, every, said.words - no_means, "total")
    for rows in (said.picked, *said.ranges, *top_rows(names, column, place)):
        if 1 < len(rows) < len(every):
            yield from of_rows(names, column, rows, said.words - MEDIAN, "sum")
    if said.picked and said.words & REST:
        others = [row for row in every if row not in said.picked]
        yield from of_rows(names, column, others, said.words | SUM, "rest")


def _of_shares(place: Place, names: TableNames, column: int, said: _Said) -> Iterator[Derivation]:
    mention, every = place.mention, range(len(names.table.rows))
    fraction, total = is_fraction(names.table, column), column_sum(names, column, every)
    if mention.kind == "percent" and mention.digits > 2 and fraction:
        for row in said.picked[:2]:
            if (value := number_of(names, row, column)) is not None:
                cell = Cell(names.at, row, column, value)
                yield Derivation("rest", (cell,), 1 - value, f"1 − {told_number(value)}")
    if mention.kind in ("points", "percent") and column in holding(names, mention):
        words = said.words & RANGE if mention.kind == "points" else said.words - SUM
        for one in of_rows(names, column, every, words, "total"):
            yield replace(one, value=one.value * (1.0 if fraction else 0.01))
    if mention.kind != "points" and len(said.picked) == 1 and said.words & SHARE:
        yield from _of_row_total(names, column, said.picked[0])
    moves = mention.signed or (place.clause_words & (UP | DOWN) and not place.clause_words & SHARE)
    changes = is_change(names, column) or fraction or (moves and mention.kind == "percent")
    if mention.kind != "points" and total and not changes and said.words & (SHARE | REST | SUM):
        for rows in (
            said.picked,
            *said.ranges,
            *top_rows(names, column, place),
            *([row] for row in said.picked),
        ):
            if rows and len(rows) < len(every):
                yield from share_of(names, column, rows, total)
                if said.words & REST:
                    yield from share_of(names, column, [row for row in every if row not in rows], total)


def _of_every_cell(names: TableNames) -> Iterator[Derivation]:
    """Yield the total of all cells of a result whose columns are periods."""
    if not names.has_periods or len({names.units[column] for column in names.measures}) > 1:
        return
    every = range(len(names.table.rows))
    total = sum(column_sum(names, column, every) or 0.0 for column in names.measures)
    ends = (*ends_of(names, names.measures[0], every), *ends_of(names, names.measures[-1], every))
    yield Derivation("sum", ends, total, f"sum of {len(every)} rows and {len(names.measures)} columns")


def _of_row_total(names: TableNames, column: int, row: int) -> Iterator[Derivation]:
    """Yield the share of a cell in the total of its row, if three or more columns measure the same thing."""
    alike = [
        (at, value)
        for at in names.measures
        if names.units[at] == names.units[column]
        and not is_fraction(names.table, at)
        and (value := number_of(names, row, at)) is not None
        and value >= 0
    ]
    total, part = sum(value for _, value in alike), dict(alike).get(column)
    whole = all(value.is_integer() for _, value in alike)
    same = names.units[column].unit or names.has_periods or (whole and len(alike) == len(names.measures))
    if len(alike) > 2 and part and part < total and same:
        cell = Cell(names.at, row, column, part)
        told = f"{told_number(part)} ÷ {told_number(total)}, the total of its row"
        yield Derivation("share of total", (cell,), part / total, told)


_OVER_ALL = re.compile(
    r"\b(?:(?:over|across|in|throughout)\s(?:all|the\s(?:whole|entire|full))|altogether|combined)\b",
    re.IGNORECASE,
)
_OVERALL = re.compile(r"\b(?:overall|on average|the average|all in all|together)\b", re.IGNORECASE)
_OF_SOME = re.compile(r"[*_`)]*\sof\s")
_OF_ALL = re.compile(r"\W*of\s(?:the|all)\s[*$€£]*\d", re.IGNORECASE)
_PARTS = re.compile(r"\bof\s(?:the\s|all\s)?(?:\w+['’]s?\s)?[*_$€£]*$|\bn\s?=\s?$|\d\s?/\s?$", re.IGNORECASE)


def _may_be(text: Text, place: Place, names: TableNames, column: int) -> bool:
    """Return whether a number can be from a column. If the column has percentages but the number has no percent sign,
    the text must mention the column."""
    if place.mention.kind != "number" or not PERCENT_NAME.search(names.table.columns[column]):
        return True
    return bool(column_named(text, place, names, column))


def _along_row(names: TableNames, row: int, words: frozenset[str], counted: bool) -> Iterator[Derivation]:
    """Yield the total and mean of a row if its columns measure the same thing. If `counted`, use the columns of whole
    numbers instead."""
    columns = names.measures
    if len({names.units[column] for column in columns}) > 1 or not words & (SUM | MEAN):
        columns = ()
    if counted:
        columns = tuple(
            at for at in names.measures if all(one.is_integer() for one in names.table.numbers(at))
        )
        words = words | SUM
    cells = [
        Cell(names.at, row, column, value)
        for column in columns
        if (value := number_of(names, row, column)) is not None
    ]
    if len(cells) < 2:
        return
    ends, values = (cells[0], cells[-1]), [cell.value for cell in cells]
    if words & SUM:
        yield Derivation("sum", ends, sum(values), f"sum of {len(cells)} cells of a row")
    if words & MEAN:
        yield Derivation("mean", ends, fmean(values), f"mean of {len(cells)} cells of a row")


_FEWER = re.compile(r"[*_`]*\s(?:fewer|more|less)\b")
_NOUN = re.compile(r"[*_`]*\s[*_`]*[a-z]")


def _counts_all(text: Text, place: Place, names: TableNames) -> bool:
    """Return whether a number may count or measure all rows, because it has a noun, a unit or a column's name next to
    it: "820 pupils"."""
    mention = place.mention
    whole = mention.kind == "number" and mention.unit is None and mention.value.is_integer()
    many = mention.digits > 2 or abs(mention.value) >= 1000
    if mention.kind == "number" and mention.unit is not None and many:
        return True
    if whole and mention.digits > 1 and text.opens(place, names.at):
        return True
    return whole and mention.value >= 20 and _NOUN.match(text.text, mention.end) is not None


_AVERAGE = forms("mean average")


def _named_before(text: Text, place: Place, names: TableNames, *, asked: bool = True) -> bool:
    """Return whether the text names a row before the end of the number's clause, or, if `asked`, the question names
    one.
    """
    clause = place.passage.clause(place.mention.start)
    span = place.passage.start, max(clause[1], place.mention.end)
    return any(
        text.rows_in(names.at, column, span) or (asked and text.asked_rows(names.at, column))
        for column in names.dimensions
    )
