"""Numbers that follow from the rows and columns in the text, although no word says how. Pure.

Named rows and columns allow only a few computations, so if one of them gives a number with several digits, this is
hardly a coincidence. The number of computations tried, times the probability that one of them matches by chance, must
be small.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from statistics import fmean

from engine.numbers.cells import Cells
from engine.numbers.chance import hardly_by_chance, is_close
from engine.numbers.claimed import claims_cell
from engine.numbers.column_totals import adds_up, column_sum, ends_of, number_of
from engine.numbers.column_units import ColumnUnit
from engine.numbers.derivation import Derivation, told_number
from engine.numbers.derivation_words import EACH, MEAN
from engine.numbers.derived_values import is_value
from engine.numbers.evidence import Cell
from engine.numbers.fitting import DOWN, UP
from engine.numbers.places import Place
from engine.numbers.rows_meant import ranged_rows
from engine.numbers.scopes import Text
from engine.numbers.strangers import names_other_period, names_stranger
from engine.numbers.table_names import TableNames
from engine.numbers.words import forms
from events.late_dataclass import dataclass

__all__ = ["searched"]

_MOST_TABLES, _MOST_COLUMNS, _MOST_CELLS = 6, 5, 40
_THEM = forms("they them their these those combined together remaining other others rest both all")
_OTHERS = forms("rest other others remaining remainder else elsewhere")
_LISTED = r"[ \t]*(?:\||[-*+•]\s|\d{1,3}[.)]\s)[^\n]*\n"
_BLOCK = re.compile(rf"(?m)^{_LISTED}(?:(?:[ \t]*\n)?{_LISTED})*")
"""The lines of a list or table."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """Some rows of a result that a number may be about."""

    rows: tuple[int, ...]
    listed: bool
    """Whether the sentence itself names them."""


def searched(text: Text, cells: Cells, place: Place) -> Derivation | None:
    """Return the only computation over the named rows and columns that gives a number; None if there are several."""
    mention = place.mention
    if mention.kind not in ("number", "percent") or mention.digits < 2 or not mention.value:
        return None
    in_cells = any(not text.labels.tables[one.cell.table].table.made for one in cells.fitting(mention))
    if in_cells or names_stranger(text, place):
        return None
    for made in ("", "totals"):
        able = [names for names in text.labels.tables if names.table.made == made]
        if (found := _only_one(text, place, able[-_MOST_TABLES:])) is not None:
            return found
    return None


def _only_one(text: Text, place: Place, tables: Sequence[TableNames]) -> Derivation | None:
    """Return the only value that computations over some tables give for a number; None if coincidence is likely."""
    tried, found = 0, list[Derivation]()
    for names in tables:
        if not _is_able(text, place, names):
            continue
        for one in _computed(text, place, names):
            tried += is_close(one.value, place)
            if is_value(place, names, one):
                found.append(one)
    if not found or len({round(one.value, 9) for one in found}) > 1:
        return None
    return found[0] if hardly_by_chance(place, tried) else None


def _is_able(text: Text, place: Place, names: TableNames) -> bool:
    table = names.table
    return (
        len(table.rows) > 1
        and table.whole
        and names.at not in text.replaced
        and not claims_cell(text, place, names)
        and not names_other_period(text, place, names)
    )


def _computed(text: Text, place: Place, names: TableNames) -> Iterator[Derivation]:
    columns, named = _columns(text, place, names)
    every = tuple(range(len(names.table.rows)))
    moves = place.mention.signed or bool(place.clause_words & (UP | DOWN))
    for some in _row_sets(text, place, names):
        if place.mention.kind == "percent":
            if some.rows != every and not moves:
                yield from _shares(names, columns, some.rows)
                yield from _shares_of_all(text, names, named, some.rows)
            yield from _ratios(names, columns, named, some.rows)
            yield from _along_rows(text, names, columns, named, some.rows)
            continue
        for column in columns:
            alone = some.listed and names.table.made == "totals"
            if (alone or len(some.rows) > 1) and adds_up(names, column):
                yield _of(names, column, some.rows, "sum")
            if len(some.rows) > 1 and place.words & MEAN:
                yield _of(names, column, some.rows, "mean")
        yield from (_of_all(names, kept, some.rows) for kept in _all_columns(text, names, named))
        for one, other in combinations(sorted(named), 2):
            if names.units[one] == names.units[other] and adds_up(names, one) and adds_up(names, other):
                yield _of_all(names, (one, other), some.rows)
        if place.mention.digits > 3 and not place.mention.signed:
            yield from _differences(names, columns, some.rows)
        if place.words & EACH or not place.mention.value.is_integer():
            yield from _ratios(names, columns, named, some.rows)


def _row_sets(text: Text, place: Place, names: TableNames) -> list[_Rows]:
    """Return the rows that a number may be about: the rows in its clause or sentence, else the rows of the list above
    if the sentence says “they” or “the others”, else all.
    """
    every = tuple(range(len(names.table.rows)))
    spans = place.passage.cells or ((place.passage.start, place.passage.end),)
    clause = (
        _rows_in(text, names, [place.passage.clause(place.mention.start)]) if not place.passage.cells else ()
    )
    sentence = _rows_in(text, names, spans)
    found: list[tuple[int, ...]] = [rows for rows in (clause, sentence) if rows]
    found += map(tuple, ranged_rows(text, place, names))
    rest = place.words & _OTHERS
    meant = None if found else place.passage.meant_before(text.text, place.mention.start)
    if meant and (own := _rows_in(text, names, [meant])) not in ((), every):
        found = [own]
    if not found and place.words & _THEM and (block := _block_above(text, place)) is not None:
        listed = _rows_in(text, names, [block])
        found = [listed] if listed and listed != every else []
        found += [tuple(row for row in every if row not in listed)] if found and rest else []
        return [_Rows(rows, listed=False) for rows in found] or [_Rows(every, listed=False)]
    if not found:
        return [_Rows(every, listed=False)]
    if rest:
        found += [tuple(row for row in every if row not in rows) for rows in found]
    return [_Rows(rows, listed=True) for rows in dict.fromkeys(found) if rows]


def _rows_in(text: Text, names: TableNames, spans: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Return the rows that some spans name. In each column with named labels, a row must have one of these labels."""
    rows = set(range(len(names.table.rows)))
    any_named = False
    for column in names.dimensions:
        labels = {one.label for span in spans for one in text.rows_in(names.at, column, span)}
        if labels:
            any_named = True
            rows &= {row for row in rows if names.label(row, column) in labels}
    return tuple(sorted(rows)) if any_named else ()


def _block_above(text: Text, place: Place) -> tuple[int, int] | None:
    """Return the span of the last list or table before a number."""
    spans = [found.span() for found in _BLOCK.finditer(text.text, 0, place.passage.start)]
    return spans[-1] if spans else None


def _columns(text: Text, place: Place, names: TableNames) -> tuple[list[int], frozenset[int]]:
    """Return the columns that a number may be from, and which of them the sentence mentions."""
    clause = place.passage.cells or (place.passage.clause(place.mention.start),)
    sentence = place.passage.cells or ((place.passage.start, place.passage.end),)
    spans = (*clause, *sentence)
    named = {one.column for span in spans for one in text.columns_in(names.at, span)} & set(names.measures)
    if named:
        return sorted(named), frozenset(named)
    return list(names.measures[:_MOST_COLUMNS]), frozenset()


def _of(names: TableNames, column: int, rows: Sequence[int], how: str) -> Derivation:
    values = [value for row in rows if (value := number_of(names, row, column)) is not None]
    name, many = names.table.columns[column], len(rows) if len(rows) == len(names.table.rows) else 0
    cells = ends_of(names, column, rows) if many else _cells(names, column, rows)
    if how == "mean":
        return Derivation(
            "mean", cells, fmean(values or [0.0]), f"mean of {len(values)} cells of {name}", many
        )
    return Derivation("sum", cells, sum(values), f"sum of {len(values)} cells of {name}", many)


def _cells(names: TableNames, column: int, rows: Sequence[int]) -> tuple[Cell, ...]:
    found = tuple(
        Cell(names.at, row, column, value)
        for row in rows
        if (value := number_of(names, row, column)) is not None
    )
    return found if 0 < len(found) <= _MOST_CELLS else ends_of(names, column, rows)


_EXCLUDED = re.compile(r"\b(?:exclud|without|not includ|not count|apart from|except)", re.IGNORECASE)


def _all_columns(text: Text, names: TableNames, named: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """Yield three or more adjacent columns in one unit; if the answer excludes something, also all columns but one. If
    several columns are named, yield only these.
    """
    by_unit: dict[ColumnUnit, list[int]] = {}
    for column in names.measures:
        if adds_up(names, column):
            by_unit.setdefault(names.units[column], []).append(column)
    for able in by_unit.values():
        kept = [column for column in able if column in named]
        if not 2 < len(able) <= _MOST_COLUMNS or (len(named) > 1 and len(by_unit) > 1 and len(kept) < 2):
            continue
        if len(named) > 1:
            yield tuple(kept)
            continue
        fewest = len(able) if names.has_periods or len(by_unit) > 1 else 3
        for many in range(len(able), fewest - 1, -1):
            yield from (tuple(able[at : at + many]) for at in range(len(able) - many + 1))
        if _EXCLUDED.search(text.text) and not names.has_periods:
            yield from combinations(able, len(able) - 1)


def _of_all(names: TableNames, columns: Sequence[int], rows: Sequence[int]) -> Derivation:
    """Return the sum of the totals of some columns."""
    parts = [column_sum(names, column, rows) for column in columns]
    cells = tuple(cell for column in columns for cell in _cells(names, column, rows))
    return Derivation("sum", cells, sum(parts), f"{' + '.join(map(told_number, parts))}, the totals")


def _along_rows(
    text: Text, names: TableNames, columns: Sequence[int], named: frozenset[int], rows: Sequence[int]
) -> Iterator[Derivation]:
    """Yield the share of a column in the total of several columns."""
    for kept in _all_columns(text, names, frozenset() if len(named) < 3 else named):
        whole = _of_all(names, kept, rows)
        for column in (one for one in columns if one in kept and whole.value):
            part = column_sum(names, column, rows)
            told = f"{told_number(part)} ÷ {told_number(whole.value)}, the total of {len(kept)} columns"
            yield Derivation("share", (*_cells(names, column, rows), *whole.cells), part / whole.value, told)


def _differences(names: TableNames, columns: Sequence[int], rows: Sequence[int]) -> Iterator[Derivation]:
    """Yield the total of a column minus the total of another in the same unit."""
    able = [column for column in names.measures[:_MOST_COLUMNS] if adds_up(names, column)]
    for one, other in combinations(able, 2):
        alike = names.units[one] == names.units[other] and not names.of_periods(one, other)
        if not alike or not {one, other} & set(columns):
            continue
        first, second = (column_sum(names, column, rows) for column in (one, other))
        cells = (*_cells(names, one, rows), *_cells(names, other, rows))
        told = f"{told_number(first)} − {told_number(second)}, the totals"
        yield Derivation("difference", cells, first - second, told)


def _shares(names: TableNames, columns: Sequence[int], rows: Sequence[int]) -> Iterator[Derivation]:
    """Yield the share of some rows in the total of a column."""
    for column in columns:
        whole = column_sum(names, column, range(len(names.table.rows)))
        part = column_sum(names, column, rows)
        if adds_up(names, column) and 0 < part < whole:
            told = f"{told_number(part)} ÷ {told_number(whole)}, the total of {names.table.columns[column]}"
            yield Derivation("share of total", _cells(names, column, rows), part / whole, told)


def _shares_of_all(
    text: Text, names: TableNames, named: frozenset[int], rows: Sequence[int]
) -> Iterator[Derivation]:
    """Yield some rows' share of the total of several columns: a genre's share of all streams in four quarters."""
    for kept in _all_columns(text, names, named):
        part, whole = (_of_all(names, kept, some) for some in (rows, range(len(names.table.rows))))
        if 0 < part.value < whole.value:
            told = f"{told_number(part.value)} ÷ {told_number(whole.value)}, the total of {len(kept)} columns"
            yield Derivation("share", (*part.cells, *whole.cells), part.value / whole.value, told)


def _ratios(
    names: TableNames, columns: Sequence[int], named: frozenset[int], rows: Sequence[int]
) -> Iterator[Derivation]:
    """Yield the total of a column, or of two named columns, divided by the total of another."""
    able = [column for column in names.measures[:_MOST_COLUMNS] if adds_up(names, column)]
    for over, under in permutations(able, 2):
        if not named & {over, under} and columns:
            continue
        yield from _ratio(names, (over,), under, rows)
    for one, other in combinations(sorted(named & set(able)), 2):
        for under in able:
            if under not in (one, other) and names.units[one] == names.units[other]:
                yield from _ratio(names, (one, other), under, rows)


def _ratio(names: TableNames, over: Sequence[int], under: int, rows: Sequence[int]) -> Iterator[Derivation]:
    whole = column_sum(names, under, rows)
    parts = [column_sum(names, column, rows) for column in over]
    if not whole or not sum(parts):
        return
    cells: tuple[Cell, ...] = ()
    for column in (*over, under):
        all_rows = len(rows) == len(names.table.rows)
        cells += ends_of(names, column, rows) if all_rows else _cells(names, column, rows)
    told = " + ".join(map(told_number, parts))
    told = f"({told}) ÷ {told_number(whole)}" if len(parts) > 1 else f"{told} ÷ {told_number(whole)}"
    yield Derivation("ratio", cells, sum(parts) / whole, f"{told}, the totals")
