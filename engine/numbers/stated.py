"""Decides the numbers of an answer for which the model's workings have a line (TIM-11). Pure.

A number is `derived` if its line gives it from cells of the results, and nothing in the sentence contradicts this. If
the line gives another number, the number is `unbacked`, even if it might have another origin.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from engine.numbers.cells import Cells, Match
from engine.numbers.evidence import Evidence
from engine.numbers.mentions import find_mentions
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.traced_number import UNTRACED, TracedNumber
from engine.numbers.working_checks import WorkingChecks
from engine.numbers.working_columns import with_columns
from engine.numbers.workings import Working, read_workings

__all__ = ["StatedNumbers", "known_numbers"]

_FEW_DIGITS, _COUNTS_BELOW = 3, 100
_SURELY = 4
"""If a cell has this certainty, the sentence itself names both its row and its column."""


class StatedNumbers:
    """The numbers of one answer for which its workings have a line."""

    def __init__(self, text: Text, cells: Cells, evidence: Evidence) -> None:
        self._text, self._cells, self._evidence = text, cells, evidence
        self._undecided: Mapping[int, TracedNumber] = {}

    def decided(
        self, places: Sequence[Place], exact: Mapping[int, Sequence[Match]]
    ) -> dict[int, TracedNumber]:
        """Return the numbers that the workings decide, by start position: those that their line gives, and those that
        it refutes.

        If the sentence clearly names a cell with the number, the number is accepted even if its line is wrong. A line
        that cannot be checked decides nothing.
        """
        read = read_workings(self._evidence.workings) if self._evidence.workings else ()
        if not read:
            return {}
        workings = [with_columns(one, self._text.labels) for one in read]
        found: dict[int, TracedNumber] = {}
        checking = WorkingChecks(self._text, self._cells, known_numbers(self._evidence))
        for again in (False, True):  # a line may use numbers of later lines
            for working in workings:
                meant = list(checking.places_of(working, workings, places))
                if not meant and not again:
                    checking.keep(working)
                if _counts(working):
                    meant = meant and [min(meant, key=partial(_unlikely, checking, working, exact))]
                for place in meant:
                    before = found.get(place.mention.start)
                    if before is None or (again and before.status == "unbacked" and not before.settled):
                        found[place.mention.start] = checking.checked(place, working)
        found = _without_others(found, places)
        self._undecided = {
            at: one for at, one in found.items() if one.status == "unbacked" and not one.settled
        }
        sure = {
            at
            for at, matches in exact.items()
            if at in self._undecided
            or (matches[0].named >= _SURELY and at in found and found[at].status in UNTRACED)
        }
        return {at: one for at, one in found.items() if at not in sure and at not in self._undecided}

    def told(self, one: TracedNumber) -> TracedNumber:
        """Return a number. If its origin is not known, the number gets the objection to its line of the workings."""
        told = self._undecided.get(one.mention.start)
        if told is None or one.status not in UNTRACED:
            return one
        return replace(one, working=told.working, objection=told.objection)


def _counts(working: Working) -> bool:
    """Return whether a line of the workings is about a small whole number, which often occurs several times with
    different meanings.
    """
    label = working.label
    return label.kind in ("number", "count") and label.value.is_integer() and abs(label.value) < _COUNTS_BELOW


def _unlikely(
    checking: WorkingChecks, working: Working, exact: Mapping[int, Sequence[Match]], place: Place
) -> tuple[bool, int, int]:
    """Return a key that sorts the numbers to which a line may belong, the likeliest first. A number is less likely if
    its sentence mentions a cell with its value, shares few words with the line, or is later in the text.
    """
    matches = exact.get(place.mention.start)
    return (
        bool(matches and matches[0].named >= _SURELY),
        -checking.shared(place, working),
        place.mention.start,
    )


def _without_others(found: Mapping[int, TracedNumber], places: Sequence[Place]) -> dict[int, TracedNumber]:
    """Leave out objections to small numbers that occur several times: the line for "6" may be about another 6."""
    few = Counter(one.mention.value for one in places if one.mention.digits < _FEW_DIGITS)
    return {
        at: one
        for at, one in found.items()
        if one.status in ("derived", "exact")
        or few[one.mention.value] < 2
        or one.mention.digits >= _FEW_DIGITS
    }


def known_numbers(evidence: Evidence) -> frozenset[float]:
    """Return the numbers that need no cell: numbers in questions, in calls' arguments and in the briefing, and counts
    of rows and columns.
    """
    counts = [one.count for one in evidence.results]
    counts += [many for file in evidence.files for many in (file.rows, file.columns) if many is not None]
    briefed = (one.numbers(at) for one in evidence.briefed for at in one.numeric)
    asked = (one.value for question in evidence.questions for one in find_mentions(question))
    told = (value for column in briefed for value in column)
    return frozenset((*map(float, counts), *evidence.quoted, *asked, *told))
