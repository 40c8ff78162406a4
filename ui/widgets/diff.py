"""Two versions of a text, line by line: what went and what came, with words and signs beside the colours."""

import difflib
from collections.abc import Iterator

import streamlit as st

from ui.words import count, escape

__all__ = ["diff", "diff_html"]

_LINES = 2_000
_AROUND = 3


def diff(before: str, after: str, title: str) -> None:
    """Draw what turns `before` into `after`."""
    st.html(diff_html(before, after, title))


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


def _rows(before: list[str], after: list[str]) -> Iterator[tuple[str, str]]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=len(before) + len(after) > 4_000)
    for number, group in enumerate(matcher.get_grouped_opcodes(_AROUND)):
        if number:
            yield "…", ""
        for kind, first, last, start, end in group:
            if kind == "equal":
                yield from ((" ", line) for line in before[first:last])
            else:
                yield from (("−", line) for line in before[first:last])
                yield from (("+", line) for line in after[start:end])
