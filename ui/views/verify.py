"""Verify: runs the recorded calls of a chat again and shows the verdict on each."""

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from engine.commands.catalog import StopTurn
from engine.errors import AnabranchError
from engine.views.chat import ChatView
from engine.views.exchanges import Exchange, exchanges
from engine.views.replays import SAME, verdict_words
from ui import session
from ui.acts import once
from ui.background_task import BackgroundTask
from ui.components.copy_text.component import copy_text
from ui.current_app import app, send, told
from ui.widgets.failure import failure
from ui.widgets.page_head import chat_of_page
from ui.widgets.parts import fragment
from ui.widgets.verdicts import BAR_ORDER, Shown, shown_verdict, verdict_bar, verdict_row
from ui.widgets.verifying import begin_asked, replay_task, verify_now
from ui.words import count, escape, local_time, seconds

__all__ = ["verify_page"]

_EVERY = 0.4
"""Seconds between updates while calls run."""


def verify_page() -> None:
    """Draw the re-runs of the chat that the address names."""
    with st.container(key="verify"):
        view = chat_of_page("Verify", "Open a chat and choose Verify to run its tool calls again.")
        if view is None:
            return
        chat_id = view.chat_id
        begin_asked(chat_id)
        _failed(chat_id)
        running = app().replaying(chat_id) is not None or replay_task(chat_id) is not None
        fragment(_page, run_every=_EVERY if running else None)(chat_id, running)


def _failed(chat_id: str) -> None:
    """Show why the run that this tab began failed."""
    task: BackgroundTask[str] | None = session.remembered(f"replay-{chat_id}")
    if task is None or not task.is_done:
        return
    try:
        task.outcome()
    except AnabranchError as error:
        failure("No calls were run again.", told(error))


def _page(chat_id: str, running: bool) -> None:
    view, progress = app().chat(chat_id), app().replaying(chat_id)
    under_way = progress is not None or replay_task(chat_id) is not None
    if running != under_way:
        st.rerun()
    shown = _shown(view)
    if not shown:
        st.html(
            '<div class="ab-note">No tool was called in this chat yet, so there is nothing to run again.</div>'
        )
        return
    _summary(view, shown)
    groups = [(one, _of(one, shown)) for one in exchanges(view)]
    groups = [(one, calls) for one, calls in groups if calls]
    unchanged = [calls for _, calls in groups if all(call.word == "identical" for call in calls)]
    hides = bool(unchanged) and st.toggle("Hide unchanged answers", value=True, key="hide-unchanged")
    hidden = unchanged if hides else []
    if hidden:
        folded = count(sum(map(len, hidden)), "identical call")
        st.html(
            f'<div class="ab-note">{count(len(hidden), "answer")} with {folded} {"is" if len(hidden) == 1 else "are"}'
            " hidden.</div>"
        )
    for exchange, calls in groups:
        if calls not in hidden:
            _group(view, exchange, calls)


def _group(view: ChatView, exchange: Exchange, calls: Sequence[Shown]) -> None:
    time = local_time(exchange.question.created_at, st.context.timezone_offset)
    st.html(
        f'<div class="ab-verify-question"><b>{escape(exchange.question.text[:200])}</b>'
        f"<span>{escape(time)} · {count(len(calls), 'call')}</span></div>"
    )
    for shown in calls:
        verdict_row(view, shown)


def _shown(view: ChatView) -> dict[str, Shown]:
    """Return each ended call of the branch, with what is known about its re-run."""
    progress = app().replaying(view.chat_id)
    found: dict[str, Shown] = {}
    for message in view.branch():
        for call in message.calls:
            if call.finished_at is not None:
                found[call.call_id] = shown_verdict(call, view.verdicts.get(call.call_id), progress)
    return found


def _of(exchange: Exchange, shown: Mapping[str, Shown]) -> list[Shown]:
    return [shown[call.call_id] for step in exchange.steps for call in step.calls if call.call_id in shown]


def _summary(view: ChatView, shown: Mapping[str, Shown]) -> None:
    """Draw the progress of a run, or the results of the last runs, with the possible actions."""
    progress = app().replaying(view.chat_id)
    counts = Counter(one.word for one in shown.values())
    with st.container(key="verify-summary", border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(_headline(shown, progress.asked if progress is not None else 0), width="stretch")
            if progress is not None:
                st.button(
                    "Stop",
                    icon=":material/stop:",
                    key="stop-replay",
                    shortcut="Esc",
                    on_click=once("stop-replay", send),
                    args=(StopTurn(view.chat_id),),
                )
            else:
                _offers(view.chat_id, shown, counts)
        verdict_bar(counts, len(shown))


def _headline(shown: Mapping[str, Shown], asked: int) -> str:
    """Return the progress of a run of `asked` calls as text; if `asked` is 0, the results of the last runs."""
    ran = [one for one in shown.values() if one.word in BAR_ORDER and one.word != "skipped"]
    same = sum(one.word in SAME for one in ran)
    if asked:
        done = sum(one.fresh for one in shown.values())
        what = f"Running call {min(done + 1, asked)} of {asked} again"
    elif ran:
        what = f"{count(len(ran), 'call')} ran again; {same} gave the same result"
    else:
        what = f"{count(len(shown), 'call')} to run again"
    return (
        f'<div class="ab-verify-head"><b>{escape(what)}</b><span>Each call runs with the files and the tool '
        "version that were recorded for it. Nothing in the chat changes.</span></div>"
    )


def _offers(chat_id: str, shown: Mapping[str, Shown], counts: Mapping[str, int]) -> None:
    skipped = [one.call.call_id for one in shown.values() if one.reaches_out]
    if skipped:
        st.button(
            "Run skipped calls too",
            key="verify-live",
            help="Skipped calls read a source, use the network or call an MCP server. This sends their arguments again",
            on_click=once("verify-live", verify_now),
            args=(chat_id, tuple(skipped)),
            kwargs={"live": True},
        )
    left = [one.call.call_id for one in shown.values() if one.word == ""]
    if left and len(left) < len(shown):
        st.button(
            f"Run the other {len(left)}",
            key="verify-rest",
            on_click=once("verify-rest", verify_now),
            args=(chat_id, tuple(left)),
        )
    copy_text(_as_text(shown), key="copy-verdicts", label="Copy as text")
    st.button(
        "Run all again" if counts.keys() - {""} else f"Run {count(len(shown), 'call')} again",
        key="verify-all",
        type="primary",
        on_click=once("verify-all", verify_now),
        args=(chat_id,),
    )


def _as_text(shown: Mapping[str, Shown]) -> str:
    return "\n".join(
        f"{one.name}  {one.title}  {seconds(one.call.seconds)} → {seconds(one.seconds)}  "
        f"{verdict_words(one.word) or 'not run again'}  {one.reason}".rstrip()
        for one in shown.values()
    )
