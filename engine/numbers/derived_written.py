"""Computations from other numbers in the same sentence. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from statistics import fmean

from engine.numbers.derivation import Bound, Derivation, told_number
from engine.numbers.derivation_words import EACH, IN_BRACKETS, MEAN, SUM
from engine.numbers.derived_shares import PRODUCT, of_known, of_periods, of_whole, parts_of
from engine.numbers.derived_values import of_values
from engine.numbers.evidence import Cell
from engine.numbers.fitting import fits
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.units import in_unit

__all__ = ["of_written", "restated"]


def of_written(
    text: Text, place: Place, bound: Sequence[Bound], above: Sequence[Bound]
) -> Iterator[Derivation]:
    """Yield computations from the numbers written near a number (`bound`), and sums of earlier ones (`above`)."""
    words, mention = place.words, place.mention
    for a, b in combinations(bound, 2):
        alike = a.percent == b.percent and (
            a.cells[0].column == b.cells[0].column or a.written.unit == b.written.unit
        )
        for one in of_values(place, a.value, b.value, (*a.cells, *b.cells), a.percent and b.percent):
            if alike or one.operation in ("ratio", "share"):
                yield one
        if _explained(text, place, a, b):
            yield from _of_both(a, b)
        if mention.kind == "percent" and alike and _against(text, a, b):
            yield from _of_two_sides(a, b)
    yield from of_periods(place, bound)
    for known in bound:
        yield from parts_of(text, place, known, bound)
        yield from bracketed(text, place, known, bound)
        yield from of_known(text, place, known)
    yield from _sums(place, bound, above, words)
    if (words | text.question_words) & (EACH | MEAN):
        yield from _quotients(place, bound)
    if mention.kind == "number" and (mention.digits > 2 or mention.hedge) and place.words & (EACH | PRODUCT):
        yield from _products(place, bound)
    if mention.kind in ("percent", "part"):
        for known in bound:
            yield from of_whole(text, place, known, words)


_OPENS = re.compile(r"[*_`]*\s?(?:[^\W\d][\w%°/-]*\s?){0,7}?(?:\(|:\s(?:[^\W\d]+\s){0,3})[*_`$€£]*")


def _explained(text: Text, place: Place, a: Bound, b: Bound) -> bool:
    """Return whether the two numbers that a number is computed from follow in brackets: "0.85 (6.49 vs. 5.64)"."""
    first, last = sorted((a.written, b.written), key=lambda one: one.start)
    if not place.mention.end <= first.start:
        return False
    opens = _OPENS.fullmatch(text.text[place.mention.end : first.start][:60])
    return opens is not None and not re.search(r"[)\d]", text.text[first.end : last.start])


_AGAINST = re.compile(r"(?:\s[^\W\d]+){0,2}\s(?:to|against|versus|vs\.?)\s[*_`$€£]*", re.IGNORECASE)


def _against(text: Text, a: Bound, b: Bound) -> bool:
    """Return whether two numbers are the two sides of a comparison: "81,795 votes to 72,912"."""
    first, last = sorted((a.written, b.written), key=lambda one: one.start)
    return _AGAINST.fullmatch(text.text[first.end : last.start]) is not None


def _of_two_sides(a: Bound, b: Bound) -> Iterator[Derivation]:
    """Yield the share of each side in the sum of both."""
    whole = a.value + b.value
    for part in (a.value, b.value) if whole and min(a.value, b.value) >= 0 else ():
        told = f"{told_number(part)} ÷ ({told_number(a.value)} + {told_number(b.value)})"
        yield Derivation("share of total", (*a.cells, *b.cells), part / whole, told)


def _of_both(a: Bound, b: Bound) -> Iterator[Derivation]:
    """Yield all computations from two numbers that the text gives as the explanation of another number."""
    cells = (*a.cells, *b.cells)
    for x, y in ((a.value, b.value), (b.value, a.value)):
        both = f"{told_number(x)}", f"{told_number(y)}"
        yield Derivation("difference", cells, x - y, f"{both[0]} − {both[1]}")
        if y:
            yield Derivation("ratio", cells, x / y, f"{both[0]} ÷ {both[1]}")
            yield Derivation("growth", cells, (x - y) / y, f"({both[0]} − {both[1]}) ÷ {both[1]}")


_OR = re.compile(
    r"[*_`]*\s?[A-Za-z°/€$£]*[*_`]*,?\s?(?:just (?:under|over)\s|\(|or\s|,\s|i\.e\.\s|that is\s|"
    r"which is\s|equal to\s|equivalent to\s|=|≈){1,2}"
    r"(?:about\s|around\s|roughly\s|nearly\s|almost\s|just over\s)?[*_`~≈]*\s?",
    re.IGNORECASE,
)


def restated(text: Text, place: Place, bound: Sequence[Bound]) -> Iterator[Derivation]:
    """Yield the value of a number that the text states again in another unit, converted to that unit: "4,461 kWh, or
    4.46 MWh".
    """
    mention = place.mention
    for known in bound:
        own, other = known.written.unit, mention.unit
        between = text.text[known.written.end : mention.start]
        if known.written.start > mention.start:
            between = text.text[mention.end : known.written.start]
        if known.written.kind != mention.kind or not _OR.fullmatch(between):
            continue
        same = not own or not other or own == other
        if same and not (mention.hedge or "(" in between or "≈" in between):
            continue
        written = (
            known.written.value if same or not own or not other else in_unit(known.written.value, own, other)
        )
        if written is not None and fits(written, mention):
            yield Derivation("product", known.cells, written, f"{known.written.text} in another unit")


def _quotients(place: Place, bound: Sequence[Bound]) -> Iterator[Derivation]:
    """Yield quotients of two neighbouring numbers in one row, for means: "$2,455.06 ($29,460.75 in 12 orders)"."""
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
    """Yield sums and means of the numbers before a number and of all numbers nearby, and sums of the numbers in
    `above`."""
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
    """Yield products of two numbers of the sentence, such as a quantity and a price."""
    for a, b in combinations(bound, 2):
        if a.written.unit != b.written.unit and not a.percent and not b.percent:
            formula = f"{told_number(a.value)} × {told_number(b.value)}"
            yield Derivation("product", (*a.cells, *b.cells), a.value * b.value, formula)
    for known in bound:
        for other in place.beside:
            if other.value > 1 and other.kind == "number" and other not in (place.mention, known.written):
                formula = f"{told_number(known.value)} × {told_number(other.value)}"
                yield Derivation("product", known.cells, known.value * other.value, formula)


def bracketed(text: Text, place: Place, known: Bound, bound: Sequence[Bound]) -> Iterator[Derivation]:
    """Yield the share of a number in another, if the share is in brackets after the first number: "of 48,210, 312 are
    copies (0.6%)".
    """
    share = place.mention.kind in ("percent", "part")
    if not share or not IN_BRACKETS.fullmatch(text.text[known.written.end : place.mention.start]):
        return
    for whole in bound:
        if 0 < known.value < whole.value and not whole.percent and not known.percent:
            formula = f"{told_number(known.value)} ÷ {told_number(whole.value)}"
            yield Derivation("share", (*known.cells, *whole.cells), known.value / whole.value, formula)
