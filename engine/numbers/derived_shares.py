"""Numbers computed from one other number: what share it is of a whole, a share of it, or its value for another period.
Pure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from engine.numbers.column_totals import column_sum
from engine.numbers.derivation import Bound, Derivation, told_number
from engine.numbers.derivation_words import IN_BRACKETS, REST, SHARE, SUM
from engine.numbers.derived_rates import converted
from engine.numbers.evidence import Cell
from engine.numbers.places import Place
from engine.numbers.rows_meant import named_rows
from engine.numbers.scopes import Text
from engine.numbers.words import forms

__all__ = ["PRODUCT", "of_known", "of_periods", "of_whole", "parts_of"]


PRODUCT = forms("at so total worth cost")


_IN_PERIOD: Mapping[str, tuple[float, ...]] = {
    "hour": (60.0, 1 / 24),
    "day": (1 / 7, 1 / 30, 1 / 365, 24.0),
    "week": (7.0, 1 / 7),
    "month": (4.0, 1 / 12, 30.0),
    "year": (12.0, 4.0, 52.0, 365.0),
    "annual": (12.0, 4.0),
    "annualis": (12.0, 4.0),
    "annualiz": (12.0, 4.0),
}
"""The factors that convert a number to another period."""


def of_periods(place: Place, bound: Sequence[Bound]) -> Iterator[Derivation]:
    """Yield a number converted to another period: "10,100 litres a day; over a week, 70,700"."""
    if place.mention.kind != "number" or place.mention.digits < 2:
        return
    factors = dict.fromkeys(by for word in place.own_words for by in _IN_PERIOD.get(word, ()))
    for known in bound[-2:]:
        for by in factors if known.written.kind == "number" and known.value > 1 else ():
            yield Derivation(
                "product", known.cells, known.value * by, f"{told_number(known.value)} × {by:.6g}"
            )


_OF_KNOWN = re.compile(r"[*_`]*\sof\s(?:the\s|all\s|its\s|their\s)?[*_`$€£]*")


def of_known(text: Text, place: Place, known: Bound) -> Iterator[Derivation]:
    """Yield a named cell as a share of the number that follows: "plastic was 12.5% of the 698.1 t"."""
    share = place.mention.kind in ("percent", "part") and not known.percent
    if not share or not _OF_KNOWN.fullmatch(text.text[place.mention.end : known.written.start]):
        return
    names = text.labels.tables[known.cells[0].table]
    span = place.passage.start, place.passage.end
    columns = {one.column for one in text.columns_in(names.at, span)} | {cell.column for cell in known.cells}
    rows = {*named_rows(text, place, names)[:3], *(cell.row for cell in known.cells)}
    for row, column in sorted((row, column) for row in rows for column in columns):
        if (part := names.table.number(row, column)) and 0 < part < known.value:
            formula = f"{told_number(part)} ÷ {told_number(known.value)}"
            cells = (Cell(names.at, row, column, part), *known.cells)
            yield Derivation("share", cells, part / known.value, formula)


def _of_other(place: Place, known: Bound, bound: Sequence[Bound]) -> Iterator[Derivation]:
    """Yield a known share of another number in its row: "5.7%, about 5,000 on 88,000"."""
    for other in bound if known.percent and place.mention.kind == "number" else ():
        same = (other.cells[0].table, other.cells[0].row) == (known.cells[0].table, known.cells[0].row)
        if same and not other.percent and len(other.cells) == len(known.cells) == 1:
            formula = f"{told_number(known.value)} × {told_number(other.value)}"
            yield Derivation("product", (*other.cells, *known.cells), known.value * other.value, formula)


def parts_of(text: Text, place: Place, known: Bound, bound: Sequence[Bound]) -> Iterator[Derivation]:
    """Yield a known share of a cell in its row if the sentence mentions the cell's column: "3.16% means 580 orders"."""
    yield from _of_other(place, known, bound)
    product = known.percent or (place.words & PRODUCT and (place.mention.digits > 2 or place.mention.hedge))
    if not product or len(known.cells) != 1 or place.mention.kind != "number":
        return
    cell, names = known.cells[0], text.labels.tables[known.cells[0].table]
    for column in {one.column for one in text.columns_in(names.at, (place.passage.start, place.passage.end))}:
        whole = names.table.number(cell.row, column)
        if whole is not None and column != cell.column:
            formula = f"{told_number(known.value)} × {told_number(whole)}"
            part = Cell(names.at, cell.row, column, whole)
            by = converted(names, column, cell.column)
            yield Derivation("product", (part, cell), known.value * whole * by, formula)
            yield Derivation("product", (cell, part), known.value * whole * by, formula)


def of_whole(text: Text, place: Place, known: Bound, words: frozenset[str]) -> Iterator[Derivation]:
    """Yield a nearby number as a share of its row's or column's total; if the nearby number is a share, yield the rest:
    35% for 65%.
    """
    column, table = known.cells[0].column, text.labels.tables[known.cells[0].table]
    if IN_BRACKETS.fullmatch(text.text[known.written.end : place.mention.start]):
        words = words | SHARE
    if len(known.cells) == 1 and not known.percent and words & SHARE and len(table.table.rows) > 1:
        whole_row = [
            value
            for other in table.measures
            if table.units[other] == table.units[column]
            and (value := table.table.number(known.cells[0].row, other)) is not None
            and value.is_integer()
        ]
        if len(whole_row) > 2 and known.value < sum(whole_row):
            formula = f"{told_number(known.value)} ÷ {told_number(sum(whole_row))}, the row's total"
            yield Derivation("share of total", known.cells, known.value / sum(whole_row), formula)
    whole = table.table.whole and not known.percent and words & (SHARE | SUM | REST)
    if whole and (total := column_sum(table, column, range(len(table.table.rows)))):
        formula = f"{told_number(known.value)} ÷ {told_number(total)}"
        yield Derivation("share of total", known.cells, known.value / total, formula)
    written = known.written.kind == place.mention.kind == "percent"
    adds_up = written and abs(known.written.value + place.mention.value - 100) < 1e-9
    if 0 < known.value < 1 and (words & REST or adds_up or (known.percent and place.mention.digits > 2)):
        yield Derivation("rest", known.cells, 1 - known.value, f"1 − {told_number(known.value)}")
