"""A card's ↓ menu: the whole table in other formats, the chart as a picture, the first rows as Markdown."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any, Literal

import streamlit as st

from engine.errors import AnabranchError
from engine.rendering.charts.renderer import ChartFailed, Kind, NoRenderer, Picture
from engine.views.results import ResultPage, TableSource
from ui.components.copy_text.component import copy_text
from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.failure import failure
from ui.widgets.files import page_of
from ui.words import unseen

__all__ = ["as_cells", "as_markdown", "downloads", "picture_of"]

_SCALE = 2.0
"""Pixels of a PNG for each point."""
_MARKDOWN_ROWS = 50
_MOST_EXCEL = 1_048_575
"""How many rows a sheet can contain below its heading."""

_KINDS: tuple[tuple[str, Literal["csv", "excel", "parquet"], str, str], ...] = (
    ("CSV", "csv", "csv", "text/csv"),
    ("Excel", "excel", "xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("Parquet", "parquet", "parquet", "application/vnd.apache.parquet"),
)
_PICTURES: tuple[tuple[str, Kind], ...] = (("Chart as PNG", "png"), ("Chart as SVG", "svg"))
_COPIED_ROWS = 5_000
"""How many rows can be copied. All of them are sent to the browser each time that the menu is drawn."""
_drawn = OwnerCache[Picture](20)
_many = OwnerCache[ResultPage](5)


def downloads(
    name: str,
    key: str,
    *,
    source: TableSource | None,
    rows: int = 0,
    chart: Mapping[str, Any] | None = None,
) -> None:
    """Draw a card's download menu. The card shows the table `source` with `rows` rows, or the chart whose specification
    is `chart`.
    """
    if source is None and chart is None:
        return
    stem = PurePosixPath(name).stem or "result"
    menu = st.popover(
        unseen("Download"),
        icon=":material/download:",
        key=f"downloads-{key}",
        help="Download",
        type="tertiary",
        on_change="rerun",
    )
    if not menu.open:
        return
    with menu:
        if chart is not None:
            _pictures(chart, stem, key)
        if source is not None:
            _tables(source, stem, rows, key)


def _pictures(chart: Mapping[str, Any], stem: str, key: str) -> None:
    """Draw the buttons for a chart's pictures on a light background, drawn by the renderer that checked the chart."""
    try:
        with st.spinner("Drawing the picture…"):
            pictures = [(label, picture_of(chart, kind)) for label, kind in _PICTURES]
    except (ChartFailed, NoRenderer) as error:
        failure("The chart cannot be saved as a picture.", str(error))
        return
    for label, picture in pictures:
        st.download_button(
            label,
            picture.data,
            f"{stem}.{picture.kind}",
            picture.media_type,
            key=f"{picture.kind}-{key}",
            on_click="ignore",
            width="stretch",
        )


def picture_of(chart: Mapping[str, Any], kind: Kind) -> Picture:
    """Return a picture of a chart on a light background, a PNG with two pixels per point.

    Raises:
        ChartFailed, NoRenderer: it cannot be drawn; the message says why.
    """
    engine = app()
    text = json.dumps(chart, sort_keys=True, default=str)
    return _drawn.get(
        engine,
        (kind, sha256(text.encode()).hexdigest()),
        lambda: engine.charts.render(chart, theme="light", kind=kind, scale=_SCALE),
    )


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
    try:
        many = _many.get(app(), source, lambda: app().results.page(source, _COPIED_ROWS))
    except AnabranchError as error:
        failure("The rows cannot be read.", error.message)
        return
    names = [column for column, _ in many.columns]
    copy_text(as_cells(names, many.rows), key=f"cells-{key}", label="Copy for a spreadsheet")
    if many.total > len(many.rows):
        st.html(
            f'<p class="ab-note">“Copy for a spreadsheet” copies the first {len(many.rows):,} of {many.total:,} '
            "rows.</p>"
        )


def _written(source: TableSource, kind: Literal["csv", "excel", "parquet"]) -> Callable[[], bytes]:
    return partial(
        app().results.written, source, kind
    )  # called outside a run of the page, so the app is looked up here


def as_cells(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows in the format that spreadsheets accept from the clipboard: tabs between cells, a line for each row.

    A text that a spreadsheet would run as a formula gets an apostrophe in front, which marks it as text there.
    """

    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        if isinstance(value, str) and text[:1] in ("=", "+", "-", "@"):
            text = f"'{text}"
        return f'"{text.replace(chr(34), chr(34) * 2)}"' if any(sign in text for sign in '\t\n\r"') else text

    return "\n".join("\t".join(map(cell, row)) for row in (columns, *rows)) + "\n"


def as_markdown(columns: list[str], rows: "tuple[tuple[object, ...], ...]", total: int) -> str:
    """Return rows as a Markdown table, with a note about omitted rows below it."""

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
