"""From a table's profile to what questions are linked with: its columns' words, its values, what a row is."""

import re
from functools import lru_cache

from engine.models.offline.concepts import NOUN_FAMILIES
from engine.models.offline.durations import durations
from engine.models.offline.reserved import RESERVED
from engine.models.offline.schema import (
    KEYS,
    NAMES,
    Column,
    Table,
    ValueEntry,
    column_of,
    split_name,
    words_of,
)
from engine.models.offline.words import root, word_list
from engine.tables import TableProfile

__all__ = ["fill_values", "index_table"]

_ROW_NOUNS = frozenset(noun for family in NOUN_FAMILIES for noun in family)
_DATED = frozenset(word_list("death crash collision accident strike attack fire storm launch"))


def _nouns(profile: TableProfile, columns: tuple[Column, ...]) -> frozenset[str]:
    found = {word for word in split_name(profile.name) if len(word) > 2 and not word.isdigit()}
    for column in columns:
        if (
            len(column.words) == 2
            and column.words[-1] in (*KEYS, *NAMES)
            and column.distinct > 0.9 * profile.rows
        ) or (len(column.words) == 2 and column.role == "date" and column.words[0] in _ROW_NOUNS | _DATED):
            found.add(column.words[0])
    return frozenset(
        found - {"data", "table", "file", "export", "sample", "final", "clean", "raw", "list", "log"}
    )


@lru_cache(maxsize=32)
def index_table(profile: TableProfile) -> Table:
    """Index one table: its columns' words and its values."""
    columns = tuple(column_of(profile, column) for column in profile.columns)
    columns = (*columns, *durations(columns))
    source = profile.name if re.fullmatch(r"[a-z_]\w*", profile.name) and profile.name not in RESERVED else (
        '"' + profile.name.replace('"', '""') + '"'
    )  # fmt: skip
    table = Table(profile.name, source, profile.rows, columns, _nouns(profile, columns), profile.path)
    fill_values(table)
    return table


def fill_values(table: Table) -> None:
    """Index the texts of `table`'s columns by their first word, by every word and by its root."""
    for column in table.columns:
        if column.role != "text":
            continue
        for value in column.values:
            stems = words_of(value)
            if not stems:
                continue
            entry = ValueEntry(column, value, stems)
            table.by_first.setdefault(stems[0], []).append(entry)
            for word in set(stems):
                table.by_word.setdefault(word, []).append(entry)
            if len(stems) == 1:
                table.by_root.setdefault(root(stems[0]), []).append(entry)
