"""Findings about a column before a step is written: its formats, and the choices for the user. Plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from engine.tools.shaping.statement import Found
from engine.tools.shaping.texts import Merge
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = ["Choice", "Looked", "Reading", "Rows", "number", "texts"]

Rows = Sequence[Mapping[str, JSON]]


@dataclass(frozen=True, slots=True)
class Reading:
    """The values of a column that have one format."""

    example: str
    reads: str
    """The value that the example becomes; empty if it cannot be read."""
    rows: int
    words: str = ""
    """The name of the format, in words."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that the user must choose, since the values can be read in several ways."""

    name: str
    """The step's field: `order`, `decimal` or `units`."""
    question: str
    rows: int
    examples: tuple[str, ...]
    options: tuple[tuple[JSON, str], ...]
    """Pairs of a value and its meaning. For units: each unit, with the number of its rows."""
    suggested: JSON = None
    why: str = ""
    """The reason for the suggestion."""
    needed: bool = True
    """Whether the step is refused without this choice; False after the user has chosen."""


@dataclass(frozen=True, slots=True)
class Looked:
    """Findings about a column."""

    found: Found = field(default_factory=Found)
    readings: tuple[Reading, ...] = ()
    choices: tuple[Choice, ...] = ()
    merges: tuple[Merge, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def needed(self) -> tuple[Choice, ...]:
        """The choices that are still to be made."""
        return tuple(choice for choice in self.choices if choice.needed)


def number(value: JSON) -> int:
    """Return a count in a result; 0 if there is none."""
    return int(value) if isinstance(value, int | float) else 0


def texts(value: JSON) -> tuple[str, ...]:
    """Return the values of a list in a result as texts, without empty ones."""
    return tuple(str(one) for one in value if one is not None) if isinstance(value, list) else ()
