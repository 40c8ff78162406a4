"""Numbers that are computed from labelled cells: differences, ratios, shares, growth, totals, means, rests."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from statistics import fmean

from engine.numbers.derivation import EACH, MEAN, REST, SHARE, SUM, Bound, Derivation, told_number
from engine.numbers.derived_pairs import of_pairs, of_values
from engine.numbers.derived_totals import column_sum, of_totals
from engine.numbers.evidence import Cell
from engine.numbers.fitting import fits
from engine.numbers.labels import TableNames
from engine.numbers.places import EARLIER, Place
from engine.numbers.scopes import Text
from engine.numbers.units import conversion
from engine.numbers.words import forms

__all__ = ["derived"]

_MOST_RESULTS = 8

_PRODUCT = forms("at so total worth cost")


def derived(
    text: Text, place: Place, bound: Sequence[Bound], above: Sequence[Bound] = ()
) -> Derivation | None:
    """Return how a number follows from the numbers written beside it, or from what is named around it.

    `bound` stand in its sentence or the one beside it; `above` are those of its kind and column before it, in order.
    """
    for found in _of_written(text, place, bound, above):
        if _is(place, text.labels.tables[found.cells[0].table], found):
            return found
    for at in _about(text, place, bound):
        names = text.labels.tables[at]
        if not names.measures or (names.at in text.outdated and not place.words & EARLIER):
            continue
        for one in (*of_pairs(text, place, names, bound), *of_totals(text, place, names)):
            if _is(place, names, one):
                return one
    return None


def _about(text: Text, place: Place, bound: Sequence[Bound]) -> list[int]:
    """The results that a number may be computed from: those named around it or beside it, else the latest."""
    passage = place.passage
    spans = (*passage.cells, (passage.start, passage.end), *passage.around[:2])
    named = {one.table for one in text.named if any(start <= one.start < end for start, end in spans)}
    named |= {cell.table for one in bound for cell in one.cells} | text.asked_tables()
    return sorted(named)[-_MOST_RESULTS:] or list(range(len(text.labels.tables)))[-3:]


def _of_written(
    text: Text, place: Place, bound: Sequence[Bound], above: Sequence[Bound]
) -> Iterator[Derivation]:
    """What follows from the numbers of the sentence alone."""
    words, mention = place.words, place.mention
    for a, b in combinations(bound, 2):
        alike = a.percent == b.percent and (
            a.cells[0].column == b.cells[0].column or a.written.unit == b.written.unit
        )
        for one in of_values(place, a.value, b.value, (*a.cells, *b.cells)):
            if alike or one.operation in ("ratio", "share"):
                yield one
    yield from _restated(text, place, bound)
    yield from _sums(place, bound, above, words)
    if (words | text.question_words) & (EACH | MEAN):
        yield from _quotients(place, bound)
    if mention.kind == "number" and (mention.digits > 2 or mention.hedge) and place.words & (EACH | _PRODUCT):
        yield from _products(place, bound)
    if mention.kind in ("percent", "part"):
        for known in bound:
            yield from _of_whole(text, place, known, words)


_OR = re.compile(r"[*_`]*,?\s+(?:or|i\.e\.|that is)(?: about| around| roughly)?\s+[*_`~≈]*", re.IGNORECASE)


def _restated(text: Text, place: Place, bound: Sequence[Bound]) -> Iterator[Derivation]:
    """The number right before this one, in another unit of the same kind: "4,461 kWh, or 4.46 MWh"."""
    mention = place.mention
    for known in bound:
        own, other = known.written.unit, mention.unit
        between = text.text[known.written.end : mention.start]
        if own and other and own != other and own[0] == other[0] and _OR.fullmatch(between):
            yield Derivation("product", known.cells, known.value, f"{known.written.text} in another unit")


def _quotients(place: Place, bound: Sequence[Bound]) -> Iterator[Derivation]:
    """A mean from two numbers of the sentence in one row: "$2,455.06 ($29,460.75 in 12 orders)"."""
    mention = place.mention
    if mention.kind != "number" or mention.digits < 3:
        return
    for a, b in permutations(bound, 2):
        one, other = a.cells[0], b.cells[0]
        same_row = len(a.cells) == len(b.cells) == 1 and (one.table, one.row) == (other.table, other.row)
        if same_row and b.value > 1 and b.value.is_integer() and not a.percent:
            yield Derivation(
                "ratio", (one, other), a.value / b.value, f"{told_number(a.value)} ÷ {told_number(b.value)}"
            )


def _sums(
    place: Place, bound: Sequence[Bound], above: Sequence[Bound], words: frozenset[str]
) -> Iterator[Derivation]:
    """Sums and means of the numbers before this one, of all in the sentence, and of a list that it closes."""
    mention = place.mention
    same = [known for known in bound if known.written.kind == mention.kind]
    before = [known for known in same if known.written.end <= mention.start]
    for group in (before, same):
        if len(group) > 2 or (len(group) == 2 and (words & SUM or mention.digits > 2)):
            if mention.digits > 1 or words & SUM:
                yield _sum_of(group)
            if words & MEAN:
                values = [known.value for known in group]
                told = f"mean of {', '.join(map(told_number, values))}"
                yield Derivation("mean", _cells(group), fmean(values), told)
    if words & SUM and len(above) > 1:
        yield from (_sum_of(above[-many:]) for many in range(2, len(above) + 1))


def _sum_of(group: Sequence[Bound]) -> Derivation:
    told = " + ".join(told_number(known.value) for known in group)
    return Derivation("sum", _cells(group), sum(known.value for known in group), told)


def _cells(group: Sequence[Bound]) -> tuple[Cell, ...]:
    return tuple(cell for known in group for cell in known.cells)


def _products(place: Place, bound: Sequence[Bound]) -> Iterator[Derivation]:
    """Products of two numbers of the sentence, such as a quantity and a price."""
    for a, b in combinations(bound, 2):
        if a.written.unit != b.written.unit and not a.percent and not b.percent:
            formula = f"{told_number(a.value)} × {told_number(b.value)}"
            yield Derivation("product", (*a.cells, *b.cells), a.value * b.value, formula)
    for known in bound:
        for other in place.beside:
            if other.value > 1 and other.kind == "number" and other not in (place.mention, known.written):
                formula = f"{told_number(known.value)} × {told_number(other.value)}"
                yield Derivation("product", known.cells, known.value * other.value, formula)


def _of_whole(text: Text, place: Place, known: Bound, words: frozenset[str]) -> Iterator[Derivation]:
    """The share of a number beside in its column's total, and what a share leaves of the whole."""
    column, table = known.cells[0].column, text.labels.tables[known.cells[0].table]
    whole = table.table.whole and not known.percent and words & (SHARE | SUM | REST)
    if whole and (total := column_sum(table, column, range(len(table.table.rows)))):
        formula = f"{told_number(known.value)} ÷ {told_number(total)}"
        yield Derivation("share of total", known.cells, known.value / total, formula)
    written = known.written.kind == place.mention.kind == "percent"
    adds_up = written and abs(known.written.value + place.mention.value - 100) < 1e-9
    if 0 < known.value < 1 and (words & REST or adds_up or (known.percent and place.mention.digits > 2)):
        yield Derivation("rest", known.cells, 1 - known.value, f"1 − {told_number(known.value)}")


def _is(place: Place, names: TableNames, one: Derivation) -> bool:
    mention = place.mention
    column = one.cells[0].column
    if mention.kind in ("percent", "points", "part"):
        return fits(one.value * (1.0 if mention.kind == "part" else 100.0), mention)
    if mention.kind == "times":
        return fits(one.value, mention)
    unit, scale = names.units[column]
    converted = conversion(unit, mention.unit)
    if converted is None:
        return False
    return any(fits(one.value * converted * by, mention) for by in {1.0, scale})
