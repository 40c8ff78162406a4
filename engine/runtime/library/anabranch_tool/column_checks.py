"""Checks the format of each column against all rows, counts values that do not fit, and uses them to choose a better
format.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from anabranch_tool.column_habits import Habits
from anabranch_tool.column_types import Format, Text, decide, is_missing, missing_sql, quote
from anabranch_tool.raw_tables import RawTable, sql_text
from anabranch_tool.table_shape import quoted

__all__ = ["Checked", "check_formats", "count_words", "has_words", "share_words"]

_ROUNDS = 4
_OTHERS = 400
"""In each round, at most this many of the values that do not fit are examined."""
_GROUP = 24
"""The number of columns that are checked in one pass."""
_WORDS_SHOWN = 3


@dataclass(slots=True)
class Checked:
    """The result of checking a column's format against all rows."""

    format: Format
    bad: int = 0
    filled: int = 0
    words: int = 0
    """The number of values that are a word for a missing value, such as `NA`."""
    shown_words: tuple[str, ...] = ()
    """The most frequent words for missing values."""
    others: list[str] = field(default_factory=list)

    def words_note(self) -> str | None:
        """Return how many words for missing values there are and how they were read, as the end of a sentence."""
        if not self.words:
            return None
        listed = ", ".join(f"“{quoted(word, 20)}”" for word in self.shown_words[:_WORDS_SHOWN])
        said = f"{self.words:,} {'value' if self.words == 1 else 'values'} ({listed})"
        are = "is" if self.words == 1 else "are"
        if isinstance(self.format, Text) and self.format.missing:
            return f"{said} {are} read as missing, as in other columns"
        if isinstance(self.format, Text):
            return f"{said} {are} kept as text, not read as missing"
        return f"{said} {are} read as missing"


def has_words(values: Iterable[str]) -> bool:
    """Return whether `values` contain a word for a missing value."""
    return any(text and is_missing(text) for text in map(str.strip, set(values)))


def check_formats(
    connection: duckdb.DuckDBPyConnection,
    raw: RawTable,
    texts: dict[str, Checked],
    sample: Mapping[str, Sequence[str]],
    share: float,
    habits: Habits,
) -> None:
    """Adjust each format until it reads all readable values, and count the other values."""
    left = [name for name, checked in texts.items() if not isinstance(checked.format, Text)]
    for number in range(_ROUNDS):
        _count(connection, raw, texts, left)
        misfit = [name for name in left if texts[name].bad]
        left = []
        _find_misfits(connection, raw, texts, misfit)
        for name in misfit:
            checked = texts[name]
            weight = (
                max(len(sample[name]), 1) * checked.bad / max(checked.filled, 1) / max(len(checked.others), 1)
            )
            found = decide(sample[name], checked.others, max(weight, 1e-3), share, habits)
            if found == checked.format or number == _ROUNDS - 1:
                continue
            if not isinstance(found, Text):
                texts[name] = Checked(found)
                left.append(name)
            elif checked.bad > share * checked.filled or _has_codes(checked.others):
                texts[name] = Checked(found)
        if not left:
            break
    for name, checked in texts.items():
        if not isinstance(checked.format, Text) and checked.bad > share * checked.filled:
            texts[name] = Checked(Text())


def _has_codes(values: Sequence[str]) -> bool:
    """Return whether some values are codes with leading zeros; if so, the whole column is text."""
    return any(text.strip().lstrip("-+").startswith("0") and text.strip().lstrip("-+").isdigit() for text in values
               if len(text.strip()) > 1 and not is_missing(text))  # fmt: skip


def _count(
    connection: duckdb.DuckDBPyConnection, raw: RawTable, texts: Mapping[str, Checked], names: Sequence[str]
) -> None:
    """Count, over all rows, each column's values and the values that do not fit its format."""
    for at in range(0, len(names), _GROUP):
        group = names[at : at + _GROUP]
        parts = []
        for name in group:
            column = quote(name)
            fits, _ = texts[name].format.sql(column)
            there = f"{column} IS NOT NULL AND NOT {missing_sql(column)}"
            parts += [
                f"count(*) FILTER ({there})",
                f"count(*) FILTER ({there} AND coalesce({fits}, false) = false)",
            ]
        row: Any = connection.execute(f"SELECT {', '.join(parts)} FROM {raw.source}").fetchone()
        for index, name in enumerate(group):
            texts[name].filled, texts[name].bad = row[2 * index], row[2 * index + 1]


def count_words(
    connection: duckdb.DuckDBPyConnection, source: str, texts: Mapping[str, Checked], names: Sequence[str]
) -> None:
    """Count the words for missing values in columns of `source`, and find the most frequent words."""
    for at in range(0, len(names), _GROUP):
        group = names[at : at + _GROUP]
        counts = ", ".join(f"count(*) FILTER ({_word_sql(quote(name))})" for name in group)
        row: Any = connection.execute(f"SELECT {counts} FROM {source}").fetchone()
        for name in (name for name, count in zip(group, row, strict=True) if count):
            column = quote(name)
            found = connection.execute(
                f"SELECT trim({column}), count(*) FROM {source} WHERE {_word_sql(column)} GROUP BY 1 ORDER BY 2 DESC, 1"
            ).fetchall()
            texts[name].words = sum(count for _, count in found)
            texts[name].shown_words = tuple(word for word, _ in found)


def share_words(
    connection: duckdb.DuckDBPyConnection,
    source: str,
    texts: dict[str, Checked],
    sample: Mapping[str, Sequence[str]],
) -> None:
    """Treat a word as a missing value in text columns too, if columns of numbers or dates use the word, in the same
    spelling, for missing values.
    """
    used = {
        word for checked in texts.values() if checked.format.type != "VARCHAR" for word in checked.shown_words
    }
    for name, checked in texts.items():
        found = tuple(sorted(used.intersection(map(str.strip, set(sample[name])))))
        if not found or not isinstance(checked.format, Text):
            continue
        listed = ", ".join(f"'{sql_text(word)}'" for word in found)
        counted: Any = connection.execute(
            f"SELECT count(*) FROM {source} WHERE trim({quote(name)}) IN ({listed})"
        ).fetchone()
        form = Text(checked.format.others, found)
        texts[name] = Checked(form, words=int(counted[0]), shown_words=found)


def _word_sql(column: str) -> str:
    return f"strlen({column}) < 30 AND {missing_sql(column)} AND trim({column}) <> ''"


def _find_misfits(
    connection: duckdb.DuckDBPyConnection,
    raw: RawTable,
    texts: Mapping[str, Checked],
    names: Sequence[str],
) -> None:
    """Collect some values that do not fit, in order of appearance. One pass covers all columns. If the values of some
    columns use up its row limit, each column for which no value was found is then read by itself.
    """
    misfits = {name: _misfit_sql(quote(name), texts[name].format) for name in names}
    for at in range(0, len(names), _GROUP):
        group = names[at : at + _GROUP]
        rows = _misfit_rows(connection, raw, [misfits[name] for name in group], group)
        for index, name in enumerate(group):
            found = [row[index] for row in rows if row[index] is not None]
            if not found:  # misfits of other columns used up the limit on rows
                found = [row[0] for row in _misfit_rows(connection, raw, [misfits[name]], [name])]
            texts[name].others = found[:_OTHERS]


def _misfit_sql(column: str, form: Format) -> str:
    fits, _ = form.sql(column)
    return f"({column} IS NOT NULL AND NOT {missing_sql(column)} AND coalesce({fits}, false) = false)"


def _misfit_rows(
    connection: duckdb.DuckDBPyConnection, raw: RawTable, misfits: Sequence[str], names: Sequence[str]
) -> list[tuple[Any, ...]]:
    values = ", ".join(
        f"CASE WHEN {bad} THEN {quote(name)} END" for bad, name in zip(misfits, names, strict=True)
    )
    return connection.execute(
        f"SELECT {values} FROM {raw.source} WHERE {' OR '.join(misfits)} LIMIT {_OTHERS * 5}"
    ).fetchall()
