"""A number in a text."""

from typing import Literal

from engine.numbers.digits import Reading
from engine.numbers.units import Unit
from events.late_dataclass import dataclass

__all__ = ["Kind", "Mention"]


Kind = Literal["number", "percent", "points", "times", "part", "count", "none", "plain"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A number as written in the text."""

    start: int
    end: int
    text: str
    kind: Kind
    readings: tuple[Reading, ...]
    """The possible values: several if a point or comma can separate either decimals or thousands."""
    signed: bool = False
    """Whether it is written with a sign."""
    unit: Unit | None = None
    per: Unit | None = None
    """The unit that it is divided by: kilograms in "€4 per kg"."""
    hedge: Literal["", "about", "over", "under"] = ""
    bracketed: bool = False
    """Whether the number is in brackets, which can mean minus."""
    digits: int = 0
    """The number of significant digits as written, without trailing zeros of an integer."""

    @property
    def value(self) -> float:
        """The value of the most likely reading."""
        return self.readings[0].value
