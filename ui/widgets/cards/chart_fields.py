"""The fields of the chart editor. Each shows its value from the draft and writes changes back."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import streamlit as st

from events.json_value import JSON
from ui.widgets.cards.chart_draft import Draft, Editing, fitting, kind_of_column
from ui.widgets.cards.chart_held import Change, Held
from ui.widgets.cards.chart_options import FORMATS, title_of_format

__all__ = [
    "Panel",
    "bins_field",
    "choice_field",
    "column_field",
    "format_field",
    "number_field",
    "plain",
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
    """The chat's tables. Their rows can be drawn instead."""
    changed: Sequence[str]
    """The files that have changed since the chart was drawn."""
    held: Held
    change: Change
    over: Callable[[Draft, str | None], Draft]
    """Returns a draft over all rows of a table, or over the chart's original rows."""

    @property
    def draft(self) -> Draft:
        """The current draft."""
        return self.editing.draft

    def of_kind(self, *kinds: str) -> list[str]:
        """Return the columns of some kinds: number, time, text."""
        return [name for name, kind in self.columns if kind_of_column(kind) in kinds]

    def control(
        self, field: str, shown: Any, write: Callable[[Draft, Any], Draft] | None = None
    ) -> dict[str, Any]:
        """Return the key and the callback for a control that shows `shown`; see `Held.control`."""

        def given(draft: Draft, value: Any) -> Draft:
            return fitting(draft.given(**{field: plain(value)}), self.columns)

        return self.held.control(field, shown, write or given, self.change)


def plain(value: Any) -> JSON:
    """Return a control's value as an argument: None if it is empty, whole numbers without a decimal point."""
    if value in (_NONE, None, []):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() and math.isfinite(value) else value
    return list(value) if isinstance(value, tuple) else value


@contextmanager
def row(label: str, panel: Panel, name: str) -> Iterator[None]:
    """Draw a row of the controls with its label; the `with` block draws its fields."""
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
    """Draw the choice of rows for the chart: the chart's original rows, or all rows of a table of the chat."""
    begun = panel.editing.start
    options = [_NONE, *(name for name in panel.tables if name != begun.table)]
    here = panel.draft.table if panel.draft.table in options else _NONE

    with row("Rows", panel, "rows"):
        this = "This query, run again" if panel.changed else "This result"
        st.selectbox(
            "Rows",
            options,
            index=options.index(here),
            format_func=lambda one: f"All of {one}" if one else this,
            label_visibility="collapsed",
            **panel.control("rows", here, lambda draft, table: panel.over(draft, table or None)),
        )


def column_field(panel: Panel, name: str, label: str, names: Sequence[str], needed: bool = False) -> None:
    """Draw the choice of a column. A chosen column that the rows do not have is shown as missing."""
    there = panel.draft.get(name)
    options = ([] if needed and there in names else [_NONE]) + [*names]
    if there and there not in options:
        options.append(str(there))
    kinds, at = dict(panel.columns), options.index(str(there)) if there in options else 0
    st.selectbox(
        label,
        options,
        index=at,
        format_func=lambda one: (one if one in kinds else f"{one} (missing)") if one else "none",
        label_visibility="collapsed",
        **panel.control(name, options[at] if options else None),
    )


def several_field(panel: Panel, label: str) -> None:
    """Draw the choice of several columns with numbers."""
    there = panel.draft.get("series")
    chosen = [one for one in (there if isinstance(there, list) else ()) if one in panel.of_kind("number")]
    st.multiselect(
        label,
        panel.of_kind("number"),
        default=chosen,
        label_visibility="collapsed",
        **panel.control("series", chosen),
    )


def choice_field(panel: Panel, name: str, label: str, ways: Mapping[Any, str]) -> None:
    """Draw the choice of one of a few options; `ways` maps each option to its label."""
    there, options = panel.draft.get(name), list(ways)
    at = options.index(there) if there in options else 0
    st.selectbox(
        label,
        options,
        index=at,
        format_func=lambda one: ways[one],
        label_visibility="collapsed",
        **panel.control(name, options[at]),
    )


def text_field(panel: Panel, name: str, label: str, placeholder: str = "Automatic") -> None:
    """Draw a field for a text."""
    there = str(panel.draft.get(name) or "")
    st.text_input(
        label,
        there,
        placeholder=placeholder,
        max_chars=120,
        label_visibility="collapsed",
        **panel.control(name, there),
    )


def format_field(panel: Panel) -> None:
    """Draw the choice of the format of numbers; a format in d3's notation can also be entered."""
    there = str(panel.draft.get("format") or "")
    options = [*FORMATS, *([there] if there not in FORMATS else [])]
    st.selectbox(
        "Format of numbers",
        options,
        index=options.index(there),
        format_func=title_of_format,
        accept_new_options=True,
        label_visibility="collapsed",
        **panel.control("format", there),
    )


def number_field(panel: Panel, name: str, label: str) -> None:
    """Draw a field for a number; it can be left empty."""
    there = _number(panel.draft.get(name))
    st.number_input(
        label,
        value=there,
        format="%g",
        placeholder="none",
        label_visibility="collapsed",
        **panel.control(name, there),
    )


def bins_field(panel: Panel) -> None:
    """Draw a field for the number of bins of a histogram."""
    there = panel.draft.get("bins")
    bins = there if isinstance(there, int) else None
    st.number_input(
        "Number of bins (approximate)",
        min_value=1,
        max_value=200,
        value=bins,
        placeholder="20",
        label_visibility="collapsed",
        **panel.control("bins", bins),
    )


def range_field(panel: Panel) -> bool:
    """Draw the fields for both ends of the axis of numbers; return whether only one of them is filled in."""
    there = panel.draft.get("range")
    there = there if isinstance(there, list) and len(there) == 2 else None
    typed = [panel.held.value(f"range{at}") for at in (0, 1)]
    one_only = there is None and (typed[0] is None) != (typed[1] is None)
    ends = [_number(end) for end in (there or (typed if one_only else (None, None)))]

    def write(draft: Draft, _: Any) -> Draft:
        both = [plain(panel.held.value(f"range{at}")) for at in (0, 1)]
        return draft.given(range=None if None in both else both)

    for at, label in ((0, "Lowest number shown"), (1, "Highest number shown")):
        st.number_input(
            label,
            value=ends[at],
            format="%g",
            placeholder=("from", "to")[at],
            label_visibility="collapsed",
            **panel.control(f"range{at}", ends[at], write),
        )
    return one_only


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
