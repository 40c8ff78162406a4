"""Finds the columns that a number refers to, by names next to it, then in its clause, in its sentence and around it."""

from collections.abc import Collection, Mapping, Sequence

from engine.numbers.connectives import (
    BEHIND,
    FROM,
    OF,
    OF_NEXT,
    OPENED,
    PART_OF,
    PLAIN_GAP,
    TO,
    VERB_BEFORE,
    adjoins,
    begins_within,
    names_in,
    words_by_column,
)
from engine.numbers.labels import Named
from engine.numbers.mention import Mention
from engine.numbers.named_text import NamedText
from engine.numbers.places import Place
from engine.numbers.row_scopes import NEAR
from engine.numbers.units import unit_word

__all__ = ["ColumnScopes"]


class ColumnScopes(NamedText):
    """Finds the columns that numbers belong to."""

    def columns_of(
        self, place: Place, table: int, holding: Collection[int]
    ) -> tuple[Mapping[int, int], int] | None:
        """Return the columns that are named nearest to a number, each with the number of words that name it, and how
        near they are (see `Governing.level`).

        None if no column is named. Only the columns in `holding`, which have values of the number's kind, are
        considered: a percentage cannot be a count.
        """
        mention, passage = place.mention, place.passage
        found = self._free_columns(mention, table, holding)
        if not found:
            return None
        for span in (*passage.cells[-1:], *passage.cells[:-1]):
            if inside := names_in(found, span):
                return words_by_column(inside), 0
        if (beside := self._beside(place, found)) is not None:
            return beside, 0
        for clause in passage.nearest(mention.start):
            if inside := [one for one in names_in(found, clause) if not self._apart(one, place)]:
                told = [one for one in inside if one.end <= mention.start] if mention.bracketed else []
                return self._in_clause(mention, told or inside), 1
        before = names_in(found, (passage.start, mention.start))
        if before and not self._used(before[-1].end, place):
            return words_by_column(names_in(before, passage.clause(before[-1].start))), 2
        for level, span in enumerate(passage.around):
            if around := names_in(found, span):
                return words_by_column(around), NEAR + level
        return None

    def _free_columns(self, mention: Mention, table: int, holding: Collection[int]) -> list[Named]:
        """Return the names of columns that do not belong to another number and are not the unit of this number."""
        return [
            one
            for one in self._columns.get(table, ())
            if one.column in holding
            and self._owners.get(one.start, mention.start) == mention.start
            and not begins_within(mention, one)
            and not (one.end <= mention.start and self.text[max(0, one.start - 4) : one.start] == "per ")
            and not (one.start >= mention.end and self._before_number(one.end))
            and not self._is_unit(mention, one)
        ]

    def _beside(self, place: Place, found: Sequence[Named]) -> Mapping[int, int] | None:
        """Return the columns that are named directly before or after a number; None if there are none."""
        mention = place.mention
        behind = self._behind_columns(mention, found)
        whole = [one for one in behind if self._is_whole(one)]
        verbs = self._verb_columns(mention, found)
        if verbs and (not whole or any(self._is_whole(one) for one in verbs)):
            inside = names_in(found, place.passage.clause(mention.start))
            return words_by_column([*verbs, *inside], frozenset(one.column for one in verbs))
        if behind and not whole and (named := self._whole_before(place, found, behind)):
            return words_by_column(named)
        if behind:
            inside = names_in(found, place.passage.nearest(mention.start)[0])
            return words_by_column([*behind, *inside], frozenset(one.column for one in behind))
        if opened := self._opened_columns(mention, found):
            return words_by_column(opened)
        following = next((one for one in found if one.start >= mention.end), None)
        between = self.text[mention.end : following.start][:60] if following else ""
        leaves = ")" in between and "(" not in between
        if following and not leaves and BEHIND.fullmatch(between):
            return words_by_column([one for one in found if one.start == following.start])
        return None

    def _is_whole(self, one: Named) -> bool:
        """Return whether a found name is the column's complete name, because that name has only one word."""
        return len(self.labels.tables[one.table].column_words[one.column]) == 1

    def _whole_before(self, place: Place, found: Sequence[Named], behind: Sequence[Named]) -> list[Named]:
        """Return the column with a complete name before a number: `labour` for "Labour, 412 votes", if the result is
        about votes."""
        before = names_in(found, (place.passage.start, place.mention.start))
        topic = self.labels.tables[behind[0].table].topic
        if not before or not self._is_whole(before[-1]) or self._used(before[-1].end, place):
            return []
        about = self.words_in([(behind[0].start, behind[0].end)]) <= topic
        return [one for one in before if about and one.start == before[-1].start]

    def _before_number(self, end: int) -> bool:
        """Return whether a quantity follows the name that ends at `end`: "aged" in "412 customers aged 25"."""
        follows = self._followed.get(end)
        if follows is None:
            found = OF_NEXT.match(self.text, end)
            follows = self._followed[end] = found is not None and self.quantity_at(found.end() - 1)
        return follows

    def _is_unit(self, mention: Mention, one: Named) -> bool:
        """Return whether a name is only the unit of the number: "412 kWh" may be from any column in kWh."""
        behind = mention.unit is not None and 0 <= one.start - mention.end < 3
        return behind and unit_word(self.text[one.start : one.end]) == mention.unit

    def opens(self, place: Place, table: int) -> bool:
        """Return whether the name of a measure is directly before a number: "median 70"."""
        return bool(self._opened_columns(place.mention, self._columns.get(table, ())))

    def _verb_columns(self, mention: Mention, found: Sequence[Named]) -> list[Named]:
        """Return the column of the verb before a number: `returned` for "returned 412 orders"."""
        before = [one for one in found if one.end <= mention.start]
        last = [one for one in before if one.end == before[-1].end]
        verb = last and self.text[last[0].start : last[0].end].endswith("ed")
        return last if verb and VERB_BEFORE.fullmatch(self.text[last[0].end : mention.start][:30]) else []

    def _opened_columns(self, mention: Mention, found: Sequence[Named]) -> list[Named]:
        """Return the column named directly before a number, as in "the most orders (412)", "SD 11.4" and "p = 0.03";
        `delayed` for "delayed flights (412)".
        """
        before = [one for one in found if one.end <= mention.start]
        if not before or not OPENED.fullmatch(self.text[before[-1].end : mention.start][:12]):
            return []
        described = [
            one
            for one in before
            if self.text[one.start : one.end].endswith("ed")
            and PLAIN_GAP.fullmatch(self.text[one.end : before[-1].start])
        ]
        opened = described or [one for one in before if one.end == before[-1].end]
        return [one for one in opened if self._may_hold(one, mention)]  # "the fastest finisher (226.3)"

    def _may_hold(self, one: Named, mention: Mention) -> bool:
        """Return whether a column may contain a number. A column of whole numbers cannot contain a number with
        decimals."""
        numbers = self.labels.tables[one.table].table.numbers(one.column)
        return any(reading.step >= 1 for reading in mention.readings) or not all(
            map(float.is_integer, numbers)
        )

    def _behind_columns(self, mention: Mention, found: Sequence[Named]) -> list[Named]:
        """Return the column named after a number: `churned` for "229 customers churned". If several names follow, use
        the last.
        """
        end, behind = mention.end, list[Named]()
        for one in found:
            if one.start >= end and adjoins(self.text, end, one.start, named=bool(behind)):
                behind = [*(other for other in behind if other.start == one.start), one]
                end = one.end if one.start > end else end
        described = [
            one
            for one in found
            if mention.end < one.start < end
            and self.text[one.start : one.end].endswith("ed")
            and PLAIN_GAP.fullmatch(self.text[mention.end : one.start])
        ]
        if described:  # "412 delayed flights" are not all flights
            return described
        if behind and OF.search(self.text, max(0, mention.start - 24), mention.start):
            first = behind[0].start  # "93 of its 310 flights were late"
            return [one for one in behind if one.start == first]
        if behind and len({one.start for one in behind}) == 1:
            last = behind[-1]
            return [one for one in found if one.start == last.start]
        return behind

    def _apart(self, one: Named, place: Place) -> bool:
        """Return whether another number is between a name and this number. The name then belongs to the other
        number.
        """
        first, last = sorted((place.mention.start, one.start))
        return any(
            first < other.start < last and not PART_OF.fullmatch(self.text[place.mention.end : other.start])
            for other in place.beside
            if other.kind not in ("count", "none") and not self._leads_to(other, place)
        )

    def _leads_to(self, other: Mention, place: Place) -> bool:
        """Return whether another number is the start of a change that ends at this number: "rose from 412 tons in 2016
        to 507".
        """
        begins = FROM.search(self.text, max(0, other.start - 12), other.start)
        return begins is not None and TO.fullmatch(self.text[other.end : place.mention.start]) is not None

    def _used(self, end: int, place: Place) -> bool:
        """Return whether another number is between the `end` of a name and this number. The name then belongs to the
        other number.
        """
        return any(end <= one.start < place.mention.start for one in place.beside)

    def _in_clause(self, mention: Mention, inside: Sequence[Named]) -> Mapping[int, int]:
        scores = words_by_column(inside)
        best = max(scores.values())
        top = {column for column, score in scores.items() if score == best}
        top = {one.column for one in inside if one.column in top and self._may_hold(one, mention)} or top
        before = [one for one in inside if one.column in top and one.start < mention.start]
        after = [one for one in inside if one.column in top and one.start >= mention.end]
        if len(top) > 1 and (before or after):
            nearest = (before or after)[-1].start  # "1,107 tickets are open": the last name counts
            top = {one.column for one in (before or after) if one.start == nearest}
            return {column: score for column, score in scores.items() if score < best or column in top}
        return scores
