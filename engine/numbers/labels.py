"""Finds where an answer mentions the rows and columns of its results."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from engine.numbers.evidence import ResultTable, Value
from engine.numbers.fitting import PERCENTISH
from engine.numbers.label_forms import SEXES, column_forms, label_forms, label_groups
from engine.numbers.table_names import TableNames, names_of
from engine.numbers.words import Word, stem, text_words
from events.late_dataclass import dataclass

__all__ = ["Labels", "Named"]


@dataclass(frozen=True, slots=True)
class Named:
    """A row label or a column, and where the text mentions it."""

    start: int
    end: int
    table: int
    column: int
    label: str
    """The row's label in this column; "" if the column itself is named."""


@lru_cache(maxsize=2_000)
def _forms_of(values: tuple[Value, ...], name: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Return the forms of a column's labels. Cached: an answer is traced up to four times over the same results."""
    return tuple(label_forms(values, name))


@lru_cache(maxsize=2_000)
def _groups_of(values: tuple[Value, ...]) -> tuple[tuple[str, str], ...]:
    return tuple(label_groups(values))


class Labels:
    """Finds the rows and columns of all results that a text mentions."""

    def __init__(self, tables: Sequence[ResultTable]) -> None:
        self.tables = [names_of(at, table) for at, table in enumerate(tables)]
        self._forms: dict[str, list[tuple[tuple[str, ...], int, int, str]]] = defaultdict(list)
        for names in self.tables:
            measured = frozenset[str]().union(*names.telling.values())
            for column in names.dimensions:
                for form, label in _forms_of(tuple(names.table.values(column)), names.column_words[column]):
                    if len(form) == 1 and form[0] in measured and len(text_words(label)) > 1:
                        continue  # "444 delays" are not of "Late aircraft" if a column is `delays`
                    self._forms[form[0]].append((form, names.at, column, label))
        self._groups: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
        for names in self.tables:
            for column in names.dimensions:
                for word, label in _groups_of(tuple(names.table.values(column))):
                    self._groups[word].append((names.at, column, label))
        self._columns: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for names in self.tables:
            for column, words in names.telling.items():
                for told in words | {other for word in words for other in column_forms(word)}:
                    self._columns[told].append((names.at, column))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words of all results."""
        return frozenset[str]().union(*(names.vocabulary for names in self.tables))

    def _every(self) -> Iterator[tuple[TableNames, int, str]]:
        """Yield every label of every result once, with its table and column."""
        for names in self.tables:
            for column in names.dimensions:
                for label in dict.fromkeys(names.label(row, column) for row in range(len(names.table.rows))):
                    yield names, column, label

    @cached_property
    def numbered(self) -> dict[str, frozenset[str]]:
        """Labels by word: for "line", the numbers in labels such as "Line 1"; for the one-word name of a column, the
        column's labels.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for names, column, label in self._every():
            if len(names.column_words[column]) == 1:
                found[names.column_words[column][0]].add(label)
            if (one := re.fullmatch(r"([a-z]{3,})\s#?(\d{1,6})", label)) is not None:
                found[stem(one[1])].add(one[2])
        return {word: frozenset(numbers) for word, numbers in found.items()}

    @cached_property
    def _coded(self) -> dict[tuple[str, str], list[tuple[int, int, str]]]:
        """The labels with codes. "Line C" and "Shop 12" are stored by their word and code; "B1" by each word of its
        column's name and its letter.
        """
        found: dict[tuple[str, str], list[tuple[int, int, str]]] = defaultdict(list)
        for names, column, label in self._every():
            if (one := re.fullmatch(r"([a-z]{3,})\s#?(\w{1,3})", label)) is not None:
                found[stem(one[1]), one[2]].append((names.at, column, label))
            elif re.fullmatch(r"[a-z]-?\d{1,4}", label):
                for word in names.column_words[column]:
                    found[word, label[0]].append((names.at, column, label))
        return found

    def _listed(self, text: str) -> list[Named]:
        """Return the labels that a text mentions only by their codes: E in "Lines C and E", B1 in "the B lines"."""
        if not self._coded:
            return []
        named = [(found.span(), found[2], found[1]) for found in _LETTER.finditer(text)]
        for listed in _LIST_OF_CODES.finditer(text):
            named += [(code.span(), listed[1], code[0]) for code in _CODE.finditer(text, *listed.span(2))]
        return [
            Named(start, end, *one)
            for (start, end), word, code in named
            for one in self._coded.get((stem(word.casefold()), code.casefold()), ())
        ]

    def _names(
        self, text: str, found: Sequence[Word], at: int, names: TableNames, column: int, label: str
    ) -> bool:
        """Return whether words that match a label mean the label. The article "a" does not mean grade "A", and not
        every 3 is rank 3."""
        word = found[at]
        if word.form.isdigit() and _INSIDE.search(text[max(0, word.start - 2) : word.end + 2]):
            return False  # 10 in "10.5%"
        if (
            column in names.ordinals
            and label.isdigit()
            and len(label) < 4 + (names.column_words[column][-1] != "year")
        ):
            beside = [found[near].form for near in (at - 1, at + 1) if 0 <= near < len(found)]
            told = any(form in names.column_words[column] for form in beside)
            percent = text[word.end : word.end + 2].lstrip(" \xa0\u202f").startswith("%")
            told = told or ("hour" in names.column_words[column] and text[word.end : word.end + 3] == ":00")
            told = told or (percent and not PERCENTISH.isdisjoint(names.column_words[column]))
            return told or _before(text, word.start) in ("|", "#") or not word.form.isdigit()
        if len(label) < 3 and not label.isdigit() and word.form not in SEXES:
            return re.sub(r"['’]s?$", "", text[word.start : word.end]) in names.short_labels(column)
        return True

    def _grouped(self, text: str, word: Word, named: Sequence[Named]) -> list[Named]:
        """Return the labels that a plural names together: all bolts for "bolts". Leave out a column if one of its
        labels is named just before: "the M8 bolts".
        """
        found = self._groups.get(word.form, ())
        if not found or not text[word.start : word.end].endswith("s"):
            return []
        near = text[max(0, word.start - 24) : word.start]
        own = {
            (one.table, one.column)
            for one in named[-8:]
            if one.label
            and one.end > word.start - 24
            and not re.search(r"[,;.:\n]", near[one.end - word.start :])
        }
        return [
            Named(word.start, word.end, table, column, label)
            for table, column, label in found
            if f"{word.form}s" not in label and (table, column) not in own
        ]

    def named(self, text: str, words: Sequence[Word] | None = None) -> list[Named]:
        """Return the names in a text in text order. Longer names hide shorter ones within them."""
        found = text_words(text) if words is None else words
        forms = [word.form for word in found]
        named: list[Named] = []
        hidden: dict[tuple[int, int], list[Named]] = defaultdict(list)
        """The labels of each column that were found so far."""
        for at, word in enumerate(found):
            rows: list[tuple[int, Named]] = []
            for form, table, column, label in self._forms.get(word.form, ()):
                if tuple(forms[at : at + len(form)]) == form:
                    end = found[at + len(form) - 1].end
                    if "\n" in text[word.start : end]:  # “… of 2024:”, and “Q1” in the list below it
                        continue
                    if not self._names(text, found, at, self.tables[table], column, label):
                        continue
                    rows.append((len(form), Named(word.start, end, table, column, label)))
            whole = {one.end for many, one in rows if len(one.label.split()) == many}
            rows = [
                (many, one) for many, one in rows if one.end not in whole or len(one.label.split()) <= many
            ]
            for _, one in sorted(rows, key=lambda row: -row[0]):
                if not _hides(hidden[one.table, one.column], one):
                    hidden[one.table, one.column].append(one)
                    named.append(one)
            named += [
                one
                for one in self._grouped(text, word, named)
                if all(other.end < one.end for other in hidden[one.table, one.column])
            ]
            for table, column in self._columns.get(word.form, ()):
                named.append(Named(word.start, word.end, table, column, ""))
            quarter = _quarter(forms, at)
            for table, column in self._columns.get(quarter, ()):
                named.append(Named(word.start, found[at + 1].end, table, column, ""))
            for form, table, column, label in self._forms.get(quarter, ()):
                if len(form) == 1:
                    named.append(Named(word.start, found[at + 1].end, table, column, label))
        listed = self._listed(text)
        return sorted((*named, *listed), key=lambda one: one.start) if listed else named


_INSIDE = re.compile(r"\d[.,]\d")
_LETTER = re.compile(r"\b([A-Z])[\s-]([a-z]{3,}s)\b")
_CODE = re.compile(r"\b(?:[A-Z]\d?|\d{1,3})\b")
_LIST_OF_CODES = re.compile(
    rf"\b([A-Za-z]{{3,}}s)\s{_CODE.pattern}((?:,\s{_CODE.pattern})*,?\s(?:and|or|&)\s{_CODE.pattern})"
)
"""A plural with codes: "Lines C, D and E". The first code is named together with the plural."""


_QUARTERS = {"first": "q1", "second": "q2", "third": "q3", "fourth": "q4"}


def _quarter(forms: Sequence[str], at: int) -> str:
    """Return the name of the quarter whose words begin at `at`: "q3" for "third quarter"; otherwise ""."""
    follows = at + 1 < len(forms) and forms[at + 1] == "quarter"
    return _QUARTERS.get(forms[at], "") if follows else ""


def _before(text: str, start: int) -> str:
    return text[max(0, start - 3) : start].rstrip(" *_`")[-1:]


def _hides(labels: Sequence[Named], one: Named) -> bool:
    """Return whether one of the labels covers the label `one` of the same column."""
    return any(other.start <= one.start and other.end >= one.end for other in labels)
