"""Nearby numbers from which a number may be computed. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from engine.numbers.cells import Match
from engine.numbers.derivation import Bound
from engine.numbers.mention import Mention
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.traced_number import TracedNumber
from engine.numbers.working_shapes import is_later

__all__ = ["above", "beside", "bound_again", "bound_to", "ends_of_moves"]

_MOST_BESIDE = 10
"""The maximum number of neighbouring numbers from which a number may be computed; the nearest are kept."""
_MOST_ABOVE = 12
_ARROW = re.compile(r"[*_`]*\s?(?:→|->|⟶)\s?[*_`$€£¥₹]*")
_TO = re.compile(r"[*_`]*\sto\s[*_`$€£¥₹]*")
_FROM = re.compile(r"\bfrom\s[*_`$€£¥₹]*\Z", re.IGNORECASE)


def beside(place: Place, places: Sequence[Place], bound: Mapping[int, Bound]) -> list[Bound]:
    """Return the known numbers in a number's sentence and in the sentences next to it, in text order."""
    near = [one.mention for one in places if _is_near(place, one) and one.mention.start in bound]
    near.sort(key=lambda one: abs(one.start - place.mention.start))
    return [bound[one.start] for one in sorted(near[:_MOST_BESIDE], key=lambda one: one.start)]


def above(place: Place, bound: Mapping[int, Bound]) -> list[Bound]:
    """Return the numbers before this one whose cells are in the same column as the cell of the nearest earlier number.
    The word "together" can refer to their sum."""
    before = [bound[start] for start in sorted(bound) if start < place.mention.start]
    if not before:
        return []
    last = before[-1].cells[0]
    column = last.table, last.column
    return [one for one in before if (one.cells[0].table, one.cells[0].column) == column][-_MOST_ABOVE:]


def bound_to(place: Place, matches: Sequence[Match]) -> Bound:
    """Return a number together with the most certain of its cells."""
    best = matches[0]
    return Bound(best.cell.value * _share(place.mention, best), (best.cell,), place.mention)


def bound_again(one: TracedNumber) -> Bound | None:
    """Return an already traced number together with its cells; None if it has none."""
    if one.derivation is not None:
        return Bound(one.derivation.value, one.derivation.cells, one.mention)
    if one.cell is None:
        return None
    factor = one.factor / 100 if one.mention.kind in ("percent", "points") else 1.0
    return Bound(one.cell.value * factor, (one.cell,), one.mention)


def ends_of_moves(
    text: Text, places: Sequence[Place], traced: Mapping[int, TracedNumber]
) -> Iterator[tuple[int, TracedNumber]]:
    """Yield the second number of each change such as "from 35 to 22" or "31.2% → 32.3%", with its start position.

    A second number is yielded only if it matches exactly one later cell in the column of the first number's cell.
    """
    for before, place in pairwise(places):
        first, one = traced[before.mention.start], traced[place.mention.start]
        if one.status != "unclear" or first.cell is None:
            continue
        between, start = text.text[before.mention.end : place.mention.start], before.mention.start
        moves = _TO.fullmatch(between) and _FROM.search(text.text[max(0, start - 12) : start])
        if not moves and not _ARROW.fullmatch(between):
            continue
        column, names = (first.cell.table, first.cell.column), text.labels.tables[first.cell.table]
        same = [like for like in one.likely if (like.cell.table, like.cell.column) == column]
        found = [like for like in same if is_later(names, like.cell, first.cell)]
        if len(found) == 1:
            yield (
                place.mention.start,
                TracedNumber(place.mention, "exact", cell=found[0].cell, factor=found[0].factor),
            )


def _share(mention: Mention, match: Match) -> float:
    """Return the factor from a cell's value to a fraction if the text writes the value as a percentage; otherwise 1."""
    return match.factor / 100 if mention.kind in ("percent", "points") else 1.0


def _is_near(place: Place, other: Place) -> bool:
    """Return whether another number is near enough that this one may be computed from it."""
    if other is place or other.mention.kind == "plain":
        return False
    near, there = place.passage, other.passage
    return (
        there is near
        or (len(near.cells) > 1 and near.cells[:1] == there.cells[:1])
        or (there.start, there.end) in near.around[:1]
        or (near.start, near.end) in there.around[:1]
    )
