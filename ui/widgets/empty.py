"""The start of a new chat: the sample data, suggested questions, and a note about the offline analyst."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import streamlit as st

from engine.commands.catalog import Upload
from engine.config import sample_data
from engine.views.model_info import opening_questions
from engine.workspace.table_facts import TableProfile
from ui.widgets.suggested_questions import to_click
from ui.words import count, escape, size

__all__ = ["SAMPLE_QUESTIONS", "empty", "sample_uploads", "suggestions"]

SAMPLE_QUESTIONS = (
    "Which region has the highest revenue?",
    "Show the revenue per month as a line chart",
    "Top 5 products by revenue",
)
"""Questions about the sample data, before it is in any chat."""


@cache
def _samples() -> tuple[Path, ...]:
    return tuple(sorted(sample_data().glob("*.csv")))


def sample_uploads() -> list[Upload]:
    """Return the sample files as uploads for a chat."""
    return [Upload(path.name, path) for path in _samples()]


def empty(*, with_sample: bool, on_pick: Callable[[str], None]) -> None:
    """Draw the page on which a new chat begins."""
    chips = "".join(
        f'<span class="ab-chip">{escape(path.name)}<small>{size(path.stat().st_size)}</small></span>'
        for path in _samples()
    )
    told = "sample data, ready for questions" if with_sample else "sample data, used by these questions"
    st.html(
        '<div class="ab-hero"><h1>What do you want to know?</h1>'
        "<p>Drop in a CSV, Parquet, JSON or Excel file and ask in your own words, or start with the sample: "
        f'two years of coffee orders.</p><div class="ab-chips">{chips}<span class="ab-note">{told}</span></div></div>'
    )
    suggestions(SAMPLE_QUESTIONS, on_pick)


def suggestions(questions: Sequence[str], on_pick: Callable[[str], None]) -> None:
    """Draw questions to click, and a note that the offline analyst answers them."""
    to_click(questions, on_pick)
    st.html('<p class="ab-note">Answered here by the offline analyst: no key, no network.</p>')


def welcome(tables: Sequence[TableProfile], files: int, on_pick: Callable[[str], None]) -> None:
    """Draw the page of a chat that has files but no question yet."""
    named = ", ".join(f"{table.path} ({count(table.rows, 'row')})" for table in tables[:3])
    several = len(tables[:3]) > 1 if tables else files != 1
    st.html(
        '<div class="ab-hero"><h1>What do you want to know?</h1>'
        f"<p>{escape(named) if named else count(files, 'file')} {'are' if several else 'is'} ready.</p></div>"
    )
    if tables:
        suggestions(opening_questions(tables), on_pick)
