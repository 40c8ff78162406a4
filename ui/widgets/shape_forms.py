"""The fields of a table-shaping step, prefilled with suggestions. Their values define the step."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from engine.commands.catalog import (
    DropDuplicates,
    FillDown,
    KeepRows,
    ReadDates,
    ReadNumbers,
    RenameColumns,
    SortRows,
    SplitColumn,
    Step,
    UnifyText,
)
from engine.views.shape_steps import Choice, Merge, likely_separator
from engine.workspace.table_facts import ColumnProfile, TableProfile
from ui import session
from ui.words import count, escape

__all__ = ["draw_choices", "draw_form", "draw_merges", "step_of"]

_CASES = {"keep": "As it is", "lower": "lower case", "upper": "UPPER CASE", "title": "Each Word"}
_TESTS = {
    "is": "is",
    "is_not": "is not",
    "contains": "contains",
    "contains_not": "does not contain",
    "at_least": "is at least",
    "at_most": "is at most",
    "empty": "is empty",
    "filled": "is not empty",
}
_UNSET: Final = object()
_MOST_MERGES = 60
"""How many merges are offered at a time."""


def step_of(kind: str, column: ColumnProfile, key: str) -> Step:
    """Return the step that the fields with `key` define. Fields that are not drawn yet have their defaults."""

    def held(name: str, default: object = None) -> object:
        return session.widget_value_or(f"shape-{name}-{key}", default)

    name = column.name
    match kind:
        case "dates":
            return ReadDates(name, held("order"))  # type: ignore[arg-type] # one of its options
        case "numbers":
            units = session.remembered(f"shape-units-{key}", ())
            # a field that is not drawn yet gives no factor; an empty field means that its values are left out
            typed = {unit: held(f"unit-{at}", _UNSET) for at, unit in enumerate(units)}
            factors = {unit: factor for unit, factor in typed.items() if factor is not _UNSET}
            return ReadNumbers(name, held("decimal"), factors, bool(held("approximate", False)))  # type: ignore[arg-type]
        case "unify":
            merges: Sequence[Merge] = session.remembered(f"shape-merges-{key}", ())
            ticked = {
                one.value: one.becomes
                for at, one in enumerate(merges)
                if held(f"merge-{at}", one.has_same_letters)
            }
            return UnifyText(name, held("case", "keep"), ticked)  # type: ignore[arg-type]
        case "fill_down":
            return FillDown(name)
        case "split":
            return SplitColumn(name, str(held("separator", _separator(column))), _names(held("names"), name))
        case "rename":
            return RenameColumns({name: str(held("name", name)).strip()})
        case "filter":
            return KeepRows(name, held("test", "is"), str(held("value", "") or ""))  # type: ignore[arg-type]
        case "sort":
            return SortRows(name, held("way", "Smallest first") == "Largest first")
        case _:
            columns = held("columns", [name])
            last = held("keep", "The first") == "The last"
            same = [str(one) for one in columns] if isinstance(columns, list) else [name]
            return DropDuplicates(same, "last" if last else "first")


def _separator(column: ColumnProfile) -> str:
    return likely_separator(column.values) or ", "


def _names(typed: object, column: str) -> list[str]:
    names = [one.strip() for one in str(typed or "").split(",") if one.strip()]
    return names or [f"{column}_1", f"{column}_2"]


def draw_form(kind: str, table: TableProfile, column: ColumnProfile, key: str) -> None:
    """Draw those fields of a step that do not depend on the column's values; `kind` is the kind of the step."""
    match kind:
        case "numbers":
            st.checkbox("Read “about 900” and “<5” as numbers", key=f"shape-approximate-{key}")
        case "unify":
            st.selectbox("Case", list(_CASES), format_func=_CASES.__getitem__, key=f"shape-case-{key}")
        case "split":
            st.text_input("Split at", _separator(column), key=f"shape-separator-{key}", max_chars=20)
            st.text_input(
                "Names of the parts",
                ", ".join(_names(None, column.name)),
                key=f"shape-names-{key}",
                help="Give two or more names, separated by commas.",
            )
        case "rename":
            st.text_input("New name", column.name, key=f"shape-name-{key}", max_chars=120)
        case "filter":
            st.selectbox("Test", list(_TESTS), format_func=_TESTS.__getitem__, key=f"shape-test-{key}")
            if session.widget_value_or(f"shape-test-{key}", "is") not in ("empty", "filled"):
                st.text_input("Value", key=f"shape-value-{key}", max_chars=400)
        case "sort":
            st.segmented_control(
                "Order", ["Smallest first", "Largest first"], default="Smallest first", required=True,
                key=f"shape-way-{key}",
            )  # fmt: skip
        case "duplicates":
            names = [one.name for one in table.columns]
            st.multiselect(
                "Columns that must be equal", names, default=[column.name], key=f"shape-columns-{key}",
                placeholder="All columns",
            )  # fmt: skip
            st.segmented_control(
                "Keep", ["The first", "The last"], default="The first", required=True, key=f"shape-keep-{key}"
            )


def draw_choices(choices: Sequence[Choice], key: str) -> bool:
    """Draw the choices that the user must make; return whether all are made."""
    done = True
    for choice in choices:
        with st.container(key=f"shape-choice-{choice.name}-{key}"):
            told = f"<b>{escape(choice.question)}</b><br>{escape(choice.why)}"
            st.html(f'<div class="ab-choice">{told}</div>')
            if choice.name == "units":
                _units(choice, key)
                continue
            labels = {str(value): words for value, words in choice.options}
            chosen = st.segmented_control(
                choice.question,
                list(labels),
                default=str(choice.suggested) if choice.suggested is not None else None,
                format_func=labels.__getitem__,
                key=f"shape-{choice.name}-{key}",
                label_visibility="collapsed",
            )
            done = done and chosen is not None
    return done


def _units(choice: Choice, key: str) -> None:
    suggested = choice.suggested if isinstance(choice.suggested, dict) else {}
    session.remember(f"shape-units-{key}", tuple(str(unit) for unit, _ in choice.options))
    for at, (unit, words) in enumerate(choice.options):
        factor = suggested.get(str(unit))
        st.number_input(
            f"{unit or 'no unit'}: {words}",
            value=float(factor) if isinstance(factor, int | float) else None,
            format="%g",
            placeholder="left empty",
            key=f"shape-unit-{at}-{key}",
        )


def draw_merges(merges: Sequence[Merge], key: str) -> None:
    """Draw a checkbox for each value that may be replaced by a similar one."""
    if not merges:
        st.html('<p class="ab-note">No two values are nearly the same.</p>')
        return
    shown = merges[:_MOST_MERGES]
    more = f" The first {_MOST_MERGES} of {len(merges):,} are listed." if len(merges) > _MOST_MERGES else ""
    verb = "is" if len(merges) == 1 else "are"
    st.html(
        f'<p class="ab-note">{count(len(merges), "value")} {verb} nearly the same as another value.{more}</p>'
    )
    for at, one in enumerate(shown):
        st.checkbox(
            f"{_shown(one.value)} → {_shown(one.becomes)}  :gray[{count(one.rows, 'row')}, {one.why}]",
            value=one.has_same_letters,
            key=f"shape-merge-{at}-{key}",
        )


def _shown(text: str) -> str:
    """Return a value escaped for Markdown."""
    return "".join(f"\\{sign}" if sign in "\\`*_{}[]()#+-.!:$~|<>" else sign for sign in text[:60])
