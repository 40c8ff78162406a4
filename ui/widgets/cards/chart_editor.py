"""The chart editor: the controls of a chart beside its preview. Saving makes a call of `chart` by the user."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from engine.commands.catalog import RunTool
from engine.errors import AnabranchError
from engine.views.chart_versions import CHART, versions_of
from events.json_value import JSON
from ui import session
from ui.acts import once
from ui.current_app import REFUSED, app, send, told
from ui.widgets.cards.card import changed_since
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
from ui.widgets.cards.chart_editing import (
    Edited,
    begin_editing,
    can_edit,
    change_editing,
    editing_of,
    end_editing,
    held_of,
    is_editing,
    take_choices,
    then_changed,
)
from ui.widgets.cards.chart_fields import Panel
from ui.widgets.cards.chart_held import Held
from ui.widgets.cards.chart_preview import Preview, columns_of, drop_preview, previewed, show_running
from ui.widgets.cards.chart_version import chosen_key
from ui.widgets.cards.chart_words import describe_change
from ui.widgets.cards.choice import choose_axes
from ui.widgets.cards.drawn_chart import draw_chart
from ui.widgets.failure import failure
from ui.words import count, escape, unseen

__all__ = ["chart_editor", "edit_button"]

_QUICK = {"Sum": "sum", "Mean": "mean", "Count rows": "count"}


def edit_button(edited: Edited, args: JSON, chosen: Callable[[], Mapping[str, JSON]] = dict) -> None:
    """Draw the button that opens the editor; draw nothing if charts cannot be drawn now.

    Args:
        edited: the card.
        args: the arguments of the `chart` tool, or only the rows to draw.
        chosen: returns further arguments when the button is pressed.
    """
    if not can_edit() or not isinstance(args, dict):
        return
    # rerun twice, because another run may interrupt the first one
    if left := session.remembered(_saved(edited), 0):
        session.remember(_saved(edited), left - 1)
        st.rerun(scope="app")
    if is_editing(edited):
        editing = editing_of(edited)
        if editing is not None and editing.is_changed:
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
    """Open the editor with the chart's arguments or, if they are only rows, with a first chart of these rows."""
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
    begin_editing(edited, start)


def chart_editor(edited: Edited) -> None:
    """Draw the controls, the preview, and the save button."""
    editing, held = editing_of(edited), held_of(edited)
    if editing is None or held is None:
        return
    panel = _panel(edited, editing, held)
    if panel is None:
        return
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
                preview = previewed(edited.chat_id, editing.draft, edited.key)
                if panel.changed:
                    st.html(f'<p class="ab-warning" role="status">{escape(_changed(panel.changed))}</p>')
                _draw(edited, preview)
                if (
                    not editing.is_changed
                ):  # the request would change the saved chart, without the unsaved changes
                    title = str(arguments_of(editing.draft).get("title") or "")
                    describe_change(edited.chat_id, title, edited.key, partial(_close, edited))
        _foot(edited, editing, preview)


def _parts_on_a_phone(edited: Edited) -> None:
    """Draw the choice between the two halves of the controls, for screens without room for both."""
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


def _panel(edited: Edited, editing: Editing, held: Held) -> Panel | None:
    try:
        columns = columns_of(edited.chat_id, editing.draft.statement)
    except AnabranchError as error:
        failure("The rows of this chart cannot be read.", error.message)
        st.button("Cancel", key=f"canceledit-{edited.key}", on_click=_close, args=(edited,))
        return None
    tables = [table.name for table in app().workspace.seen(edited.chat_id).tables]
    call = app().chat(edited.chat_id).calls.get(edited.call_id)
    changed = changed_since(edited.chat_id, call) if call is not None else []
    begun = editing.start

    def change(by: Callable[[Draft], Draft]) -> None:
        if held_of(edited) is held:  # the editor is still open
            change_editing(edited, lambda now: now.to(by(now.draft)))

    def over(draft: Draft, table: str | None) -> Draft:
        """Return the draft over other rows; columns that these rows do not have are chosen again."""
        rows = Draft({}, None, table) if table else Draft({}, begun.sql, begun.table)
        try:
            return over_rows(draft, rows, columns_of(edited.chat_id, rows.statement))
        except AnabranchError as error:
            session.remember("failure", told(error))
            return draft

    return Panel(edited.key, editing, columns, tables, changed, held, change, over)


def _changed(files: Sequence[str]) -> str:
    """Return a note that the preview draws different rows than the chart on the card."""
    more = f" and {count(len(files) - 2, 'other file')}" if len(files) > 2 else ""
    have = "has" if len(files) == 1 else "have"
    return (
        f"{' and '.join(files[:2]) if not more else ', '.join(files[:2])}{more} {have} changed since this chart was "
        "drawn. The preview, and the chart if you save it, use the rows as they are now."
    )


def _draw(edited: Edited, preview: Preview) -> None:
    """Draw the preview, or the reason why there is none. Until a new preview is ready, the last one is shown."""
    last = f"chart-drawn-{edited.key}"
    if preview.plan is not None:
        session.remember(last, preview.plan)
    if preview.is_running:
        show_running(edited.key)
    plan = preview.plan if preview.is_refused else session.remembered(last)
    if plan is not None:
        with st.container(key=f"ed{'old' if preview.plan is None else 'new'}-{edited.key}"):
            draw_chart(plan, f"preview-{edited.key}", edited.chat_id)
    if not preview.problem:
        return
    with st.container(key=f"edproblem-{edited.key}"):
        st.html(f'<p class="ab-warning" role="alert">{escape(preview.problem)}</p>')
        if preview.is_stopped:
            st.button("Draw it", key=f"drawagain-{edited.key}", on_click=drop_preview, args=(edited.key,))
        if not rows_share_marks(preview.problem):
            return
        with st.container(key=f"edquick-{edited.key}", horizontal=True):
            for label, way in _QUICK.items():
                combine = partial(_combined, way)
                st.button(label, key=f"quick-{way}-{edited.key}", on_click=then_changed(edited, combine))


def _combined(way: str, now: Editing) -> Editing:
    return now.to(now.draft.given(aggregate=way))


def _foot(edited: Edited, editing: Editing, preview: Preview) -> None:
    key = edited.key
    asked = editing.is_changed and session.remembered(f"discard-{key}") == editing.draft
    with st.container(key=f"edfoot-{key}", horizontal=True, vertical_alignment="center"):
        words = (
            "Discard your changes?"
            if asked
            else "Saving adds a version to this chat. The original chart is kept."
        )
        st.html(f'<span class="ab-note" role="status">{words}</span>', width="stretch")
        for name, icon, shortcut, turn in (
            ("Undo", "undo", "Ctrl+Z", Editing.undone),
            ("Redo", "redo", "Ctrl+Shift+Z", Editing.redone),
        ):
            st.button(
                unseen(name),
                icon=f":material/{icon}:",
                key=f"{name.lower()}-{key}",
                help=name,
                shortcut=shortcut,
                type="tertiary",
                disabled=turn(editing) is editing,
                on_click=then_changed(edited, turn),
            )
        st.button(
            "Discard" if asked else "Cancel",
            key=f"canceledit-{key}",
            on_click=_cancel,
            args=(edited, editing, asked),
        )
        if asked:
            st.button("Keep editing", key=f"keepedit-{key}", on_click=session.clear, args=(f"discard-{key}",))
        st.button(
            "Save chart",
            key=f"savechart-{key}",
            type="primary",
            shortcut="Ctrl+S",
            disabled=not editing.is_changed or preview.is_refused,
            on_click=once(f"savechart-{key}", partial(_save, edited)),
        )


def _save(edited: Edited) -> None:
    """Draw the chart as the user's own call, and show it."""
    take_choices(edited)
    editing = editing_of(edited)
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


def _cancel(edited: Edited, drawn: Editing, asked: bool) -> None:
    """Close the editor if the reader was `asked` first, or if nothing is unsaved; if something is unsaved, ask.

    `drawn` is the state in which the button was drawn. If it had changes, but an Undo that arrived together with the
    click has removed them, the editor stays open, because the reader expected a question before it closes.
    """
    take_choices(edited)
    editing = editing_of(edited)
    if asked or not (drawn.is_changed or (editing is not None and editing.is_changed)):
        _close(edited)
    elif editing is not None and editing.is_changed:
        session.remember(f"discard-{edited.key}", editing.draft)


def _close(edited: Edited) -> None:
    drop_preview(edited.key)
    end_editing(edited)
    session.clear(f"discard-{edited.key}")
    session.clear(f"chart-drawn-{edited.key}")


def _saved(edited: Edited) -> str:
    return f"chart-saved-{edited.key}"
