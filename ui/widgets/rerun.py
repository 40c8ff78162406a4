"""The same analysis with another file or a changed call: the sheet before it, how far it is, and the band after it."""

from collections.abc import Mapping

import streamlit as st

from engine.commands.catalog import RerunChat, SelectLeaf, StopTurn, Upload
from engine.errors import AnabranchError
from engine.views.chat import CallView, ChatView
from engine.views.column_changes import ColumnChange
from engine.views.reruns import RerunView
from events.canonical import JSON
from ui import session
from ui.acts import once
from ui.background_task import BackgroundTask
from ui.current_app import app, send, told
from ui.widgets.failure import failure
from ui.widgets.parts import dialog, fragment
from ui.words import count, escape, local_time, seconds

__all__ = ["change_call", "rerun_band", "rerun_button"]

_EVERY = 0.4
"""Seconds between looks while calls run."""
_SAME = 6
"""Columns with the same name that are listed; the rest are counted."""
_TEXTS = ("sql", "code")


def rerun_button(view: ChatView, path: str) -> None:
    """Offer to run the chat's calls again with another file in place of one that the user brought."""
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
    """Old file → new file: what to check first, then the rest."""
    if session.page_wanted():  # it was begun: the whole page is drawn, without this sheet
        st.rerun()
    st.html(
        f'<div class="ab-note">Every call of this branch runs again on a branch of its own, with your file in place of '
        f"<code>{escape(path)}</code>. No model is asked, and the text of the answers does not change.</div>"
    )
    given = st.file_uploader("The new file", key=f"rerun-file-{chat_id}", label_visibility="collapsed")
    if given is None:
        return
    upload = Upload(path, given.getvalue())
    try:
        with st.spinner("Reading its columns"):
            tables = app().preview_rerun(chat_id, [upload])
    except AnabranchError as error:
        failure("This file cannot be used.", told(error))
        return
    for table in tables:
        if table.problem is not None:
            st.html(f'<div class="ab-warning">{escape(table.problem)}</div>')
            continue
        st.html(
            f'<div class="ab-cardtitle"><b>{escape(given.name)}</b><span>in place of {escape(path)} · '
            f"{table.rows_before:,} → {table.rows_now:,} rows</span></div>"
        )
        same = [column.name for column in table.columns if column.what == "same"]
        rows = "".join(
            f"<tr><td><code>{escape(column.name)}</code></td><td>{_said(column)}</td></tr>"
            for column in table.columns
            if column.what != "same"
        )
        listed = ", ".join(same[:_SAME]) + (f" and {len(same) - _SAME} more" if len(same) > _SAME else "")
        rest = f'<div class="ab-note">The same: {escape(listed)}.</div>' if same else ""
        shown = f'<div class="ab-verify-table"><table><tbody>{rows}</tbody></table></div>' if rows else ""
        st.html(shown + rest)
        if table.values_gone:
            gone = "<br>".join(escape(f"{one}.") for one in table.values_gone)
            st.html(f'<div class="ab-warning">{gone}</div>')
    calls = [c for m in app().chat(chat_id).branch() for c in m.calls if c.finished_at is not None]
    st.button(
        f"Run {count(len(calls), 'call')} again",
        key="rerun-go",
        type="primary",
        on_click=once("rerun", _begin),
        args=(RerunChat(chat_id, files=[upload]),),
    )


def _said(column: ColumnChange) -> str:
    what, like = column.what, column.like
    if what == "missing":
        maybe = (
            f" <code>{escape(like)}</code> may be it under another name: rename it in the file."
            if like
            else ""
        )
        return f'<span class="ab-stale">missing</span>{maybe} Calls that use it will fail.'
    if what == "other type":
        return f'<span class="ab-stale">check</span> is {escape(str(column.now))}, was {escape(str(column.before))}'
    return "new, not used"


def _begin(command: RerunChat) -> None:
    session.clear(f"rerun-sheet-{command.chat_id}")
    task: BackgroundTask[str] = BackgroundTask()
    session.remember(f"rerun-{command.chat_id}", task)
    engine = app()
    task.begin(lambda: engine.send(command))
    session.go_to_page("chat")


def change_call(view: ChatView, call: CallView) -> None:
    """Let the user change what a call was given, and run it and everything after it on a new branch."""
    given: Mapping[str, JSON] = call.args if isinstance(call.args, dict) else {}
    name = next((one for one in _TEXTS if isinstance(given.get(one), str)), None)
    if name is None or session.looks_back():
        return
    text = st.text_area("Change it", str(given[name]), key=f"change-{call.call_id}", height=140)
    st.button(
        "Run this and what follows on a new branch",
        key=f"what-if-{call.call_id}",
        disabled=text == given[name],
        on_click=once("rerun", _changed),
        args=(view.chat_id, call.call_id, dict(given), name),
    )


def _changed(chat_id: str, call_id: str, given: dict[str, JSON], name: str) -> None:
    text = str(session.widget_value(f"change-{call_id}"))
    _begin(RerunChat(chat_id, call_id=call_id, arguments={**given, name: text}))


def rerun_band(view: ChatView) -> None:
    """Say above a chat that it is being run again, or that this branch is one that ran again, and the way back."""
    chat_id = view.chat_id
    task: BackgroundTask[str] | None = session.remembered(f"rerun-{chat_id}")
    if app().rerunning(chat_id) is not None or (task is not None and not task.is_done):
        fragment(_progress, run_every=_EVERY)(chat_id)
        return
    if task is not None:
        try:
            task.outcome()
        except AnabranchError as error:
            failure("Nothing was run again.", told(error))
    on_branch = {message.message_id for message in view.branch()}
    runs = [run for run in view.reruns.values() if run.leaf in on_branch]
    if runs:
        _band(view, max(runs, key=lambda run: run.at))


def _compare(chat_id: str, run: RerunView) -> None:
    session.compare(chat_id, run.from_leaf, run.leaf)
    session.go_to_page("compare")


def _progress(chat_id: str) -> None:
    progress = app().rerunning(chat_id)
    task: BackgroundTask[str] | None = session.remembered(f"rerun-{chat_id}")
    if progress is None and (task is None or task.is_done):
        st.rerun()
    done, asked = (len(progress.done), progress.asked) if progress is not None else (0, 0)
    with st.container(key="rerun-band", horizontal=True, vertical_alignment="center"):
        what = f"Running call {min(done + 1, asked)} of {asked} again" if asked else "Running the calls again"
        st.html(f'<div class="ab-rerun"><b>{what}</b><span>No model is asked.</span></div>', width="stretch")
        st.button("Stop", key="stop-rerun", on_click=once("stop-rerun", send), args=(StopTurn(chat_id),))


def _band(view: ChatView, run: RerunView) -> None:
    tools = {call.call_id: call.tool_id.rpartition(":")[2] for call in view.calls.values()}
    changed = tools.get(run.changed)
    what = (
        f"Run again with a changed {changed}"
        if changed
        else f"Run again with {run.changed or 'the same files'}"
    )
    facts = [local_time(run.at, st.context.timezone_offset), seconds(run.seconds), "no model"]
    kept = sum(call.status == "kept" for call in run.calls)
    quotes = sorted({value for call in run.calls for value in call.quotes})
    chips = [f"{run.ran} of {count(len(run.calls), 'call')} ran", f"{count(run.moved, 'result')} moved"]
    chips += [f"{kept} kept as recorded"] if kept else []
    chips += ["stopped at a call that failed"] if run.failed else []
    warned = [f"“{value}” is quoted by a call, and results have it no more" for value in quotes[:3]]
    with st.container(key="rerun-band", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="ab-rerun"><b>{escape(what)}</b><span>{escape(" · ".join(facts))}</span><div>'
            + "".join(f'<span class="ab-chip">{escape(chip)}</span>' for chip in chips)
            + "".join(f'<span class="ab-chip ab-stale">{escape(one)}</span>' for one in warned)
            + "</div><span>The text of the answers is from the branch before.</span></div>",
            width="stretch",
        )
        if run.from_leaf in view.messages and not session.looks_back():
            st.button("Compare", key="rerun-compare", on_click=_compare, args=(view.chat_id, run))
            st.button(
                "Back to the original",
                key="rerun-back",
                on_click=once("rerun-back", send),
                args=(SelectLeaf(view.chat_id, run.from_leaf),),
            )
