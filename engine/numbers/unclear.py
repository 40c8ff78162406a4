"""Possible origins of a number whose sentence does not say enough: its value is in a cell or follows from cells, and
nothing in the text rules these out.

A number is `unclear` only if no other row or column is named for it. "North made 411.50" is not unclear if 411.50 is
the revenue of West, unless the revenue of North is written elsewhere in the sentence. An estimate ("it would save
12,000") is unclear too, because no result can have it.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from engine.numbers.cells import Cells, Match
from engine.numbers.derivation import Bound, Derivation
from engine.numbers.derivation_words import COMPARED, EACH, MEAN, REST, SHARE, SUM
from engine.numbers.derivations import derived
from engine.numbers.evidence import Cell
from engine.numbers.fitting import DOWN, UP, sign_fits
from engine.numbers.mention import Mention
from engine.numbers.naming import MEANS, TOTALS, holding, is_change, other_kind
from engine.numbers.places import Place
from engine.numbers.row_scopes import NEAR
from engine.numbers.scopes import Text
from engine.numbers.strangers import names_other_measure, names_other_period, names_stranger
from engine.numbers.table_names import TableNames
from engine.numbers.traced_number import Likely

__all__ = ["is_estimate", "likely_cells", "likely_derivation"]

_MOST = 3
_ANYHOW = (SHARE | COMPARED | SUM | MEAN | EACH | REST) - UP - DOWN


def likely_cells(text: Text, cells: Cells, place: Place, told: Collection[Cell]) -> list[Likely]:
    """Return the cells that a number may come from, the most likely first. `told` are the cells of numbers nearby."""
    if place.mention.kind in ("plain", "count", "none", "part", "times"):
        return []
    found = [
        one
        for match in cells.fitting(place.mention)
        if (one := _likely(text, place, text.labels.tables[match.cell.table], match, told)) is not None
    ]
    found.sort(key=lambda one: (-one.row_named - one.column_named, -one.cell.table, one.cell.row))
    return found[:_MOST]


_SUPPOSED = re.compile(r"\b(?:would|could|might|würden?|könnten?)\b", re.IGNORECASE)


def is_estimate(text: Text, place: Place) -> bool:
    """Return whether a number's sentence is hypothetical: "it would save 12,000"."""
    return _SUPPOSED.search(text.text, place.passage.start, place.passage.end) is not None


def likely_derivation(
    text: Text, cells: Cells, place: Place, beside: Sequence[Bound], above: Sequence[Bound]
) -> Derivation | None:
    """Return how a number follows from the named rows and columns if no word says how it is computed."""
    mention = place.mention
    if mention.kind in ("plain", "count", "none") or mention.digits < 2 or mention.signed:
        return None
    if cells.fitting(mention):  # it is in a cell, but the sentence says something else about it
        return None
    anyhow = replace(place, words=place.words | _ANYHOW, clause_words=place.clause_words | _ANYHOW)
    return derived(text, anyhow, beside, above)


def _likely(
    text: Text, place: Place, names: TableNames, match: Match, told: Collection[Cell]
) -> Likely | None:
    cell, mention = match.cell, place.mention
    moves = is_change(names, cell.column)
    if (mention.kind == "points" or (mention.kind == "percent" and mention.signed)) and not moves:
        return None
    if not sign_fits(cell.value, place, moves):
        return None
    row = _row(text, place, names, cell, told)
    column = _column(text, place, names, cell, told)
    if row is None or column is None:
        return None
    if not row and (names_stranger(text, place) or names_other_measure(text, place, names, cell.column)):
        return None
    if not (row and column) and names_other_period(text, place, names):
        return None
    one = Likely(cell, match.factor, row, column)
    return one if _overlaps(place, one, told) else None


def _overlaps(place: Place, one: Likely, told: Collection[Cell]) -> bool:
    """Return whether the text names so much of a cell that a match is no coincidence, even if the number has few
    digits.
    """
    if _is_common(place.mention):
        return one.row_named
    beside = any((other.table, other.column) == (one.cell.table, one.cell.column) for other in told)
    return one.row_named or one.column_named or beside


def _is_common(mention: Mention) -> bool:
    """Return whether a number is so common that any result may have it: small, a year, or a round hundred."""
    value = abs(mention.value)
    if not value.is_integer():
        return mention.digits < 2
    return value <= 20 or 1900 <= value <= 2100 or (value % 100 == 0 and mention.digits < 3)


def _row(text: Text, place: Place, names: TableNames, cell: Cell, told: Collection[Cell]) -> bool | None:
    """Return whether the text names a cell's row; None if it names another row whose number is not written nearby."""
    if len(names.table.rows) < 2:
        return True
    own = set(names.column_words[cell.column])
    said = place.clause_words - own
    if not place.passage.cells and (
        (said & TOTALS and not own & TOTALS) or (said & MEANS and not own & MEANS)
    ):
        return None
    named = False
    for column in names.dimensions:
        label = names.label(cell.row, column)
        if text.leaves_out(place, names.at, column, label):
            return None
        governing = text.row_of(place, names.at, column)
        if governing is None:
            continue
        if label in governing.labels:
            named = named or governing.level < NEAR or names.is_alone(cell.row, column)
            continue
        others = {row for row in range(len(names.table.rows)) if names.label(row, column) in governing.labels}
        spoken = {one.row for one in told if (one.table, one.column) == (cell.table, cell.column)}
        if not others <= spoken:
            return None
    return named


def _column(text: Text, place: Place, names: TableNames, cell: Cell, told: Collection[Cell]) -> bool | None:
    """Return whether the text names a cell's column; None if it names another column whose number is not written
    nearby.
    """
    if other_kind(place.clause_words, set(names.column_words[cell.column])):
        return None
    found = text.columns_of(place, names.at, holding(names, place.mention))
    if found is None:
        return cell.column in text.asked_columns(names.at, names.measures)
    scores, level = found
    best = max(scores.values(), default=0)
    if best and scores.get(cell.column, 0) == best:
        return True
    others = {column for column, score in scores.items() if score == best}
    spoken = {one.column for one in told if (one.table, one.row) == (cell.table, cell.row)}
    return False if level >= NEAR or others <= spoken else None
