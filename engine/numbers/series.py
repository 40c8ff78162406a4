"""Parallel numbers: in a list, in a column of a Markdown table or in a series within a sentence. Pure.

The numbers of a list share a row or a column, even if it is named only once: in "orders: North 812, South 1,530", both
numbers are from one column.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial

from engine.numbers.cells import Match
from engine.numbers.derivation_words import COMPUTED
from engine.numbers.places import Place
from engine.numbers.scopes import Text

__all__ = ["among_cells", "out_of_series"]

_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")


def out_of_series(
    text: Text, places: Sequence[Place], exact: Mapping[int, list[Match]]
) -> dict[int, list[Match]]:
    """Return the numbers whose cells are not all in the column or row that their parallel numbers share.

    Each number is mapped to its cells in that column or row, if it has any.
    """
    found: dict[int, list[Match]] = {}
    for series in _series(text, places):
        known = [place for place in series if place.mention.start in exact]
        if len(known) < 2:
            continue
        column = _shared(known, exact, partial(_column, text))
        row = _shared(known, exact, partial(_row, text))
        for place in known:
            matches = exact[place.mention.start]
            if matches[0].column_named:
                continue
            own = [match for match in matches if _column(text, match) == column or _row(text, match) == row]
            if own != matches and (column or row):
                found[place.mention.start] = own
    return found


def among_cells(text: Text, places: Sequence[Place], exact: Set[int]) -> set[int]:
    """Return the numbers of lists and tables that must come from cells although no cell was found for them: most
    numbers of their series come from cells, and no word near them indicates a computation.
    """
    found: set[int] = set()
    for series in (*_of_tables(places), *_of_items(text, places)):
        cells = sum(place.mention.start in exact for place in series)
        if cells > 1 and cells * 2 > len(series):
            found |= {place.mention.start for place in series if not place.words & COMPUTED}
    return found - exact


def _column(text: Text, match: Match) -> str:
    return text.labels.tables[match.cell.table].table.columns[match.cell.column]


def _row(text: Text, match: Match) -> str:
    names = text.labels.tables[match.cell.table]
    labels = [names.label(match.cell.row, column) for column in names.dimensions]
    return ", ".join(labels) or f"{names.at} {match.cell.row}"


def _shared(
    known: Sequence[Place], exact: Mapping[int, list[Match]], name: Callable[[Match], str]
) -> str | None:
    """Return the column or row in which more than half of the numbers have a cell; None if there is none."""
    counts = Counter(one for place in known for one in {name(match) for match in exact[place.mention.start]})
    best, many = counts.most_common(1)[0]
    return best if many * 2 > len(known) else None


def _series(text: Text, places: Sequence[Place]) -> Iterator[list[Place]]:
    yield from _of_tables(places)
    yield from _of_items(text, places)
    yield from _of_sentences(text, places)


def _of_tables(places: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield the numbers below each header of a Markdown table."""
    columns: dict[int, list[Place]] = defaultdict(list)
    for place in places:
        if place.passage.cells:
            columns[place.passage.cells[-1][0]].append(place)
    yield from columns.values()


def _of_items(text: Text, places: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield the first numbers of the items of a list, then the second ones, and so on."""
    ranks: dict[int, list[Place]] = defaultdict(list)
    last, rank = -1, 0
    for place in places:
        if place.passage.cells or place.mention.kind == "plain":
            continue
        line = text.text.rfind("\n", 0, place.mention.start) + 1
        if not _ITEM.match(text.text, line):
            continue
        if last >= 0 and "\n\n" in text.text[last:line]:
            yield from ranks.values()
            ranks = defaultdict(list)
        rank = rank + 1 if line == last else 0
        last = line
        ranks[rank].append(place)
    yield from ranks.values()


_GAP = re.compile(r"[^.;:|\n]{1,60}")


def _of_sentences(text: Text, places: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield runs of numbers in a sentence that have names of rows, but no names of columns, between or after them."""
    run: list[Place] = []
    for place in places:
        if place.mention.kind == "plain":
            continue
        if run and run[-1].passage is place.passage and _goes_on(text, run[-1], place):
            run.append(place)
            continue
        if len(run) > 1:
            yield run
        run = [place]
    if len(run) > 1:
        yield run


def _goes_on(text: Text, one: Place, other: Place) -> bool:
    span = one.mention.end, other.mention.end
    if one.mention.kind != other.mention.kind or not _GAP.fullmatch(text.text[span[0] : other.mention.start]):
        return False
    between = text.named_in((span[0], span[1] + 30))
    return bool(between) and all(named.label for named in between)
