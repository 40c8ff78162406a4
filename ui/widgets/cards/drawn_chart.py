"""Draws charts on the page: from a plan's specification, or from one that the page makes."""

from collections.abc import Sequence
from typing import Any, Literal

import streamlit as st

from engine.errors import AnabranchError
from engine.rendering.charts.theme import Theme, chart_config
from engine.rendering.plans import ChartPlan
from engine.rendering.rows import MOST_DRAWN, drawn_rows
from engine.rendering.safety import chart_danger
from engine.rendering.tooltips import without_pictures
from engine.views.results import ResultPage, TableSource
from events.json_value import JSONObject
from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.cards.card import file_name
from ui.widgets.failure import failure
from ui.widgets.files import page_of, source_of
from ui.words import escape

__all__ = ["draw_chart", "draw_spec", "given_rows", "rows_of_chart", "say", "unread"]

_HEIGHT = 320
_DRAWN_AS_SHAPES = 2_000
"""Up to this many points, the browser draws a chart as SVG; it paints larger charts on a canvas."""


def given_rows(plan: ChartPlan) -> list[JSONObject]:
    """Return the rows that a chart draws, if its plan contains them."""
    given = plan.spec.get("data")
    values = plan.data or (given.get("values") if isinstance(given, dict) else None)
    whole = isinstance(values, list | tuple) and all(isinstance(row, dict) for row in values)
    return list(values) if whole and values else []  # type: ignore[arg-type] # each was checked above


def rows_of_chart(plan: ChartPlan, chat_id: str) -> list[JSONObject]:
    """Return the rows that a chart draws, from its plan or its file.

    Raises:
        AnabranchError: the file cannot be read as a table, or is no longer stored.
    """
    if plan.file is None:
        return given_rows(plan)
    page = _first_rows(source_of(chat_id, plan.file))
    return drawn_rows([name for name, _ in page.columns], page.rows)


def unread(error: AnabranchError) -> None:
    """Show that a chart's file cannot be read."""
    failure(
        "This chart's file cannot be read as a table.", f"{error.message} Run its tool again to recreate it."
    )


_first = OwnerCache[ResultPage](20)


def _first_rows(source: TableSource) -> ResultPage:
    page, engine = page_of(source), app()  # this raises an error if the file is no longer stored
    if page.total <= len(page.rows):
        return page
    return _first.get(engine, source, lambda: engine.results.page(source, MOST_DRAWN))


def draw_chart(plan: ChartPlan, key: str, chat_id: str) -> dict[str, Any] | None:
    """Draw the specification in a plan. It is checked here too, because a plan may come with an imported chat.

    Returns the specification with its data, for pictures of it; None if nothing is drawn.
    """
    rows, left = list(plan.data) if plan.data is not None else None, ""
    if plan.file is not None:
        try:
            page = _first_rows(source_of(chat_id, plan.file))
        except AnabranchError as error:
            unread(error)
            return None
        rows = drawn_rows([name for name, _ in page.columns], page.rows)
        if len(rows) < page.total:
            left = f"The first {len(rows):,} of {page.total:,} rows of {file_name(plan.file)} are drawn."
    danger = chart_danger(plan.spec, rows)  # type: ignore[arg-type] # a list of objects is JSON
    if danger:
        failure("This chart is not drawn.", f"It would load data from outside: {danger}.")
        return None
    spec: dict[str, Any] = dict(plan.spec)
    if rows is not None:
        spec["data"] = {"values": rows}
    titled = dict(spec)
    if plan.title:
        spec.pop("title", None)
    draw_spec(spec, plan.title or "Chart", key)
    said = [*plan.notes, *([left] if left else [])]
    if said:
        say(said)
    return titled


def say(sentences: Sequence[str]) -> None:
    """Draw the line below a chart that says which data is drawn and which is left out."""
    st.html(f'<p class="ab-empty">{escape(" ".join(sentences))}</p>')


def draw_spec(spec: dict[str, Any], title: str, key: str) -> None:
    """Draw a specification that contains its data, in our theme; `title` is for screen readers."""
    spec = without_pictures(spec)
    given = spec.get("config")
    values = spec["data"].get("values") if isinstance(spec.get("data"), dict) else None
    shapes = not isinstance(values, list) or len(values) <= _DRAWN_AS_SHAPES
    theme: Theme = "dark" if st.context.theme.type == "dark" else "light"
    drawn = spec | {
        "background": "transparent",
        "config": chart_config(theme) | (given if isinstance(given, dict) else {}),
        "usermeta": {"embedOptions": {"renderer": "svg" if shapes else "canvas", "actions": False}},
    }
    unit = "mark" in spec or "layer" in spec
    height: int | Literal["content"] = _HEIGHT if unit else "content"
    st.vega_lite_chart(spec=drawn, width="stretch", height=height, theme=None, key=f"chart-{key}", alt=title)
