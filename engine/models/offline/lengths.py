"""Finds the main columns with lengths of time, and the columns with the results of races. Pure."""

from collections.abc import Sequence

from engine.models.offline.columns import Column

__all__ = ["is_result", "main_lengths", "results"]

_WHOLE = frozenset(
    {"finish", "total", "net", "chip", "gun", "race", "elapsed", "duration", "result", "overall"}
)
"""Words of columns that contain the time of a whole race or task, and not of a part of it."""
_PARTS = frozenset({"half", "split", "lap", "leg", "segment", "swim", "transition", "best", "record"})
_WON = frozenset({"finish", "chip", "gun", "net", "race", "result"})


def main_lengths(columns: Sequence[Column]) -> list[Column]:
    """Return the columns. If one of them has whole lengths, leave out columns with lengths of a part: the time of a
    half split is not the finish time.
    """
    whole = [c for c in columns if c.lasting and _is_whole(c)]
    return [c for c in columns if c in whole or not c.lasting] if whole else list(columns)


def _is_whole(column: Column) -> bool:
    said = set(column.words)
    return bool(said & _WHOLE) and not said & _PARTS


def is_result(column: Column) -> bool:
    """Return whether a column contains times of a race or of a part of it. The best time is then the shortest."""
    return column.lasting and bool(set(column.words) & (_WON | _PARTS))


def results(columns: Sequence[Column]) -> list[Column]:
    """Return the columns with the times of a whole race, without the times of its parts."""
    return [c for c in columns if is_result(c) and _is_whole(c)]
