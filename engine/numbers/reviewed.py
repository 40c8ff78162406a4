"""Combines the origins of numbers with a model's review of them (TIM-11). Pure.

A review judges what a sentence means, but does not prove a value. A number that it calls right is accepted only if a
cell, arithmetic over cells, or the rows that the review counts give this number. A number that it calls wrong becomes
doubtful.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal

from engine.numbers.cells import Cells, Match
from engine.numbers.derivation import Derivation
from engine.numbers.evidence import Evidence
from engine.numbers.fitting import fits
from engine.numbers.labels import Labels
from engine.numbers.mentions import find_mentions
from engine.numbers.places import Place
from engine.numbers.placing import places_of
from engine.numbers.reviewed_number import ReviewedNumber
from engine.numbers.scopes import Text
from engine.numbers.stated import known_numbers
from engine.numbers.traced_number import UNTRACED, TracedNumber
from engine.numbers.working_checks import WorkingChecks
from engine.numbers.working_columns import with_columns
from engine.numbers.workings import Working, working_of

__all__ = ["with_review"]

_ROWS = re.compile(r"rows?\s*\((?P<names>.*)\)", re.IGNORECASE | re.DOTALL)
_OF_ROWS = re.compile(r"(?<=\))\s*/\s*(?=rows?\s*\()", re.IGNORECASE)
_MOST_ROWS, _MOST_CHECKED = 200, 60
"""Limits on the row names in the source that a review gives for a number, and on the sources that are checked in one
answer."""
_SCALES = (1.0, 1e3, 1e6, 1e9)
"""Factors from a cell to a number that the review calls right: 4.8 for "€4.8 million"."""
_CLOSE, _LOOSE, _LOOSE_HEDGED = 0.05, 0.2, 0.35
"""How far the value of arithmetic may be from a number in words that the review calls right: "halved", "more than
halved"."""


def with_review(answer: str, evidence: Evidence, traced: Sequence[TracedNumber]) -> list[TracedNumber]:
    """Return the numbers of an answer with the verdicts in `evidence.review`."""
    verdicts = {one.start: one for one in evidence.review}
    proofs = _Proofs(answer, evidence)
    return [_reviewed(one, verdicts.get(one.mention.start), proofs) for one in traced]


def _reviewed(one: TracedNumber, verdict: ReviewedNumber | None, proofs: "_Proofs") -> TracedNumber:
    if verdict is None or verdict.text != one.mention.text:
        return one
    if verdict.verdict == "wrong":
        return _refuted(one, verdict)
    if verdict.verdict == "right" and (one.status in UNTRACED or verdict.source):
        return replace(proofs.proven(one, verdict.source), review=verdict)
    if verdict.verdict == "label" and one.status in (*UNTRACED, "derived"):
        return TracedNumber(one.mention, "plain", review=verdict)
    return replace(one, review=verdict)


def _refuted(one: TracedNumber, verdict: ReviewedNumber) -> TracedNumber:
    """Return a number that the review calls wrong. Its origin is removed, unless the number is out of date."""
    if one.status == "stale":
        return replace(one, review=verdict)
    return TracedNumber(one.mention, "unbacked", working=one.working, objection=one.objection, review=verdict)


class _Proofs:
    """Checks the sources that a review gives for the numbers of one answer."""

    def __init__(self, answer: str, evidence: Evidence) -> None:
        self._answer, self._evidence = answer, evidence
        self._checked = 0

    def proven(self, one: TracedNumber, source: str) -> TracedNumber:
        """Return a number that the review calls right, with the source that the review gives or the likeliest one;
        unchanged if nothing gives the number.
        """
        if source and one.status != "stale":
            found = self._counted(one, source) or self._computed(one, source)
            if found is not None:
                return found
        if one.likely:
            best = one.likely[0]
            return _believed(one, "exact", match=Match(best.cell, best.factor, 1))
        return _believed(one, "derived", made=one.maybe) if one.maybe is not None else one

    @cached_property
    def _text(self) -> Text:
        labels = Labels(self._evidence.every)
        return Text(self._answer, labels, " ".join(self._evidence.questions[-1:]), self._evidence.replaced)

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self._text.labels)

    @cached_property
    def _places(self) -> dict[int, Place]:
        mentions = self._text.quantities(find_mentions(self._answer))
        return {place.mention.start: place for place in places_of(self._text, mentions)}

    @cached_property
    def _checks(self) -> WorkingChecks:
        return WorkingChecks(self._text, self._cells, known_numbers(self._evidence))

    def _counted(self, one: TracedNumber, source: str) -> TracedNumber | None:
        """Return a count of rows, or a share of rows, if the review names exactly these rows and they are in one
        result.
        """
        named = [_names(part) for part in _OF_ROWS.split(source.strip().rstrip("."))]
        if not 1 <= len(named) <= 2 or not all(named):
            return None
        count = len(named[0]) / (len(named[1]) if len(named) > 1 else 1)
        counted = " of ".join(f"{len(names):,}" for names in named)
        for table in self._evidence.every:
            percent = 100.0 if one.mention.kind == "percent" else 1.0
            columns = [
                {str(value).casefold() for value in table.values(at) if value is not None}
                for at in range(len(table.columns))
            ]
            in_one = any(all(names <= known for names in named) for known in columns)
            if in_one and fits(count * percent, one.mention):
                return TracedNumber(
                    one.mention, "plain", counts=f"{counted} rows of {table.title or table.name}"
                )
        return None

    def _computed(self, one: TracedNumber, source: str) -> TracedNumber | None:
        """Return a number with the cell that the review names, or with the arithmetic that the review states; None if
        neither gives the number."""
        place = self._places.get(one.mention.start)
        self._checked += 1
        if place is None or self._checked > _MOST_CHECKED:
            return None
        working = with_columns(working_of(one.mention, source), self._text.labels)
        for expression in working.readings:
            if expression.is_one and (match := self._cell(place, expression.operands[0].value)) is not None:
                return _believed(one, "exact", match=match)
        found = self._checks.checked(place, working)
        if found.cell is not None:
            return _believed(one, "exact", match=Match(found.cell, found.factor, 1))
        made = found.derivation or found.maybe or self._nearly(place, working)
        return _believed(one, "derived", made=made) if made is not None else None

    def _nearly(self, place: Place, working: Working) -> Derivation | None:
        """Return the computation that the review states if it nearly gives a part or a multiple in words: 0.36 for
        "more than halved", 0.0101 for "one in a hundred".
        """
        mention = place.mention
        if any(char.isdigit() for char in mention.text) or all(one.is_one for one in working.readings):
            return None
        said = abs(mention.value)
        for made in self._checks.values_of(working):
            value = abs(made.value)
            inverse = 1 / value if value else 0.0
            if mention.kind == "count":
                if abs(inverse - said) <= _CLOSE * said:
                    return made
            elif abs(value - said) <= (_LOOSE_HEDGED if mention.hedge else _LOOSE) * said or any(
                abs(one - said) <= _LOOSE * said for one in (1 + value, inverse)
            ):
                return made
        return None

    def _cell(self, place: Place, value: float) -> Match | None:
        """Return a cell whose value gives the number, if possible one whose row and column the text mentions."""
        near = abs(value) * 1e-6
        same = {one.cell: one for one in self._cells.fitting(place.mention)}
        fitting = [
            same.get(cell, Match(cell, scale, 1))
            for cell in self._cells.near(abs(value) - near, abs(value) + near)
            for scale in _SCALES
            if fits(cell.value * scale, place.mention)
        ]
        named = {one.cell for one in self._cells.matches(self._text, place)}
        return max(fitting, key=lambda one: (one.cell in named, one.cell.table), default=None)


def _names(source: str) -> frozenset[str]:
    """Return the names in a source such as "rows(North; South)"; none if the source has another form."""
    found = _ROWS.fullmatch(source.strip())
    if found is None:
        return frozenset()
    listed = found["names"]
    names = listed.split(";" if ";" in listed else ",")  # "West, North" may be one name
    stripped = (one.strip(" `\"'").casefold() for one in names)
    return frozenset(one for one in stripped if one) if len(names) <= _MOST_ROWS else frozenset()


def _believed(
    one: TracedNumber,
    status: Literal["exact", "derived"],
    *,
    match: Match | None = None,
    made: Derivation | None = None,
) -> TracedNumber:
    """Return a number with an origin."""
    known = TracedNumber(one.mention, status, derivation=made, working=one.working)
    return replace(known, cell=match.cell, factor=match.factor) if match is not None else known
