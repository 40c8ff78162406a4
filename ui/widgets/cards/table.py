"""A table's card: its rows, its SQL, its downloads."""

import re
from pathlib import PurePosixPath
from typing import Literal

import pandas as pd
import streamlit as st

from engine.rendering.plans import TablePlan
from engine.views.chat import CallView
from ui.widgets.cards.card import choose_face, foot, heading
from ui.widgets.files import SHOWN_ROWS, as_csv, first_rows, read_bytes
from ui.words import count

__all__ = ["table_card"]

_ROW = 30
_PLAIN = re.compile(r"(?i)(year|(^|_)(id|code|zip|hour|week))(_|$)")
"""Columns whose numbers are names: they get no thousands separators."""
_MOST_ROWS = 10


def table_card(chat_id: str, call: CallView, plan: TablePlan, key: str) -> None:
    """Draw it."""
    frame, rows = _rows_of(chat_id, plan)
    note = f"{count(rows, 'row')} · {count(len(frame.columns), 'column')}"
    with st.container(key=f"card-{key}"):
        with st.container(key=f"cardhead-{key}", horizontal=True, vertical_alignment="center"):
            st.html(heading(plan.title or "Result", note), width="stretch")
            face = choose_face(["Data", "SQL"] if plan.sql else ["Data"], key)
            _downloads(chat_id, plan, key)
        with st.container(key=f"cardbody-{key}"):
            if face == "SQL" and plan.sql:
                st.code(plan.sql, language="sql", wrap_lines=True)
            else:
                _grid(frame, rows, key)
        st.html(foot(call, plan.shown_to_model, rows))


def _downloads(chat_id: str, plan: TablePlan, key: str) -> None:
    if plan.file is None:
        return
    stem = PurePosixPath(plan.file.path).stem
    file = plan.file
    with st.popover("", icon=":material/download:", key=f"downloads-{key}", help="Download", type="tertiary"):
        st.download_button(
            "CSV",
            lambda: as_csv(chat_id, file),
            f"{stem}.csv",
            "text/csv",
            key=f"csv-{key}",
            on_click="ignore",
            width="stretch",
        )
        st.download_button(
            "Parquet",
            lambda: read_bytes(chat_id, file),
            f"{stem}.parquet",
            "application/vnd.apache.parquet",
            key=f"parquet-{key}",
            on_click="ignore",
            width="stretch",
        )


def _grid(frame: pd.DataFrame, rows: int, key: str) -> None:
    if frame.empty:
        st.html('<p class="ab-note" style="padding:.6rem .75rem;margin:0">No rows.</p>')
        return
    height: int | Literal["content"] = "content" if len(frame) <= _MOST_ROWS else _ROW * (_MOST_ROWS + 1) + 8
    config = {
        name: st.column_config.NumberColumn(format="localized")
        for name in frame.columns
        if pd.api.types.is_numeric_dtype(frame[name]) and not _PLAIN.search(str(name))
    }
    st.dataframe(
        frame,
        hide_index=True,
        height=height,
        row_height=_ROW,
        column_config=config,
        key=f"grid-{key}",
        lazy=False,
    )
    if rows > len(frame):
        st.html(
            f'<p class="ab-note" style="padding:.3rem .75rem;margin:0">The first {SHOWN_ROWS:,} of '
            f"{rows:,} rows; the downloads hold all of them.</p>"
        )


def _rows_of(chat_id: str, plan: TablePlan) -> tuple[pd.DataFrame, int]:
    if plan.file is not None:
        return first_rows(chat_id, plan.file)
    rows = [list(row) for row in plan.rows or ()]
    return pd.DataFrame(rows, columns=list(plan.columns) if plan.columns else None), len(rows)
