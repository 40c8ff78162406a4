"""Computations from two numbers if the clause says that they are compared, added or divided. Pure."""

from collections.abc import Iterator
from dataclasses import replace

from engine.numbers.derivation import Derivation, told_number
from engine.numbers.derivation_words import COMPARED, MOVES, REST, SHARE, SUM
from engine.numbers.evidence import Cell
from engine.numbers.fitting import DOWN, UP, fits, sign_fits
from engine.numbers.places import Place
from engine.numbers.sensible import is_sensible
from engine.numbers.table_names import TableNames
from engine.numbers.units import conversion
from engine.numbers.words import forms

__all__ = ["is_value", "of_values"]

_APART = forms("difference balance net")


def of_values(
    place: Place, x: float, y: float, cells: tuple[Cell, ...], fraction: bool = False, ordered: bool = False
) -> Iterator[Derivation]:
    """Yield computations from two numbers if the clause says that they are compared, added or divided.

    `ordered`: the second number is later than the first; a change then has only one direction.
    """
    kind, words, mention = place.mention.kind, place.clause_words, place.mention
    if not x or not y:
        return
    unsigned = replace(mention, signed=False) if mention.signed else mention
    if kind not in ("times", "part") and any(
        fits(one * by, unsigned) for one in (x, y) for by in (1.0, 100.0)
    ):
        return  # the number is one of the two itself
    if kind in ("number", "count", "points", "percent") and (
        words & (MOVES | REST) or mention.signed or kind == "points"
    ):
        yield from _changes(place, x, y, cells, fraction, ordered)
    if kind == "times":
        yield Derivation("ratio", cells, y / x, f"{told_number(y)} ÷ {told_number(x)}")
        yield Derivation("ratio", cells, x / y, f"{told_number(x)} ÷ {told_number(y)}")
    if (kind == "part" or (kind == "percent" and words & (SHARE | COMPARED))) and not mention.signed:
        for over, under in ((x, y), (y, x)):
            if 0 < over / under <= (1 if kind == "part" else 10):
                yield Derivation("share", cells, over / under, f"{told_number(over)} ÷ {told_number(under)}")
    if kind == "part" and words & (DOWN | UP):
        formula = f"({told_number(y)} − {told_number(x)}) ÷ {told_number(x)}"
        yield Derivation("growth", cells, abs((y - x) / x), formula)
    if kind == "number" and words & SUM:
        yield Derivation("sum", cells, x + y, f"{told_number(x)} + {told_number(y)}")


def _changes(
    place: Place, x: float, y: float, cells: tuple[Cell, ...], fraction: bool, ordered: bool
) -> Iterator[Derivation]:
    """Yield the difference of two numbers, or the growth from one to the other."""
    kind, words, mention = place.mention.kind, place.clause_words, place.mention
    compared = (bool(words & (COMPARED | REST)) or not words & (UP | DOWN)) and not mention.signed
    both: tuple[tuple[float, float], ...] = ((x, y),) if ordered or mention.signed else ((x, y), (y, x))
    if mention.signed and words & _APART:
        both = ((x, y), (y, x))  # “a difference of -30”
    if "minus" in words:
        both = ((y, x),)
    if x < 0 and y < 0:  # costs below zero: a cut moves them towards zero
        both = ((abs(x), abs(y)), *both)
    by = 0.01 if kind == "points" and not fraction else 1.0
    for before, after in both:
        difference, told = after - before, f"{told_number(after)} − {told_number(before)}"
        if not compared and not sign_fits(
            difference if kind != "percent" else difference / before, place, moves=True
        ):
            continue
        if kind == "percent":
            yield Derivation("growth", cells, difference / before, f"({told}) ÷ {told_number(before)}")
        else:
            yield Derivation("difference", cells, difference * by, told)


def is_value(place: Place, names: TableNames, one: Derivation) -> bool:
    """Return whether a number in a text equals a computed value, in its unit and after rounding."""
    mention = place.mention
    if not one.cells or not is_sensible(names, one):  # a total of nothing has no cells
        return False
    column = one.cells[0].column
    if mention.kind in ("percent", "points", "part"):
        return fits(one.value * (1.0 if mention.kind == "part" else 100.0), mention)
    if mention.kind == "times":
        return fits(one.value, mention)
    if one.operation == "product" and mention.digits < 2 and abs(mention.value) < 10:
        return False
    if mention.kind == "count" and not mention.hedge:
        return abs(abs(one.value) - mention.value) < 1e-9
    unit, scale, _ = names.units[column]
    converted = conversion(unit, mention.unit)
    if converted is None:
        return False
    return any(fits(one.value * converted * by, mention) for by in {1.0, scale})
