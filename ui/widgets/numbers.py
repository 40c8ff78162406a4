"""The numbers of an answer on the page: marked in its text, and counted below it."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from engine.numbers.judged_sentence import JudgedSentence
from engine.views.answer_number import AnswerNumber
from engine.views.chat import ChatView
from engine.views.number_marks import MARKED, marked
from engine.views.numbers import whole_answer
from engine.views.placement import Piece
from engine.views.review_words import review_note
from ui.acts import once
from ui.current_app import app
from ui.widgets.rerun_task import begin_rerun
from ui.words import count, escape

__all__ = ["linked", "numbers_line", "reread", "sentence_anchor"]

_LONGEST_QUOTE = 160


def linked(
    answer: str,
    pieces: Sequence[Piece],
    message_id: str,
    numbers: Sequence[AnswerNumber],
    sentences: Sequence[JudgedSentence] = (),
) -> list[Piece]:
    """Return the pieces of an answer, with each traced number as a link that opens the number's origin.

    After the calls ran again, an old number is struck out before its new value, and a sentence that is no longer
    true is a link to the true statement.
    """

    def number(words: str, one: AnswerNumber) -> str:
        target = f"(#number-{one.status}-{message_id}-{one.place})"
        return f"~~{words}~~ [**{one.now}**]{target}" if one.was else f"[{words}]{target}"

    def sentence(words: str, at: int) -> str:
        return f"[{words}](#{sentence_anchor(message_id, at)})"

    broken = [(one.start, one.end) for one in _broken(sentences)]
    return marked(answer, pieces, numbers, number, broken, sentence)


def _broken(sentences: Sequence[JudgedSentence]) -> list[JudgedSentence]:
    return [one for one in sentences if not one.follows]


def sentence_anchor(message_id: str, at: int) -> str:
    """Return the id of the note on a sentence that is no longer true."""
    return f"sentence-{message_id}-{at}"


def numbers_line(view: ChatView, message_id: str, answer: str, numbers: Sequence[AnswerNumber]) -> None:
    """Show under an answer how many of its numbers are traced, in the same words as the marks.

    If files behind the numbers have changed since, name the files and offer to run the calls again.
    """
    counts = Counter(
        "refuted" if one.status == "unbacked" and one.traced.is_refuted else one.status
        for one in numbers
        if one.status in MARKED
    )
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
        ("unclear", "unclear"),
        ("unbacked", "not in any result"),
        ("refuted", "found wrong"),
    )
    parts += [
        f'<span class="ab-number {"unbacked" if status == "refuted" else status}">{counts[status]}</span> {words}'
        for status, words in legend
        if counts[status] and backed < total
    ]
    if note := review_note(view.reviews.get(message_id)):
        parts.append(escape(note))
    if not whole_answer(answer, numbers):
        parts.append(f"Only the first {len(numbers):,} numbers of this long answer were checked.")
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
            help="Run the tool calls of this branch again with the current files, on a new branch. No model is asked.",
            on_click=once("rerun", _refresh),
            args=(view.chat_id, message_id),
        )


def _refresh(chat_id: str, message_id: str) -> None:
    command = app().refreshed(chat_id, message_id)
    if command is None:
        st.toast("Tools made these files. Ask the question again to update its numbers.")
    else:
        begin_rerun(command)


def reread(message_id: str, numbers: Sequence[AnswerNumber], sentences: Sequence[JudgedSentence]) -> None:
    """List the sentences of an answer that the new results no longer support, and its numbers that were not updated."""
    for at, one in enumerate(_broken(sentences)):
        quoted = one.text if len(one.text) <= _LONGEST_QUOTE else one.text[: _LONGEST_QUOTE - 1] + "…"
        st.html(
            f'<div class="ab-sentence" id="{sentence_anchor(message_id, at)}"><b>“{escape(quoted.strip("*_ "))}” '
            f"is no longer true.</b> {escape(one.now)}</div>"
        )
    lost = dict.fromkeys(one.traced.mention.text for one in numbers if one.lost)
    told = "This is the earlier answer's text, with its numbers updated from the new results."
    if lost:
        told += f" Old numbers that could not be found or computed again: {', '.join(lost)}."
    st.html(f'<div class="ab-warning ab-reread">{escape(told)}</div>')
