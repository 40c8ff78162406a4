"""Running the same analysis with another file or a changed call: its progress, and the message after it."""

from collections.abc import Mapping

import streamlit as st

from engine.commands.catalog import RerunChat, Retry, SelectLeaf, StopTurn
from engine.errors import AnabranchError
from engine.views.chat import CallView, ChatView
from engine.views.reruns import RerunView, last_run
from events.json_value import JSON
from ui import session
from ui.acts import once
from ui.background_task import BackgroundTask
from ui.current_app import app, send, told
from ui.widgets.failure import failure
from ui.widgets.parts import fragment
from ui.widgets.rerun_task import begin_rerun
from ui.words import count, escape, local_time, seconds

__all__ = ["change_call", "rerun_band"]

_EVERY = 0.4
"""Seconds between updates while calls run."""
_TEXTS = ("sql", "code")
_LONGEST = 300
"""How many characters of an error the band shows; the branch shows the whole error."""


def change_call(view: ChatView, call: CallView) -> None:
    """Let the user change the arguments of a call, and run it and all later calls on a new branch."""
    given: Mapping[str, JSON] = call.args if isinstance(call.args, dict) else {}
    name = next((one for one in _TEXTS if isinstance(given.get(one), str)), None)
    if name is None or session.looks_back():
        return
    text = st.text_area("Change this call", str(given[name]), key=f"change-{call.call_id}", height=140)
    st.button(
        "Run this and later calls on a new branch",
        key=f"what-if-{call.call_id}",
        disabled=text == given[name],
        on_click=once("rerun", _changed),
        args=(view.chat_id, call.call_id, dict(given), name),
    )


def _changed(chat_id: str, call_id: str, given: dict[str, JSON], name: str) -> None:
    text = str(session.widget_value(f"change-{call_id}"))
    begin_rerun(RerunChat(chat_id, call_id=call_id, arguments={**given, name: text}))


def rerun_band(view: ChatView) -> None:
    """Above a chat, show that its calls are running again, or that this branch is a re-run with a button to go back."""
    chat_id = view.chat_id
    task: BackgroundTask[str] | None = session.remembered(f"rerun-{chat_id}")
    if app().rerunning(chat_id) is not None or (task is not None and not task.is_done):
        fragment(_progress, run_every=_EVERY)(chat_id)
        return
    if task is not None:
        try:
            task.outcome()
        except AnabranchError as error:
            failure("No calls were run again.", told(error))
    if _cut_off(view) or _short(view):
        return
    on_branch = {message.message_id for message in view.branch()}
    runs = [run for run in view.reruns.values() if run.leaf in on_branch]
    if runs:
        _band(view, max(runs, key=lambda run: run.at))


def _cut_off(view: ChatView) -> bool:
    """On the branch that was run again, show that its last run was cut off; return False if it was not."""
    found = view.cut_off_rerun()
    if found is None or found[0].from_leaf != view.leaf or session.looks_back():
        return False
    start, ended = found
    done = f" after {ended} of {count(start.asked, 'call')}" if start.asked else ""
    with st.container(key="rerun-band", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="ab-rerun"><b>The re-run was cut off{escape(done)}</b><span>The calls that had run are on '
            "a separate branch, listed in Branches. A new run starts from the first call, because the call that was "
            "cut off may have written only some of its files.</span></div>",
            width="stretch",
        )
        st.button(
            "Run again",
            key="rerun-cut-off",
            on_click=once("rerun", _run_cut_off),
            args=(view.chat_id, start.rerun_id),
        )
    return True


def _short(view: ChatView) -> bool:
    """On the branch that was run again, show that its last run stopped early; return False if it did not."""
    run = last_run(view.reruns.values())
    if run is None or not run.failed or run.from_leaf != view.leaf or session.looks_back():
        return False
    stopped = next((call for call in run.calls if call.status == "failed"), None)
    old = view.calls.get(stopped.call_id) if stopped is not None else None
    where = f" at {old.tool_id.rpartition(':')[2]}" if old is not None else ""
    new = view.calls.get(stopped.new_call_id or "") if stopped is not None else None
    by_hand = stopped is None or (new is not None and new.status == "cancelled")
    why = "You stopped it." if by_hand or stopped is None else stopped.told.partition("\n")[0][:_LONGEST]
    with st.container(key="rerun-band", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="ab-rerun"><b>The re-run stopped{escape(where)}</b><span>{escape(why)}</span><div>'
            f'<span class="ab-chip">{run.ran} of {count(len(run.calls), "call")} ran</span></div><span>You are still '
            "on the original branch. The calls that ran are on a new one.</span></div>",
            width="stretch",
        )
        if run.leaf is not None:
            st.button(
                "Show that branch",
                key="rerun-short",
                on_click=once("rerun-short", send),
                args=(SelectLeaf(view.chat_id, run.leaf),),
            )
    return True


def _run_cut_off(chat_id: str, rerun_id: str) -> None:
    begin_rerun(app().rerun_again(chat_id, rerun_id))


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
    chips, warned = _outcome(view, run)
    numbers = (
        "Numbers from calls that did not run are not updated." if run.failed else "Their numbers are updated."
    )
    with st.container(key="rerun-band", horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="ab-rerun"><b>{escape(what)}</b><span>{escape(" · ".join(facts))}</span><div>'
            + "".join(f'<span class="ab-chip">{escape(chip)}</span>' for chip in chips)
            + "".join(f'<span class="ab-chip ab-stale">{escape(one)}</span>' for one in warned)
            + f"</div><span>The answers were copied from the previous branch. {numbers}</span></div>",
            width="stretch",
        )
        if run.from_leaf in view.messages and not session.looks_back():
            _band_buttons(view, run)


def _outcome(view: ChatView, run: RerunView) -> tuple[list[str], list[str]]:
    """Return the facts about a run, and the warnings."""
    kept = sum(call.status == "kept" for call in run.calls)
    quotes = sorted({value for call in run.calls for value in call.quotes})
    chips = [f"{run.ran} of {count(len(run.calls), 'call')} ran"]
    chips += [f"{count(run.moved, 'result')} moved" if run.moved else "all results are the same"]
    chips += [f"{kept} not run: recorded results kept"] if kept else []
    answers = app().reread(view.chat_id, run.rerun_id)
    numbers = [number for answer in answers for number in answer.numbers]
    moved = sum(bool(number.was) for number in numbers)
    chips += [f"{moved} of {count(len(numbers), 'number')} moved"] if numbers else []
    broken = sum(not one.follows for answer in answers for one in answer.sentences)
    chips += ["stopped at a call that failed"] if run.failed else []
    warned = [
        f"a call contains “{value}” from an earlier result, but no result has this value now"
        for value in quotes[:3]
    ]
    if broken:
        warned.append(f"{count(broken, 'sentence')} no longer true")
    return chips, warned


def _band_buttons(view: ChatView, run: RerunView) -> None:
    question = next((m for m in reversed(view.branch()) if m.role == "user"), None)
    if question is not None:
        st.button(
            "Ask the model again",
            key="rerun-answer-again",
            help="The model answers the last question again, from the files of this branch",
            on_click=once("rerun-answer-again", send),
            args=(Retry(view.chat_id, question.message_id),),
        )
    st.button("Compare", key="rerun-compare", on_click=_compare, args=(view.chat_id, run))
    st.button(
        "Back to the original",
        key="rerun-back",
        on_click=once("rerun-back", send),
        args=(SelectLeaf(view.chat_id, run.from_leaf),),
    )
