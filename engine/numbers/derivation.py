"""A number computed from labelled cells."""

from typing import Literal

from engine.numbers.evidence import Cell
from engine.numbers.mention import Mention
from events.late_dataclass import dataclass

__all__ = [
    "Bound",
    "Derivation",
    "Operation",
    "told_number",
]

Operation = Literal[
    "difference",
    "growth",
    "ratio",
    "share",
    "total",
    "share of total",
    "rest",
    "mean",
    "weighted mean",
    "median",
    "range",
    "sum",
    "product",
    "working",
]


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a number follows from cells."""

    operation: Operation
    cells: tuple[Cell, ...]
    """The cells that it was computed from. If these are many cells of a column, only the first and last; see `many`."""
    value: float
    formula: str
    many: int = 0
    """How many cells it was computed from, if `cells` does not list them all."""
    parts: tuple[int, ...] = ()
    """For a computation from totals: how many of the cells each total adds up, in order."""
    template: str = ""
    """For a calculation that a line of the model's workings states: its arithmetic over `n0`, `n1` … for the cells."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A number that is known to be true, from which others may be computed."""

    value: float
    cells: tuple[Cell, ...]
    written: Mention

    @property
    def percent(self) -> bool:
        """Whether it is written as a percentage or a part ("a third"). Its value is then a fraction."""
        return self.written.kind in ("percent", "part")


def told_number(value: float) -> str:
    """Return a number in the format that formulas use."""
    return (
        f"{value:,.0f}"
        if float(value).is_integer()
        else f"{value:,.6g}"
        if abs(value) < 1e6
        else f"{value:,.2f}"
    )
