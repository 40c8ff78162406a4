"""Sentences that rank or compare rows ("West is highest"), checked again over new results. Pure.

A sentence is judged only by the columns in which it was true in the old results, for example those in which West was
highest. If there is no such column, it is not judged.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.numbers.derivation import told_number
from engine.numbers.evidence import ResultTable
from engine.numbers.fitting import DOWN, UP
from engine.numbers.judged_sentence import JudgedSentence, Moved
from engine.numbers.labels import Labels
from engine.numbers.naming import HIGHEST, LOWEST, is_change
from engine.numbers.passages import Passage, passages
from engine.numbers.table_names import TableNames
from engine.numbers.words import forms, text_words

__all__ = ["judged_sentences"]

_MORE = forms(
    "more higher above ahead exceed exceeded exceeds outsold beat beats outperformed larger bigger greater"
)
_LESS = forms("less fewer lower below behind trails trailed trailing smaller")
_THAN = forms("than of behind above below beat beats outsold outperformed exceeds exceeded trails trailed")
_NOT = forms("not neither never nor no isn't wasn't doesn't didn't if would could may might")


def judged_sentences(
    text: str, old: Sequence[ResultTable], new: Mapping[int, ResultTable], numbers: Sequence[Moved]
) -> list[JudgedSentence]:
    """Return the sentences of an answer that can be judged, in text order.

    Args:
        text: the answer.
        old: the tables that the answer was written from.
        new: the tables that replaced them, by the index of the old table.
        numbers: the traced numbers of the answer.
    """
    labels = Labels(old)
    found = []
    for passage in passages(text):
        if passage.cells:
            continue
        one = _Sentence(
            text, passage, labels, new, [n for n in numbers if passage.start <= n.start < passage.end]
        )
        told = list(one.judged())
        if told:
            broken = [now for holds, now in told if not holds]
            written = text[passage.start : passage.end].strip()
            found.append(
                JudgedSentence(
                    passage.start, passage.end, written, not broken, next(filter(None, broken), "")
                )
            )
    return found


@dataclass
class _Sentence:
    text: str
    passage: Passage
    labels: Labels
    new: Mapping[int, ResultTable]
    numbers: Sequence[Moved]

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word.form for word in text_words(self.text[self.passage.start : self.passage.end]))

    def judged(self) -> Iterator[tuple[bool, str]]:
        """For each statement of the sentence, yield whether it is still true and, if it is not, the new fact."""
        for number in self.numbers:
            if number.after is None:
                yield False, "The row or column of a number is not in the new result."
            elif number.changes and number.before and self._words & (UP | DOWN):
                turned = (number.after < 0) != (number.before < 0) or not number.after
                yield not turned, f"The change is {number.written} now." if turned else ""
            else:
                yield True, ""
        if not self._words & _NOT:
            for span in self._clauses():
                yield from self._ranks(span)
                yield from self._compares(span)

    def _clauses(self) -> Sequence[tuple[int, int]]:
        return [(start, end) for start, end in self.passage.clauses if end > start]

    # "West is highest"

    def _ranks(self, span: tuple[int, int]) -> Iterator[tuple[bool, str]]:
        said = self._said(span)
        if not said & (HIGHEST | LOWEST):
            return
        for names in self.labels.tables:
            for dimension in names.dimensions:
                rows = self._rows(names, dimension, span)
                if len(rows) != 1 or names.at not in self.new or len(names.table.rows) < 2:
                    continue
                (row,) = rows
                held = [
                    (column, top)
                    for column, top in self._extremes(names, row, said)
                    if self._may_mean(names, column)
                ]
                held = self._named_first(names, held)
                if held:
                    yield self._still(names, dimension, row, held)
                    return

    def _extremes(self, names: TableNames, row: int, said: frozenset[str]) -> Iterator[tuple[int, bool]]:
        """Yield each column in which the sentence says that a row has the highest (True) or lowest (False) value."""
        down = bool(said & DOWN) and not said & LOWEST
        for column in names.measures:
            numbers = names.table.numbers(column)
            value = names.table.number(row, column)
            if value is None or not numbers:
                continue
            change = is_change(names, column)
            top = bool(said & HIGHEST) and not (down and change)
            if top and value == max(numbers):
                yield column, True
            elif (said & LOWEST or (down and change)) and value == min(numbers):
                yield column, False

    def _may_mean(self, names: TableNames, column: int) -> bool:
        """Return whether the sentence may mean this column. Its numbers may show that it means another one."""
        own = {number.column for number in self.numbers if number.table == names.at and not number.changes}
        return not own or column in own or not own & set(names.measures)

    def _named_first(self, names: TableNames, held: list[tuple[int, bool]]) -> list[tuple[int, bool]]:
        """Return only the columns that the sentence mentions; all of them if it names none."""
        named = [one for one in held if names.telling.get(one[0], frozenset()) & self._words]
        return named or held

    def _still(
        self, names: TableNames, dimension: int, row: int, held: Sequence[tuple[int, bool]]
    ) -> tuple[bool, str]:
        """Return whether a row is still the highest or lowest in one of the columns, and if not, which row is now."""
        label, now = names.label(row, dimension), TableNames(names.at, self.new[names.at])
        told = ""
        for column, top in held:
            name = names.table.columns[column]
            if name not in now.table.columns or names.table.columns[dimension] not in now.table.columns:
                continue
            at, by = now.table.columns.index(name), now.table.columns.index(names.table.columns[dimension])
            ranked = [
                (value, other)
                for other in range(len(now.table.rows))
                if (value := now.table.number(other, at)) is not None
            ]
            if not ranked:
                continue
            best = max(ranked)[0] if top else min(ranked)[0]
            firsts = [now.label(other, by) for value, other in ranked if value == best]
            if label in firsts:
                return True, ""
            if not told:
                shown = str(now.table.rows[next(o for v, o in ranked if v == best)][by])
                told = f"{shown} is {'highest' if top else 'lowest'} in {name} now, with {told_number(best)}."
        return False, told or "The rows or columns that it ranks are not in the new result."

    # "West made more than East"

    def _compares(self, span: tuple[int, int]) -> Iterator[tuple[bool, str]]:
        said = self._said(span)
        more, less = bool(said & _MORE), bool(said & _LESS)
        if more == less or not said & _THAN:
            return
        for names in self.labels.tables:
            for dimension in names.dimensions:
                rows = self._rows(names, dimension, span)
                if len(rows) != 2 or names.at not in self.new:
                    continue
                held = [column for column in names.measures if self._is_above(names, rows, column, more)]
                held = [one for one, _ in self._named_first(names, [(column, more) for column in held])]
                if held:
                    yield self._still_above(names, dimension, rows, held, more)
                    return

    @staticmethod
    def _is_above(names: TableNames, rows: Sequence[int], column: int, more: bool) -> bool:
        first, second = (names.table.number(row, column) for row in rows)
        return first is not None and second is not None and (first > second if more else first < second)

    def _still_above(
        self, names: TableNames, dimension: int, rows: Sequence[int], held: Sequence[int], more: bool
    ) -> tuple[bool, str]:
        now, by = TableNames(names.at, self.new[names.at]), names.table.columns[dimension]
        wanted = [names.label(row, dimension) for row in rows]
        if by not in now.table.columns:
            return False, "The rows that the sentence compares are not in the new result."
        at = now.table.columns.index(by)
        places = [[r for r in range(len(now.table.rows)) if now.label(r, at) == label] for label in wanted]
        if any(len(one) != 1 for one in places):
            return False, "The rows that the sentence compares are not in the new result."
        pair, told = [one[0] for one in places], ""
        for column in held:
            name = names.table.columns[column]
            if name in now.table.columns:
                here = now.table.columns.index(name)
                if self._is_above(now, pair, here, more):
                    return True, ""
                values = [now.table.number(row, here) for row in pair]
                shown = [
                    f"{now.table.rows[row][at]} {told_number(v or 0)}"
                    for row, v in zip(pair, values, strict=True)
                ]
                told = told or f"{name} is now: {', '.join(shown)}."
        return False, told or "The column that it compares is not in the new result."

    # names

    def _said(self, span: tuple[int, int]) -> frozenset[str]:
        return frozenset(word.form for word in text_words(self.text[span[0] : span[1]]))

    def _rows(self, names: TableNames, dimension: int, span: tuple[int, int]) -> list[int]:
        """Return the rows whose labels in a column appear in a span, in the order of the text; no rows if a label
        belongs to several rows.
        """
        part = self.text[span[0] : span[1]]
        said = dict.fromkeys(
            one.label
            for one in sorted(self.labels.named(part), key=lambda one: one.start)
            if one.table == names.at and one.column == dimension and one.label
        )
        found = []
        for label in said:
            rows = [row for row in range(len(names.table.rows)) if names.label(row, dimension) == label]
            if len(rows) != 1:
                return []
            found += rows
        return found
