"""Traces each number of an answer to its origin (TIM-11): a cell, a derivation, the user, or nothing.

Pure: the same answer over the same results is always traced in the same way.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from engine.numbers.beside import above, beside, bound_again, bound_to, ends_of_moves
from engine.numbers.cells import Cells, Match
from engine.numbers.column_numbers import given_reason, plain_reason
from engine.numbers.computed import with_computed
from engine.numbers.confirmed import confirmed, measures, no_ends, same_cell
from engine.numbers.counts import counted, counts_something
from engine.numbers.current_cells import exact_number
from engine.numbers.derivation import Bound, Derivation
from engine.numbers.derivation_words import COMPUTED
from engine.numbers.derivations import derived
from engine.numbers.derived_nearby import derived_nearby, repeated
from engine.numbers.derived_repeated import repeated_formulas
from engine.numbers.derived_series import computed_series
from engine.numbers.evidence import Evidence
from engine.numbers.labels import Labels
from engine.numbers.mention import Mention
from engine.numbers.mentions import find_mentions
from engine.numbers.places import Place
from engine.numbers.placing import places_of
from engine.numbers.ranks import with_ranks
from engine.numbers.reviewed import with_review
from engine.numbers.said_numbers import said_numbers, was_said
from engine.numbers.scopes import Text
from engine.numbers.searched import searched
from engine.numbers.series import among_cells, out_of_series
from engine.numbers.stated import StatedNumbers
from engine.numbers.traced_number import UNTRACED, TracedNumber, moved
from engine.numbers.unclear import is_estimate, likely_cells, likely_derivation

__all__ = ["MOST_CHARACTERS", "MOST_NUMBERS", "trace"]

MOST_CHARACTERS, MOST_NUMBERS = 40_000, 500
"""Limits on an answer. The rest is not examined, since a model may write any number of numbers."""
_MOST_COMPUTED = 40
"""Computations that no word of the text indicates are tried for at most this many doubted numbers of an answer."""


def trace(answer: str, evidence: Evidence) -> list[TracedNumber]:
    """Return the first `MOST_NUMBERS` numbers of a Markdown answer in text order, each with its status."""
    answer = answer[:MOST_CHARACTERS]
    found = with_ranks(answer, _by_rules(answer, evidence))[:MOST_NUMBERS]
    return with_review(answer, evidence, found) if evidence.review else found


def _by_rules(answer: str, evidence: Evidence) -> list[TracedNumber]:
    found = with_computed(answer, evidence, _traced(answer, evidence), _traced)
    if not evidence.briefed or all(one.status not in UNTRACED for one in found):
        return found
    briefed = _traced(answer, evidence.of_briefing)
    first = len(evidence.results)
    return [
        moved(other, first)
        if one.status in UNTRACED
        and not one.settled
        and (
            other.status in ("exact", "stale", "plain")
            or (one.status, other.status) == ("unbacked", "unclear")
        )
        else one
        for one, other in zip(found, briefed, strict=True)
    ]


def _traced(
    answer: str,
    evidence: Evidence,
    known: Mapping[int, TracedNumber] = MappingProxyType({}),
    *,
    search: bool = False,
) -> list[TracedNumber]:
    """Trace all numbers except those in `known`, which are keyed by start position."""
    answer = answer[:MOST_CHARACTERS]
    mentions = find_mentions(answer)[:MOST_NUMBERS]
    if not mentions:
        return []
    labels = Labels(evidence.results)
    asked = " ".join(evidence.questions[-1:])
    text = Text(answer, labels, asked, evidence.replaced)
    quantities = text.quantities(mentions)
    return _Tracing(text, Cells(labels), evidence, known, search=search).traced(quantities)


class _Tracing:
    """Traces one answer."""

    def __init__(
        self,
        text: Text,
        cells: Cells,
        evidence: Evidence,
        known: Mapping[int, TracedNumber],
        *,
        search: bool,
    ) -> None:
        self._known = known
        self._search = search
        self._text = text
        self._cells = cells
        self._evidence = evidence
        self._cells_only: set[int] = set()
        self._stated = StatedNumbers(text, cells, evidence if not known else replace(evidence, workings=""))
        self._computed: list[tuple[Place, Derivation]] = []
        self._said = said_numbers(evidence.questions)

    def traced(self, mentions: Sequence[Mention]) -> list[TracedNumber]:
        """Match numbers to cells first, then compute the others from them."""
        places = places_of(self._text, mentions)
        exact = self._cells_of([place for place in places if place.mention.start not in self._known])
        stated = self._stated.decided(places, exact)
        exact = {start: matches for start, matches in exact.items() if start not in stated}
        self._cells_only = among_cells(self._text, places, exact.keys() | self._known.keys())
        again = {start: bound_again(one) for start, one in self._known.items()}
        bound = {start: known for start, known in again.items() if known is not None} | {
            place.mention.start: bound_to(place, exact[place.mention.start])
            for place in places
            if place.mention.start in exact
        }
        bound |= {start: known for start, one in stated.items() if (known := bound_again(one)) is not None}
        traced = dict(self._known) | self._in_series(places, bound) | stated
        for _ in range(2):
            before = len(bound)
            for place in places:
                start = place.mention.start
                if start in self._known or start in stated:
                    continue
                if start in traced and traced[start].status != "unbacked":
                    continue
                one = self._one(place, exact.get(start, []), places, bound)
                if one.status == "unbacked":
                    one = repeated(self._text, place, traced, bound) or one
                traced[start] = one
                if one.derivation is not None:
                    self._computed.append((place, one.derivation))
                    bound[start] = Bound(one.derivation.value, one.derivation.cells, place.mention)
            if len(bound) == before:
                break
        if self._search:
            traced |= self._repeated(places, traced)
        traced |= self._doubted(places, stated, traced, bound)
        traced |= dict(ends_of_moves(self._text, places, traced))
        return [self._stated.told(traced[place.mention.start]) for place in places]

    def _in_series(self, places: Sequence[Place], bound: dict[int, Bound]) -> dict[int, TracedNumber]:
        """Return the numbers in lists and table columns that are computed in the same way, and add them to `bound`."""
        series = computed_series(self._text, places, list(bound))
        inside = [one for one in places if one.passage.cells and one.mention.start not in bound]
        series |= repeated_formulas(self._text, inside)
        found = {}
        for place in [one for one in places if one.mention.start in series]:
            how = series[start := place.mention.start]
            found[start] = TracedNumber(place.mention, "derived", derivation=how)
            bound[start] = Bound(how.value, how.cells, place.mention)
            self._computed.append((place, how))
        return found

    def _repeated(
        self, places: Sequence[Place], traced: Mapping[int, TracedNumber]
    ) -> dict[int, TracedNumber]:
        """Return the doubted numbers that a formula gives together with others."""
        status = {start: one.status for start, one in traced.items()}
        able = [one for one in places if status[one.mention.start] in ("unbacked", "derived")]
        found = repeated_formulas(self._text, able) if "unbacked" in status.values() else {}
        return {
            one.mention.start: TracedNumber(one.mention, "derived", derivation=found[one.mention.start])
            for one in able
            if one.mention.start in found and status[one.mention.start] == "unbacked"
        }

    def _doubted(
        self,
        places: Sequence[Place],
        stated: Collection[int],
        traced: Mapping[int, TracedNumber],
        bound: Mapping[int, Bound],
    ) -> dict[int, TracedNumber]:
        """Return the numbers without a known origin that may have one although the text does not say so."""
        doubted = [
            place
            for place in places
            if traced[place.mention.start].status == "unbacked" and place.mention.start not in stated
        ]
        doubted = [] if self._known else doubted  # computed tables only confirm numbers
        return {
            place.mention.start: self._unclear(
                traced[place.mention.start], place, places, bound, computes=at < _MOST_COMPUTED
            )
            for at, place in enumerate(doubted)
        }

    def _unclear(
        self,
        one: TracedNumber,
        place: Place,
        places: Sequence[Place],
        bound: Mapping[int, Bound],
        *,
        computes: bool,
    ) -> TracedNumber:
        """Return a doubted number, marked `unclear` if it may be a cell or a computation although its sentence does not
        say so.
        """
        near = beside(place, places, bound)
        told = [cell for other in near for cell in other.cells if len(other.cells) == 1]
        if likely := likely_cells(self._text, self._cells, place, told):
            return replace(one, status="unclear", likely=tuple(likely))
        known = above(place, bound)
        maybe = likely_derivation(self._text, self._cells, place, near, known) if computes else None
        supposed = is_estimate(self._text, place) and not self._cells.fitting(place.mention)
        unclear = maybe is not None or supposed
        return replace(one, status="unclear", maybe=maybe, assumed=maybe is None) if unclear else one

    def _cells_of(self, places: Sequence[Place]) -> dict[int, list[Match]]:
        """Return the cells of the numbers that have any, the most certain first, by start position."""
        exact = {
            place.mention.start: matches
            for place in places
            if measures(place) and (matches := self._cells.matches(self._text, place))
        }
        exact |= out_of_series(self._text, places, exact)
        exact = {start: matches for start, matches in exact.items() if matches}
        exact |= confirmed(self._text, self._cells, places, exact)
        wrong = same_cell(self._text, places, exact) | no_ends(self._text, self._cells, places, exact)
        return {start: matches for start, matches in exact.items() if start not in wrong}

    def _one(
        self, place: Place, matches: Sequence[Match], places: Sequence[Place], bound: Mapping[int, Bound]
    ) -> TracedNumber:
        mention = place.mention
        if mention.kind == "plain":
            return TracedNumber(mention, "plain")
        if matches:
            return exact_number(self._text, place, matches)
        if mention.kind in ("count", "none"):
            return self._count(place)
        near = beside(place, places, bound)
        if (what := given_reason(self._text, place)) is not None:
            return TracedNumber(mention, "plain", counts=what)
        if (found := self._derived(place, near, bound)) is not None:
            return TracedNumber(mention, "derived", derivation=found)
        if was_said(mention, self._said):
            return TracedNumber(mention, "said")
        if not self._text.english and (alone := self._cells.alone(self._text, place)):
            return exact_number(self._text, place, alone)
        if (what := self._plain(place, near)) is not None:
            return TracedNumber(mention, "plain", counts=what)
        if self._search and (found := self._searched(place, bound)) is not None:
            return TracedNumber(mention, "derived", derivation=found)
        return TracedNumber(mention, "unbacked")

    def _derived(self, place: Place, near: Sequence[Bound], bound: Mapping[int, Bound]) -> Derivation | None:
        mention = place.mention
        quietly = mention.digits < 4 or not self._cells.fitting(mention)
        if mention.start in self._cells_only or not (quietly or place.clause_words & COMPUTED):
            return None
        return derived(self._text, place, near, above(place, bound), self._computed, quietly)

    def _searched(self, place: Place, bound: Mapping[int, Bound]) -> Derivation | None:
        """Return a computation that gives the number although no word indicates it; None if there is none."""
        found = searched(self._text, self._cells, place)
        return found or derived_nearby(self._text, self._cells, place, list(bound.values()))

    def _plain(self, place: Place, near: Sequence[Bound]) -> str | None:
        """Return a short reason why a number does not have to be in a result; None if there is none."""
        mention = place.mention
        if mention.kind == "number" and (what := counted(self._text, place, self._evidence)) is not None:
            return what
        if (what := plain_reason(self._text, place, near)) is not None:
            return what
        return "a value that a call was given" if mention.value in self._evidence.quoted else None

    def _count(self, place: Place) -> TracedNumber:
        """Trace a number in words."""
        mention = place.mention
        if (what := counted(self._text, place, self._evidence)) is not None:
            return TracedNumber(mention, "plain", counts=what)
        if (found := derived(self._text, place, ())) is not None:
            return TracedNumber(mention, "derived", derivation=found)
        if was_said(mention, self._said):
            return TracedNumber(mention, "said")
        if matches := self._cells.matches(self._text, place):
            return exact_number(self._text, place, matches)
        if mention.text.casefold() in ("one", "none") or not counts_something(self._text, place):
            return TracedNumber(mention, "plain")
        return TracedNumber(mention, "unbacked")
