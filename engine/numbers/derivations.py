"""Numbers computed from labelled cells: differences, ratios, shares, growth, totals, means, remainders."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.numbers.derivation import Bound, Derivation
from engine.numbers.derivation_words import MEAN, MOVES, REST, SUM
from engine.numbers.derived_alike import derived_alike
from engine.numbers.derived_pairs import of_pairs
from engine.numbers.derived_totals import of_totals
from engine.numbers.derived_values import is_value
from engine.numbers.derived_versions import of_versions
from engine.numbers.derived_weighted import is_weighted, weighted_means
from engine.numbers.derived_written import of_written, restated
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.table_names import TableNames
from engine.numbers.ties import is_earlier
from engine.numbers.words import forms

__all__ = ["derived"]

_MOST_RESULTS = 8


def derived(
    text: Text,
    place: Place,
    bound: Sequence[Bound],
    above: Sequence[Bound] = (),
    before: Sequence[tuple[Place, Derivation]] = (),
    quietly: bool = False,
) -> Derivation | None:
    """Return how a number follows from its neighbours, or from cells that the text around it mentions.

    `bound` contains the known numbers in and next to its sentence, `above` the earlier numbers of one column in order,
    and `before` the earlier computed numbers. With `quietly`, a number with three or more digits is accepted even if no
    word says how it was computed.
    """
    if (again := next(restated(text, place, bound), None)) is not None:
        return again
    for found in of_written(text, place, bound, above):
        if is_value(place, text.labels.tables[found.cells[0].table], found):
            return found
    for found in derived_alike(text, place, before, bound):
        if is_value(place, text.labels.tables[found.cells[0].table], found):
            return found
    for at in _about(text, place, bound):
        names = text.labels.tables[at]
        if not names.measures or (names.at in text.replaced and not is_earlier(text.text, place)):
            continue
        for one in _of_table(text, place, names, bound):
            if is_value(place, names, one):
                return one
    if quietly and place.mention.digits > 2 and not place.clause_words & _SAYS_HOW:
        return _quietly(text, place, bound)
    return None


_SAYS_HOW = SUM | MOVES | MEAN | REST - forms("of so up year quarter from by to at")


def _of_table(text: Text, place: Place, names: TableNames, bound: Sequence[Bound]) -> Iterator[Derivation]:
    if names.table.made == "combined":
        # its cells are computed already, and only changes and distances within a column make sense
        pairs = of_pairs(text, place, names, bound)
        yield from (one for one in pairs if one.operation in ("difference", "growth"))
        return
    yield from of_pairs(text, place, names, bound)
    totals = of_totals(text, place, names)
    yield from (one for one in totals if one.operation != "mean") if is_weighted(text, place) else totals
    yield from weighted_means(text, place, names)
    yield from of_versions(text, place, names)


def _quietly(text: Text, place: Place, bound: Sequence[Bound]) -> Derivation | None:
    """Return how a number with many digits was computed if no word says how. With so many digits, a coincidence is
    unlikely.
    """
    told = replace(place, words=place.words | _QUIET, clause_words=place.clause_words | _QUIET)
    for at in _about(text, place, bound)[-2:]:
        names = text.labels.tables[at]
        if names.measures and names.at not in text.replaced:
            for one in _of_table(text, told, names, bound):
                if one.operation != "sum" and is_value(place, names, one):
                    return one
    return None


_QUIET = forms("share of per each than versus worth")


def _about(text: Text, place: Place, bound: Sequence[Bound]) -> list[int]:
    """Return the results that a number may be computed from: those that the text around it, its neighbours or the
    question use, else the latest.
    """
    passage = place.passage
    spans = (*passage.cells, (passage.start, passage.end), *passage.around[:2])
    named = {one.table for span in spans for one in text.named_in(span)}
    named |= {cell.table for one in bound for cell in one.cells} | text.asked_tables()
    return sorted(named)[-_MOST_RESULTS:] or list(range(len(text.labels.tables)))[-3:]
