"""Recognizes what a line of the workings computes: a difference, a growth rate, a sum or a mean. Pure."""

import ast
import re
from collections.abc import Collection
from typing import Literal

from engine.numbers.arithmetic import parsed
from engine.numbers.evidence import Cell
from engine.numbers.label_forms import MONTHS
from engine.numbers.table_names import TableNames
from events.late_dataclass import dataclass

__all__ = [
    "Measure",
    "Shape",
    "addends_of",
    "cells_of",
    "is_later",
    "measure_of",
    "parts_of",
    "shape_of",
    "summands_of",
]

Measure = Literal["constant", "amount", "ratio", "points"]
"""The kind of value that an expression gives; "points" is a difference of two ratios or percentages."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The outermost arithmetic of a line, and its cells by their index in the template."""

    kind: Literal["difference", "growth", "sum", "mean", "share", "other"]
    cells: tuple[int, ...] = ()
    """For a difference: minuend and subtrahend. For a growth: these two and the base. For a share: the cells of the sum
    that it divides by. Otherwise all combined cells. If one of these is a sum, its first cell is listed.
    """


def shape_of(template: str) -> Shape:
    """Return the shape of a template, without outer factors such as 100."""
    tree = parsed(template)
    return _shape(_without_factors(tree)) if tree is not None else Shape("other")


def _shape(node: ast.expr) -> Shape:
    if (cells := _summed(node)) is not None and len(cells) > 1:
        return Shape("sum", cells)
    match node:
        case ast.Call(func=ast.Name(id="mean" | "median")):
            leaves = [_leaf(one) for one in node.args]
            return Shape("mean", tuple(one for one in leaves if one is not None))
        case ast.BinOp(op=ast.Div()) if (parts := addends_of(node.left)) and len(parts) == _constant(
            node.right
        ):
            leaves = [_leaf(one) for one in parts]
            return Shape("mean", tuple(one for one in leaves if one is not None))
        case ast.BinOp(op=ast.Sub()):
            return _difference(node)
        case ast.BinOp(left=ast.BinOp(op=ast.Sub()) as left, op=ast.Div()):
            difference, base = _difference(left), _first(node.right)
            if difference.kind == "difference" and base is not None:
                return Shape("growth", (*difference.cells, base))
        case ast.BinOp(op=ast.Div()) if (whole := _summed(node.right)) is not None and len(whole) > 1:
            return Shape("share", whole)
    return Shape("other")


def _difference(node: ast.BinOp) -> Shape:
    minuend: ast.expr = node.left
    while isinstance(minuend, ast.BinOp) and isinstance(minuend.op, ast.Sub):
        minuend = minuend.left  # "new - of which is left out - old"
    first, second = _first(minuend), _first(node.right)
    if first is not None and second is not None:
        return Shape("difference", (first, second))
    left, one = node.left, node.right
    if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Div) and _constant(one) == 1.0:
        over, under = _first(left.left), _first(left.right)
        if over is not None and under is not None:
            return Shape("growth", (over, under, under))
    return Shape("other")


def _without_factors(node: ast.expr) -> ast.expr:
    while True:
        match node:
            case ast.BinOp(op=ast.Mult()) if _constant(node.right) is not None:
                node = node.left
            case ast.BinOp(op=ast.Mult()) if _constant(node.left) is not None:
                node = node.right
            case ast.BinOp(op=ast.Div()) if _constant(node.right) in _POWERS:
                node = node.left
            case ast.Call(func=ast.Name(id="round" | "abs")):
                node = node.args[0]
            case _:
                return node


_POWERS = (10.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e9)


def _first(node: ast.expr) -> int | None:
    """Return the index of a cell, or of the first cell of a sum; None if the node is neither."""
    cells = _summed(node)
    return cells[0] if cells else None


def _summed(node: ast.expr) -> tuple[int, ...] | None:
    """Return the cells that an expression adds up; None if it does anything else."""
    if (leaf := _leaf(node)) is not None:
        return (leaf,)
    parts: list[ast.expr] = []
    match node:
        case ast.BinOp(op=ast.Add()):
            parts = [node.left, node.right]
        case ast.Call(func=ast.Name(id="sum")):
            parts = node.args
    found = [_summed(one) for one in parts]
    cells = [one for one in found if one is not None]
    return tuple(cell for one in cells for cell in one) if parts and len(cells) == len(parts) else None


def addends_of(node: ast.expr) -> list[ast.expr]:
    """Return the terms of a sum; for any other expression, only the expression itself."""
    match node:
        case ast.BinOp(op=ast.Add()):
            return [*addends_of(node.left), *addends_of(node.right)]
        case ast.Call(func=ast.Name(id="sum")):
            return node.args
    return [node]


def cells_of(node: ast.expr) -> list[int]:
    """Return the indexes of the cells in an expression."""
    names = (one.id for one in ast.walk(node) if isinstance(one, ast.Name))
    return [int(name[1:]) for name in names if _CELL.fullmatch(name)]


_CELL = re.compile(r"n\d+")


def summands_of(template: str) -> list[list[int]]:
    """Return the indexes of the operands in each sum and mean of a template."""
    tree = parsed(template)
    every = [one for one in ast.walk(tree) if isinstance(one, ast.expr)] if tree is not None else []
    groups = [one.args if isinstance(one, ast.Call) else addends_of(one) for one in every]
    return [
        [leaf for part in group if (leaf := _leaf(part)) is not None] for group in groups if len(group) > 1
    ]


def parts_of(template: str) -> list[str]:
    """Return the templates of the computations nested in a template."""
    tree = parsed(template)
    inside = list(ast.walk(tree))[1:] if tree is not None else []
    return [ast.unparse(one) for one in inside if isinstance(one, ast.BinOp | ast.Call)]


def _leaf(node: ast.expr) -> int | None:
    """Return the index of a cell, which may be multiplied by its unit's factor; None if the node is not a cell."""
    match node:
        case ast.Name():
            return int(node.id[1:])
        case ast.BinOp(left=ast.Name() as name, op=ast.Mult(), right=ast.Constant()):
            return int(name.id[1:])
        case ast.UnaryOp():
            return _leaf(node.operand)
    return None


def _constant(node: ast.expr) -> float | None:
    return (
        float(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, int | float) else None
    )


def measure_of(template: str, percentages: Collection[int]) -> Measure:
    """Return the kind of value that a template gives, if the cells with the indexes `percentages` are percentages."""
    tree = parsed(template)
    return _measure(tree, percentages) if tree is not None else "amount"


def _measure(node: ast.expr, percentages: Collection[int]) -> Measure:
    match node:
        case ast.Name():
            return "ratio" if int(node.id[1:]) in percentages else "amount"
        case ast.Constant():
            return "constant"
        case ast.UnaryOp():
            return _measure(node.operand, percentages)
        case ast.Call():
            return _measure(node.args[0], percentages)
        case ast.BinOp():
            left, right = _measure(node.left, percentages), _measure(node.right, percentages)
            return _combined(node.op, left, right)
    return "amount"


def _combined(sign: ast.operator, left: Measure, right: Measure) -> Measure:
    if right == "constant":
        return "ratio" if left == "points" and isinstance(sign, ast.Pow) else left
    if left == "constant":
        return right
    if isinstance(sign, ast.Sub):
        return "points" if left == right == "ratio" else left
    if isinstance(sign, ast.Div):
        return "ratio"
    return "amount" if "amount" in (left, right) else left


def is_later(names: TableNames, one: Cell, other: Cell) -> bool | None:
    """Return whether a cell belongs to a later period than another cell of the same table; None if it is unclear."""
    if one.column == other.column and one.row != other.row:
        differ = [at for at in names.dimensions if names.label(one.row, at) != names.label(other.row, at)]
        if len(differ) != 1:
            return None
        labels = [names.label(cell.row, differ[0]) for cell in (one, other)]
    elif one.row == other.row and names.of_periods(one.column, other.column):
        labels = [names.table.columns[cell.column].replace("_", " ").casefold() for cell in (one, other)]
    else:
        return None
    first, second = (_moment(label) for label in labels)
    return None if first is None or second is None or first == second else first > second


_PERIOD = re.compile(rf"\b(?:{'|'.join(f'{month[:3]}(?:{month[3:]})?' for month in MONTHS)})\b")
_MARKED = re.compile(r"\b(?:fy|cy|y|q|h|w|week|kw)\s?(\d{1,4})\b")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")
_WORDS = {
    "before": 0,
    "prev": 0,
    "previous": 0,
    "old": 0,
    "start": 0,
    "after": 1,
    "now": 1,
    "new": 1,
    "current": 1,
    "end": 1,
}


def _moment(label: str) -> tuple[int, ...] | None:
    """Return a key that sorts periods by time; None if a label names no period."""
    year = _YEAR.search(label)
    rest = label[: year.start()] + " " + label[year.end() :] if year else label
    month = _PERIOD.search(rest)
    numbers = [int(one) for one in re.findall(r"(?<!\d)\d{1,2}(?!\d)", rest)] if year else []
    if month is not None:
        return (int(year[1]) if year else 0, 1 + [one[:3] for one in MONTHS].index(month[0][:3]), *numbers)
    if year is not None:
        return (int(year[1]), *numbers)
    if (marked := _MARKED.search(rest)) is not None:
        return (0, int(marked[1]))
    told = [_WORDS[word] for word in rest.split() if word in _WORDS]
    return (0, told[0]) if len(told) == 1 else None
