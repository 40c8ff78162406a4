"""Marks the numbers of an answer in its Markdown: which are marked, and where a mark would break the text. Pure."""

import re
from collections.abc import Callable, Sequence

from engine.views.numbers import AnswerNumber
from engine.views.placement import CODE, Piece, Words

__all__ = ["MARKED", "marked"]

MARKED = ("exact", "derived", "unbacked", "stale")
"""The statuses that are marked where a number stands."""
_LINKED = re.compile(
    r"!?\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\](?:\([^)\n]*\)|\[[^\]\n]*\])|^\s{0,3}\[[^\]\n]+\]:.*$|\[\^[^\]\n]+\]"
    r"|(?:https?://|www\.)\S+|<[^>\n]*>|\$[^$\n]+\$(?=\D|$)|\\\(.*?\\\)|``.*?``|^(?: {4}|\t).*$",
    re.MULTILINE,
)
"""Where a mark would break what is there: links, addresses, tags, formulas and code."""


def marked(
    answer: str,
    pieces: Sequence[Piece],
    numbers: Sequence[AnswerNumber],
    mark: Callable[[str, AnswerNumber], str],
) -> list[Piece]:
    """Return the pieces of an answer with `mark(text, number)` in place of each traced number."""
    shown: list[Piece] = []
    at = 0
    for piece in pieces:
        if not isinstance(piece, Words):
            shown.append(piece)
            continue
        start = answer.find(piece.text, at)
        if start < 0:
            shown.append(piece)
            continue
        at = start + len(piece.text)
        shown.append(Words(_with_marks(piece.text, start, numbers, mark)))
    return shown


def _with_marks(
    text: str, offset: int, numbers: Sequence[AnswerNumber], mark: Callable[[str, AnswerNumber], str]
) -> str:
    closed = [found.span() for found in (*CODE.finditer(text), *_LINKED.finditer(text))]
    made, last = [], 0
    for one in numbers:
        start, end = one.traced.mention.start - offset, one.traced.mention.end - offset
        inside = start >= 0 and end <= len(text) and start >= last
        if not inside or one.status not in MARKED or any(a < end and start < b for a, b in closed):
            continue
        slashes = len(text[:start]) - len(text[:start].rstrip("\\"))
        start -= slashes % 2  # of "\\$100": what is escaped goes into the mark with its backslash
        words = text[start:end]
        if "[" in words or "]" in words or words.count("*") % 2 or words.count("_") % 2 or "\n" in words:
            continue
        made += [text[last:start], mark(words, one)]
        last = end
    return "".join([*made, text[last:]])
