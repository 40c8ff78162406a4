"""Results for the grid and for downloads. They never change under their hash, so a page that was read is kept."""

import pandas as pd
import streamlit as st

from engine.rendering.plans import FileRef
from engine.views.results import ResultPage
from ui.shared import app

__all__ = ["SHOWN_ROWS", "as_csv", "first_rows", "read_bytes"]

SHOWN_ROWS = 1000
"""Rows of a result that a card loads; the downloads hold all."""


def read_bytes(chat_id: str, file: FileRef) -> bytes:
    """A planned file's bytes, by hash."""
    return app().workspace.read(chat_id, file.sha256)


def first_rows(chat_id: str, file: FileRef) -> tuple[pd.DataFrame, int]:
    """The first rows of a result, and how many there are in all."""
    page = _page(chat_id, file.sha256)
    frame = pd.DataFrame(page.rows, columns=[name for name, _ in page.columns])
    for name, kind in page.columns:
        if kind == "DATE":
            frame[name] = pd.to_datetime(frame[name], errors="coerce").dt.date
        elif kind.startswith("TIMESTAMP"):
            frame[name] = pd.to_datetime(frame[name], errors="coerce")
    return frame, page.total


@st.cache_data(max_entries=200, show_spinner=False)
def _page(chat_id: str, sha256: str) -> ResultPage:
    return app().results.page(chat_id, sha256, SHOWN_ROWS)


def as_csv(chat_id: str, file: FileRef) -> bytes:
    """The whole of a result as CSV."""
    return app().results.csv(chat_id, file.sha256)
