"""Finds the rows that a number refers to, by names next to it, then in its clause, in its sentence and around it."""

import re
from collections.abc import Sequence

from engine.numbers.connectives import (
    BEHIND,
    BETWEEN,
    BRACKETED,
    CLOSED,
    FOLLOWS,
    FRONTED,
    PART_OF,
    RESPECTIVELY,
    RIGHT_BEFORE,
    RIGHT_BEHIND,
    THAN,
    adjoins,
    begins_within,
    closest_labels,
    distinct,
    is_left_out,
    names_in,
)
from engine.numbers.labels import Named
from engine.numbers.mention import Mention
from engine.numbers.named_text import NamedText
from engine.numbers.places import Governing, Place

__all__ = ["ASKED", "NEAR", "RowScopes"]

NEAR = 3
"""Levels below this one are within the sentence. If a label has such a level, the sentence itself mentions the label.
"""
ASKED = 9
"""The level of a label that only the question mentions."""
AFTER = 8
"""The level of a label that only a later clause mentions: "€4.70; for cars it is €3". Labels in the question win."""


_PERCENT = ("percent", "points")
_THEY = re.compile(r"\b(?:they|their)\b", re.IGNORECASE)


class RowScopes(NamedText):
    """Finds the rows that numbers belong to."""

    def leaves_out(self, place: Place, table: int, column: int, label: str) -> bool:
        """Return whether the sentence of a number excludes a row: "excluding North"."""
        span = place.passage.start, place.passage.end
        own = [one.start for one in self.rows_in(table, column, span) if one.label == label]
        return bool(own) and all(is_left_out(self.text, start) for start in own)

    def row_of(self, place: Place, table: int, column: int) -> Governing | None:
        """Return the labels in `column` of the rows that a number belongs to; None if no row is named anywhere."""
        found = self._rows_kept(table, column)
        governing = None
        if found:
            governing = self._nearest(place, found)
        asked = self._asked_rows.get((table, column), set[str]())
        if governing is not None and governing.level < AFTER:
            return governing
        if governing is not None and governing.labels <= asked:
            return Governing(governing.labels, NEAR)
        if asked:
            return Governing(frozenset(asked), ASKED)
        return governing

    def _rows_kept(self, table: int, column: int) -> Sequence[Named]:
        """Return the places where the text mentions rows by labels in one column, except rows that it excludes."""
        kept = self._kept.get((table, column))
        if kept is None:
            kept = [
                one for one in self._rows.get((table, column), ()) if not is_left_out(self.text, one.start)
            ]
            self._kept[table, column] = kept
        return kept

    def _nearest(self, place: Place, found: Sequence[Named]) -> Governing | None:
        passage, mention = place.passage, place.mention
        if passage.cells:
            named = [one.label for span in passage.cells for one in names_in(found, span)]
            if named:
                return Governing(frozenset(named), 0)
        here = names_in(found, (passage.start, passage.end))
        if (subject := self._subject(place, found, here)) is not None:
            return Governing(frozenset({subject}), NEAR)
        only_compared = all(one.start >= mention.end and self._is_compared(one) for one in here)
        if not only_compared and (inside := self._in_sentence(place, here)) is not None:
            return inside
        for level, span in enumerate(passage.around):
            named = [one.label for one in names_in(found, span) if not begins_within(mention, one)]
            if named:
                return Governing(frozenset(named), NEAR + level)
        return self._in_sentence(place, here) if here and only_compared else None

    def _subject(self, place: Place, found: Sequence[Named], here: Sequence[Named]) -> str | None:
        """Return the label that a pronoun refers to: "It sold 412, twice as many as South"."""
        passage = place.passage
        meant = passage.meant_before(self.text, place.mention.start)
        if meant is None or any(not self._is_aside(place, one) for one in here):
            return None
        named = [one for one in names_in(found, meant) if not self._is_compared(one)]
        plural = _THEY.search(self.text, passage.start, passage.end) is not None
        return named[0].label if named and (not plural or len({one.label for one in named}) == 1) else None

    def _is_aside(self, place: Place, one: Named) -> bool:
        """Return whether a name comes after a number, either in another clause or in a comparison."""
        own = place.passage.clause(place.mention.start)
        return one.start >= place.mention.end and (one.start >= own[1] or self._is_compared(one))

    def _is_compared(self, one: Named) -> bool:
        return THAN.search(self.text, max(0, one.start - 12), one.start) is not None

    def _in_sentence(self, place: Place, here: Sequence[Named]) -> Governing | None:
        mention = place.mention
        if (before := self._right_before(mention, here)) is not None:
            return Governing(frozenset({before}), 0)
        if (behind := self._behind(mention, here)) is not None:
            return Governing(frozenset({behind}), 0)
        if (parallel := self._parallel(place, here)) is not None:
            return Governing(frozenset({parallel}), 0)
        for at, clause in enumerate(place.passage.nearest(mention.start)):
            inside = names_in(here, clause)
            compared = [one for one in inside if self._is_compared(one)]
            labels = {one.label for one in inside}
            others = any(one.start < mention.start for one in here) or self._asks_others(inside, labels)
            if len(compared) == len(inside) and others:
                continue
            if (part := self._of_part(place, inside)) is not None:
                return Governing(frozenset({part}), 0)
            if inside:
                subject = (
                    {inside[0].label} if at else set[str]()
                )  # "North beat South (412,300)" is about North
                return Governing(closest_labels(mention, inside) | subject, 1)
        earlier = [one for one in here if one.start < mention.start]
        if earlier:
            last = place.passage.clause(earlier[-1].start)
            return Governing(
                frozenset((earlier[0].label, *(one.label for one in names_in(earlier, last)))), 2
            )
        between = [
            one
            for one in place.beside
            if one.kind == mention.kind
            and mention.end <= one.start < here[0].start
            and not PART_OF.fullmatch(self.text[mention.end : one.start])
        ]
        fronted = FRONTED.match(self.text, place.passage.start)
        return Governing(frozenset({here[0].label}), AFTER) if fronted or not between else None

    def _of_part(self, place: Place, inside: Sequence[Named]) -> str | None:
        """Return the label of the part, not the whole: "accepted" in "23 of 29 offers were accepted"."""
        whole = next((one for one in place.beside if one.start > place.mention.start), None)
        if whole is None or not PART_OF.fullmatch(self.text[place.mention.end : whole.start]):
            return None
        behind = [one for one in inside if one.start >= whole.end]
        return (
            behind[-1].label if len(behind) > 1 and adjoins(self.text, whole.end, behind[0].start) else None
        )

    def _asks_others(self, inside: Sequence[Named], labels: set[str]) -> bool:
        """Return whether the question mentions rows, but none with these labels."""
        asked = self._asked_rows.get((inside[0].table, inside[0].column), set()) if inside else set[str]()
        return bool(asked) and not asked & labels

    def _right_before(self, mention: Mention, here: Sequence[Named]) -> str | None:
        """Return the label directly before a number: "Gross profit of 412,300"."""
        last = max((one for one in here if one.end <= mention.start), key=lambda one: one.end, default=None)
        if last is None or not RIGHT_BEFORE.fullmatch(self.text[last.end : mention.start][-60:]):
            return None
        return self._follower(mention, last, here) or last.label

    def _follower(self, mention: Mention, last: Named, here: Sequence[Named]) -> str | None:
        """If the text says that a row follows `last`, the closest name, return that row: `Sales` for "Sales follows
        Legal at 412".
        """
        owned = re.match(r"[*_`]*['’]", self.text[last.end : mention.start]) is not None
        if owned or not FOLLOWS.search(self.text, max(0, last.start - 14), last.start):
            return None
        before = [one for one in here if one.end <= last.start and one.label != last.label]
        return before[-1].label if before else None

    def _behind(self, mention: Mention, here: Sequence[Named]) -> str | None:
        """Return the label directly after a number: "412,300 in North"."""
        for one in here:
            if one.start >= mention.end:
                between = self.text[mention.end : one.start]
                if ")" in between and "(" not in between:
                    return None
                if len(between) < 60 and (BEHIND.fullmatch(between) or RIGHT_BEHIND.fullmatch(between)):
                    return one.label
                if BRACKETED.fullmatch(between) and CLOSED.match(self.text, one.end):
                    return one.label
                return None
        return None

    def _parallel(self, place: Place, here: Sequence[Named]) -> str | None:
        """Return the label at the same position in its list as the number: "North and South had 10 and 20", "North over
        South (10 against 20)".
        """
        percent = place.mention.kind in _PERCENT
        group = [one for one in self._group(place) if (one.kind in _PERCENT) == percent] or [place.mention]
        first = group[0].start
        numbers = [one.end for one in place.beside if one.end <= first and one.kind not in ("times", "part")]
        last = max(numbers, default=place.passage.start)
        before = distinct(one.label for one in here if last <= one.start < first)
        if len(group) == 2 and place.mention in group and (ends := self._ends_behind(group[-1].end, here)):
            return ends[group.index(place.mention)]
        if len(before) < 2 or len(before) != len(group):
            return None
        told = RESPECTIVELY.search(self.text, place.passage.start, place.passage.end)
        alone = all(one.start < first or one.start > group[-1].end for one in here)
        return before[group.index(place.mention)] if (told or alone) and place.mention in group else None

    def _ends_behind(self, start: int, here: Sequence[Named]) -> tuple[str, str] | None:
        """Return the two labels after two numbers: "rose from 10 to 20 between January and March"."""
        behind = [one for one in here if one.start >= start]
        if len(behind) != 2 or not BETWEEN.search(self.text, start, behind[0].start):
            return None
        return behind[0].label, behind[1].label

    def _group(self, place: Place) -> Sequence[Mention]:
        """Return the numbers in the same brackets, or else all numbers of the sentence."""
        start = self.text.rfind("(", place.passage.start, place.mention.start)
        end = self.text.find(")", place.mention.end, place.passage.end)
        if start >= 0 and end >= 0 and ")" not in self.text[start : place.mention.start]:
            inside = [one for one in place.beside if start < one.start < end]
            if len(inside) > 1:
                return inside
        return place.beside
