"""The fields of the chart editor. Each shows its value from the draft and writes changes back."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import streamlit as st

from events.canonical import JSON
from ui import session
from ui.widgets.cards.chart_draft import FORMATS, Draft, Editing, kind_of_column, title_of_format

__all__ = [
    "Panel",
    "bins_field",
    "choice_field",
    "column_field",
    "format_field",
    "number_field",
    "range_field",
    "row",
    "rows_field",
    "several_field",
    "text_field",
]

_NONE = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """The editor of one card, for its controls."""

    key: str
    editing: Editing
    columns: Sequence[tuple[str, str]]
    """Name and DuckDB type of each column of the rows."""
    tables: Sequence[str]
    """The chat's tables, whose rows can be drawn instead."""
    change: Callable[[Draft, bool], None]
    """Called with the draft after a change, and whether other controls must be drawn anew."""
    over: Callable[[str | None], Draft]
    """Returns the draft over all rows of a table, or over those that it began with."""

    @property
    def draft(self) -> Draft:
        """The current draft."""
        return self.editing.draft

    def named(self, field: str) -> str:
        """Return the key of a control."""
        return f"ed-{field}-{self.key}-{self.editing.drawn}"

    def of_kind(self, *kinds: str) -> list[str]:
        """Return the columns of some kinds: number, time, text."""
        return [name for name, kind in self.columns if kind_of_column(kind) in kinds]

    def set(self, name: str, anew: bool = False) -> Callable[[], None]:
        """Return a function that writes a control's value to the draft."""

        def act() -> None:
            value = session.widget_value_or(self.named(name), None)
            self.change(self.draft.given(**{name: _plain(value)}), anew)

        return act


def _plain(value: Any) -> JSON:
    """A control's value as an argument: nothing for an empty one, whole numbers without a point."""
    if value in (_NONE, None):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() and math.isfinite(value) else value
    return list(value) if isinstance(value, tuple) else value


@contextmanager
def row(label: str, panel: Panel, name: str) -> Iterator[None]:
    """Draw a row of the controls with its label; its fields are drawn in the block."""
    with st.container(
        key=f"edrow-{name}-{panel.key}",
        horizontal=True,
        vertical_alignment="center",
        gap="xsmall",
        wrap=False,
    ):
        st.html(f'<span class="ab-edlabel" aria-hidden="true">{label}</span>', width=82)
        yield


def rows_field(panel: Panel) -> None:
    """Choose which rows are drawn: those that the chart began with, or all of a table of the chat."""
    begun = panel.editing.start
    options = [_NONE, *(name for name in panel.tables if name != begun.table)]
    here = panel.draft.table if panel.draft.table in options else _NONE

    def act() -> None:
        panel.change(panel.over(session.widget_value_or(panel.named("rows"), _NONE) or None), True)

    with row("Rows", panel, "rows"):
        st.selectbox(
            "Rows",
            options,
            index=options.index(here),
            format_func=lambda one: f"All of {one}" if one else "This result",
            key=panel.named("rows"),
            on_change=act,
            label_visibility="collapsed",
        )


def column_field(panel: Panel, name: str, label: str, names: Sequence[str], needed: bool = False) -> None:
    """Choose a column; one that the rows lack is said to be missing."""
    there = panel.draft.get(name)
    options = ([] if needed and there in names else [_NONE]) + [*names]
    if there and there not in options:
        options.append(str(there))
    kinds = dict(panel.columns)
    st.selectbox(
        label,
        options,
        index=options.index(str(there)) if there in options else 0,
        format_func=lambda one: (one if one in kinds else f"{one}, not there") if one else "none",
        key=panel.named(name),
        on_change=panel.set(name, anew=name in ("x", "y")),
        label_visibility="collapsed",
    )


def several_field(panel: Panel, label: str) -> None:
    """Choose several columns of numbers."""
    there = panel.draft.get("series")
    st.multiselect(
        label,
        panel.of_kind("number"),
        default=[one for one in (there if isinstance(there, list) else ()) if one in panel.of_kind("number")],
        key=panel.named("series"),
        on_change=panel.set("series"),
        label_visibility="collapsed",
    )


def choice_field(panel: Panel, name: str, label: str, ways: Mapping[Any, str]) -> None:
    """Choose one of a few ways."""
    there, options = panel.draft.get(name), list(ways)
    st.selectbox(
        label,
        options,
        index=options.index(there) if there in options else 0,
        format_func=lambda one: ways[one],
        key=panel.named(name),
        on_change=panel.set(name, anew=name == "aggregate"),
        label_visibility="collapsed",
    )


def text_field(panel: Panel, name: str, label: str, placeholder: str = "Automatic") -> None:
    """Type a text."""
    there = panel.draft.get(name)
    st.text_input(
        label,
        str(there or ""),
        key=panel.named(name),
        placeholder=placeholder,
        max_chars=120,
        on_change=panel.set(name),
        label_visibility="collapsed",
    )


def format_field(panel: Panel) -> None:
    """Choose how numbers look, or type a format of d3."""
    there = str(panel.draft.get("format") or "")
    options = [*FORMATS, *([there] if there not in FORMATS else [])]
    st.selectbox(
        "Format of numbers",
        options,
        index=options.index(there),
        format_func=title_of_format,
        accept_new_options=True,
        key=panel.named("format"),
        on_change=panel.set("format"),
        label_visibility="collapsed",
    )


def number_field(panel: Panel, name: str, label: str) -> None:
    """Type a number, or none."""
    there = panel.draft.get(name)
    st.number_input(
        label,
        value=float(there) if isinstance(there, int | float) else None,
        format="%g",
        placeholder="none",
        key=panel.named(name),
        on_change=panel.set(name),
        label_visibility="collapsed",
    )


def bins_field(panel: Panel) -> None:
    """Type how many bins a histogram has."""
    there = panel.draft.get("bins")
    st.number_input(
        "About how many bins",
        min_value=1,
        max_value=200,
        value=there if isinstance(there, int) else None,
        placeholder="20",
        key=panel.named("bins"),
        on_change=panel.set("bins"),
        label_visibility="collapsed",
    )


def range_field(panel: Panel) -> None:
    """Type both ends of the axis of numbers."""
    there = panel.draft.get("range")
    ends = list(there) if isinstance(there, list) and len(there) == 2 else [None, None]

    def act() -> None:
        low, high = (_plain(session.widget_value_or(panel.named(f"range{at}"), None)) for at in (0, 1))
        panel.change(
            panel.draft.given(range=[low, high] if low is not None and high is not None else None), False
        )

    for at, label in ((0, "Lowest number shown"), (1, "Highest number shown")):
        end = ends[at]
        st.number_input(
            label,
            value=float(end) if isinstance(end, int | float) else None,
            format="%g",
            placeholder=("from", "to")[at],
            key=panel.named(f"range{at}"),
            on_change=act,
            label_visibility="collapsed",
        )
