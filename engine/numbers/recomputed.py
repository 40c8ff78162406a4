"""Computes a derived number again from other cells, by the same operation over the same columns. Pure.

A derivation stores its cells and its value, but not its function. The function is the one that gives the old value from
the old cells. If there is none, the number is not recomputed.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate
from statistics import fmean, median

from engine.numbers.arithmetic import evaluated
from engine.numbers.derivation import Derivation
from engine.numbers.evidence import Cell, ResultTable
from events.late_dataclass import dataclass

__all__ = ["Side", "recomputed", "totals", "weighted_mean"]


@dataclass(frozen=True, slots=True)
class Side:
    """The old or the new cells of a derivation, with their tables."""

    cells: tuple[Cell, ...]
    tables: Sequence[ResultTable]

    def column(self, at: int) -> tuple[float, ...]:
        """Return the numbers in the column of a cell."""
        cell = self.cells[at]
        return self.tables[cell.table].numbers(cell.column)

    def is_whole(self, at: int) -> bool:
        """Return whether the table of a cell has all rows of its result."""
        return self.tables[self.cells[at].table].whole


def recomputed(derivation: Derivation, before: Side, after: Side) -> float | None:
    """Return the value of a derivation over other cells; None if it cannot be computed."""
    if not before.cells or len(before.cells) != len(after.cells):
        return None
    if derivation.template:
        return evaluated(derivation.template, [cell.value for cell in after.cells])
    ways = zip(_ways(derivation, before), _ways(derivation, after), strict=False)
    for (name, old), (other, new) in ways:
        if (
            name == other
            and old is not None
            and math.isclose(old, derivation.value, rel_tol=1e-9, abs_tol=1e-12)
        ):
            return new
    return None


def _ways(derivation: Derivation, side: Side) -> Iterator[tuple[str, float | None]]:
    """Yield the names and results of all functions that may be meant, in an order that does not depend on the cells."""
    values = totals([cell.value for cell in side.cells], derivation.parts)
    operation = derivation.operation
    if operation == "weighted mean":
        yield from _weighted(side)
        return
    if derivation.many:
        yield from _over_column(side)
    if operation in ("share of total", "rest") and side.is_whole(0):
        whole = sum(side.column(0))
        yield "of column", _divided(values[0], whole)
        yield "rest of column", whole - values[0]
        yield "rest share", _divided(whole - values[0], whole)
        yield "ends of column", _divided(sum(values), whole)
    if len(values) == 1:
        yield "rest", 1 - values[0]
        yield "same", values[0]
    if len(values) == 2:
        yield from _of_two(*values)
    if len(values) == 3:
        yield from _of_three(*values)
    if len(side.cells) == 4 and not derivation.parts and all(side.is_whole(at) for at in (0, 2)):
        one, other = sum(side.column(0)), sum(side.column(2))
        yield "totals", _divided(one, other)
        yield "growth of totals", _divided(one - other, other)
    yield "sum", math.fsum(values)
    yield "mean", fmean(values)
    yield "sum of percentages", math.fsum(values) * 0.01
    yield "mean of percentages", fmean(values) * 0.01
    yield "product", math.prod(values)
    yield "product of a percentage", math.prod(values) / 100


def totals(values: Sequence[float], parts: Sequence[int]) -> list[float]:
    """Return the totals of consecutive groups of values, with the sizes in `parts`; the values if `parts` is empty."""
    if not parts:
        return list(values)
    ends = list(accumulate(parts))
    return [math.fsum(values[end - many : end]) for end, many in zip(ends, parts, strict=True)]


def _of_two(x: float, y: float) -> Iterator[tuple[str, float | None]]:
    for name, a, b in (("xy", x, y), ("yx", y, x)):
        difference = a - b
        yield f"difference {name}", difference
        yield f"difference in points {name}", difference * 0.01
        yield f"growth {name}", _divided(difference, b)
        yield f"fall {name}", None if not b else abs(difference / b)
        yield f"ratio {name}", _divided(a, b)
        yield f"part {name}", _divided(a, a + b)
        for scale in _SCALES[1:]:
            yield f"ratio {name} per {scale}", None if not b else a / b * scale


def _of_three(x: float, y: float, z: float) -> Iterator[tuple[str, float | None]]:
    """Yield the formulas over three columns that `derived_repeated` finds, with the cells in the same order as in that
    module.
    """
    pairs = {
        "x + y over z": (x + y, z),
        "x − y over z": (x - y, z),
        "mean over z": ((x + y) / 2, z),
        "x over y + z": (x, y + z),
        "x over mean": (x, (y + z) / 2),
    }
    for name, (over, under) in pairs.items():
        for scale in _SCALES:
            yield f"{name} per {scale}", None if not under else over / under * scale
    yield "x times y − z", x * (y - z)
    yield "x − y − z", x - y - z


_SCALES = (1.0, 100.0, 1_000.0, 10_000.0, 100_000.0, 1_000_000.0)
"""The bases of rates."""


def _weighted(side: Side) -> Iterator[tuple[str, float | None]]:
    if len(side.cells) != 4 or not side.is_whole(0):
        return
    table = side.tables[side.cells[0].table]
    column, weight = (
        [table.number(row, side.cells[at].column) for row in range(len(table.rows))] for at in (0, 2)
    )
    mean = weighted_mean(column, weight)
    yield "weighted mean", mean
    yield "weighted mean of percentages", None if mean is None else mean * 0.01


def weighted_mean(values: Sequence[float | None], weights: Sequence[float | None]) -> float | None:
    """Return the weighted mean of some numbers; None if the weights add up to 0.

    Pairs with a missing number or weight are left out.
    """
    pairs = [
        (value, weight)
        for value, weight in zip(values, weights, strict=True)
        if value is not None and weight is not None
    ]
    total = math.fsum(weight for _, weight in pairs)
    return math.fsum(value * weight for value, weight in pairs) / total if total else None


def _over_column(side: Side) -> Iterator[tuple[str, float | None]]:
    numbers = side.column(0)
    if not numbers or not side.is_whole(0):
        return
    yield "column sum", sum(numbers)
    yield "column mean", fmean(numbers)
    yield "column median", median(numbers)
    yield "column range", max(numbers) - min(numbers)


def _divided(a: float, b: float) -> float | None:
    return a / b if b else None
