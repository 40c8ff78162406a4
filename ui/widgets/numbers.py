"""The numbers of an answer on the page: marked in its text, and counted below it."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from engine.views.chat import ChatView
from engine.views.number_marks import MARKED, marked
from engine.views.numbers import AnswerNumber, whole_answer
from engine.views.placement import Piece
from ui.acts import once
from ui.current_app import app
from ui.widgets.rerun_task import begin_rerun
from ui.words import count, escape

__all__ = ["linked", "numbers_line", "reread"]


def linked(
    answer: str, pieces: Sequence[Piece], message_id: str, numbers: Sequence[AnswerNumber]
) -> list[Piece]:
    """Return the pieces of an answer with each traced number as a link that opens where it came from."""
    return marked(
        answer,
        pieces,
        numbers,
        lambda words, one: f"[{words}](#number-{one.status}-{message_id}-{one.place})",
    )


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


def reread(chat_id: str, message_id: str) -> None:
    """Say above an old answer whose results changed what its numbers would be now."""
    found = app().reread_numbers(chat_id, message_id)
    moved = [
        f"{escape(one.text)} → <b>{escape(one.after or '')}</b>" for one in found if one.status == "moved"
    ]
    rest = [escape(one.text) for one in found if one.status in ("gone", "calculated")]
    told = (
        "This text was written before the calls ran again. The results below have changed; the text has not."
    )
    if moved:
        told += f" Now: {', '.join(dict.fromkeys(moved))}."
    if rest:
        told += f" To check yourself: {', '.join(dict.fromkeys(rest))}."
    st.html(f'<div class="ab-warning ab-reread">{told}</div>')
