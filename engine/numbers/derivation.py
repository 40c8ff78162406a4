"""A number that is computed from labelled cells, and the words that say how."""

from dataclasses import dataclass
from typing import Literal

from engine.numbers.evidence import Cell
from engine.numbers.fitting import DOWN, UP
from engine.numbers.mentions import Mention
from engine.numbers.words import forms

__all__ = [
    "COMPARED", "EACH", "MEAN", "MEDIAN", "MOVES", "REST", "SHARE", "SUM", "Bound", "Derivation", "Operation",
    "told_number",
]  # fmt: skip

Operation = Literal[
    "difference",
    "growth",
    "ratio",
    "share",
    "total",
    "share of total",
    "rest",
    "mean",
    "median",
    "range",
    "sum",
    "product",
]
SUM = forms(
    "total sum overall combined combine together altogether all both across summed grand collectively jointly aggregate"
    " entire whole cumulative every plus add adding between up year quarter"
)
SHARE = forms(
    "share of account accounted represent represented make made contribute contributed contribution comprise total"
    "  gesamtumsatz gesamtumsatzes gesamt insgesamt anteil"
    " accounting responsible hold holding bring brought concentrated driven come came from generated overall"
)
REST = forms(
    "rest other others remaining remainder else elsewhere outside kept keep stayed stay not without non"
    " excluding except unaffected unexplained so"
)
COMPARED = forms(
    "than behind ahead lead difference versus vs margin between compared against over outsold beat outperform apart"
    " trail edge separate differ missing span range wide swing lift gain uplift saving advantage gives"
)
MOVES = UP | DOWN | COMPARED | forms("change by swing net moved move shift up to delta plus minus")


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a number follows from cells."""

    operation: Operation
    cells: tuple[Cell, ...]
    """What it was computed from; of more than two cells of a column the first and the last, see `many`."""
    value: float
    formula: str
    many: int = 0
    """How many cells it was computed from, where `cells` does not list them all."""


MEAN, MEDIAN = forms("mean typical per roughly"), forms("median")
EACH = forms("per each every apiece worth average mean dividing divided ratio ppm")


@dataclass(frozen=True, slots=True)
class Bound:
    """A number beside the one that is looked at, which is known to be true."""

    value: float
    cells: tuple[Cell, ...]
    written: Mention

    @property
    def percent(self) -> bool:
        """Whether it is written as a percentage; its value is then a share of one."""
        return self.written.kind in ("percent", "part")


def told_number(value: float) -> str:
    """Return a number as formulas show it."""
    return (
        f"{value:,.0f}"
        if float(value).is_integer()
        else f"{value:,.6g}"
        if abs(value) < 1e6
        else f"{value:,.2f}"
    )
