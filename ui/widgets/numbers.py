"""The numbers of an answer on the page: marked in its text, and counted below it."""

import re
from collections import Counter
from collections.abc import Sequence

import streamlit as st

from engine.numbers.claims import JudgedSentence
from engine.views.answer_number import AnswerNumber
from engine.views.chat import ChatView
from engine.views.numbers import whole_answer
from engine.views.placement import CODE, Piece, Words
from ui.acts import once
from ui.current_app import app
from ui.widgets.rerun_task import begin_rerun
from ui.words import count, escape

__all__ = ["MARKED", "is_marked", "marked", "numbers_line", "reread", "sentence_anchor"]

MARKED = ("exact", "derived", "unbacked", "stale")
"""The statuses that are marked where a number stands."""
_LONGEST_QUOTE = 160
_LINKED = re.compile(
    r"!?\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\](?:\([^)\n]*\)|\[[^\]\n]*\])|^\s{0,3}\[[^\]\n]+\]:.*$|\[\^[^\]\n]+\]"
    r"|(?:https?://|www\.)\S+|<[^>\n]*>|\$[^$\n]+\$(?=\D|$)|\\\(.*?\\\)|``.*?``|^(?: {4}|\t).*$",
    re.MULTILINE,
)
"""Where a link would break what stands there: links, addresses, tags, formulas and code."""


def is_marked(one: AnswerNumber) -> bool:
    """Return whether a number is marked, and opens its panel: also one that the user vouched for."""
    return one.status in MARKED or one.vouched


def marked(
    answer: str,
    pieces: Sequence[Piece],
    message_id: str,
    numbers: Sequence[AnswerNumber],
    sentences: Sequence[JudgedSentence] = (),
) -> list[Piece]:
    """Return the pieces of an answer with each traced number as a link that opens where it came from.

    After the calls ran again, an old number is struck out before the one that is in its place now, and a sentence that
    no longer follows is a link to what is the case instead.
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
        shown.append(Words(_with_links(piece.text, start, message_id, numbers, sentences)))
    return shown


def _with_links(
    text: str,
    offset: int,
    message_id: str,
    numbers: Sequence[AnswerNumber],
    sentences: Sequence[JudgedSentence],
) -> str:
    closed = [found.span() for found in (*CODE.finditer(text), *_LINKED.finditer(text))]
    links: list[tuple[int, int, str]] = []
    for one in numbers:
        start, end = one.traced.mention.start - offset, one.traced.mention.end - offset
        if start < 0 or end > len(text) or not is_marked(one) or _crosses(start, end, closed, links):
            continue
        slashes = len(text[:start]) - len(text[:start].rstrip("\\"))
        start -= slashes % 2  # of "\\$100": what is escaped goes into the link with its backslash
        words = text[start:end]
        if _breaks_link(words):
            continue
        target = f"(#number-{one.status}-{message_id}-{one.place})"
        links.append(
            (start, end, f"~~{words}~~ [**{one.now}**]{target}" if one.was else f"[{words}]{target}")
        )
    for at, sentence in enumerate(_broken(sentences)):
        start, end = sentence.start - offset, sentence.end - offset
        end = min([end, *(first for first, _, _ in links if first >= start)])
        words = text[max(start, 0) : end].strip()
        start = text.find(words, max(start, 0)) if words and start >= 0 else -1
        if start < 0 or _breaks_link(words) or _crosses(start, start + len(words), closed, links):
            continue
        links.append((start, start + len(words), f"[{words}](#{sentence_anchor(message_id, at)})"))
    made, last = [], 0
    for start, end, link in sorted(links):
        made += [text[last:start], link]
        last = end
    return "".join([*made, text[last:]])


def _crosses(
    start: int, end: int, closed: Sequence[tuple[int, int]], links: Sequence[tuple[int, int, str]]
) -> bool:
    return any(a < end and start < b for a, b in [*closed, *((one[0], one[1]) for one in links)])


def _breaks_link(words: str) -> bool:
    """Whether Markdown would not read these words as the text of one link."""
    return "[" in words or "]" in words or bool(words.count("*") % 2 or words.count("_") % 2) or "\n" in words


def _broken(sentences: Sequence[JudgedSentence]) -> list[JudgedSentence]:
    return [one for one in sentences if not one.follows]


def sentence_anchor(message_id: str, at: int) -> str:
    """Return the id of the note on a sentence that no longer follows."""
    return f"sentence-{message_id}-{at}"


def numbers_line(view: ChatView, message_id: str, answer: str, numbers: Sequence[AnswerNumber]) -> None:
    """Say under an answer how many of its numbers are traced; the words are those of the marks.

    If files below them have changed since, name the files and offer to run the calls again.
    """
    counts = Counter(one.status for one in numbers if one.status in MARKED)
    total = counts.total()
    if not total:
        return
    backed = counts["exact"] + counts["derived"]
    parts = [
        f"{backed} of {count(total, 'number')} traced"
        if backed < total
        else f"{count(total, 'number')} traced"
    ]
    legend = (
        ("exact", "in a result"),
        ("derived", "calculated"),
        ("stale", "out of date"),
        ("unbacked", "not in any result"),
    )
    parts += [
        f'<span class="ab-number {status}">{counts[status]}</span> {words}'
        for status, words in legend
        if counts[status] and backed < total
    ]
    if not whole_answer(answer, numbers):
        parts.append(f"Only the first {len(numbers):,} numbers of this long answer were looked at.")
    st.html(f'<div class="ab-numbers">{" &nbsp; ".join(parts)}</div>')
    changed = sorted({path for one in numbers for path in one.changed})
    if changed:
        _changed_files(view, message_id, changed)


def _changed_files(view: ChatView, message_id: str, changed: Sequence[str]) -> None:
    more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
    verb = "has" if len(changed) == 1 else "have"
    told = (
        f"{', '.join(changed[:3])}{more} {verb} changed since this answer, so its numbers may be out of date."
    )
    with st.container(key=f"changed-{message_id}", horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="ab-warning">{escape(told)}</div>')
        st.button(
            "Run again",
            key=f"refresh-{message_id}",
            help="Run the calls of this branch again from the files of now, on a new branch. No model is asked.",
            on_click=once("rerun", _refresh),
            args=(view.chat_id, message_id),
        )


def _refresh(chat_id: str, message_id: str) -> None:
    command = app().refreshed(chat_id, message_id)
    if command is None:
        st.toast("These files were made by calls. Ask the question again to compute them anew.")
    else:
        begin_rerun(command)


def reread(message_id: str, numbers: Sequence[AnswerNumber], sentences: Sequence[JudgedSentence]) -> None:
    """Say under an answer whose results changed which sentences no longer follow, and what was not updated."""
    for at, one in enumerate(_broken(sentences)):
        quoted = one.text if len(one.text) <= _LONGEST_QUOTE else one.text[: _LONGEST_QUOTE - 1] + "…"
        st.html(
            f'<div class="ab-sentence" id="{sentence_anchor(message_id, at)}"><b>“{escape(quoted.strip("*_ "))}” '
            f"no longer follows.</b> {escape(one.now)}</div>"
        )
    lost = dict.fromkeys(one.traced.mention.text for one in numbers if one.lost)
    told = "The words are those of the answer before the calls ran again; its numbers are updated from their cells."
    if lost:
        told += f" Not updated, because they cannot be read or computed again: {', '.join(lost)}."
    st.html(f'<div class="ab-warning ab-reread">{escape(told)}</div>')
