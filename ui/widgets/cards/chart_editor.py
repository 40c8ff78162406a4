"""The chart editor: the controls of a chart beside its preview. Saving makes a call of `chart` by the user."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import streamlit as st

from engine.commands.catalog import RunTool
from engine.errors import AnabranchError
from engine.views.chart_versions import CHART, versions_of
from events.canonical import JSON
from ui import session
from ui.acts import once
from ui.current_app import REFUSED, app, send, told
from ui.widgets.cards.chart_controls import data_controls, look_controls, type_control
from ui.widgets.cards.chart_draft import (
    Draft,
    Editing,
    arguments_of,
    draft_of,
    over_rows,
    rows_share_marks,
    starting_draft,
)
from ui.widgets.cards.chart_fields import Panel
from ui.widgets.cards.chart_preview import Preview, columns_of, previewed
from ui.widgets.cards.chart_version import chosen_key
from ui.widgets.cards.chart_words import describe_change
from ui.widgets.cards.choice import choose_axes
from ui.widgets.cards.drawn_chart import draw_chart
from ui.widgets.failure import failure
from ui.widgets.show_as import known_tool
from ui.words import escape, unseen

__all__ = [
    "Edited",
    "can_edit",
    "chart_editor",
    "edit_button",
    "is_editing",
]

_QUICK = {"Sum": "sum", "Mean": "mean", "Count rows": "count"}


@dataclass(frozen=True, slots=True)
class Edited:
    """The card whose chart is edited."""

    chat_id: str
    call_id: str
    """The call that what is saved is made from."""
    key: str


def can_edit() -> bool:
    """Return whether charts can be drawn now: not of the past, and only with the tool that draws them."""
    tool = known_tool(CHART)
    return tool is not None and tool.available and not session.looks_back()


def is_editing(edited: Edited) -> bool:
    """Return whether the editor of a card is open."""
    return session.remembered(_state(edited)) is not None and can_edit()


def edit_button(edited: Edited, args: JSON, chosen: Callable[[], Mapping[str, JSON]] = dict) -> None:
    """Draw the button that opens the editor; nothing if charts cannot be drawn now.

    Args:
        edited: the card.
        args: of the `chart` tool, or only the rows to draw.
        chosen: returns further arguments when the button is pressed.
    """
    if not can_edit() or not isinstance(args, dict):
        return
    if left := session.remembered(_saved(edited), 0):  # twice: the first run may be cut off by another one
        session.remember(_saved(edited), left - 1)
        st.rerun(scope="app")
    if is_editing(edited):
        editing: Editing = session.remembered(_state(edited))
        if editing.is_changed:
            st.html('<span class="ab-unsaved-tag">Not saved</span>', width="content")
        return
    st.button(
        "Edit",
        icon=":material/tune:",
        key=f"editchart-{edited.key}",
        type="tertiary",
        help="Edit chart (E)",
        on_click=_open,
        args=(edited, args, chosen),
    )


def _open(edited: Edited, args: Mapping[str, JSON], chosen: Callable[[], Mapping[str, JSON]]) -> None:
    """Begin with the chart's own arguments, or with a first chart of its rows."""
    given = {**args, **chosen()}
    start = draft_of(given)
    if start is None:
        rows = draft_of({**given, "mark": "bar"})
        if rows is None:
            return
        try:
            columns = columns_of(edited.chat_id, rows.statement)
        except AnabranchError as error:
            session.remember("failure", told(error))
            return
        start = starting_draft(columns, choose_axes(columns, 2), sql=rows.sql, table=rows.table)
        start = start.given(**chosen()) if chosen() else start
    session.remember(_state(edited), Editing(start, start))


def chart_editor(edited: Edited) -> None:
    """Draw the controls, the preview, and the save button."""
    editing: Editing = session.remembered(_state(edited))
    panel = _panel(edited, editing)
    if panel is None:
        return
    preview = previewed(edited.chat_id, editing.draft)
    with st.container(key=f"charteditor-{edited.key}"):
        part = session.widget_value_or(f"edpart-{edited.key}", "Data")
        with st.container(key=f"editparts-{part}-{edited.key}", horizontal=True, gap=None):
            with st.container(key=f"edcontrols-{edited.key}", width=320, gap="xsmall"):
                _parts_on_a_phone(edited)
                with st.container(key=f"eddata-{edited.key}", gap="xsmall"):
                    type_control(panel)
                    data_controls(panel)
                with st.container(key=f"edlook-{edited.key}", gap="xsmall"):
                    look_controls(panel)
            with st.container(key=f"edpreview-{edited.key}", width="stretch"):
                _draw(edited, editing.draft, preview)
                if (
                    not editing.is_changed
                ):  # what is not saved would not be in the chart that the words change
                    title = str(arguments_of(editing.draft).get("title") or "")
                    describe_change(edited.chat_id, title, edited.key, partial(_close, edited))
        _foot(edited, editing, preview)


def _parts_on_a_phone(edited: Edited) -> None:
    """Choose between two halves of the controls, where a screen has no room for all."""
    with st.container(key=f"editphone-{edited.key}"):
        st.segmented_control(
            "Part",
            ["Data", "Look"],
            default="Data",
            required=True,
            key=f"edpart-{edited.key}",
            label_visibility="collapsed",
            width="stretch",
        )


def _panel(edited: Edited, editing: Editing) -> Panel | None:
    try:
        columns = columns_of(edited.chat_id, editing.draft.statement)
    except AnabranchError as error:
        failure("The rows of this chart cannot be read.", error.message)
        st.button("Cancel", key=f"canceledit-{edited.key}", on_click=_close, args=(edited,))
        return None
    tables = [table.name for table in app().workspace.seen(edited.chat_id).tables]

    def change(draft: Draft, anew: bool) -> None:
        now: Editing | None = session.remembered(_state(edited))
        if now is not None:
            session.remember(_state(edited), now.to(draft, anew=anew))

    def begin(table: str | None) -> Draft:
        """The draft over other rows; names that they lack are chosen again."""
        begun = editing.start
        rows = Draft({}, None, table) if table else Draft({}, begun.sql, begun.table)
        now: Editing = session.remembered(_state(edited), editing)  # as it was, if it is closed by now
        return over_rows(now.draft, rows, columns_of(edited.chat_id, rows.statement))

    return Panel(edited.key, editing, columns, tables, change, begin)


def _draw(edited: Edited, draft: Draft, preview: Preview) -> None:
    if preview.plan is not None:
        draw_chart(preview.plan, f"preview-{edited.key}", edited.chat_id)
        return
    shares = rows_share_marks(preview.problem)
    with st.container(key=f"edproblem-{edited.key}"):
        st.html(f'<p class="ab-warning" role="alert">{escape(preview.problem)}</p>')
        if not shares or not preview.problem:
            return
        with st.container(key=f"edquick-{edited.key}", horizontal=True):
            for label, way in _QUICK.items():
                st.button(
                    label,
                    key=f"quick-{way}-{edited.key}",
                    on_click=_combine,
                    args=(edited, draft.given(aggregate=way)),
                )


def _combine(edited: Edited, draft: Draft) -> None:
    now: Editing | None = session.remembered(_state(edited))
    if now is not None:
        session.remember(_state(edited), now.to(draft, anew=True))


def _foot(edited: Edited, editing: Editing, preview: Preview) -> None:
    key, asked = edited.key, session.remembered(f"discard-{edited.key}", False)
    with st.container(key=f"edfoot-{key}", horizontal=True, vertical_alignment="center"):
        words = (
            "Discard your changes?"
            if asked
            else "Saving adds a version to this chat. The chart that you started from stays."
        )
        st.html(f'<span class="ab-note" role="status">{words}</span>', width="stretch")
        for name, icon, shortcut, turned in (
            ("Undo", "undo", "Ctrl+Z", editing.undone()),
            ("Redo", "redo", "Ctrl+Shift+Z", editing.redone()),
        ):
            st.button(
                unseen(name),
                icon=f":material/{icon}:",
                key=f"{name.lower()}-{key}",
                help=name,
                shortcut=shortcut,
                type="tertiary",
                disabled=turned is editing,
                on_click=session.remember,
                args=(_state(edited), turned),
            )
        st.button(
            "Discard" if asked else "Cancel",
            key=f"canceledit-{key}",
            on_click=_cancel,
            args=(edited, editing.is_changed and not asked),
        )
        if asked:
            st.button("Keep editing", key=f"keepedit-{key}", on_click=session.clear, args=(f"discard-{key}",))
        st.button(
            "Save chart",
            key=f"savechart-{key}",
            type="primary",
            shortcut="Ctrl+S",
            disabled=not editing.is_changed or preview.plan is None,
            on_click=once(f"savechart-{key}", partial(_save, edited)),
        )


def _save(edited: Edited) -> None:
    """Draw it as the user's own call, and show that."""
    editing: Editing | None = session.remembered(_state(edited))
    if editing is None:
        return
    made = send(RunTool(edited.chat_id, CHART, arguments_of(editing.draft), from_call_id=edited.call_id))
    session.remember(_saved(edited), 2)
    if made is REFUSED:
        return
    calls = app().chat(edited.chat_id).calls
    error = calls[made].error
    if error is not None:
        session.remember("failure", f"The chart was not saved.\n{error['message']}")
        return
    _close(edited)
    session.remember(chosen_key(versions_of(calls, made)), made)


def _cancel(edited: Edited, ask: bool) -> None:
    if ask:
        session.remember(f"discard-{edited.key}", True)
    else:
        _close(edited)


def _close(edited: Edited) -> None:
    session.clear(_state(edited))
    session.clear(f"discard-{edited.key}")


def _state(edited: Edited) -> str:
    return f"chart-editing-{edited.key}"


def _saved(edited: Edited) -> str:
    return f"chart-saved-{edited.key}"
