"""Where an answer names the rows and columns of its results."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from engine.numbers.evidence import ResultTable
from engine.numbers.label_forms import WEAK, label_forms, percentile_forms, plain_label
from engine.numbers.units import Unit, unit_of_column
from engine.numbers.words import Word, forms, name_pieces, name_words, text_words

__all__ = ["Labels", "Named", "TableNames"]

_ENTITIES = forms(
    "customer user client account store shop order invoice ticket employee product item sku zip code machine sensor"
    " station device patient student case batch lot line no number index"
)
_ORDINAL_NAMES = (
    "year",
    "month",
    "quarter",
    "week",
    "day",
    "hour",
    "date",
    "rank",
    "id",
    "decade",
    "period",
    "weekday",
)


@dataclass(frozen=True, slots=True)
class Named:
    """A row label or a column, where the text names it."""

    start: int
    end: int
    table: int
    column: int
    label: str
    """The row's label in this column; "" where the column itself is named."""


class TableNames:
    """What the rows and columns of one result are called."""

    def __init__(self, at: int, table: ResultTable) -> None:
        self.at = at
        self.table = table
        self.column_words = [name_words(name) for name in table.columns]
        self.units: list[tuple[Unit | None, float]] = [
            unit_of_column(name_pieces(name)) for name in table.columns
        ]

    @cached_property
    def dimensions(self) -> tuple[int, ...]:
        """Columns whose cells name their row: texts, dates, and numbers that count years or the like."""
        found = [at for at in range(len(self.table.columns)) if at not in self.table.numeric]
        return tuple(sorted({*found, *self.ordinals}))

    @cached_property
    def ordinals(self) -> frozenset[int]:
        """Columns of whole numbers that name periods or things rather than measure."""
        return frozenset(at for at in self.table.numeric if len(self.table.rows) > 1 and self._names_rows(at))

    def _names_rows(self, column: int) -> bool:
        numbers = self.table.numbers(column)
        if not all(one.is_integer() for one in numbers):
            return False
        words, name = self.column_words[column], self.table.columns[column].casefold()
        if self._is_lone_key(column, numbers):
            return True
        if (
            words
            and words[-1] in _ORDINAL_NAMES
            and (len(words) == 1 or words[-1] in ("id", "year", "month", "quarter"))
        ):
            return not name.endswith("s")
        first = column == 0 and len(self.table.columns) > 1 and len(set(numbers)) == len(numbers)
        return (
            first
            and self.table.columns[0].casefold().rstrip("s") == self.table.columns[0].casefold()
            and bool(set(words) & _ENTITIES)
        )

    def _is_lone_key(self, column: int, numbers: Sequence[float]) -> bool:
        """Whether the first column of a table without texts counts up, and so names the rows: 2, 3, 4 clusters."""
        return (
            column == 0
            and len(self.table.columns) > 1
            and len(self.table.numeric) == len(self.table.columns)
            and len(numbers) == len(self.table.rows)
            and all(after - before == 1 for before, after in pairwise(numbers))
        )

    @cached_property
    def measures(self) -> tuple[int, ...]:
        """Columns that measure."""
        return tuple(at for at in self.table.numeric if at not in self.ordinals)

    def label(self, row: int, column: int) -> str:
        """Return what names a row in one column, as `Named.label` has it."""
        cells = self.table.rows[row]
        return plain_label(cells[column]) if column < len(cells) else ""

    def _without_unit(self, column: int) -> frozenset[str]:
        words = self.column_words[column]
        return frozenset(words[:-1] if self.units[column][0] is not None and len(words) > 1 else words)

    @cached_property
    def matrix(self) -> int | None:
        """The column whose cells are the other columns' names, as in a table of correlations; None if there is none."""
        names = {plain_label(name) for name in self.table.columns}
        for column in self.dimensions:
            labels = {self.label(row, column) for row in range(len(self.table.rows))}
            if len(labels) > 1 and labels <= names:
                return column
        return None

    def short_labels(self, column: int) -> frozenset[str]:
        """Return the labels of one or two letters as they are written."""
        return frozenset(str(value) for value in self.table.values(column) if len(str(value)) < 3)

    @cached_property
    def telling(self) -> dict[int, frozenset[str]]:
        """The words of each measure's name that not all the measures share."""
        named = {at: self._without_unit(at) for at in self.measures}
        shared = frozenset.intersection(*named.values()) if len(named) > 1 else frozenset[str]()
        return {
            at: words - shared - (WEAK if words - shared - WEAK else frozenset())
            for at, words in named.items()
        }


class Labels:
    """The rows and columns of all results that a text names."""

    def __init__(self, tables: Sequence[ResultTable]) -> None:
        self.tables = [TableNames(at, table) for at, table in enumerate(tables)]
        self._forms: dict[str, list[tuple[tuple[str, ...], int, int, str]]] = defaultdict(list)
        for names in self.tables:
            for column in names.dimensions:
                for form, label in label_forms(names.table.values(column), names.column_words[column]):
                    self._forms[form[0]].append((form, names.at, column, label))
        self._columns: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for names in self.tables:
            for column, words in names.telling.items():
                for told in words | {other for word in words for other in percentile_forms(word)}:
                    self._columns[told].append((names.at, column))

    def _names(
        self, text: str, found: Sequence[Word], at: int, names: TableNames, column: int, label: str
    ) -> bool:
        """Whether words that read like a label are meant so: not the article for grade "A", not any 3 for rank 3."""
        word = found[at]
        if (
            column in names.ordinals
            and label.isdigit()
            and len(label) < 4 + (names.column_words[column][-1] != "year")
        ):
            beside = [found[near].form for near in (at - 1, at + 1) if 0 <= near < len(found)]
            told = any(form in names.column_words[column] for form in beside)
            return told or _before(text, word.start) in ("|", "#") or not word.form.isdigit()
        if len(label) < 3 and not label.isdigit():
            return text[word.start : word.end] in names.short_labels(column)
        return True

    def named(self, text: str, words: Sequence[Word] | None = None) -> list[Named]:
        """Return what a text names, in the order of its words; longer names hide the shorter within them."""
        found = text_words(text) if words is None else words
        forms = [word.form for word in found]
        named: list[Named] = []
        hidden: dict[tuple[int, int], int] = {}
        for at, word in enumerate(found):
            rows: list[tuple[int, Named]] = []
            for form, table, column, label in self._forms.get(word.form, ()):
                if tuple(forms[at : at + len(form)]) == form:
                    end = found[at + len(form) - 1].end
                    if not self._names(text, found, at, self.tables[table], column, label):
                        continue
                    rows.append((len(form), Named(word.start, end, table, column, label)))
            for _, one in sorted(rows, key=lambda row: -row[0]):
                if hidden.get((one.table, one.column), -1) < one.end or not _hides(named, one):
                    hidden[one.table, one.column] = max(hidden.get((one.table, one.column), -1), one.end)
                    named.append(one)
            for table, column in self._columns.get(word.form, ()):
                named.append(Named(word.start, word.end, table, column, ""))
        return named


def _before(text: str, start: int) -> str:
    return text[max(0, start - 3) : start].rstrip(" *_`")[-1:]


def _hides(named: Sequence[Named], one: Named) -> bool:
    """Whether a longer label of the same column stands over this one."""
    return any(
        other.table == one.table
        and other.column == one.column
        and other.label != one.label
        and other.start <= one.start
        and other.end >= one.end
        for other in named
        if other.label
    )
