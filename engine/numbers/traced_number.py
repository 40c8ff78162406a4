"""A number of an answer, with where it came from. A value."""

from dataclasses import dataclass
from typing import Literal

from engine.numbers.derivation import Derivation
from engine.numbers.evidence import Cell
from engine.numbers.mentions import Mention

__all__ = ["Status", "TracedNumber"]

Status = Literal["exact", "derived", "said", "plain", "stale", "unbacked"]


@dataclass(frozen=True, slots=True)
class TracedNumber:
    """A number of an answer and where it came from."""

    mention: Mention
    status: Status
    cell: Cell | None = None
    """For `exact` and `stale`."""
    factor: float = 1.0
    """By what the cell is multiplied to be in the text's unit: 100 where a share is written in percent."""
    derivation: Derivation | None = None
    counts: str = ""
    """What it counts, for a `plain` number that does."""
    others: tuple[Cell, ...] = ()
    """Further cells that would do."""
