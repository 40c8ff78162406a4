"""Reads and evaluates arithmetic over numbers, such as "(2,107,140 − 1,961,300) ÷ 1,961,300". Pure.

Only numbers, the four operations, powers, brackets and a few functions are read; nothing else is ever evaluated.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from statistics import fmean, median

from engine.numbers.digits import Reading, significant_digits
from engine.numbers.evidence import Cell
from engine.numbers.mention import Mention
from events.late_dataclass import dataclass

__all__ = ["Expression", "Operand", "count_operands", "evaluated", "parsed", "read_expression", "sides_of"]

_MOST_OPERANDS, _LONGEST, _MOST_DROPPED = 60, 800, 12
_GROUPED = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|"
_PIECE = r"""
    (?P<number>(?:US\$|[$€£¥₹])?\s?(?P<digits>{grouped}\d+(?:\.\d+)?|\.\d+)(?:[eE](?P<power>[-+]?\d{{1,2}})\b)?
        (?P<tail>\s?%|\s?(?:thousand|million|billion|[kmb]n?)\b)?(?![\w%]))
    |(?P<call>(?:sum|total|mean|avg|average|median|min|max|abs|round|sqrt)\s?(?=\())
    |(?P<sign>\*\*|[-+*/^(),]|x(?![\w]))
    |(?P<blank>\s+)
"""
_TOKENS = {
    grouped: re.compile(_PIECE.format(grouped=_GROUPED if grouped else ""), re.VERBOSE | re.IGNORECASE)
    for grouped in (True, False)
}
_SCALES = {
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "m": 1e6,
    "mn": 1e6,
    "billion": 1e9,
    "b": 1e9,
    "bn": 1e9,
}
_SIGNS = str.maketrans({"×": "*", "·": "*", "⋅": "*", "÷": "/", "−": "-", "–": "-", "∕": "/"})
_MOST_POWER, _MOST_BASE = 100.0, 1e12


@dataclass(frozen=True, slots=True)
class Operand:
    """A number in an expression."""

    text: str
    mention: Mention
    """The number in the form that is compared with cells; 7.4 for "7.4%"."""
    value: float
    """The value that is used in computations; 0.074 for "7.4%"."""
    cell: Cell | None = None
    """The cell of this number, if it is known because a function over a column was expanded."""


@dataclass(frozen=True, slots=True)
class Expression:
    """Arithmetic over operands."""

    template: str
    """The expression with `n0`, `n1` … for the operands."""
    operands: tuple[Operand, ...]

    @property
    def is_one(self) -> bool:
        """Whether the expression is only one number, without arithmetic."""
        return self.template.strip("()- ") == "n0"

    def written(self, names: Sequence[str]) -> str:
        """Return the expression as people write it, with `names` for its operands."""
        text = re.sub(r"\bn(\d+)\b", lambda one: names[int(one[1])], self.template)
        return text.replace("**", " ^ ").replace("*", " × ").replace("/", " ÷ ").replace("-", "−")


def read_expression(text: str, *, grouped: bool = True) -> tuple[Expression, str] | None:
    """Return the longest arithmetic at the beginning of a text, and the text after it; None if there is none.

    Args:
        text: for example "412 ÷ 1,236 (orders of West)".
        grouped: whether "12,345" is one number; else its comma separates two numbers.
    """
    plain = text[:_LONGEST].translate(_SIGNS)
    pieces: list[tuple[str, int]] = []
    operands: list[Operand] = []
    at = 0
    while (found := _TOKENS[grouped].match(plain, at)) is not None and len(operands) < _MOST_OPERANDS:
        at = found.end()
        if found["number"]:
            minus = _is_minus(pieces)
            if minus:
                pieces.pop()
            pieces.append((f"n{len(operands)}", at))
            operands.append(_operand(found, minus=minus))
        elif not found["blank"]:
            pieces.append((_piece(found[0].strip().casefold()), at))
    for _ in range(_MOST_DROPPED):
        if not pieces:
            return None
        template = "".join(piece for piece, _ in pieces)
        if parsed(template) is not None and "n" in template:
            used = sum(piece[0] == "n" and piece[1:].isdigit() for piece, _ in pieces)
            return Expression(template, tuple(operands[:used])), text[pieces[-1][1] :]
        pieces.pop()
    return None


def count_operands(text: str) -> int:
    """Return the number of operands in a piece of arithmetic."""
    return sum(found["number"] is not None for found in _TOKENS[True].finditer(text.translate(_SIGNS)))


def _is_minus(pieces: Sequence[tuple[str, int]]) -> bool:
    """Return whether the last piece is a minus that belongs to the number after it."""
    before = [piece for piece, _ in pieces[-2:]]
    return bool(before) and before[-1] == " - " and (len(before) == 1 or before[0].strip() in _BEFORE_MINUS)


_BEFORE_MINUS = ("(", ",", "+", "-", "*", "/", "**", "")


def _piece(sign: str) -> str:
    return {
        "^": "**",
        "x": "*",
        "+": " + ",
        "-": " - ",
        ",": ", ",
        "total": "sum",
        "avg": "mean",
        "average": "mean",
    }.get(sign, sign)


def _operand(found: re.Match[str], *, minus: bool) -> Operand:
    digits, tail = found["digits"], (found["tail"] or "").strip().casefold()
    bare = digits.replace(",", "")
    scale = 10.0 ** int(found["power"] or 0) * _SCALES.get(tail, 1.0)
    value, step = float(bare) * scale * (-1 if minus else 1), 10.0 ** -len(bare.partition(".")[2]) * scale
    percent = tail == "%"
    mention = Mention(
        0,
        0,
        ("−" if minus else "") + found["number"].strip(),
        "percent" if percent else "number",
        (Reading(value, step),),
        digits=significant_digits(digits),
    )
    return Operand(mention.text, mention, value / 100 if percent else value)


def evaluated(template: str, values: Sequence[float]) -> float | None:
    """Return the value of a template for these operands; None if it has no value, for example if it divides by 0."""
    tree = parsed(template)
    try:
        value = _value(tree, values) if tree is not None else None
    except (ArithmeticError, ValueError, TypeError, IndexError):
        return None
    return value if value is not None and math.isfinite(value) else None


@lru_cache(maxsize=2_000)
def parsed(template: str) -> ast.expr | None:
    """Return the syntax tree of a template; None if it is not arithmetic."""
    try:
        tree = ast.parse(template.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if _is_arithmetic(tree) else None


def sides_of(template: str) -> tuple[str, str] | None:
    """Return the two sides of a quotient or difference, ignoring constant factors such as 100; None if the template is
    neither a quotient nor a difference.
    """
    tree = parsed(template)
    while isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult | ast.Div):
        if isinstance(tree.right, ast.Constant):
            tree = tree.left
        elif isinstance(tree.left, ast.Constant) and isinstance(tree.op, ast.Mult):
            tree = tree.right
        else:
            break
    if not isinstance(tree, ast.BinOp) or not isinstance(tree.op, ast.Div | ast.Sub):
        return None
    return ast.unparse(tree.left), ast.unparse(tree.right)


def _is_arithmetic(node: ast.expr) -> bool:
    match node:
        case ast.Name():
            return node.id.startswith("n") and node.id[1:].isdigit()
        case ast.Constant():
            return isinstance(node.value, int | float) and not isinstance(node.value, bool)
        case ast.BinOp():
            return type(node.op) in _OPERATIONS and _is_arithmetic(node.left) and _is_arithmetic(node.right)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            return _is_arithmetic(node.operand)
        case ast.Call(func=ast.Name()):
            return bool(node.args) and not node.keywords and all(map(_is_arithmetic, node.args))
    return False


def _value(node: ast.expr, values: Sequence[float]) -> float:
    match node:
        case ast.Name():
            return values[int(node.id[1:])]
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.BinOp():
            return _OPERATIONS[type(node.op)](_value(node.left, values), _value(node.right, values))
        case ast.UnaryOp():
            value = _value(node.operand, values)
            return -value if isinstance(node.op, ast.USub) else value
        case ast.Call(func=ast.Name(id=name)):
            return float(_FUNCTIONS[name](*(_value(one, values) for one in node.args)))
    raise ValueError(ast.dump(node))


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > _MOST_POWER or abs(base) > _MOST_BASE or (base < 0 and not exponent.is_integer()):
        raise ValueError("too large a power")
    return float(base**exponent)


_OPERATIONS: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: _power,
}
_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "sum": lambda *values: math.fsum(values),
    "mean": lambda *values: fmean(values),
    "median": lambda *values: median(values),
    "min": min,
    "max": max,
    "abs": abs,
    "sqrt": math.sqrt,
    "round": lambda value, places=0.0: round(value, int(places)),
}
