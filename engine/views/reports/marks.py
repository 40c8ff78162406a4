"""Marks numbers inside Markdown with private-use characters of Unicode, which no Markdown writer interprets. Pure."""

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["clean", "counted_from_zero", "mark", "marks_replaced", "without_marks"]

Number = TypeVar("Number")

OPEN, SHUT, END = "\ue010", "\ue011", "\ue012"
_MARK = re.compile(f"{OPEN}(\\d+){SHUT}([^{OPEN}{SHUT}{END}]*){END}")
_SIGNS = re.compile(f"[{OPEN}{SHUT}{END}]")


def mark(index: int, text: str) -> str:
    """Return `text` marked as the number `index`."""
    return f"{OPEN}{index}{SHUT}{text}{END}"


def clean(text: str) -> str:
    """Return an outside text without the characters that would be read as marks."""
    return _SIGNS.sub("\ufffd", text)


def marks_replaced(text: str, shown: Callable[[int, str], str]) -> str:
    """Return `text` with each marked number replaced by `shown(index, text)`."""
    return _MARK.sub(lambda found: shown(int(found[1]), found[2]), text)


def without_marks(text: str) -> str:
    """Return a marked text without its marks."""
    return marks_replaced(text, lambda _, words: words)


def counted_from_zero(text: str, numbers: Sequence[Number]) -> tuple[str, tuple[Number, ...]]:
    """Return a piece of a marked text with its numbers counted from 0, and these numbers."""
    own: list[Number] = []

    def counted(index: int, words: str) -> str:
        own.append(numbers[index])
        return mark(len(own) - 1, words)

    return marks_replaced(text, counted), tuple(own)
