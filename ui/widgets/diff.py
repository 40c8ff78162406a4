"""Two versions of a text, line by line: what went and what came, with words and signs beside the colours."""

import difflib
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
_drawn = OwnerCache[str](8)
"""The same ones are drawn at each run of the page."""


def diff(before: str, after: str, title: str) -> None:
    """Draw what turns `before` into `after`."""
    texts = tuple(sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (before, after))
    st.html(_drawn.get(app(), (*texts, title), lambda: diff_html(before, after, title)))


def diff_html(before: str, after: str, title: str) -> str:
    """The same as HTML."""
    rows = list(_rows(before.splitlines(), after.splitlines()))
    added = sum(sign == "+" for sign, _ in rows)
    removed = sum(sign == "−" for sign, _ in rows)
    if not added and not removed:
        return f'<p class="ab-empty">{escape(title)}: nothing differs.</p>'
    lines = "".join(
        f'<div class="{_CLASS[sign]}"><i>{sign}</i><span>{escape(text) or " "}</span></div>'
        for sign, text in rows[:_LINES]
    )
    more = f'<p class="ab-empty">{len(rows) - _LINES:,} more lines.</p>' if len(rows) > _LINES else ""
    told = f"{escape(title)} · {count(added, 'line')} added, {removed:,} removed"
    return f'<p class="ab-empty">{told}</p><div class="ab-diff">{lines}</div>{more}'


_CLASS = {"+": "added", "−": "removed", " ": "same", "…": "gap"}


class _Matcher(difflib.SequenceMatcher[str]):
    """Groups what differs as `difflib` does, by blocks that were found elsewhere."""

    def __init__(self, before: list[str], after: list[str]) -> None:
        super().__init__(None, before, after)
        self._both = before, after

    def get_matching_blocks(self) -> list[difflib.Match]:
        """Those of `same_lines`, and the end."""
        before, after = self._both
        return [difflib.Match(*block) for block in (*same_lines(before, after), (len(before), len(after), 0))]


def _rows(before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    groups = _Matcher(before, after).get_grouped_opcodes(_AROUND)
    for number, group in enumerate(groups):
        if number:
            yield "…", ""
        for kind, first, last, start, end in group:
            if kind == "equal":
                yield from ((" ", line) for line in before[first:last])
            else:
                yield from (("−", line) for line in before[first:last])
                yield from (("+", line) for line in after[start:end])
