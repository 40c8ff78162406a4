"""Which row and which column a number in a text is said of: the names nearest to it, from its clause outwards."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from engine.numbers.connectives import (
    BEHIND,
    RESPECTIVELY,
    RIGHT_BEHIND,
    adjoins,
    begins_within,
    closest_label,
    distinct,
    is_left_out,
    names_in,
    words_by_column,
)
from engine.numbers.labels import Labels, Named, TableNames
from engine.numbers.mentions import Mention, find_mentions
from engine.numbers.places import Governing, Place
from engine.numbers.words import Word, text_words

__all__ = ["NEAR", "Text"]

Span = tuple[int, int]

NEAR = 3
"""Levels below this one are the sentence itself: what it names there, it means."""


class Text:
    """A text with the names in it.

    `question` is where a name may stand that the answer leaves out; `outdated` are results that have been replaced.
    """

    def __init__(
        self, text: str, labels: Labels, question: str = "", outdated: frozenset[int] = frozenset()
    ) -> None:
        self.text, self.outdated = text, outdated
        self.mentions: Sequence[Mention] = ()
        self.labels = labels
        self.words = text_words(text)
        self._starts = [word.start for word in self.words]
        self.named = sorted(labels.named(text, self.words), key=lambda one: one.start)
        self._rows: dict[tuple[int, int], list[Named]] = defaultdict(list)
        self._columns: dict[int, list[Named]] = defaultdict(list)
        for one in self.named:
            (self._rows[one.table, one.column] if one.label else self._columns[one.table]).append(one)
        self._question = question
        self._owners: Mapping[int, int] = {}
        self._asked_rows: dict[tuple[int, int], set[str]] = defaultdict(set)
        self.question_words = frozenset(word.form for word in text_words(question))
        self._asked_columns: dict[int, set[int]] = defaultdict(set)
        for one in labels.named(question):
            if one.label:
                self._asked_rows[one.table, one.column].add(one.label)
            else:
                self._asked_columns[one.table].add(one.column)

    def quantities(self, mentions: Sequence[Mention]) -> Sequence[Mention]:
        """Take in the numbers of the text, and return them; those that are part of a row's name are plain."""
        self.mentions = [replace(one, kind="plain") if self._in_label(one) else one for one in mentions]
        self._owners = self._owned()
        return self.mentions

    def _in_label(self, mention: Mention) -> bool:
        """Whether a number is a part of a row's name: "25–34", "9B"; or a number that names its row."""
        for one in self._around(mention):
            names = self.labels.tables[one.table]
            ordinal, named = one.column in names.ordinals, not one.label.isdigit() and mention.unit is None
            if self._says_column(mention, names, one.column) if ordinal else named:
                return True
        return False

    def _owned(self) -> Mapping[int, int]:
        """Which number a word right behind one belongs to: "1,476 customers" leaves "customers" to no other number."""
        owners: dict[int, int] = {}
        for mention in self.mentions:
            if mention.kind != "plain":
                for word in self._within_words(mention.end, mention.end + 30):
                    if adjoins(self.text, mention.end, word.start):
                        owners.setdefault(word.start, mention.start)
        return owners

    def words_in(self, spans: Iterable[Span]) -> frozenset[str]:
        """Return the words in some spans, in their common form."""
        return frozenset(word.form for start, end in spans for word in self._within_words(start, end))

    def _within_words(self, start: int, end: int) -> Sequence[Word]:
        return self.words[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def _around(self, mention: Mention) -> list[Named]:
        """The rows whose name a number is a part of."""
        return [
            one
            for one in self.named
            if one.label
            and one.start <= mention.start + 1
            and one.end >= mention.end - 1
            and one.start < mention.end
        ]

    def _says_column(self, mention: Mention, names: TableNames, column: int) -> bool:
        """Whether the word before a number, or the header above it, is a column's name: "customer 2054"."""
        words = set(names.column_words[column])
        line = self.text.rfind("\n", 0, mention.start) + 1
        if self.text[line : mention.start].strip(" |*`") == "" and "|" in self.text[line : mention.start]:
            return True
        before = self._within_words(max(0, mention.start - 16), mention.start)
        return bool(before and before[-1].form in words)

    def rows_in(self, table: int, column: int, span: Span) -> list[Named]:
        """Return where a span names rows of a result by one column."""
        return [one for one in self._rows.get((table, column), ()) if span[0] <= one.start < span[1]]

    def asked_tables(self) -> frozenset[int]:
        """Return the results of which the question names a row or column."""
        return frozenset((*(table for table, _ in self._asked_rows), *self._asked_columns))

    def columns_in(self, table: int, span: Span) -> list[Named]:
        """Return where a span names columns of a result."""
        return names_in(self._columns.get(table, ()), span)

    @cached_property
    def numbers_said(self) -> frozenset[float]:
        """The numbers of the text and the question, in digits or as words."""
        return frozenset(one.value for one in (*self.mentions, *find_mentions(self._question)))

    def asked_rows(self, table: int, column: int) -> frozenset[str]:
        """Return the rows of a result that the question names, by one column."""
        return frozenset(self._asked_rows.get((table, column), ()))

    def asked_columns(self, table: int, among: Collection[int]) -> list[int]:
        """Return the columns of a result that the question names."""
        return sorted(self._asked_columns.get(table, set()) & set(among))

    def leaves_out(self, place: Place, table: int, column: int, label: str) -> bool:
        """Return whether the sentence of a number leaves out a row: "excluding North"."""
        span = place.passage.start, place.passage.end
        own = [one.start for one in self.rows_in(table, column, span) if one.label == label]
        return bool(own) and all(is_left_out(self.text, start) for start in own)

    def row_of(self, place: Place, table: int, column: int) -> Governing | None:
        """Return which rows, by their labels in `column`, a number is said of; None: none is named anywhere."""
        found = [one for one in self._rows.get((table, column), ()) if not is_left_out(self.text, one.start)]
        if found:
            governing = self._nearest(place, found)
            if governing is not None:
                return governing
        asked = self._asked_rows.get((table, column))
        return Governing(frozenset(asked), 9) if asked else None

    def _nearest(self, place: Place, found: Sequence[Named]) -> Governing | None:
        passage, mention = place.passage, place.mention
        if passage.cells:
            named = [one.label for span in passage.cells for one in names_in(found, span)]
            if named:
                return Governing(frozenset(named), 0)
        here = names_in(found, (passage.start, passage.end))
        if here:
            return self._in_sentence(place, here)
        for level, span in enumerate(passage.around):
            named = [one.label for one in names_in(found, span) if not begins_within(mention, one)]
            if named:
                return Governing(frozenset(named), NEAR + level)
        return None

    def _in_sentence(self, place: Place, here: Sequence[Named]) -> Governing:
        mention = place.mention
        if (behind := self._behind(mention, here)) is not None:
            return Governing(frozenset({behind}), 0)
        if (parallel := self._parallel(place, here)) is not None:
            return Governing(frozenset({parallel}), 0)
        for at, clause in enumerate(place.passage.nearest(mention.start)):
            if inside := names_in(here, clause):
                subject = (
                    {inside[0].label} if at else set[str]()
                )  # "North beat South (412,300)" speaks of North
                return Governing(frozenset({closest_label(mention, inside), *subject}), 1)
        before = [one for one in here if one.start < mention.start]
        if before:
            last = place.passage.clause(before[-1].start)
            return Governing(frozenset((before[0].label, *(one.label for one in names_in(before, last)))), 2)
        return Governing(frozenset({here[0].label}), 2)

    def _behind(self, mention: Mention, here: Sequence[Named]) -> str | None:
        """The label in "412,300 in North"."""
        for one in here:
            if one.start >= mention.end:
                between = self.text[mention.end : one.start]
                if len(between) < 60 and (BEHIND.fullmatch(between) or RIGHT_BEHIND.fullmatch(between)):
                    return one.label
                return None
        return None

    def _parallel(self, place: Place, here: Sequence[Named]) -> str | None:
        """The label of "North and South had 10 and 20", and of "North over South (10 against 20)"."""
        group = self._group(place)
        first = group[0].start
        numbers = [one.end for one in place.beside if one.end <= first and one.kind not in ("times", "part")]
        last = max(numbers, default=place.passage.start)
        before = distinct(one.label for one in here if last <= one.start < first)
        if len(before) < 2 or len(before) != len(group):
            return None
        told = RESPECTIVELY.search(self.text, place.passage.start, place.passage.end)
        alone = all(one.start < first or one.start > group[-1].end for one in here)
        return before[group.index(place.mention)] if (told or alone) and place.mention in group else None

    def _group(self, place: Place) -> Sequence[Mention]:
        """The numbers of the sentence, or those in the same brackets."""
        start = self.text.rfind("(", place.passage.start, place.mention.start)
        end = self.text.find(")", place.mention.end, place.passage.end)
        if start >= 0 and end >= 0 and ")" not in self.text[start : place.mention.start]:
            inside = [one for one in place.beside if start < one.start < end]
            if len(inside) > 1:
                return inside
        return place.beside

    def columns_of(
        self, place: Place, table: int, holding: Collection[int]
    ) -> tuple[Mapping[int, int], int] | None:
        """Return how many words of each column's name stand nearest to a number, and at which level.

        Only columns `holding` what the number could be are looked at: a percentage is not said of a count.
        """
        mention, passage = place.mention, place.passage
        found = [
            one
            for one in self._columns.get(table, ())
            if one.column in holding
            and self._owners.get(one.start, mention.start) == mention.start
            and not begins_within(mention, one)
        ]
        if not found:
            return None
        if passage.cells:
            for span in (passage.cells[-1], *passage.cells[:-1]):
                if inside := names_in(found, span):
                    return words_by_column(inside), 0
        clauses = passage.nearest(mention.start)
        if behind := self._behind_columns(mention, found):
            inside = names_in(found, clauses[0])
            return words_by_column([*behind, *inside], frozenset(one.column for one in behind)), 0
        following = next((one for one in found if one.start >= mention.end), None)
        if following and BEHIND.fullmatch(self.text[mention.end : following.start][:60]):
            return words_by_column([one for one in found if one.start == following.start]), 0
        for clause in clauses:
            if inside := [one for one in names_in(found, clause) if not self._apart(one, place)]:
                return self._in_clause(mention, inside), 1
        before = names_in(found, (passage.start, mention.start))
        if before and not self._used(before[-1].end, place):
            return words_by_column(names_in(before, passage.clause(before[-1].start))), 2
        for level, span in enumerate(passage.around):
            if around := names_in(found, span):
                return words_by_column(around), NEAR + level
        return None

    def _behind_columns(self, mention: Mention, found: Sequence[Named]) -> list[Named]:
        """The column in "229 customers churned": of several that follow each other, the last."""
        end, behind = mention.end, list[Named]()
        for one in found:
            if one.start >= end and adjoins(self.text, end, one.start, named=bool(behind)):
                behind = [*(other for other in behind if other.start == one.start), one]
                end = one.end if one.start > end else end
        if behind and len({one.start for one in behind}) == 1:
            last = behind[-1]
            return [one for one in found if one.start == last.start]
        return behind

    def _apart(self, one: Named, place: Place) -> bool:
        """Whether another number stands between a name and this one: the name is that number's."""
        first, last = sorted((place.mention.start, one.start))
        return any(
            first < other.start < last for other in place.beside if other.kind not in ("count", "none")
        )

    def _used(self, end: int, place: Place) -> bool:
        """Whether another number stands between a name and this one: then the name is that number's."""
        return any(end <= one.start < place.mention.start for one in place.beside)

    def _in_clause(self, mention: Mention, inside: Sequence[Named]) -> Mapping[int, int]:
        scores = words_by_column(inside)
        best = max(scores.values())
        top = {column for column, score in scores.items() if score == best}
        before = [one for one in inside if one.column in top and one.start < mention.start]
        after = [one for one in inside if one.column in top and one.start >= mention.end]
        if len(top) > 1 and (before or after):
            nearest = (before or after)[-1].start  # "1,107 tickets are open": the last that is said
            top = {one.column for one in (before or after) if one.start == nearest}
            return {column: score for column, score in scores.items() if score < best or column in top}
        return scores
