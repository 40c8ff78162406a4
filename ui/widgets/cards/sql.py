"""The SQL view of a card: read, copy, change and run the SQL. A run is recorded as the user's own call."""

import logging
from collections.abc import Mapping
from functools import partial
from typing import NoReturn

import streamlit as st

from engine.app.app import App
from engine.commands.catalog import RunTool, StopTurn
from engine.errors import AnabranchError
from engine.views.chat import CallView
from events.json_value import JSON
from ui import session
from ui.background_task import BackgroundTask
from ui.components.copy_text.component import copy_text
from ui.components.editor.component import editor
from ui.current_app import app, send
from ui.widgets.failure import failure
from ui.widgets.parts import fragment
from ui.widgets.show_as import known_tool

__all__ = ["sql_face"]

_EVERY = 0.5
"""Seconds between checks of a running query."""
_log = logging.getLogger("anabranch.page")


def sql_face(chat_id: str, call: CallView, sql: str, key: str) -> None:
    """Draw the SQL view; if the call's tool cannot run now, the SQL can only be read and copied."""
    args = call.args if isinstance(call.args, dict) else {}
    tool = known_tool(call.tool_id)
    there = tool is not None and tool.available
    if not there or not isinstance(args.get("sql"), str) or session.looks_back():
        st.code(sql, language="sql", wrap_lines=True)
        if not there:
            st.html('<p class="ab-empty">This query cannot run again because its tool is not available.</p>')
        return
    _editable(chat_id, call, args, sql, key)


def _editable(chat_id: str, call: CallView, args: Mapping[str, JSON], sql: str, key: str) -> None:
    draft = f"draft-{key}"
    if session.once(f"format-{key}"):
        _format(key, sql, _dialect(args.get("source")))
    text = session.remembered(draft, sql)

    def keep(typed: str) -> None:
        session.remember(draft, typed)

    def run(typed: str) -> None:
        keep(typed)
        _want(key)

    editor(
        text,
        original=sql,
        base=call.call_id,
        language="sql",
        label="SQL of this result",
        key=f"sql-{key}",
        on_draft=keep,
        on_done=run,
        done="run",
        tallest=420,
        taken_back=session.remembered(f"taken-back-{key}", 0),
    )
    work: BackgroundTask[str | None] | None = session.remembered(f"run-{key}")
    _bar(key, sql, text, work)
    if work is not None:
        # `save_as` would overwrite a file without being asked to, and a title describes only the original SQL.
        without = {"save_as"} if text == sql else {"save_as", "title"}
        given = {name: value for name, value in args.items() if name not in without} | {"sql": text}
        work.begin(partial(_problem_of, app(), chat_id, call, given))
        _show(work, chat_id, key)
    elif _runs(chat_id, call):
        fragment(_begun_before, run_every=_EVERY)(chat_id, call, key)


def _bar(key: str, sql: str, text: str, work: BackgroundTask[str | None] | None) -> None:
    """Draw the buttons for the SQL."""
    with st.container(key=f"sqlbar-{key}", horizontal=True, vertical_alignment="center"):
        st.button(
            "Run",
            icon=":material/play_arrow:",
            key=f"run-{key}",
            on_click=_want,
            args=(key,),
            disabled=work is not None and not work.is_done,
        )
        st.button(
            "Format",
            icon=":material/format_align_left:",
            key=f"format-sql-{key}",
            type="tertiary",
            on_click=session.remember,  # done at the next drawing, when all typed characters have arrived
            args=(f"format-{key}", True),
        )
        copy_text(text, key=f"copysql-{key}", label="Copy SQL")
        if text != sql:
            st.button(
                "Back to the original", key=f"back-{key}", type="tertiary", on_click=_take_back, args=(key,)
            )
        st.html('<span class="ab-note">Your runs are recorded in this chat.</span>', width="content")


def _want(key: str) -> None:
    """Request a run at the next drawing of the page, when all typed characters have arrived."""
    work: BackgroundTask[str | None] | None = session.remembered(f"run-{key}")
    if work is None or work.is_done:
        session.remember(f"run-{key}", BackgroundTask())


def _dialect(source: JSON) -> str:
    """Return the SQL dialect of a call's source; DuckDB's if the call reads the chat's files."""
    if not source:
        return "duckdb"
    return next((str(row["dialect"]) for row in app().source_rows() if row["name"] == source), "")


def _format(key: str, sql: str, dialect: str) -> None:
    """Put the clauses of the text on separate lines; text that cannot be parsed stays unchanged."""
    import sqlglot  # noqa: PLC0415 - takes a second to load and is rarely needed

    text = str(session.remembered(f"draft-{key}", sql))
    try:
        written = sqlglot.transpile(text, read=dialect, write=dialect, pretty=True)
    except sqlglot.errors.SqlglotError:
        written = []
    if len(written) != 1:
        session.flash("This SQL could not be formatted: it is not a single valid statement.")
        return
    session.remember(f"draft-{key}", written[0])
    session.remember(f"taken-back-{key}", session.remembered(f"taken-back-{key}", 0) + 1)


def _take_back(key: str) -> None:
    session.clear(f"draft-{key}")
    work: BackgroundTask[str | None] | None = session.remembered(f"run-{key}")
    if work is not None and work.is_done:
        session.clear(f"run-{key}")
    session.remember(f"taken-back-{key}", session.remembered(f"taken-back-{key}", 0) + 1)


def _show(work: BackgroundTask[str | None], chat_id: str, key: str) -> None:
    """Show progress, then the result below the card, or the error."""
    if not work.is_done:
        fragment(_running, run_every=_EVERY)(work, chat_id, key)
        return
    problem = work.outcome()
    if problem is None:
        _draw_result(key)
    failure("This SQL did not finish.", problem or "")


def _running(work: BackgroundTask[str | None], chat_id: str, key: str) -> None:
    """Draw the progress of the run, or rerun the page if the run has ended."""
    if work.is_done:
        if work.outcome() is None:
            _draw_result(key)
        st.rerun(scope="app")
    _stoppable(f"Running · {work.seconds} s", chat_id, key)


def _runs(chat_id: str, call: CallView) -> bool:
    """Whether this SQL is already running: started in another tab, or in this tab before a reload."""
    origin = call.from_call_id or call.call_id
    runs = (run for run in app().chat(chat_id).calls.values() if run.from_call_id == origin)
    return any(run.status in ("pending", "running") for run in runs)


def _begun_before(chat_id: str, call: CallView, key: str) -> None:
    """Draw the progress of a run that this page did not start, or rerun the page if that run has ended."""
    if not _runs(chat_id, call):
        st.rerun(scope="app")
    _stoppable("Running", chat_id, key)


def _stoppable(words: str, chat_id: str, key: str) -> None:
    with st.container(key=f"sqlbar-running-{key}", horizontal=True, vertical_alignment="center"):
        st.html(f'<span class="ab-note" role="status">{words}</span>', width="content")
        st.button(
            "Stop",
            icon=":material/stop:",
            key=f"stop-run-{key}",
            help="Stop everything that is running in this chat",
            on_click=send,
            args=(StopTurn(chat_id),),
        )


def _draw_result(key: str) -> NoReturn:
    session.clear(f"run-{key}")
    st.rerun(scope="app")


def _problem_of(engine: App, chat_id: str, call: CallView, arguments: Mapping[str, JSON]) -> str | None:
    """Run the SQL as the user; return the error as text, if there was one."""
    origin = call.from_call_id or call.call_id
    try:
        made = engine.send(RunTool(chat_id, call.tool_id, arguments, from_call_id=origin))
        ran = engine.chat(chat_id).calls[made]
    except AnabranchError as error:
        return error.message
    except Exception as error:  # an unexpected error must be shown, not end the thread silently
        _log.exception("A query by the user failed.")
        return f"This is an error in Anabranch: {type(error).__name__}. The server's output has the details."
    if ran.status in ("cancelled", "interrupted"):
        return "It was stopped."
    return str(ran.error["message"]).removeprefix("Refused: ") if ran.error is not None else None
