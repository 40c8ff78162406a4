"""The query builder in the composer. The draft is a query form."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from engine.errors import AnabranchError
from engine.views.query_form import (
    FormChoice,
    FormError,
    FormPart,
    form_parts,
    form_problem,
    form_sentence,
    form_sql,
    joined_form,
    joined_tables,
    starting_forms,
)
from engine.views.shape_steps import Joinable
from engine.views.workspace import TablesShown
from engine.workspace.table_facts import TableProfile
from events.json_value import JSON, JSONObject
from ui import session
from ui.acts import once
from ui.components.query_pills.component import Pill, PillRow, query_pills
from ui.current_app import app
from ui.owner_cache import OwnerCache
from ui.widgets.building import OnAskForm
from ui.widgets.pills import adding_pill, pill_of
from ui.words import escape

__all__ = ["Draft", "build_query"]

_ROWS = {
    "table": "From",
    "measure": "Show",
    "columns": "Show",
    "window": "Show",
    "group": "For each",
    "filter": "Where",
    "having": "Where",
}
"""Kind of a part → its row; all other kinds are in the last row."""
_ADDS = (
    ("Show", "Measure", "measure", "and "),
    ("For each", "Group", "group", "by "),
    ("Where", "Filter", "filter", "where "),
    ("Order", "Order", "order", ""),
)
"""The pills that add a part: the row, the pill's word, the part's kind, and the prefix to remove from the choices."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A query that is being built."""

    form: JSONObject
    chosen: bool = True
    """Whether the user has chosen anything besides the table."""


def build_query(chat_id: str | None, shown: TablesShown, running: bool, on_ask: OnAskForm) -> None:
    """Draw the builder for the known tables; `on_ask` gets the sentence and the form."""
    tables = shown.tables
    draft = _draft(chat_id, tables)
    with st.container(key="build-head", horizontal=True, vertical_alignment="center"):
        st.html("<b>Build a query</b>", width="stretch")
        st.button(
            "Type instead",
            icon=":material/keyboard:",
            key="type-instead",
            type="tertiary",
            shortcut="Ctrl+B",
            on_click=_type_instead,
            args=(chat_id, draft),
        )
    if draft is None:
        reading = "The files are being read." if shown.reading else _NO_TABLES
        st.html(f'<p class="ab-note">{reading}</p>')
        return
    rows = _with_joins(chat_id, _rows(draft, tables), draft)
    query_pills(
        [PillRow(row.label, tuple(pill for pill, _ in row.pills)) for row in rows],
        token=json.dumps([draft.form, draft.chosen], sort_keys=True),
        key=f"builder-{chat_id or 'new'}",
        wide=True,
        on_choose=lambda row, pill, choice: _choose(chat_id, rows[row], pill, choice),
    )
    _foot(chat_id, draft, tables, running, on_ask)


_MOST_JOINS = 3
_found = OwnerCache[tuple[Joinable, ...]](50)
_HINTS = (
    '<div class="ab-hints"><kbd>Tab</kbd> next part · <kbd>↓</kbd> open its list · <kbd>Del</kbd> remove · '
    "<kbd>Ctrl Enter</kbd> ask</div>"
)
_NO_TABLES = "There are no tables in this chat. Add a CSV, Parquet, JSON or Excel file first."


@dataclass(frozen=True, slots=True)
class _Row:
    label: str
    pills: tuple[tuple[Pill, tuple[FormChoice, ...]], ...]


def _draft(chat_id: str | None, tables: Sequence[TableProfile]) -> Draft | None:
    """Return the draft, by default of the first table; None if there are no tables."""
    starts = starting_forms(tables)
    if not starts:
        return None
    draft: Draft = session.remembered(f"query-{chat_id}") or Draft(starts[0].form, chosen=False)
    try:
        form_parts(draft.form, tables, with_choices=False)
    except FormError:  # the draft was made by another version
        return Draft(starts[0].form, chosen=False)
    return draft


def _choose(chat_id: str | None, row: _Row, pill: int, choice: int) -> None:
    """Apply a choice; if only the table changes, the user still has to choose what to show."""
    before: Draft | None = session.remembered(f"query-{chat_id}")
    chosen = row.label != "From" or (before is not None and before.chosen)
    session.remember(f"query-{chat_id}", Draft(row.pills[pill][1][choice].form, chosen))


def _rows(draft: Draft, tables: Sequence[TableProfile]) -> list[_Row]:
    parts = form_parts(draft.form, tables)
    if not draft.chosen:
        return _empty_rows(draft, parts, tables)
    rows: dict[str, list[tuple[Pill, tuple[FormChoice, ...]]]] = {"From": [], "Show": []}
    rows |= {"For each": [], "Where": [], "Order": []}
    for place, part in enumerate(parts):
        if part.kind != "add":
            row = _ROWS.get(part.kind, "Order")
            lead = part.lead if part.lead in ("and", "as", "that are") else ""
            rows[row].append((pill_of(part, place, lead), part.choices))
    if not rows["From"]:
        rows["From"].append(_table_pill(draft, tables))
    added = next((part.choices for part in parts if part.kind == "add"), ())
    for row, word, kind, prefix in _ADDS:
        own = tuple(choice for choice in added if _row_of(draft.form, choice.form) == row)
        if own:
            rows[row].append((adding_pill(word, kind, own, prefix), own))
    return [_Row(name, tuple(pills)) for name, pills in rows.items() if pills]


def _with_joins(chat_id: str | None, rows: list[_Row], draft: Draft) -> list[_Row]:
    """Return the rows. The first row also offers to join tables in which each row has at most one match; each offer
    shows the share of values that match.
    """
    table, joined = draft.form.get("table"), joined_tables(draft.form)
    found = _joins(chat_id) if chat_id is not None else ()
    offered = []
    for one in found:
        if one.left == table and one.right not in joined and one.each_once:
            choice = FormChoice(
                f"Join {one.right} on {one.left_column} = {one.right_column}",
                f"{one.share:.0%} match",
                joined_form(draft.form, one.right, one.left_column, one.right_column),
            )
            text = f"Join {one.right} on {one.left_column} · {one.share:.0%} match"
            pill = Pill(
                f"join-{one.right}", text, "Join", "Find a table", "", text, add=True,
                choices=((choice.text, choice.detail),),
            )  # fmt: skip
            offered.append((pill, (choice,)))
    return [replace(rows[0], pills=(*rows[0].pills, *offered[:_MOST_JOINS])), *rows[1:]] if rows else rows


def _joins(chat_id: str) -> tuple[Joinable, ...]:
    """Return the possible joins of the chat's tables; none if they cannot be read (the Files panel says why)."""
    engine = app()

    def find() -> tuple[Joinable, ...]:
        try:
            return engine.joins(chat_id)
        except AnabranchError:
            return ()

    return _found.get(engine, (chat_id, engine.chat(chat_id).manifest), find)


def _row_of(form: Mapping[str, JSON], made: Mapping[str, JSON]) -> str:
    """Return the label of the row to which a choice adds a part."""

    def grew(name: str) -> bool:
        return len(str(made.get(name, ""))) > len(str(form.get(name, "")))

    if grew("groups"):
        return "For each"
    if grew("filters"):
        return "Where"
    return "Show" if grew("measures") or grew("window") else "Order"


def _empty_rows(draft: Draft, parts: Sequence[FormPart], tables: Sequence[TableProfile]) -> list[_Row]:
    """Return the row with the table, followed by the choice of what to show."""
    counted = FormChoice("number of rows", "", draft.form)
    measures = (counted, *next((part.choices for part in parts if part.kind == "measure"), ()))
    show = adding_pill("Measure", "measure", measures)
    return [
        _Row("From", (_table_pill(draft, tables),)),
        _Row("Show", ((show, measures),)),
    ]


def _table_pill(draft: Draft, tables: Sequence[TableProfile]) -> tuple[Pill, tuple[FormChoice, ...]]:
    name = str(draft.form.get("table", ""))
    others = tuple(choice for choice in starting_forms(tables) if choice.text != name)
    return pill_of(FormPart("table", "", name, others), 0), others


def _foot(
    chat_id: str | None, draft: Draft, tables: Sequence[TableProfile], running: bool, on_ask: OnAskForm
) -> None:
    """Draw the sentence that will be recorded, the SQL, and the Ask button."""
    problem = form_problem(draft.form, tables)
    said = f"“{form_sentence(draft.form)}”" if draft.chosen else "Choose what to show."
    with st.container(key="build-foot", horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="ab-sentence">{escape(problem or said)}</div>', width="stretch")
        if draft.chosen and not problem:
            with st.popover("SQL", key="build-sql"):
                st.code(form_sql(draft.form, tables), language="sql", wrap_lines=True)
        st.button(
            "Ask",
            key="ask-query",
            type="primary",
            shortcut="Ctrl+Enter",
            disabled=running or bool(problem) or not draft.chosen,
            on_click=once("ask-query", _ask),
            args=(chat_id, draft, on_ask),
        )
    st.html(_HINTS)


def _ask(chat_id: str | None, draft: Draft, on_ask: OnAskForm) -> None:
    _close(chat_id)
    on_ask(form_sentence(draft.form), draft.form)


def _type_instead(chat_id: str | None, draft: Draft | None) -> None:
    _close(chat_id)
    if draft is not None and draft.chosen:
        session.prefill("question", form_sentence(draft.form))


def _close(chat_id: str | None) -> None:
    session.clear(f"building-{chat_id}")
    session.clear(f"query-{chat_id}")
