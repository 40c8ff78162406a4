"""A number of an answer with its origin. A plain value."""

from dataclasses import replace
from typing import Literal

from engine.numbers.derivation import Derivation
from engine.numbers.evidence import Cell
from engine.numbers.mention import Mention
from engine.numbers.reviewed_number import ReviewedNumber
from events.late_dataclass import dataclass

__all__ = ["UNTRACED", "Likely", "TracedNumber", "moved"]

Status = Literal["exact", "derived", "said", "plain", "stale", "unclear", "unbacked"]
UNTRACED = ("unclear", "unbacked")
"""The statuses of numbers without a known origin."""


@dataclass(frozen=True, slots=True)
class Likely:
    """A cell that a number may come from, although its sentence does not say so clearly."""

    cell: Cell
    factor: float
    """The factor from the cell's unit to the text's unit."""
    row_named: bool
    column_named: bool


@dataclass(frozen=True, slots=True)
class TracedNumber:
    """A number of an answer with its origin."""

    mention: Mention
    status: Status
    cell: Cell | None = None
    """Set for `exact` and `stale`."""
    factor: float = 1.0
    """The factor from the cell to the text's unit: 100 if a share is written in percent."""
    derivation: Derivation | None = None
    counts: str = ""
    """For a `plain` number: the things that it counts, or the reason why it is plain."""
    others: tuple[Cell, ...] = ()
    """Other cells that also fit."""
    likely: tuple[Likely, ...] = ()
    """For `unclear`: up to three cells that it may come from, the most likely first."""
    maybe: Derivation | None = None
    """For `unclear` without such cells: a possible computation."""
    assumed: bool = False
    """For `unclear` without `likely` or `maybe`: whether it is an estimate ("would save 12,000")."""
    working: str = ""
    """How the model computed the number, as its line of the workings states it; "" if there is no such line."""
    objection: str = ""
    """Why the line in `working` was not accepted; "" if it was accepted or there is no line."""
    settled: bool = False
    """Whether the line in `working` already decided about this number. No other origin is then searched for."""
    review: ReviewedNumber | None = None
    """What a model's review says about it; None if it was not reviewed."""

    @property
    def is_refuted(self) -> bool:
        """Whether the review calls it wrong."""
        return bool(self.refuted_because)

    @property
    def refuted_because(self) -> str:
        """The fault that the review found; "" if the review does not call the number wrong."""
        if self.review is None or self.review.verdict != "wrong":
            return ""
        return self.review.reason.rstrip(". ") or "the results say otherwise"


def moved(one: TracedNumber, by: int) -> TracedNumber:
    """Return a number with `by` added to the table indexes of its cells."""

    def at(cell: Cell) -> Cell:
        return replace(cell, table=cell.table + by)

    def computed(how: Derivation | None) -> Derivation | None:
        return replace(how, cells=tuple(map(at, how.cells))) if how is not None else None

    return replace(
        one,
        cell=at(one.cell) if one.cell is not None else None,
        derivation=computed(one.derivation),
        others=tuple(map(at, one.others)),
        likely=tuple(replace(other, cell=at(other.cell)) for other in one.likely),
        maybe=computed(one.maybe),
    )
