"""Removes the sentence that contains a number from the text of an answer. Pure."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.numbers.passages import ends_sentence, passages
from engine.views.reports.markdown_html import markdown_reader
from events.late_dataclass import dataclass

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["without_sentence"]

_BULLET = re.compile(r"\s*•\s+")
_ITEM = re.compile(r"([ \t>]*)(\d{1,9})([.)])(?=[ \t])")
"""The mark of an item of a numbered list."""
_BREAK = re.compile(r"(?:\\|[ \t]+)?\r?\n")
_HARD_BREAK = re.compile(r"(?:\\|[ \t]{2,})\r?$")
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
_TAG = re.compile(r"<(/?)[A-Za-z]")


def without_sentence(text: str, at: int) -> str | None:
    """Return a Markdown text without the sentence at a place. A list item is removed together with its only sentence.

    Returns None if that is not possible: if the sentence is in a table cell or continues on another line, if bold,
    code, a link or brackets continue in the next sentence, if the rest would become other blocks, or if no text would
    be left.
    """
    passage = next((one for one in passages(text) if one.start <= at < one.end), None)
    if passage is None or passage.cells:
        return None
    env: dict[str, Any] = {}
    blocks = markdown_reader().parse(text, env)
    line = _line_of(text, at, blocks)
    if line is None:
        return None
    first, last = max(passage.start, line.lead), min(passage.end, line.end)
    before, after = text[line.lead : first].rstrip(), text[last : line.end].strip()
    sentence = text[first:last].strip()
    ending = text[first : line.next].rstrip("\n") if not after else ""
    if not _is_whole(sentence, ending, line, begins=not before):
        return None
    above, below = "\n".join([*line.above, line.bullet + before]), "\n".join([after, *line.below])
    if _inline(line.content, env) != _joined((above, sentence, below), env):
        return None
    if before or after:
        kept = text[: line.lead] + before + (" " if before and after else "") + after + text[line.end :]
    else:
        rest = _renumbered(text[line.next :], text[line.begin : line.next])
        kept = _without_line(text[: line.begin], rest)
        above = "\n".join([*line.above, ""])
    left = _joined((above, below), env)
    return kept if kept.strip() and _has_same_blocks(blocks, kept, left, env) else None


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a text, and the paragraph, heading or item that it belongs to."""

    begin: int
    lead: int
    """The index at which the line's words begin, after list markers and quote markers."""
    end: int
    """The index at which the line's words end, before characters that mark a line break."""
    next: int
    content: str
    """The words of the whole paragraph."""
    bullet: str
    """The bullet character at the beginning, if it is not a list marker in Markdown; else ""."""
    above: Sequence[str]
    below: Sequence[str]


def _line_of(text: str, at: int, blocks: "Sequence[Token]") -> _Line | None:
    """Return the line at a place; None if the place is in code, or if the parsed words differ from the written text."""
    number = text.count("\n", 0, at)
    block = next(
        (one for one in blocks if one.type == "inline" and one.map and number in range(*one.map)), None
    )
    if block is None or block.map is None:
        return None
    lines = block.content.split("\n")
    own = number - block.map[0]
    if own >= len(lines):
        return None
    begin = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    words = lines[own].strip()
    written = text[begin:end].rstrip()
    if not written.endswith(words):
        return None
    lead = begin + len(written) - len(words)
    bullet = _BULLET.match(text, lead, end)
    hard = _HARD_BREAK.search(text, lead, end)
    mark = bullet[0] if bullet else ""
    return _Line(
        begin,
        lead + len(mark),
        hard.start() if hard else end,
        end + 1,
        block.content,
        mark,
        lines[:own],
        lines[own + 1 :],
    )


def _is_whole(sentence: str, ending: str, line: _Line, *, begins: bool) -> bool:
    """Return whether a sentence begins and ends in its line, and closes every bracket, quotation mark and tag that it
    opens.

    `begins` says whether it is the line's first sentence. If it is the line's last sentence, `ending` is its text with
    the characters that mark a line break.
    """
    if begins and line.above and not _ends(line.above[-1], bool(line.bullet)):
        return False
    if ending and line.below and not _ends(ending, bool(_BULLET.match(line.below[0]))):
        return False
    tags = _TAG.findall(sentence)
    return (
        all(sentence.count(opened) == sentence.count(closed) for opened, closed in _PAIRS)
        and sentence.count('"') % 2 == 0
        and tags.count("/") * 2 == len(tags)
    )


def _ends(words: str, next_is_item: bool) -> bool:
    return next_is_item or ends_sentence(words) or _HARD_BREAK.search(words) is not None


def _inline(content: str, env: dict[str, Any]) -> str:
    """Return the words as HTML on one line."""
    rendered: str = markdown_reader().renderInline(_BREAK.sub("\n", content).strip(), env)
    return " ".join(rendered.split())


def _joined(parts: Sequence[str], env: dict[str, Any]) -> str:
    return " ".join(filter(None, (_inline(part, env) for part in parts)))


def _has_same_blocks(blocks: "Sequence[Token]", kept: str, left: str, env: dict[str, Any]) -> bool:
    """Return whether the text `kept` has the same blocks as before, except that one block now has the words `left` or
    is missing.
    """
    old, new = ([(one.type, one.level, one.content) for one in tokens] for tokens in (blocks, _blocks(kept)))
    same = next(
        (at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
    )
    if len(old) == len(new):
        changed = [at for at in range(same, len(old)) if old[at] != new[at]]
        return len(changed) == 1 and new[same][0] == "inline" and _inline(new[same][2], env) == left
    gone = len(old) - len(new)
    return gone > 0 and any(
        old[at + gone :] == new[at:] and _is_balanced(blocks[at : at + gone]) for at in range(same, -1, -1)
    )


def _blocks(text: str) -> "Sequence[Token]":
    return markdown_reader().parse(text)


def _is_balanced(blocks: "Sequence[Token]") -> bool:
    """Return whether every block that opens also closes, and none closes before it opens."""
    depth = 0
    for one in blocks:
        depth += one.nesting
        if depth < 0:
            return False
    return depth == 0


def _renumbered(after: str, removed: str) -> str:
    """Return the text after a removed item of a numbered list, with the following items' numbers lowered by one."""
    item = _ITEM.match(removed)
    if item is None:
        return after
    lines, number = after.split("\n"), int(item[2])
    for at, text in enumerate(lines):
        found = _ITEM.match(text)
        if found is not None and found.group(1, 3) == item.group(1, 3) and int(found[2]) == number + 1:
            lines[at] = f"{found[1]}{number}{found[3]}{text[found.end() :]}"
            number += 1
        elif text.strip() and not text.startswith(f"{item[1]} "):
            break
    return "\n".join(lines)


def _without_line(before: str, after: str) -> str:
    """Return both parts joined, without leaving two empty lines in place of the removed line."""
    if not before.strip() or before.endswith("\n\n"):
        after = after.lstrip("\n")
    return before + after
