"""Compares the value that a line of the workings gives with its number, which may have another unit or scale. Pure."""

import ast
import re
from dataclasses import replace
from typing import TypeGuard

from engine.numbers.arithmetic import Expression, parsed
from engine.numbers.derivation import Derivation
from engine.numbers.fitting import PERCENT_NAME, fits
from engine.numbers.mention import Mention
from engine.numbers.places import Place
from engine.numbers.scopes import Text
from engine.numbers.units import conversion
from engine.numbers.working_shapes import cells_of
from engine.numbers.workings import Working

__all__ = ["explains", "power_of_ten", "scaled_to", "times"]

_SHARES = ("percent", "points")
_THOUSAND, _POWERS = 1e3, {1e3, 1e6, 1e9}
_TENS = tuple(10.0**power for power in (1, 2, 3, 4, 5, 6, 9, -1, -2, -3, -6, -9))
_SAYS = {
    100.0: re.compile(r"\b(?:cents?|ct|points?|pp|percent|pct|100|hundred)\b|%", re.IGNORECASE),
    1e3: re.compile(r"\b(?:1[,. ]?000|thousands?|tsd|k|permille)\b|‰", re.IGNORECASE),
    1e4: re.compile(r"\b10[,. ]?000\b"),
    1e5: re.compile(r"\b100[,. ]?000\b"),
    1e6: re.compile(r"\b(?:millions?|mio|mn|1[,. ]?000[,. ]?000)\b", re.IGNORECASE),
    1e9: re.compile(r"\b(?:billions?|bn)\b", re.IGNORECASE),
}
"""Words that name the factor between a number's unit and the unit of its cells."""


def scaled_to(made: Derivation, mention: Mention, expression: Expression, text: Text) -> Derivation | None:
    """Return the derivation scaled to the number's unit; None if it does not give the number. The value of a percentage
    is a fraction. A fall may be written with a minus in the answer although the line gives it without one.
    """
    signs = (1.0, -1.0) if mention.signed and mention.value < 0 < made.value else (1.0,)
    for sign in signs:
        for scale in _scales(made, mention, expression, text):
            if fits(made.value * sign * scale * (100 if mention.kind in _SHARES else 1), mention):
                by = sign * scale
                return made if by == 1.0 else times(made, by)
    return None


def _scales(made: Derivation, mention: Mention, expression: Expression, text: Text) -> list[float]:
    """Return the possible factors from a line's value to the text's unit: the scale of its columns, and the powers of
    1,000 by which the line divides ("4.13 million = 4130890 / 1000000").
    """
    if mention.kind == "points" and re.search(r"\d\s?(?:points?|pts?)?$", mention.text):
        return [0.01, 1.0]  # scores are in points too
    if mention.kind in _SHARES:
        in_percent = any(one.value == 100 for one in expression.operands) or any(
            PERCENT_NAME.search(text.labels.tables[cell.table].table.columns[cell.column])
            for cell in made.cells
        )
        own = in_percent or "/" not in expression.template or _is_between(made)
        return [1.0, 0.01] if own else [1.0]
    scales = {1.0, *(text.labels.tables[cell.table].units[cell.column].scale for cell in made.cells)}
    if mention.readings[0].step >= 1.0 or abs(mention.value) >= _THOUSAND:
        divisors = {one.value for one in expression.operands} & _POWERS
        scales |= {scale * by for scale in scales for by in divisors}
    return sorted(scales)


def _is_between(made: Derivation) -> bool:
    """Return whether a value lies between the cells of a column, as a weighted mean does. Such a value is in percent if
    the column is. Columns of counts and cells of divisors are ignored.
    """
    tree = parsed(made.template)
    nodes = ast.walk(tree) if tree is not None else ()
    under = {at for node in nodes if _divides(node) for at in cells_of(node.right)}
    columns: dict[tuple[int, int], list[float]] = {}
    for at, cell in enumerate(made.cells):
        if at not in under:
            columns.setdefault((cell.table, cell.column), []).append(cell.value)
    means = (every for every in columns.values() if len(every) > 1 and not all(map(float.is_integer, every)))
    return any(min(every) <= made.value <= max(every) for every in means)


def _divides(node: ast.AST) -> TypeGuard[ast.BinOp]:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)


def times(made: Derivation, by: float) -> Derivation:
    """Return a derivation multiplied by a factor."""
    return replace(made, value=made.value * by, template=f"({made.template}) * {by!r}")


def power_of_ten(made: Derivation, mention: Mention) -> float | None:
    """Return the power of ten by which a line's value differs from its number; None if it differs otherwise."""
    share = 100 if mention.kind in _SHARES else 1
    plain = replace(mention, signed=False)
    return next((ten for ten in _TENS if fits(abs(made.value) * ten * share, plain)), None)


def explains(ten: float, text: Text, place: Place, working: Working, made: Derivation) -> bool:
    """Return whether the line's words, the number's sentence or header, or the units explain a power of ten."""
    mention, passage = place.mention, place.passage
    around = [text.text[start:end] for start, end in passage.cells]
    if mention.readings[0].step < _THOUSAND:  # "€3.23 billion" itself does not say why it is billions
        around += [text.text[passage.start : mention.start], text.text[mention.end : passage.end]]
        around += [mention.text] if mention.unit is not None else []
    told = " ".join([working.words, *around]) if mention.kind not in _SHARES else working.words
    says = _SAYS.get(ten if ten > 1 else round(1 / ten, 9))
    if says is not None and says.search(told):
        return True
    units = {text.labels.tables[cell.table].units[cell.column].unit for cell in made.cells}
    by = {conversion(unit, mention.unit) for unit in units if unit is not None and mention.unit is not None}
    return by == {ten}
