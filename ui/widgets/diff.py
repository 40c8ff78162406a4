"""Two versions of a text, line by line; removed and added lines are marked by words and signs as well as colours."""

import difflib
import re
from collections.abc import Iterator
from hashlib import sha256

import streamlit as st

from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.line_diff import same_lines
from ui.words import count, escape

__all__ = ["diff", "diff_html"]

_LINES = 2_000
_AROUND = 3
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_MOST_WORDS = 200
_ALIKE = 0.5
"""How much of two lines must be the same for their words to be marked."""
_drawn = OwnerCache[str](8)
"""Remembered diffs, because the same ones are drawn at each run of the page."""


def diff(before: str, after: str, title: str) -> None:
    """Draw the changes from `before` to `after`."""
    texts = tuple(sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (before, after))
    st.html(_drawn.get(app(), (*texts, title), lambda: diff_html(before, after, title)))


def diff_html(before: str, after: str, title: str) -> str:
    """Return the changes from `before` to `after` as HTML."""
    rows = list(_rows(before.splitlines(), after.splitlines()))
    added = sum(sign == "+" for sign, _ in rows)
    removed = sum(sign == "−" for sign, _ in rows)
    if not added and not removed:
        return f'<p class="ab-empty">{escape(title)}: no differences.</p>'
    lines = "".join(
        f'<div class="{_CLASS[sign]}"><i>{sign}</i><span>{text or " "}</span></div>'
        for sign, text in rows[:_LINES]
    )
    more = f'<p class="ab-empty">{len(rows) - _LINES:,} more lines.</p>' if len(rows) > _LINES else ""
    told = f"{escape(title)} · {count(added, 'line')} added, {removed:,} removed"
    return f'<p class="ab-empty">{told}</p><div class="ab-diff">{lines}</div>{more}'


_CLASS = {"+": "added", "−": "removed", " ": "same", "…": "gap"}


class _Matcher(difflib.SequenceMatcher[str]):
    """Groups differences as `difflib` does, from blocks of equal lines that `same_lines` found."""

    def __init__(self, before: list[str], after: list[str]) -> None:
        super().__init__(None, before, after)
        self._both = before, after

    def get_matching_blocks(self) -> list[difflib.Match]:
        """Return the blocks of `same_lines`, followed by the block that marks the end."""
        before, after = self._both
        return [difflib.Match(*block) for block in (*same_lines(before, after), (len(before), len(after), 0))]


def _rows(before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the sign and the HTML of each line."""
    groups = _Matcher(before, after).get_grouped_opcodes(_AROUND)
    for number, group in enumerate(groups):
        if number:
            yield "…", ""
        for kind, first, last, start, end in group:
            if kind == "equal":
                yield from ((" ", escape(line)) for line in before[first:last])
            elif kind == "replace" and last - first == end - start:
                pairs = [
                    _marked(old, new) for old, new in zip(before[first:last], after[start:end], strict=True)
                ]
                for old, new in pairs:
                    yield "−", old
                    yield "+", new
            else:
                yield from (("−", escape(line)) for line in before[first:last])
                yield from (("+", escape(line)) for line in after[start:end])


def _marked(before: str, after: str) -> tuple[str, str]:
    """Return two versions of a line as HTML, with the words that differ marked, unless most words differ."""
    old, new = (_WORDS.findall(line) for line in (before, after))
    if max(len(old), len(new)) > _MOST_WORDS:
        return escape(before), escape(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return escape(before), escape(after)
    made: tuple[list[str], list[str]] = ([], [])
    for kind, first, last, start, end in matcher.get_opcodes():
        for html, words in zip(made, (old[first:last], new[start:end]), strict=True):
            text = escape("".join(words))
            html.append(text if kind == "equal" or not text else f"<mark>{text}</mark>")
    return "".join(made[0]), "".join(made[1])
