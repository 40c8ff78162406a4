"""Numbers computed from two others that the answer gives nearby, although no word says how. Pure.

"We took 109,133 orders, against 100,032 a year before. … Order volume itself rose 9.1%."
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from engine.numbers.cells import Cells
from engine.numbers.chance import hardly_by_chance, is_close
from engine.numbers.derivation import Bound, Derivation, told_number
from engine.numbers.derivation_words import EACH, MOVES, SHARE
from engine.numbers.derived_values import is_value, of_values
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.strangers import names_stranger
from engine.numbers.traced_number import TracedNumber

__all__ = ["derived_nearby", "repeated"]

_MOST = 10
"""At most this many other numbers are considered: the last ones before the number, and the later ones of its sentence.
"""
_FAR = 1_200
"""The other numbers are at most this many characters away."""
_OF_THE = re.compile(r"\bof\s(?:the|all|those|these)\s[*_`$€£]*$")
"""Words before a whole: "285 of the 370"."""


def derived_nearby(text: Text, cells: Cells, place: Place, known: Sequence[Bound]) -> Derivation | None:
    """Return the computation from two `known` numbers that gives a number; None if several do, or a coincidence is
    likely.
    """
    mention = place.mention
    if (
        mention.kind not in ("number", "percent", "points", "times")
        or mention.digits < 2
        or not mention.value
    ):
        return None
    in_cells = any(not text.labels.tables[one.cell.table].table.made for one in cells.fitting(mention))
    if in_cells or place.passage.cells or names_stranger(text, place):
        return None
    tried, found = 0, list[Derivation]()
    for one, other in combinations(_nearby(text, place, known), 2):
        names = text.labels.tables[one.cells[0].table]
        for way in _ways(place, one, other):
            tried += is_close(way.value, place)
            if is_value(place, names, way):
                found.append(way)
    if not found or len({round(abs(one.value), 9) for one in found}) > 1:
        return None
    return found[0] if hardly_by_chance(place, tried) else None


def repeated(
    text: Text, place: Place, known: Mapping[int, TracedNumber], bound: Mapping[int, Bound]
) -> TracedNumber | None:
    """Return a number that repeats an earlier one, with its origin, if its sentence mentions no other row or column."""
    mention = place.mention
    if mention.digits < 2 or place.passage.cells:
        return None
    same = [
        one
        for start, one in known.items()
        if start < mention.start
        and one.status in ("exact", "derived")
        and (one.mention.value, one.mention.kind) == (mention.value, mention.kind)
        and one.mention.unit in (None, mention.unit)
        and start in bound
    ]
    whole = _OF_THE.search(text.text, max(0, mention.start - 16), mention.start) is not None
    meant = [one for one in same if _is_meant(text, place, bound[one.mention.start], whole)]
    return replace(meant[-1], mention=mention) if meant and len(meant) == len(same) else None


def _nearby(text: Text, place: Place, known: Sequence[Bound]) -> list[Bound]:
    """Return the known numbers near a number; if its sentence mentions rows or columns, only numbers from these."""
    start, end = place.mention.start, place.passage.end
    near = [
        one
        for one in sorted(known, key=lambda one: one.written.start)
        if start - _FAR < one.written.start < end
        and one.written.start != start
        and one.cells
        and _is_meant(text, place, one)
    ]
    before = [one for one in near if one.written.start < start]
    return [*before[-_MOST:], *(one for one in near if one.written.start > start)][-_MOST:]


def _is_meant(text: Text, place: Place, one: Bound, whole: bool = False) -> bool:
    """Return whether the sentence of a number may be about the cells of a known number. If the sentence names rows, all
    these cells must be in named rows; if the clause names columns, one of the cells must be in a named column. If the
    known number is a `whole` of several rows, the named rows may be only the part's.
    """
    names = text.labels.tables[one.cells[0].table]
    if any(cell.table != names.at for cell in one.cells):
        return False
    sentence = place.passage.start, place.passage.end
    clause = place.passage.clause(place.mention.start)
    columns = {named.column for named in text.columns_in(names.at, clause)} & set(names.measures)
    if columns and not columns & {cell.column for cell in one.cells}:
        return False
    if whole and len({cell.row for cell in one.cells}) > 1:
        return True
    for column in names.dimensions:
        labels = {named.label for named in text.rows_in(names.at, column, sentence)}
        if labels and not {names.label(cell.row, column) for cell in one.cells} <= labels:
            return False
    return True


def _ways(place: Place, one: Bound, other: Bound) -> Iterator[Derivation]:
    """Yield the computations from two numbers that can give a number of this kind."""
    if one.cells[0].table != other.cells[0].table or one.percent != other.percent:
        return
    same = {cell.column for cell in one.cells} == {cell.column for cell in other.cells}
    cells = (*one.cells, *other.cells)
    if same and one.written.unit == other.written.unit:
        moves = place.mention.signed or place.clause_words & MOVES
        told = place if moves else replace(place, clause_words=place.clause_words | SHARE)
        yield from of_values(told, one.value, other.value, cells, one.percent)
    elif place.mention.kind == "number" and not same and place.clause_words & EACH:
        for x, y in ((one.value, other.value), (other.value, one.value)):
            if y:
                yield Derivation("ratio", cells, x / y, f"{told_number(x)} ÷ {told_number(y)}")
