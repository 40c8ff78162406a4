"""Numbers that are too vague by themselves but match a cell because of a neighbouring number. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from engine.numbers.cells import Cells, Match, in_line
from engine.numbers.mention import Mention
from engine.numbers.naming import column_named
from engine.numbers.places import Place
from engine.numbers.rows_meant import in_time
from engine.numbers.scopes import Text
from engine.numbers.ties import part_of, set_against

__all__ = ["confirmed", "lists", "measures", "no_ends", "same_cell"]

_MOST_BESIDE = 10
_LEAST_DIGITS = 5
"""The fewest digits that numbers must have together to be matched to cells whose row or column is not named."""

Matches = dict[int, list[Match]]


def measures(place: Place) -> bool:
    """Return whether a number can be the value of a cell. Dates and small numbers in words cannot."""
    return place.mention.kind not in ("plain", "none") and (
        place.mention.kind != "count" or place.mention.value > 12
    )


def confirmed(text: Text, cells: Cells, places: Sequence[Place], exact: Mapping[int, list[Match]]) -> Matches:
    """Return the cells of numbers that other numbers confirm (as parts, ends of a range, items of a list, neighbours),
    by start position."""
    found: Matches = {}
    for part, whole in pairwise(places):
        both = part.mention.start in exact or whole.mention.start in exact
        if not both and part_of(text.text, whole):
            found |= _parts(cells, part, whole)
        if _is_range(text, part, whole):
            found |= _ends(text, cells, part, whole)
            if part.mention.start not in exact and whole.mention.start in exact:
                found |= _row_before(text, cells, part, exact[whole.mention.start][0])
    for run in lists(text, places):
        found |= {at: one for at, one in _listed(cells, run).items() if at not in exact}
    for place in places:
        if place.mention.start not in exact and place.mention.start not in found and measures(place):
            found |= _compared(text, cells, place, places, {**exact, **found})
    for one, other in pairwise(places):
        if not {one.mention.start, other.mention.start} & (exact.keys() | found.keys()):
            found |= _neighbours(text, cells, one, other)
    for place in places:
        if place.mention.start not in exact and place.mention.start not in found and measures(place):
            found |= _in_their_row(text, cells, place, places, {**exact, **found})
    return found


def _in_their_row(
    text: Text, cells: Cells, place: Place, places: Sequence[Place], known: Mapping[int, list[Match]]
) -> Matches:
    """Return the cell of a number whose column is named, if the other numbers of its sentence are all in one row: 50 in
    "50 members with 20.50 visits". The sentence does not have to name that row.
    """
    others = [
        known[one.mention.start][0].cell
        for one in places
        if one.passage is place.passage and one.mention.start in known
    ]
    rows = {(cell.table, cell.row) for cell in others}
    if len(rows) != 1:
        return {}
    taken = {cell.column for cell in others}
    found = [
        match
        for match in cells.uncontradicted(text, place)
        if (match.cell.table, match.cell.row) in rows
        and match.cell.column not in taken
        and column_named(text, place, text.labels.tables[match.cell.table], match.cell.column)
    ]
    return {place.mention.start: found} if len(found) == 1 else {}


def _compared(
    text: Text, cells: Cells, place: Place, places: Sequence[Place], known: Mapping[int, list[Match]]
) -> Matches:
    """Return the cells of a number that is compared with numbers whose cells are known."""
    beside = [known[one.start][0].cell for one in _set_beside(text, place, places) if one.start in known]
    matches = cells.matches(text, place, beside[:_MOST_BESIDE]) if beside else []
    return {place.mention.start: matches} if matches else {}


def same_cell(text: Text, places: Sequence[Place], exact: Mapping[int, list[Match]]) -> set[int]:
    """Return the start positions of pairs that cannot be right: contrasted numbers from the same cell ("from 412 to
    412"), or a part and a whole that share no row or column.
    """
    found: set[int] = set()
    for one, other in pairwise(places):
        starts = one.mention.start, other.mention.start
        if one.passage is not other.passage or not all(start in exact for start in starts):
            continue
        apart = _is_range(text, one, other) or part_of(text.text, other) or set_against(text.text, other)
        cells = {match.cell for start in starts for match in exact[start]}
        if apart and len(cells) == 1:
            found.update(starts)
        lines = [in_line(match.cell, whole.cell) for match in exact[starts[0]] for whole in exact[starts[1]]]
        if part_of(text.text, other) and not any(lines):
            found.update(starts)
    return found


_RANGES = re.compile(
    r"\b(?:range[sd]?|ranging|span(?:s|ned|ning)?|var(?:y|ies|ied))\s(?:from|between)?\s?[*_`$€£~]*$", re.I
)


def no_ends(text: Text, cells: Cells, places: Sequence[Place], exact: Mapping[int, list[Match]]) -> set[int]:
    """Return the start positions of the two numbers in "ranges from 412 to 431" if they are not the lowest and the
    highest of their column."""
    found: set[int] = set()
    for low, high in pairwise(places):
        starts = low.mention.start, high.mention.start
        told = _is_range(text, low, high) and _RANGES.search(text.text, max(0, starts[0] - 24), starts[0])
        if not told or not all(start in exact for start in starts):
            continue
        one, other = (exact[start][0].cell for start in starts)
        if one.table == other.table and one.column == other.column:
            found |= {
                start
                for start, at in zip(starts, cells.ends(one), strict=True)
                if exact[start][0].cell.value != at
            }
    return found


def _set_beside(text: Text, place: Place, places: Sequence[Place]) -> Iterator[Mention]:
    """Yield the numbers that a number is compared with, in either order: "8.0% compared with 7.8%", "(612 vs. 173)"."""
    if set_against(text.text, place):
        yield from place.beside
        return
    if not text.text[: place.mention.start].endswith("("):
        return
    for other in places:
        behind = other.passage is place.passage and other.mention.start > place.mention.start
        if behind and set_against(text.text, other):
            between = [one for one in place.beside if place.mention.start < one.start < other.mention.start]
            if not between:
                yield other.mention


def _parts(cells: Cells, part: Place, whole: Place) -> Matches:
    """Return the cells of "31 of 39" if one row or column of a result has both numbers, even if the text does not name
    it.
    """
    for match in cells.fitting(part.mention):
        for other in cells.fitting(whole.mention):
            if in_line(match.cell, other.cell) and abs(match.cell.value) <= abs(other.cell.value):
                return {part.mention.start: [match], whole.mention.start: [other]}
    return {}


_COMMA = re.compile(r"[*_`%]*(?:,\s|,?\s(?:and|or|to|and\sthen|then)\s|\s?(?:→|->|⟶)\s?)[*_`$€£]*")


def lists(text: Text, places: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield the lists of three or more numbers that are separated only by commas, "and" and the like."""
    run: list[Place] = []
    for place in places:
        goes_on = run and _COMMA.fullmatch(text.text[run[-1].mention.end : place.mention.start]) is not None
        if not goes_on:
            if len(run) > 2:
                yield run
            run = []
        run.append(place)
    if len(run) > 2:
        yield run


def _listed(cells: Cells, run: Sequence[Place]) -> Matches:
    """Return the cells of the numbers of a list, all in one column and each in a different row."""
    few = sum(place.mention.digits for place in run) < _LEAST_DIGITS
    if not all(map(measures, run)):
        return {}
    matches = [cells.fitting(place.mention) for place in run]
    for first in matches[0]:
        column = first.cell.table, first.cell.column
        chosen = [first]
        for more in matches[1:]:
            rows = {one.cell.row for one in chosen}
            fits = (
                one
                for one in more
                if (one.cell.table, one.cell.column) == column and one.cell.row not in rows
            )
            if (one := next(fits, None)) is None:
                break
            chosen.append(one)
        rows_in_order = [one.cell.row for one in chosen]
        if few and rows_in_order != list(range(rows_in_order[0], rows_in_order[0] + len(chosen))):
            continue
        if len(chosen) == len(run):
            return {place.mention.start: [one] for place, one in zip(run, chosen, strict=True)}
    return {}


_RANGE = re.compile(
    r"\b(?:between|from|range[sd]?(?:\sfrom)?|ranging(?:\sfrom)?|span(?:s|ned|ning)?(?:\sfrom)?)\s"
    r"(?:[a-z]+\s){0,2}[*_`$€£~]*$",
    re.IGNORECASE,
)
_TO = re.compile(r"[*_`%]*\s?[\w°%/]{0,12}\s?(?:and|to|–|—|-|up to)\s?[*_`$€£]*")


def _is_range(text: Text, low: Place, high: Place) -> bool:
    between = text.text[low.mention.end : high.mention.start]
    return (
        low.passage is high.passage
        and measures(low)
        and measures(high)
        and _TO.fullmatch(between) is not None
        and _RANGE.search(text.text, max(0, low.mention.start - 40), low.mention.start) is not None
    )


def _ends(text: Text, cells: Cells, low: Place, high: Place) -> Matches:
    """Return the cells of the two ends of a range: the lowest and highest of a column, the minimum and maximum in a row
    of a table that describes columns, or two cells that share a row or column.
    """
    found, digits = cells.uncontradicted(text, high), low.mention.digits + high.mention.digits
    whole = cells.of_column(text, high)
    for match in cells.of_column(text, low):
        for other in whole:
            if match.cell.table == other.cell.table and cells.are_ends(match.cell, other.cell):
                return {low.mention.start: [match], high.mention.start: [other]}
    for match in cells.uncontradicted(text, low):
        for other in found:
            if match.cell.table == other.cell.table and (
                cells.are_ends(match.cell, other.cell)
                or cells.are_extremes(match.cell, other.cell)
                or (digits >= _LEAST_DIGITS and in_line(match.cell, other.cell))
            ):
                return {low.mention.start: [match], high.mention.start: [other]}
    return {}


def _row_before(text: Text, cells: Cells, low: Place, high: Match) -> Matches:
    """Return the cell of the previous period, for 4.41 in "dipped from 4.41 to 4.38 in February"."""
    names, cell = text.labels.tables[high.cell.table], high.cell
    before = [
        match
        for match in cells.fitting(low.mention)
        if (match.cell.table, match.cell.column, match.cell.row + 1) == (cell.table, cell.column, cell.row)
    ]
    return {low.mention.start: before} if before and in_time(names, cell.row) else {}


def _neighbours(text: Text, cells: Cells, one: Place, other: Place) -> Matches:
    """Return the cells of two numbers of a sentence if only one row has both. The sentence does not have to name the
    row.
    """
    near = one.passage is other.passage and measures(one) and measures(other)
    if not near or one.mention.digits + other.mention.digits < _LEAST_DIGITS:
        return {}
    second = cells.uncontradicted(text, other)
    pairs = [
        (first, match)
        for first in cells.uncontradicted(text, one)
        for match in second
        if (first.cell.table, first.cell.row) == (match.cell.table, match.cell.row)
        and first.cell.column != match.cell.column
    ]
    if len({(first.cell.table, first.cell.row) for first, _ in pairs}) != 1:
        return {}
    return {one.mention.start: [pairs[0][0]], other.mention.start: [pairs[0][1]]}
