"""Reads the block in which a model states how it computed the numbers of its answer (TIM-11). Pure.

Each line names one number as it is written in the answer, and the arithmetic that gives it:

    7.4% = (2107140 - 1961300) / 1961300 | revenue, 2024 and 2023

The operands are numbers of results. The words after the bar say from which rows and columns they come.
"""

import math
import re
from functools import lru_cache

from engine.numbers.arithmetic import Expression, read_expression
from engine.numbers.mention import Mention
from engine.numbers.mentions import find_mentions
from events.late_dataclass import dataclass

__all__ = ["Working", "read_line", "read_workings", "same_number", "working_of"]

_MOST_LINES, _LONGEST_LABEL = 200, 160
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_EQUALS = re.compile(r"\s*(?:=|≈|≅|→|⇒|->|=>)\s*")
_BULLET = re.compile(r"\A\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)")
_MARKS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_EDGES = " \t|()[]—–-:;#,."


@dataclass(frozen=True, slots=True)
class Working:
    """A line of the workings: how the model computed one number."""

    label: Mention
    """The number, as it is written before the equals sign."""
    readings: tuple[Expression, ...]
    """The arithmetic; several readings if a comma can group digits or separate numbers. Empty if it cannot be read."""
    words: str
    """The model's words about the rows and columns."""
    written: str
    """The line without its label."""


@lru_cache(maxsize=64)
def read_workings(block: str) -> tuple[Working, ...]:
    """Return the lines in the workings blocks of an answer, in order. Lines without a number before an equals sign are
    left out. A line in a later block replaces the line that an earlier block has for the same number.
    """
    found: list[tuple[int, Working]] = []
    fences = 0
    for line in block.splitlines()[:_MOST_LINES]:
        fences += _FENCE.match(line) is not None
        if (one := read_line(line)) is not None:
            found = [(at, old) for at, old in found if at == fences or old.label.text != one.label.text]
            found.append((fences, one))
    return tuple(one for _, one in found)


def read_line(line: str) -> Working | None:
    """Read one line; return None if there is no number before an equals sign."""
    if _FENCE.match(line):
        return None
    label, equals, rest = _divided(_BULLET.sub("", line, count=1))
    if not equals:
        return None
    named = find_mentions(_MARKS.sub("", label[-_LONGEST_LABEL:]))
    named = [one for one in named if one.kind != "plain"] or named
    if not named:
        return None
    return working_of(named[-1], rest)


def working_of(label: Mention, written: str) -> Working:
    """Read the text after the equals sign of a number's line: arithmetic, a bar, and words."""
    told, _, words = written.partition("|")
    readings: list[Expression] = []
    for segment in _EQUALS.split(told):
        for grouped in (True, False) if "," in segment else (True,):
            found = read_expression(segment.lstrip("~≈ "), grouped=grouped)
            if found is None:
                words = f"{words} {segment}" if grouped else words
                continue
            expression, after = found
            if not readings or readings[0].is_one or not expression.is_one:
                readings.append(expression)
            words = f"{words} {after}" if grouped else words
    return Working(label, _best(readings), " ".join(words.split()).strip(_EDGES), written.strip())


def _divided(line: str) -> tuple[str, str, str]:
    found = _EQUALS.search(line)
    return (line[: found.start()], found[0], line[found.end() :]) if found else (line, "", "")


def _best(readings: list[Expression]) -> tuple[Expression, ...]:
    """Return only the readings with arithmetic, or the first reading if none has arithmetic: "412 / 1236 = 0.333" is
    read as the quotient, not as the number 412."""
    computed = tuple(one for one in readings if not one.is_one)
    return computed or tuple(readings[:1])


def same_number(one: Mention, other: Mention, *, loosely: bool = False) -> bool:
    """Return whether two numbers have the same value and kind. With `loosely`, one of them may lack its unit."""
    kinds = {one.kind, other.kind}
    if len(kinds) > 1 and not _are_alike(one, other, loosely=loosely):
        return False
    return any(
        math.isclose(abs(a.value), abs(b.value), rel_tol=1e-9) for a in one.readings for b in other.readings
    )


def _are_alike(one: Mention, other: Mention, *, loosely: bool) -> bool:
    """Return whether numbers of two kinds may be the same: "3" and "three", but not "+3.0" and "three"."""
    kinds = {one.kind, other.kind}
    if "plain" in kinds:
        return False
    if "count" in kinds:
        return kinds == {"count", "number"} and all(mention.text.isalnum() for mention in (one, other))
    return loosely and kinds <= {"number", "percent", "points", "times"}
