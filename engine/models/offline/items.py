"""The possible meanings of a span of a question."""

from typing import TypeAlias

from engine.models.offline.adjectives import Adjective
from engine.models.offline.amounts import Number
from engine.models.offline.clock import Clock
from engine.models.offline.columns import Column
from engine.models.offline.meanings import Expression
from engine.models.offline.periods import Period
from engine.models.offline.value_index import Value
from events.late_dataclass import dataclass

__all__ = ["Item", "Meaning", "Rows"]


@dataclass(frozen=True, slots=True)
class Rows:
    """A noun for the rows of the table, or for the thing that one of its columns counts or names."""

    word: str


Meaning: TypeAlias = (
    "Column | tuple[Column, Column] | Value | Number | Period | Clock | Adjective | Rows | Expression"
    " | str | int"
)


@dataclass(frozen=True, slots=True)
class Item:
    """A possible meaning of the tokens up to `end` (exclusive). `cost` is 0 for an exact match."""

    end: int
    kind: str
    meaning: Meaning
    cost: int = 0
