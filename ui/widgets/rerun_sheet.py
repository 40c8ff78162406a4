"""The sheet before an analysis runs again with another file: columns to match, and values that calls quote."""

from collections.abc import Sequence

import streamlit as st

from engine.commands.catalog import RerunChat, Upload
from engine.errors import AnabranchError
from engine.views.chat import ChatView
from engine.views.column_changes import ColumnChange, TableChange
from ui import session
from ui.acts import once
from ui.current_app import app, told
from ui.widgets.failure import failure
from ui.widgets.parts import dialog
from ui.widgets.rerun_task import begin_rerun
from ui.words import count, escape

__all__ = ["rerun_button"]

_SAME = 6
"""How many columns with the same name are listed; the others are only counted."""


def rerun_button(view: ChatView, path: str) -> None:
    """Offer to run the chat's calls again with another file in place of one that the user added."""
    opened = f"rerun-sheet-{view.chat_id}"
    brought = any(
        path in m["changes"]["added"] for m in view.manifests.values() if m["source"] == "user_upload"
    )
    if not brought or not view.calls or session.looks_back():
        return
    st.button(
        "Run again with another file",
        icon=":material/sync_alt:",
        key="rerun-with",
        type="tertiary",
        on_click=session.remember,
        args=(opened, path),
    )
    if session.remembered(opened) == path:
        dialog("Run again with another file", width="large", on_dismiss=lambda: session.clear(opened))(
            _sheet
        )(view.chat_id, path)


def _sheet(chat_id: str, path: str) -> None:
    """Draw the sheet for an old and a new file: first what the user should check, then the rest."""
    _explain(path)
    given = st.file_uploader("The new file", key=f"rerun-file-{chat_id}", label_visibility="collapsed")
    if given is None:
        return
    upload = Upload(path, given.getvalue())
    try:
        with st.spinner("Reading its columns"):
            found = app().preview_rerun(chat_id, [upload])
            taken = _taken(found, given.file_id)
            tables = app().preview_rerun(chat_id, [upload], columns={path: taken}) if taken else found
    except AnabranchError as error:
        failure("This file cannot be used.", told(error))
        return
    for at, (first, table) in enumerate(zip(found, tables, strict=True)):
        _table(given.name, given.file_id, first, table, at)
    calls = [c for m in app().chat(chat_id).branch() for c in m.calls if c.finished_at is not None]
    blocked = any(table.blocks for table in tables)
    anyway = blocked and st.checkbox(
        "Run it anyway",
        key=f"rerun-anyway-{given.file_id}",
        help="Calls that use missing columns fail, and the run stops at the first such call",
    )
    command = RerunChat(chat_id, files=[upload], columns={path: taken} if taken else {}, anyway=anyway)
    st.button(
        f"Run {count(len(calls), 'call')} again",
        key="rerun-go",
        type="primary",
        disabled=blocked and not anyway,
        shortcut="Ctrl+Enter",
        on_click=once("rerun", begin_rerun),
        args=(command,),
    )
    words = [f"--file {path}={given.name}", *(f"--column {old}={new}" for old, new in taken.items())]
    _script(chat_id, [*words, *(["--anyway"] if anyway else [])])


def _explain(path: str) -> None:
    st.html(
        f'<div class="ab-note">Every call of this branch runs again on a new branch, with your file in place of '
        f"<code>{escape(path)}</code>. No model is asked, and the text of the answers does not change.</div>"
    )


def _script(chat_id: str, words: Sequence[str]) -> None:
    """Show the command that does the same in a terminal."""
    line = escape(f"anabranch rerun {chat_id} {' '.join(words)}")
    st.html(f'<div class="ab-note">From a script: <code>{line}</code></div>')


def _select_key(file_id: str, sheet: str, column: str) -> str:
    return f"match-{file_id}-{sheet}-{column}"


def _taken(tables: Sequence[TableChange], file_id: str) -> dict[str, str]:
    """Return the matched columns: the selected ones or, before the fields are drawn, the suggested ones."""
    found: dict[str, str] = {}
    for at, table in enumerate(tables):
        for column in table.columns:
            if column.what == "missing":
                chosen = session.widget_value_or(_select_key(file_id, str(at), column.name), column.like)
                if chosen and chosen not in found.values():
                    found[column.name] = chosen
    return found


def _table(name: str, file_id: str, first: TableChange, table: TableChange, at: int) -> None:
    """Draw the columns of one table that the user should check. `first` is the table before any column is matched."""
    if table.problem is not None:
        st.html(f'<div class="ab-warning">{escape(table.problem)}</div>')
        return
    st.html(
        f'<div class="ab-cardtitle"><b>{escape(name)}</b><span>in place of {escape(table.path)} · '
        f"{table.rows_before:,} → {table.rows_now:,} rows</span></div>"
    )
    new = [column.name for column in first.columns if column.what == "new"]
    now = {column.name: column for column in table.columns}
    with st.container(key=f"rerun-columns-{at}"):
        for column in first.columns:
            if column.what == "missing":
                _match(file_id, str(at), column, now[column.name], new)
        _facts(table)
    if table.values_gone:
        gone = "<br>".join(escape(f"{one}.") for one in table.values_gone)
        st.html(f'<div class="ab-warning">{gone}</div>')


def _match(file_id: str, sheet: str, column: ColumnChange, now: ColumnChange, new: Sequence[str]) -> None:
    """Let the user choose the new column that replaces a column used by calls."""
    used = f"{count(column.calls, 'call')}" if column.calls else "no call uses it"
    with st.container(horizontal=True, vertical_alignment="center", key=f"match-row-{sheet}-{column.name}"):
        st.html(
            f'<div class="ab-match"><code>{escape(column.name)}</code> <span>{escape(str(column.before))} · '
            f"{escape(used)}</span></div>",
            width="stretch",
        )
        chosen = st.selectbox(
            f"Column for {column.name}",
            ["", *new],
            index=new.index(column.like) + 1 if column.like in new else 0,
            format_func=lambda name: name or "none",
            key=_select_key(file_id, sheet, column.name),
            label_visibility="collapsed",
            width=200,
        )
        st.html(f'<div class="ab-match">{_said(column, now, chosen)}</div>', width="stretch")


def _said(column: ColumnChange, now: ColumnChange, chosen: str) -> str:
    if not chosen:
        told = "Calls that use it will fail." if column.calls else "No call uses it."
        return f'<span class="ab-stale">missing</span> {told}'
    if now.what == "missing":
        return '<span class="ab-stale">taken</span> It is already used for another column.'
    why = column.why if chosen == column.like else ""
    if now.what == "other type":
        why = f"is {now.now}, was {now.before}"
    return f'<span class="ab-stale">check</span> {escape(why)}'


def _facts(table: TableChange) -> None:
    """List the columns whose type differs, the new columns, and the unchanged ones."""
    rows = "".join(
        f"<tr><td><code>{escape(column.name)}</code></td><td>{_fact(column)}</td></tr>"
        for column in table.columns
        if column.what == "new" or (column.what == "other type" and column.like is None)
    )
    same = [column.name for column in table.columns if column.what == "same"]
    listed = ", ".join(same[:_SAME]) + (f" and {len(same) - _SAME} more" if len(same) > _SAME else "")
    rest = f'<div class="ab-note">Unchanged columns: {escape(listed)}.</div>' if same else ""
    shown = f'<div class="ab-verify-table"><table><tbody>{rows}</tbody></table></div>' if rows else ""
    st.html(shown + rest)


def _fact(column: ColumnChange) -> str:
    if column.what == "other type":
        return f'<span class="ab-stale">check</span> is {escape(str(column.now))}, was {escape(str(column.before))}'
    return "new, not used"
