"""Finds the columns that say where rows start and end: stations, zones, airports. Pure."""

from engine.models.offline.columns import Column
from engine.models.offline.schema import Table
from engine.models.offline.words import related

__all__ = ["FROM", "TO", "direction_words", "end_pairs"]

FROM = frozenset(
    {"from", "origin", "orig", "start", "source", "departure", "dep", "home", "sender", "pickup", "pu"}
)
TO = frozenset(
    {"to", "dest", "destination", "end", "target", "arrival", "arr", "away", "receiver", "dropoff", "do"}
)


def direction_words(column: Column) -> set[str]:
    """Return the words of a column's name, and the full words of its abbreviations."""
    return {*column.words, *column.spelled}


def end_pairs(table: Table, word: str = "") -> list[tuple[Column, Column]]:
    """Return the pairs of text columns for a start and an end, such as `start_station` and `end_station`. With a
    `word`, the names must end in it.
    """
    texts = [c for c in table.columns if c.role == "text" and not c.table]
    if word:
        texts = [c for c in texts if related(word, c.words[-1]) == 0]
    pairs = [(a, b) for a in texts for b in texts if FROM & direction_words(a) and TO & direction_words(b)]
    return [(a, b) for a, b in pairs if a.words[-1] == b.words[-1] or len(a.words) == len(b.words) == 1]
