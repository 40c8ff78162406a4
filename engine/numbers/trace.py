"""Binds each number of an answer to where it came from (SPEC TIM-11): a cell, a derivation, the user, or nothing.

Pure: the same answer over the same results is traced the same way, whenever it is looked at.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from engine.numbers.cells import Cells, Match, in_line
from engine.numbers.counts import counted, counts_something
from engine.numbers.derivation import Bound
from engine.numbers.derivations import derived
from engine.numbers.evidence import Cell, Evidence
from engine.numbers.fitting import fits
from engine.numbers.labels import Labels
from engine.numbers.mentions import Mention, find_mentions
from engine.numbers.passages import Passage, passages
from engine.numbers.percentiles import names_percentile
from engine.numbers.places import EARLIER, Place
from engine.numbers.scopes import Text
from engine.numbers.ties import part_of, set_against
from engine.numbers.traced_number import TracedNumber

__all__ = ["MOST_CHARACTERS", "MOST_NUMBERS", "trace"]

MOST_CHARACTERS, MOST_NUMBERS = 40_000, 500
"""Of an answer: what comes after is not looked at, since a model may write any number of numbers."""
_MOST_QUESTIONS = 50
_WITH = re.compile(r"[*_`]*(?:,\s?[\w -]{1,40}?)?\s?(?:with|has|had|at|:|\()\s?[*_`$€£]*", re.IGNORECASE)
"""What stands between a row's number and the value: "lowest 73 with 17.10"."""
_MOST_BESIDE = 10
"""Numbers beside one that it may be computed from, the nearest."""


def trace(answer: str, evidence: Evidence) -> list[TracedNumber]:
    """Return the numbers of a Markdown answer, in their order, each with its status: the first `MOST_NUMBERS`."""
    found = _traced(answer, evidence)
    if not evidence.briefed or all(one.status != "unbacked" for one in found):
        return found
    briefed = _traced(answer, evidence.of_briefing)
    first = len(evidence.results)
    return [
        _moved(other, first)
        if one.status == "unbacked" and other.status in ("exact", "stale", "plain")
        else one
        for one, other in zip(found, briefed, strict=True)
    ]


def _moved(one: TracedNumber, by: int) -> TracedNumber:
    """The same with its tables counted from another one on."""
    cell = replace(one.cell, table=one.cell.table + by) if one.cell is not None else None
    others = tuple(replace(other, table=other.table + by) for other in one.others)
    return replace(one, cell=cell, others=others)


def _traced(answer: str, evidence: Evidence) -> list[TracedNumber]:
    answer = answer[:MOST_CHARACTERS]
    mentions = find_mentions(answer)[:MOST_NUMBERS]
    if not mentions:
        return []
    labels = Labels(evidence.results)
    asked = " ".join(evidence.questions[-1:])
    text = Text(answer, labels, asked, frozenset(evidence.replaced))
    quantities = text.quantities(mentions)
    return _Tracing(text, Cells(labels), evidence).traced(quantities)


class _Tracing:
    """The tracing of one answer."""

    def __init__(self, text: Text, cells: Cells, evidence: Evidence) -> None:
        self._text = text
        self._cells = cells
        self._evidence = evidence
        self._said = [m for q in evidence.questions[-_MOST_QUESTIONS:] for m in _mentions_of(q)]

    def traced(self, mentions: Sequence[Mention]) -> list[TracedNumber]:
        """Trace what stands in a cell first, so that the rest can be computed from it, and from what that gives."""
        places = self._places(mentions)
        exact = {
            place.mention.start: self._cells.matches(self._text, place)
            for place in places
            if _measures(place)
        }
        bound = {
            place.mention.start: _bound(place, matches)
            for place in places
            if (matches := exact.get(place.mention.start))
        }
        for at, place in enumerate(places):
            if at and part_of(self._text.text, place):
                exact |= self._both(places[at - 1], place, bound)
        for place in places:
            if place.mention.start not in bound and _measures(place) and set_against(self._text.text, place):
                known = [bound[one.start] for one in place.beside if one.start in bound]
                beside = [one.cells[0] for one in known[:_MOST_BESIDE]]
                if matches := self._cells.matches(self._text, place, beside):
                    exact[place.mention.start] = matches
                    bound[place.mention.start] = _bound(place, matches)
        traced: dict[int, TracedNumber] = {}
        for _ in range(2):
            before = len(bound)
            for place in places:
                start = place.mention.start
                if start in traced and traced[start].status != "unbacked":
                    continue
                one = traced[start] = self._one(place, exact.get(start, []), places, bound)
                if one.derivation is not None:
                    bound[start] = Bound(one.derivation.value, one.derivation.cells, place.mention)
            if len(bound) == before:
                break
        return [traced[place.mention.start] for place in places]

    def _both(self, part: Place, whole: Place, bound: dict[int, Bound]) -> dict[int, list[Match]]:
        """The cells of "31 of 39" where nothing else is named, if one row or column of a result has both."""
        if part.mention.start in bound or whole.mention.start in bound:
            return {}
        for match in self._cells.fitting(part.mention):
            for other in self._cells.fitting(whole.mention):
                if in_line(match.cell, other.cell) and abs(match.cell.value) <= abs(other.cell.value):
                    for place, one in ((part, match), (whole, other)):
                        bound[place.mention.start] = _bound(place, [one])
                    return {part.mention.start: [match], whole.mention.start: [other]}
        return {}

    def _places(self, mentions: Sequence[Mention]) -> list[Place]:
        """Put each number into its passage."""
        spans = passages(self._text.text)
        by_passage: dict[int, list[Mention]] = {}
        at = 0
        for mention in mentions:
            while at < len(spans) - 1 and spans[at].end <= mention.start:
                at += 1
            by_passage.setdefault(at, []).append(mention)
        return [place for at, here in by_passage.items() for place in self._of_passage(spans[at], here)]

    def _of_passage(self, passage: Passage, here: Sequence[Mention]) -> list[Place]:
        quantities = tuple(one for one in here if one.kind != "plain")
        around = passage.cells or ((passage.start, passage.end),)
        words = self._text.words_in(around)
        return [
            Place(
                one,
                passage,
                quantities.index(one) if one in quantities else 0,
                quantities or (one,),
                words,
                words if passage.cells else self._clause_words(passage, one),
            )
            for one in here
        ]

    def _clause_words(self, passage: Passage, mention: Mention) -> frozenset[str]:
        clause = passage.clause(mention.start)
        at = passage.clauses.index(clause)
        words = self._text.words_in(passage.nearest(mention.start))
        if at and sum(word.isalpha() and len(word) > 1 for word in words) < 4:
            words |= self._text.words_in([passage.clauses[at - 1]])
        return words

    def _one(
        self, place: Place, matches: Sequence[Match], places: Sequence[Place], bound: Mapping[int, Bound]
    ) -> TracedNumber:
        mention = place.mention
        if mention.kind == "plain":
            return TracedNumber(mention, "plain")
        if matches:
            return self._exact(place, matches)
        if mention.kind in ("count", "none"):
            return self._count(place)
        near = [one.mention for one in places if _beside(place, one) and one.mention.start in bound]
        near.sort(key=lambda one: abs(one.start - mention.start))
        beside = [bound[one.start] for one in sorted(near[:_MOST_BESIDE], key=lambda one: one.start)]
        if (found := derived(self._text, place, beside, _above(place, bound))) is not None:
            return TracedNumber(mention, "derived", derivation=found)
        if self._was_said(mention):
            return TracedNumber(mention, "said")
        if mention.kind == "number" and (what := counted(self._text, place, self._evidence)) is not None:
            return TracedNumber(mention, "plain", counts=what)
        if self._names_row(mention, beside):
            return TracedNumber(mention, "plain", counts="names its row")
        if names_percentile(mention, beside, self._text.labels):
            return TracedNumber(mention, "plain", counts="names a percentile")
        if mention.value in self._evidence.quoted:
            return TracedNumber(mention, "plain", counts="a value that a call was given")
        return TracedNumber(mention, "unbacked")

    def _names_row(self, mention: Mention, beside: Sequence[Bound]) -> bool:
        """Whether a whole number is what tells the row of the number right behind it: "8 cylinders with 103"."""
        after = [one for one in beside if mention.end <= one.written.start]
        for cell in (one.cells[0] for one in after[:1] if len(one.cells) == 1):
            if not _WITH.fullmatch(self._text.text[mention.end : after[0].written.start]):
                continue
            table = self._text.labels.tables[cell.table].table
            if any(table.number(cell.row, column) == mention.value for column in range(cell.column)):
                return mention.value.is_integer() and mention.unit is None
        return False

    def _count(self, place: Place) -> TracedNumber:
        """A number in words."""
        mention = place.mention
        if (what := counted(self._text, place, self._evidence)) is not None:
            return TracedNumber(mention, "plain", counts=what)
        if (found := derived(self._text, place, ())) is not None:
            return TracedNumber(mention, "derived", derivation=found)
        if self._was_said(mention):
            return TracedNumber(mention, "said")
        if matches := self._cells.matches(self._text, place):
            return self._exact(place, matches)
        if mention.text.casefold() in ("one", "none") or not counts_something(self._text, place):
            return TracedNumber(mention, "plain")
        return TracedNumber(mention, "unbacked")

    def _exact(self, place: Place, matches: Sequence[Match]) -> TracedNumber:
        """A number in a cell; one that has been replaced since is out of date unless the text says so."""
        current = [match for match in matches if not self._out_of_date(match.cell)]
        chosen = (current or matches)[0]
        others = tuple(match.cell for match in matches if match is not chosen)[:8]
        old = not current and not (place.words & EARLIER)
        return TracedNumber(
            place.mention, "stale" if old else "exact", chosen.cell, chosen.factor, others=others
        )

    def _out_of_date(self, cell: Cell) -> bool:
        """Whether a later result has another value in the same place."""
        newer = self._evidence.replaced.get(cell.table)
        if newer is None:
            return False
        old, new = self._text.labels.tables[cell.table], self._text.labels.tables[newer]
        name = old.table.columns[cell.column]
        if name not in new.table.columns:
            return True
        column = new.table.columns.index(name)
        own = [old.label(cell.row, dimension) for dimension in old.dimensions]
        values = [
            value
            for at, value in enumerate(new.table.values(column))
            if [new.label(at, dimension) for dimension in new.dimensions] == own
        ]
        return not any(value == cell.value for value in values)

    def _was_said(self, mention: Mention) -> bool:
        return any(
            one.kind == mention.kind or {one.kind, mention.kind} <= {"number", "count", "plain"}
            for one in self._said
            if any(fits(reading.value, replace(mention, hedge="")) for reading in one.readings)
        )


@lru_cache(maxsize=256)
def _mentions_of(question: str) -> list[Mention]:
    return find_mentions(question)


def _measures(place: Place) -> bool:
    return place.mention.kind not in ("plain", "none") and (
        place.mention.kind != "count" or place.mention.value > 12
    )


_MOST_ABOVE = 12


def _above(place: Place, bound: Mapping[int, Bound]) -> list[Bound]:
    """The numbers before this one in the column of the last of them: what "together" may add up."""
    before = [bound[start] for start in sorted(bound) if start < place.mention.start]
    if not before:
        return []
    last = before[-1].cells[0]
    column = last.table, last.column
    return [one for one in before if (one.cells[0].table, one.cells[0].column) == column][-_MOST_ABOVE:]


def _bound(place: Place, matches: Sequence[Match]) -> Bound:
    best = matches[0]
    return Bound(best.cell.value * _share(place.mention, best), (best.cell,), place.mention)


def _share(mention: Mention, match: Match) -> float:
    """What makes a share of one of a cell that the text writes as a percentage."""
    return match.factor / 100 if mention.kind in ("percent", "points") else 1.0


def _beside(place: Place, other: Place) -> bool:
    """Whether another number stands so near that one may be computed from it."""
    if other is place or other.mention.kind == "plain":
        return False
    near = place.passage
    return (
        other.passage is near
        or (other.passage.start, other.passage.end) in near.around[:1]
        or (
            near.start,
            near.end,
        )
        in other.passage.around[:1]
    )
