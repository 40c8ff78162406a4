"""The panel that cleans a column: shows what a step would change, then makes a new table. The file does not change."""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from engine.commands.catalog import RewindChat, ShapeTable, Step
from engine.errors import AnabranchError
from engine.views.chat import ChatView
from engine.views.shape_steps import Offer, ShapePreview, offers_for, to_clean_first
from engine.workspace.table_facts import ColumnProfile, TableProfile
from ui import session
from ui.acts import once
from ui.current_app import REFUSED, app, send
from ui.owner_cache import OwnerCache
from ui.widgets.parts import fragment
from ui.widgets.shape_forms import draw_choices, draw_form, draw_merges, step_of
from ui.words import count, escape

__all__ = ["open_shaping", "shape_panel"]

_STATE = "shaping"
_previews = OwnerCache[ShapePreview | str](60)


@dataclass(frozen=True, slots=True)
class _Shaping:
    """The table and column that are cleaned."""

    table: str
    """The table that the steps start from."""
    column: str | None = None
    kind: str | None = None
    call_id: str | None = None
    """The new table is shown below the card of this call."""
    steps: tuple[Step, ...] = ()
    """The steps so far: each new table is made from the first one by all steps, so that no value is lost between
    them.
    """
    made: str | None = None
    """The table that these steps made."""


def open_shaping(
    table: str, *, column: str | None = None, kind: str | None = None, call_id: str | None = None
) -> None:
    """Open the panel for a table of the chat; a button's callback."""
    session.remember(_STATE, _Shaping(table, column, kind, call_id))
    session.clear("shaped")
    session.remember("panel", "shape")


@fragment
def shape_panel(view: ChatView) -> None:
    """Draw the content of the panel that cleans a table, which is beside the transcript."""
    if session.remembered("shape-done"):
        session.clear("shape-done")
        st.rerun(scope="app")
    made: tuple[str, int] | None = session.remembered("shaped")
    if made is not None:
        _made(view, *made)
    wanted: _Shaping | None = session.remembered(_STATE)
    tables = app().workspace.seen(view.chat_id).tables
    table = next((one for one in tables if wanted is not None and one.name == wanted.table), None)
    if wanted is None or table is None:
        if made is None and not app().workspace.seen(view.chat_id).reading:
            st.html('<p class="ab-note">This table no longer exists. Open another one from its card.</p>')
        return
    present = next((one for one in tables if one.name == wanted.made), table)
    column = _column(present, table, wanted)
    kind = _kind(column, wanted)
    key = f"{present.name}-{column.name}-{kind}"
    draw_form(kind, present, column, key)
    step = step_of(kind, column, key)
    preview = _preview(view, wanted, step)
    if isinstance(preview, ShapePreview) and kind == "unify" and preview.merges:
        session.remember(f"shape-merges-{key}", preview.merges)
        step = step_of(kind, column, key)
        preview = _preview(view, wanted, step)
    if isinstance(preview, str):
        st.html(f'<p class="ab-warning" role="alert">{escape(preview)}</p>')
        _foot(view, wanted, table.path, column, kind, key, ready=False)
        return
    chosen = _told(preview, column, kind, key)
    _foot(view, wanted, table.path, column, kind, key, ready=chosen)


def _column(table: TableProfile, begun: TableProfile, wanted: _Shaping) -> ColumnProfile:
    """Draw the choice of a column, and return it; a column with unreadable values is returned as in the first table."""
    done = {step.column for step in wanted.steps if hasattr(step, "column")}
    unread = {one.name: one for one in begun.columns if one.unreadable and one.name not in done}
    names = [column.name for column in table.columns]
    left = [column for column in table.columns if column.name not in done] or table.columns
    first = next((name for name in names if name in unread), to_clean_first(left))
    at = names.index(wanted.column if wanted.column in names else first)
    key = f"shape-column-{table.name}-{wanted.column}"
    chosen = st.selectbox(f"Column of {table.name}", names, index=at, key=key)
    column = next(column for column in table.columns if column.name == chosen)
    return unread.get(column.name, column)


def _kind(column: ColumnProfile, wanted: _Shaping) -> str:
    offers: dict[str, Offer] = {offer.kind: offer for offer in offers_for(column)}
    kinds = list(offers)
    at = kinds.index(wanted.kind) if wanted.kind in kinds and wanted.column in (None, column.name) else 0

    def named(kind: str) -> str:
        offer = offers[kind]
        return f"{offer.label} ({offer.hint})" if offer.hint else offer.label

    chosen = st.selectbox(
        "What to do",
        kinds,
        index=at,
        format_func=named,
        key=f"shape-kind-{column.name}-{wanted.kind}-{wanted.table}",
    )
    return chosen or kinds[0]


def _preview(view: ChatView, wanted: _Shaping, step: Step) -> ShapePreview | str:
    """Return a preview of the step, or the reason why it cannot run."""
    engine = app()

    def run() -> ShapePreview | str:
        try:
            return engine.preview_shape(view.chat_id, wanted.table, [*wanted.steps, step])
        except AnabranchError as error:
            return error.message

    with st.spinner("Looking at the values…"):
        return _previews.get(
            engine, (view.chat_id, view.manifest, wanted.table, repr((*wanted.steps, step))), run
        )


def _told(preview: ShapePreview, column: ColumnProfile, kind: str, key: str) -> bool:
    """Draw the preview. Return whether the step can run: all its choices are made, and it would change something."""
    if preview.readings:
        st.html(_readings(preview))
    chosen = draw_choices(preview.choices, key)
    if kind == "unify":
        draw_merges(preview.merges, key)
    for note in preview.notes:
        st.html(f'<p class="ab-note">{escape(note)}</p>')
    if preview.unread_rows:
        listed = ", ".join(f"“{value}”" for value, _ in preview.unread[:8])
        rows = f"{count(preview.unread_rows, 'value')} cannot be read and {'is' if preview.unread_rows == 1 else 'are'}"
        st.html(f'<p class="ab-warning">{escape(f"{rows} left empty: {listed}.")}</p>')
    if preview.changes_nothing:
        st.html('<p class="ab-note">Nothing would change.</p>')
    if len(preview.said) > 1:
        st.html(f'<p class="ab-note">After: {escape("; ".join(preview.said[:-1]))}.</p>')
    st.html(_sides(preview, column))
    with st.expander("Rows of the new table", key=f"shape-rows-{key}"):
        import pandas as pd  # noqa: PLC0415 - half a second, which the first page need not wait for

        st.dataframe(
            pd.DataFrame([list(row) for row in preview.sample], columns=list(preview.sample_columns)),
            hide_index=True,
            height=280,
            key=f"shape-grid-{key}",
        )
        if preview.sides.rows[1] > len(preview.sample):
            st.html(
                f'<p class="ab-note">The first {len(preview.sample)} of {preview.sides.rows[1]:,} rows.</p>'
            )
    with st.expander("Show the SQL", key=f"shape-sql-{key}"):
        st.code(preview.sql, language="sql", wrap_lines=True)
    return chosen and not preview.changes_nothing


def _readings(preview: ShapePreview) -> str:
    """Return as HTML each format with an example, the value that it is read as, and its number of rows."""
    rows = "".join(
        f"<tr><td><code>{escape(one.example)}</code></td>"
        f"<td>{f'<b>{escape(one.reads)}</b>' if one.reads else '<i>empty</i>'}<small>{escape(one.words)}</small></td>"
        f"<td>{one.rows:,}</td></tr>"
        for one in preview.readings
    )
    head = "<tr><th>Now</th><th>Read as</th><th>Rows</th></tr>"
    return f'<table class="ab-readings"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def _sides(preview: ShapePreview, column: ColumnProfile) -> str:
    sides = preview.sides
    lines: list[tuple[str, str, str]] = [("Rows", f"{sides.rows[0]:,}", f"{sides.rows[1]:,}")]
    if sides.columns[0] != sides.columns[1]:
        lines.append(("Columns", str(sides.columns[0]), str(sides.columns[1])))
    if sides.column is not None:
        old, new = sides.column
        lines += [
            ("Type", old.type, new.type),
            ("Empty", f"{old.empty:,}", f"{new.empty:,}"),
            ("Different values", f"{old.different:,}", f"{new.different:,}"),
            ("First", old.first[:30], new.first[:30]),
            ("Last", old.last[:30], new.last[:30]),
        ]
    if preview.changed_rows:
        lines.append(("Changed", "", f"{preview.changed_rows:,}"))
    rows = "".join(f"<tr><td>{a}</td><td>{escape(b)}</td><td>{escape(c)}</td></tr>" for a, b, c in lines)
    head = f"<tr><th>{escape(column.name)}</th><th>Before</th><th>After</th></tr>"
    return f'<table class="ab-readings ab-sides"><thead>{head}</thead><tbody>{rows}</tbody></table>'


def _foot(
    view: ChatView,
    wanted: _Shaping,
    path: str,
    column: ColumnProfile,
    kind: str,
    key: str,
    *,
    ready: bool,
) -> None:
    with st.container(key="shape-foot", horizontal=True, vertical_alignment="center"):
        said = f"Makes a new table. {path} does not change."
        st.html(f'<span class="ab-note">{escape(said)}</span>', width="stretch")
        st.button(
            "Make table",
            key="make-table",
            type="primary",
            shortcut="Ctrl+Enter",
            disabled=not ready,
            on_click=once("make-table", partial(_make, view.chat_id, wanted, column, kind, key)),
        )


def _make(chat_id: str, wanted: _Shaping, column: ColumnProfile, kind: str, key: str) -> None:
    """Run the step as the user's own call, and continue with the new table."""
    steps = (*wanted.steps, step_of(kind, column, key))
    made = send(ShapeTable(chat_id, wanted.table, steps, from_call_id=wanted.call_id))
    session.remember("shape-done", True)
    if made is REFUSED:
        return
    call = app().chat(chat_id).calls[made]
    if call.error is not None:
        session.remember("failure", f"The table was not made.\n{call.error['message']}")
        return
    result = call.result if isinstance(call.result, dict) else {}
    session.remember("shaped", (made, call.position))
    session.remember(_STATE, _Shaping(wanted.table, call_id=made, steps=steps, made=str(result.get("table"))))
    session.remember("shaped-before", wanted)


def _made(view: ChatView, call_id: str, position: int) -> None:
    """Show which table was made, and offer to undo it."""
    call = view.calls.get(call_id) or app().chat(view.chat_id).calls.get(call_id)
    result = call.result if call is not None and isinstance(call.result, dict) else {}
    with st.container(key="shape-made", horizontal=True, vertical_alignment="center"):
        rows = result.get("row_count")
        told = f"Made {result.get('table')}, {count(rows, 'row') if isinstance(rows, int) else ''}."
        st.html(f'<span class="ab-done" role="status">{escape(told)}</span>', width="stretch")
        st.button(
            "Undo",
            key="undo-shape",
            type="tertiary",
            on_click=once("undo-shape", partial(_undo, view.chat_id, position, str(result.get("table")))),
        )


def _undo(chat_id: str, position: int, name: str) -> None:
    """Restore the files from before the step. The history keeps the step."""
    if send(RewindChat(chat_id, position - 1, "files")) is REFUSED:
        return
    session.clear("shaped")
    session.remember(_STATE, session.remembered("shaped-before"))
    session.flash(f"{name} was removed again. It is still in the history.")
    session.remember("shape-done", True)
