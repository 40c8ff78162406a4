"""A text in which the names of rows and columns are marked."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from engine.numbers.connectives import (
    ON_AVERAGE,
    adjoins,
    names_in,
)
from engine.numbers.general_words import ENGLISH, FOREIGN
from engine.numbers.labels import Labels, Named
from engine.numbers.mention import Mention
from engine.numbers.mentions import find_mentions
from engine.numbers.passages import Passage
from engine.numbers.table_names import TableNames
from engine.numbers.words import Word, text_words

__all__ = ["NamedText"]
Span = tuple[int, int]
_NONE: Mapping[int, int] = {}
_POINTS = re.compile(r"[\s-](?:points?|pts?)$", re.IGNORECASE)


class NamedText:
    """A text and the names found in it. `question` may contain a name that the answer omits; `replaced` maps results to
    the results that replaced them.
    """

    def __init__(
        self, text: str, labels: Labels, question: str = "", replaced: Mapping[int, int] = _NONE
    ) -> None:
        self.text, self.replaced = text, replaced
        self.mentions: Sequence[Mention] = ()
        self._number_starts: list[int] = []
        self.labels, self.vocabulary = labels, labels.vocabulary
        self.words = text_words(text)
        self._starts = [word.start for word in self.words]
        self.named = sorted(labels.named(text, self.words), key=lambda one: one.start)
        self._named_starts = [one.start for one in self.named]
        self._longest_name = max((one.end - one.start for one in self.named), default=0)
        self._rows: dict[tuple[int, int], list[Named]] = defaultdict(list)
        self._followed: dict[int, bool] = {}
        self._said: dict[tuple[re.Pattern[str], int, int], re.Match[str] | None] = {}
        self._words_of: dict[tuple[Span, ...], frozenset[str]] = {}
        self._kept: dict[tuple[int, int], Sequence[Named]] = {}
        self._columns: dict[int, list[Named]] = defaultdict(list)
        for one in self.named:
            (self._rows[one.table, one.column] if one.label else self._columns[one.table]).append(one)
        self.question = question
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
        """Store the numbers of the text and return them. A number within a row's name becomes `plain`."""
        self.mentions = [
            self._measured_year(one)
            or (replace(one, kind="plain") if self._in_label(one) else self._without_points(one))
            for one in mentions
        ]
        self._number_starts = [one.start for one in self.mentions]
        self._owners = self._owned()
        return self.mentions

    def _measured_year(self, one: Mention) -> Mention | None:
        """Return a year as a quantity if a column of years is named nearby: "built in 1987" for `year_built`."""
        if one.kind != "plain" or not re.fullmatch(r"\d{4}", one.text):
            return None
        near = (max(0, one.start - 60), one.start)
        for names in self.labels.tables:
            years = {
                at for at in names.measures if all(1500 < year < 2100 for year in names.table.numbers(at))
            }
            whole = {at for at in years if all(year.is_integer() for year in names.table.numbers(at))}
            if any(named.column in whole for named in self.columns_in(names.at, near)):
                return replace(one, kind="number", digits=4)
        return None

    def _without_points(self, one: Mention) -> Mention:
        """Return "412 points" as the number 412 before the noun "points" if a column counts points."""
        points = _POINTS.search(one.text) if one.kind == "points" else None
        counted = points and any(
            "point" in words for names in self.labels.tables for words in names.column_words
        )
        if not points or not counted:
            return one
        return replace(one, kind="number", end=one.end - len(points[0]), text=one.text[: -len(points[0])])

    def _in_label(self, mention: Mention) -> bool:
        """Return whether a number is part of a row's name ("25–34", "9B") or names its row."""
        for one in self._around(mention):
            names = self.labels.tables[one.table]
            ordinal, named = one.column in names.ordinals, not one.label.isdigit() and mention.unit is None
            said = self._says_column(mention, names, one.column)
            if said if ordinal else (named or said):
                return True
        return False

    def _owned(self) -> Mapping[int, int]:
        """Map each word to the number directly before it: in "1,476 customers", "customers" belongs to 1,476."""
        owners: dict[int, int] = {}
        for mention in self.mentions:
            if mention.kind != "plain":
                for word in self._within_words(mention.end, mention.end + 30):
                    if adjoins(self.text, mention.end, word.start) or ON_AVERAGE.fullmatch(
                        self.text[mention.end : word.end]
                    ):
                        owners.setdefault(word.start, mention.start)
        return owners

    def quantity_at(self, at: int) -> bool:
        """Return whether a position in the text is within a quantity."""
        before = bisect_right(self._number_starts, at) - 1
        return before >= 0 and self.mentions[before].kind != "plain" and at < self.mentions[before].end

    def said(self, pattern: re.Pattern[str], passage: Passage) -> re.Match[str] | None:
        """Return the first match of a pattern in a passage. The match is cached, because a passage may have many
        numbers.
        """
        key = (pattern, passage.start, passage.end)
        if key not in self._said:
            self._said[key] = pattern.search(self.text, passage.start, passage.end)
        return self._said[key]

    def words_in(self, spans: Iterable[Span]) -> frozenset[str]:
        """Return the words in some spans, in their common form."""
        key = tuple(spans)
        if key not in self._words_of:
            self._words_of[key] = frozenset(
                word.form for start, end in key for word in self._within_words(start, end)
            )
        return self._words_of[key]

    def _within_words(self, start: int, end: int) -> Sequence[Word]:
        return self.words[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def _around(self, mention: Mention) -> list[Named]:
        """Return the row names that a number is part of."""
        return [
            one
            for one in self.named_in((mention.end - self._longest_name - 1, mention.end))
            if one.label
            and one.start <= mention.start + 1
            and one.end >= mention.end - 1
            and one.start < mention.end
        ]

    def named_in(self, span: Span) -> Sequence[Named]:
        """Return the names of rows and columns that begin in a span."""
        return self.named[bisect_left(self._named_starts, span[0]) : bisect_left(self._named_starts, span[1])]

    def _says_column(self, mention: Mention, names: TableNames, column: int) -> bool:
        """Return whether the word next to a number, or the header above it, is a column's name: "customer 2054"."""
        words = set(names.column_words[column])
        line = self.text.rfind("\n", 0, mention.start) + 1
        if self.text[line : mention.start].strip(" |*`") == "" and "|" in self.text[line : mention.start]:
            return True
        before = self._within_words(max(0, mention.start - 16), mention.start)
        behind = self._within_words(mention.end, mention.end + 3)
        return bool((before and before[-1].form in words) or (behind and behind[0].form in words))

    @cached_property
    def english(self) -> bool:
        """Whether the text is in English, judging by its short words."""
        words = [self.text[word.start : word.end].casefold() for word in self.words]
        return sum(word in ENGLISH for word in words) >= sum(word in FOREIGN for word in words)

    def rows_in(self, table: int, column: int, span: Span) -> list[Named]:
        """Return the places in a span that name rows of a result by their labels in one column."""
        return [one for one in self._rows.get((table, column), ()) if span[0] <= one.start < span[1]]

    def asked_tables(self) -> frozenset[int]:
        """Return the results whose rows or columns the question mentions."""
        return frozenset((*(table for table, _ in self._asked_rows), *self._asked_columns))

    def columns_in(self, table: int, span: Span) -> list[Named]:
        """Return the places in a span that name columns of a result."""
        return names_in(self._columns.get(table, ()), span)

    @cached_property
    def numbers_said(self) -> frozenset[float]:
        """The numbers of the text and the question, in digits or in words."""
        return frozenset(one.value for one in (*self.mentions, *find_mentions(self.question)))

    def asked_rows(self, table: int, column: int) -> frozenset[str]:
        """Return the labels in one column of a result that the question mentions."""
        return frozenset(self._asked_rows.get((table, column), ()))

    def asked_columns(self, table: int, among: Collection[int]) -> list[int]:
        """Return the columns of a result that the question mentions."""
        return sorted(self._asked_columns.get(table, set()) & set(among))
