"""The controls of the chart editor, one row for each part of a chart. All are native, labelled and reachable by Tab."""

import streamlit as st

from ui.widgets.cards.chart_draft import Draft, of_type
from ui.widgets.cards.chart_fields import (
    Panel,
    bins_field,
    choice_field,
    column_field,
    format_field,
    number_field,
    range_field,
    row,
    rows_field,
    several_field,
    text_field,
)
from ui.widgets.cards.chart_options import GRAINS, PALETTES, TYPES, takes

__all__ = ["data_controls", "look_controls", "type_control"]

_SORTS = {
    "auto": "Automatic",
    "none": "As in the data",
    "x": "X axis, ascending",
    "-x": "X axis, descending",
    "y": "Smallest first",
    "-y": "Largest first",
}
_STACKS = {"auto": "Automatic", "none": "Side by side", "stacked": "Stacked", "normalize": "Shares"}
_WAYS = {"auto": "Automatic", "vertical": "Vertical", "horizontal": "Horizontal"}
_AGGREGATES = {
    "none": "each row",
    "sum": "sum",
    "mean": "mean",
    "median": "median",
    "min": "lowest",
    "max": "highest",
    "count": "count",
}
_SCALES = {"linear": "Linear", "log": "Log", "sqrt": "Root", "symlog": "Log around 0"}
_ZERO = {"auto": "Automatic", True: "From 0", False: "Fit"}
_LABELS = {"auto": "Automatic", True: "Shown", False: "Off"}


def type_control(panel: Panel) -> None:
    """Draw the types of charts: the usual ones as buttons, the others as a list."""
    mark = panel.draft.mark
    usual, more = [*TYPES][:6], [*TYPES][6:]

    def write(draft: Draft, wanted: str | None) -> Draft:
        return of_type(draft, wanted, panel.columns) if wanted else draft

    shown = mark if mark in usual else None
    st.segmented_control(
        "Type",
        usual,
        default=shown,
        format_func=lambda one: f":material/{TYPES[one][0]}: {TYPES[one][1]}",
        label_visibility="collapsed",
        width="stretch",
        **panel.control("type", shown, write),
    )
    shown = mark if mark in more else None
    with row("More types", panel, "more"):
        st.selectbox(
            "More types",
            more,
            index=more.index(mark) if mark in more else None,
            format_func=lambda one: TYPES[one][1],
            placeholder="Pie, histogram …",
            label_visibility="collapsed",
            **panel.control("more", shown, write),
        )


def data_controls(panel: Panel) -> None:
    """Draw the data fields: rows, axes, colour, panels, and how the rows of one mark are combined."""
    draft, names = panel.draft, [name for name, _ in panel.columns]
    if panel.tables:
        rows_field(panel)
    across, up = _axis_names(draft.mark)
    with row(across, panel, "x"):
        column_field(panel, "x", across, names, needed=draft.mark not in ("boxplot", "rule"))
        if takes(draft.mark, "grain") and draft.get("x") in panel.of_kind("time"):
            choice_field(panel, "grain", "Group times by", dict.fromkeys(GRAINS, "") | {g: g for g in GRAINS})
    if takes(draft.mark, "y"):
        with row(up, panel, "y"):
            if draft.get("series"):
                several_field(panel, up)
            else:
                column_field(
                    panel, "y", up, names if draft.mark == "rect" else panel.of_kind("number") or names
                )
            if takes(draft.mark, "aggregate"):
                choice_field(panel, "aggregate", "Combine rows", _AGGREGATES)
    if takes(draft.mark, "color") and not draft.get("series"):
        with row("Colour", panel, "color"):
            column_field(panel, "color", "Colour", names)
    for name, label in (("facet", "Panels"), ("row", "Rows of panels"), ("column", "Columns of panels")):
        if takes(draft.mark, name) and (name == "facet" or draft.get(name)):
            with row(label, panel, name):
                column_field(panel, name, label, names)
    for name, label in (("size", "Size"), ("text", "Text")):
        if takes(draft.mark, name):
            with row(label, panel, name):
                column_field(panel, name, label, panel.of_kind("number") if name == "size" else names)
    for name, label, ways in (
        ("sort", "Sort", _SORTS),
        ("stack", "Stack", _STACKS),
        ("orientation", "Bars", _WAYS),
    ):
        if takes(draft.mark, name) and not (name == "sort" and draft.get("x") in panel.of_kind("time")):
            with row(label, panel, name):
                choice_field(panel, name, label, ways)


def look_controls(panel: Panel) -> None:
    """Draw the fields for the chart's look: titles, format, scale, range, labels, reference line, colours."""
    draft = panel.draft
    for name, label in (("title", "Title"), ("x_title", "Title of x axis"), ("y_title", "Title of y axis")):
        if takes(draft.mark, name):
            with row(label, panel, name):
                text_field(panel, name, label)
    if takes(draft.mark, "format"):
        with row("Format", panel, "format"):
            format_field(panel)
    for name, label in (("scale", "Scale"), ("x_scale", "Scale of x axis")):
        if takes(draft.mark, name) and (name == "scale" or draft.get("x") in panel.of_kind("number")):
            with row(label, panel, name):
                choice_field(panel, name, label, _SCALES)
    if takes(draft.mark, "zero") and draft.mark not in ("bar", "area"):
        with row("Starts", panel, "zero"):
            choice_field(panel, "zero", "Where the axis starts", _ZERO)
    if takes(draft.mark, "range"):
        with row("Range", panel, "range"):
            half = range_field(panel)
        if half:
            st.html('<p class="ab-note" role="status">Enter both ends of the range.</p>')
    if takes(draft.mark, "bins"):
        with row("Bins", panel, "bins"):
            bins_field(panel)
    if takes(draft.mark, "labels"):
        with row("Labels", panel, "labels"):
            choice_field(
                panel, "labels", "Names at line ends" if draft.mark == "line" else "Values at marks", _LABELS
            )
    if takes(draft.mark, "rule_at"):
        with row("Line at", panel, "rule"):
            number_field(panel, "rule_at", "Reference line at")
            text_field(panel, "rule_label", "Label of the line", "Target")
    with row("Colours", panel, "palette"):
        choice_field(panel, "palette", "Colours", PALETTES)


def _axis_names(mark: str) -> tuple[str, str]:
    return {
        "arc": ("Slices", "Size"),
        "boxplot": ("Groups", "Numbers"),
        "histogram": ("Numbers", ""),
        "density": ("Numbers", ""),
    }.get(mark, ("Across", "Up"))
