"""Marks the numbers of an answer in its Markdown, except where a mark would break the text. Pure."""

import re
from collections.abc import Callable, Sequence

from engine.views.answer_number import AnswerNumber
from engine.views.placement import CODE, Piece, Words

__all__ = ["MARKED", "is_marked", "marked"]

MARKED = ("exact", "derived", "unclear", "unbacked", "stale")
"""The statuses that are marked in the text."""
_LINKED = re.compile(
    r"!?\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\](?:\([^)\n]*\)|\[[^\]\n]*\])|^\s{0,3}\[[^\]\n]+\]:.*$|\[\^[^\]\n]+\]"
    r"|(?:https?://|www\.)\S+|<[^>\n]*>|\$[^$\n]+\$(?=\D|$)|\\\(.*?\\\)|``.*?``|^(?: {4}|\t).*$",
    re.MULTILINE,
)
"""Matches places where a mark would break the text: links, addresses, tags, formulas and code."""


def is_marked(one: AnswerNumber) -> bool:
    """Return whether a number is marked and opens its panel; this includes numbers that the user confirmed."""
    return one.status in MARKED or one.vouched


def marked(
    answer: str,
    pieces: Sequence[Piece],
    numbers: Sequence[AnswerNumber],
    mark: Callable[[str, AnswerNumber], str],
    sentences: Sequence[tuple[int, int]] = (),
    mark_sentence: Callable[[str, int], str] | None = None,
) -> list[Piece]:
    """Return the pieces of an answer in which each traced number is replaced by `mark(text, number)`.

    In each of the `sentences`, the words before the first number are replaced by `mark_sentence(words, index)`.
    """
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
        closed = [found.span() for found in (*CODE.finditer(piece.text), *_LINKED.finditer(piece.text))]
        marks = _marks(piece.text, start, numbers, mark, closed)
        if mark_sentence is not None:
            marks += _sentence_marks(piece.text, start, sentences, mark_sentence, closed, marks)
        shown.append(Words(_with_marks(piece.text, marks)))
    return shown


_Mark = tuple[int, int, str]
"""The start and end of the part of the answer that gets a mark, and the marked text that replaces it."""


def _marks(
    text: str,
    offset: int,
    numbers: Sequence[AnswerNumber],
    mark: Callable[[str, AnswerNumber], str],
    closed: Sequence[tuple[int, int]],
) -> list[_Mark]:
    found: list[_Mark] = []
    for one in numbers:
        start, end = one.traced.mention.start - offset, one.traced.mention.end - offset
        if start < 0 or end > len(text) or not is_marked(one) or _crosses(start, end, closed, found):
            continue
        slashes = len(text[:start]) - len(text[:start].rstrip("\\"))
        start -= slashes % 2  # for "\\$100", the backslash must be inside the mark
        if not _breaks_mark(text[start:end]):
            found.append((start, end, mark(text[start:end], one)))
    return found


def _sentence_marks(
    text: str,
    offset: int,
    sentences: Sequence[tuple[int, int]],
    mark: Callable[[str, int], str],
    closed: Sequence[tuple[int, int]],
    numbers: Sequence[_Mark],
) -> list[_Mark]:
    found: list[_Mark] = []
    for at, (first, last) in enumerate(sentences):
        start = first - offset
        end = min([last - offset, *(begin for begin, _, _ in numbers if begin >= start)])
        words = text[start:end].strip() if start >= 0 else ""
        start = text.find(words, start) if words else -1
        end = start + len(words)
        if start >= 0 and not _breaks_mark(words) and not _crosses(start, end, closed, [*numbers, *found]):
            found.append((start, end, mark(words, at)))
    return found


def _with_marks(text: str, marks: Sequence[_Mark]) -> str:
    made, last = [], 0
    for start, end, instead in sorted(marks):
        made += [text[last:start], instead]
        last = end
    return "".join([*made, text[last:]])


def _crosses(start: int, end: int, closed: Sequence[tuple[int, int]], marks: Sequence[_Mark]) -> bool:
    return any(a < end and start < b for a, b in [*closed, *((one[0], one[1]) for one in marks)])


def _breaks_mark(words: str) -> bool:
    """Return whether these words cannot be the text of a link in Markdown."""
    return "[" in words or "]" in words or bool(words.count("*") % 2 or words.count("_") % 2) or "\n" in words
