"""Guesses which new column is a renamed old column, by name, type and values. Pure."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from engine.system.input_limits import LONGEST_COMPARED
from engine.system.lazy_module import LazyModule
from engine.workspace.table_facts import ColumnProfile
from events.late_dataclass import dataclass

if TYPE_CHECKING:
    from rapidfuzz import fuzz
else:
    fuzz = LazyModule("rapidfuzz.fuzz")

__all__ = ["Likeness", "suggested"]

_MOST = 500
"""The maximum number of columns of a table that are compared."""
_ENOUGH = 0.5
_NAMES_ALIKE = 0.7
_VALUES_ALIKE = 0.5
_FEW = 1
"""Columns with at most this many different values are not compared by value. Otherwise all columns that contain only
the same single value would look alike.
"""


@dataclass(frozen=True, slots=True)
class Likeness:
    """A column that may be another column under a new name."""

    name: str
    score: float
    why: str
    """A reason such as `93% of its values are the same`."""


def suggested(old: Iterable[ColumnProfile], new: Sequence[ColumnProfile]) -> dict[str, Likeness]:
    """Return the likeliest new column for each old column. No new column is used twice; old columns without a similar
    new column are left out.
    """
    pairs = [
        (found, column.name)
        for column in list(old)[:_MOST]
        for other in new[:_MOST]
        if (found := _like(column, other))
    ]
    chosen: dict[str, Likeness] = {}
    taken: set[str] = set()
    for found, name in sorted(pairs, key=lambda pair: -pair[0].score):
        if name not in chosen and found.name not in taken:
            chosen[name] = found
            taken.add(found.name)
    return chosen


def _like(old: ColumnProfile, new: ColumnProfile) -> Likeness | None:
    names, values = _names(old.name, new.name), _values(old, new)
    same_type = old.type == new.type
    if names < _NAMES_ALIKE and not (same_type and values >= _VALUES_ALIKE):
        return None
    score = 0.5 * names + 0.35 * values + 0.15 * same_type
    said = [f"{round(values * 100)}% of its values are the same"] if values else []
    said += ["the name is similar"] if names >= _NAMES_ALIKE else []
    said += [] if same_type else [f"but the type is {new.type}, not {old.type}"]
    return Likeness(new.name, score, ", ".join(said)) if score >= _ENOUGH or values else None


def _names(one: str, other: str) -> float:
    """Return how similar two names are, from 0 to 1. Word order and additional words make little difference."""
    if max(len(one), len(other)) > LONGEST_COMPARED:
        return 0.0
    words = [" ".join(name.casefold().replace("_", " ").replace("-", " ").split()) for name in (one, other)]
    return max(fuzz.ratio(*words), fuzz.token_set_ratio(*words) * 0.95) / 100


def _values(old: ColumnProfile, new: ColumnProfile) -> float:
    """Return the share of the old column's known values that the new column has, from 0 to 1."""
    known = set(old.values)
    return len(known & set(new.values)) / len(known) if len(known) > _FEW else 0.0
