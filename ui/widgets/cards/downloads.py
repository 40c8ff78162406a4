"""A card's ↓ menu: the whole table in other formats, the chart as a picture, the first rows as Markdown."""

from collections.abc import Callable
from functools import partial
from pathlib import PurePosixPath
from typing import Literal

import streamlit as st

from engine.errors import AnabranchError
from engine.views.results import TableSource
from ui.components.chart_picture.component import chart_picture
from ui.components.copy_text.component import copy_text
from ui.shared import app
from ui.widgets.failure import failure
from ui.widgets.files import page_of

__all__ = ["as_markdown", "downloads"]

_MARKDOWN_ROWS = 50
_MOST_EXCEL = 1_048_575
"""Rows that a sheet can hold below its heading."""

_KINDS: tuple[tuple[str, Literal["csv", "excel", "parquet"], str, str], ...] = (
    ("CSV", "csv", "csv", "text/csv"),
    ("Excel", "excel", "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("Parquet", "parquet", "parquet", "application/vnd.apache.parquet"),
)


def downloads(name: str, key: str, *, source: TableSource | None, rows: int = 0, chart: bool = False) -> None:
    """Draw the menu of a card that shows the table `source`, of `rows` rows, or a chart just now."""
    if source is None and not chart:
        return
    stem = PurePosixPath(name).stem or "result"
    menu = st.popover(
        "",
        icon=":material/download:",
        key=f"downloads-{key}",
        help="Download",
        type="tertiary",
        on_change="rerun",
    )
    if not menu.open:
        return
    with menu:
        if chart:
            chart_picture(f"st-key-card-{key}", stem, key=f"picture-{key}")
        if source is not None:
            _tables(source, stem, rows, key)


def _tables(source: TableSource, stem: str, rows: int, key: str) -> None:
    for label, kind, ending, media_type in _KINDS:
        too_long = kind == "excel" and rows > _MOST_EXCEL
        st.download_button(
            label,
            _written(source, kind),
            f"{stem}.{ending}",
            media_type,
            key=f"{kind}-{key}",
            on_click="ignore",
            width="stretch",
            disabled=too_long,
            help=f"A sheet holds {_MOST_EXCEL:,} rows; this result has {rows:,}." if too_long else None,
        )
    try:
        page = page_of(source)
    except AnabranchError as error:
        failure("The rows cannot be read.", error.message)
        return
    text = as_markdown([column for column, _ in page.columns], page.rows[:_MARKDOWN_ROWS], page.total)
    copy_text(text, key=f"markdown-{key}", label="Copy as Markdown")


def _written(source: TableSource, kind: Literal["csv", "excel", "parquet"]) -> Callable[[], bytes]:
    return partial(
        app().results.written, source, kind
    )  # called where no page runs, so the app is looked up here


def as_markdown(columns: list[str], rows: "tuple[tuple[object, ...], ...]", total: int) -> str:
    """Rows as a Markdown table, with what is left out said below it."""

    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")

    lines = [line([cell(name) for name in columns]), line(["---"] * len(columns))]
    lines += [line([cell(value) for value in row]) for row in rows]
    if total > len(rows):
        lines += ["", f"The first {len(rows):,} of {total:,} rows."]
    return "\n".join(lines) + "\n"
