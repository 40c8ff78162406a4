"""Standing questions: pinned answers, each with its value, movement and last check."""

from collections.abc import Sequence

import streamlit as st

from engine.commands.catalog import (
    CheckStandingQuestion,
    ChooseDirection,
    ChooseTrigger,
    MarkSeen,
    SelectLeaf,
    StopTurn,
    UnpinAnswer,
    Upload,
    UploadFiles,
)
from engine.errors import AnabranchError
from engine.views.standing import Attention, StandingQuestion
from ui import session
from ui.acts import once
from ui.background_task import BackgroundTask
from ui.components.standing_list.component import standing_list
from ui.current_app import REFUSED, app, send
from ui.widgets.failure import failure, pending_failure
from ui.widgets.parts import dialog, fragment
from ui.widgets.standing_rows import standing_groups
from ui.words import escape

__all__ = ["standing_questions_page"]

_EVERY = 0.5
"""Seconds between updates while checks run."""
_TASKS = "standing-checks"
_EMPTY = """<div class="ab-standing-empty"><span class="ab-pin" role="img" aria-label="The pin under an answer"></span>
<b>Pin an answer to see it here.</b><span>It is checked again when its files change.</span></div>"""
_FOOT = """<div class="ab-standing-foot"><span>Pin an answer with <i class="ab-pin"></i> under it, or press
<kbd>P</kbd>.</span><span>In cron, run <code>anabranch rerun --pinned</code>: its exit code is 4 if an answer
moved.</span></div>"""


def standing_questions_page() -> None:
    """Draw the standing questions page."""
    with st.container(key="standing"):
        pending_failure()
        _, drawn = _look()
        fragment(_page, run_every=_EVERY if drawn[0] else None)(drawn)


def _look() -> tuple[Sequence[StandingQuestion], tuple[bool, Attention]]:
    """Return the questions, whether any of them is being checked, and how many need the user's attention."""
    begun = bool(
        _under_way()
    )  # before reading the questions, because a check that ends meanwhile would be missed
    questions = app().standing_questions()
    busy = begun or any(one.running for one in questions)
    return questions, (busy, app().standing_attention())


def _under_way() -> list[BackgroundTask[str]]:
    """Return the unfinished checks that this tab began."""
    tasks: list[BackgroundTask[str]] = session.remembered(_TASKS, [])
    return [task for task in tasks if not task.is_done]


def _page(drawn: tuple[bool, Attention]) -> None:
    questions, now = _look()
    if drawn != now:
        st.rerun()
    busy, _ = drawn
    _failed()
    _find_file(questions)
    with st.container(horizontal=True, vertical_alignment="center", key="standing-head"):
        st.title("Standing questions", width="stretch")
        if busy:
            st.button("Stop", icon=":material/stop:", key="stop-checks", on_click=once("stop-checks", _stop))
        elif questions:
            st.button(
                "Run all again",
                icon=":material/refresh:",
                key="check-all",
                on_click=once("check-all", _check),
                args=([one.of.pin_id for one in questions],),
            )
    if not questions:
        st.html(_EMPTY)
        return
    st.html(
        '<p class="ab-standing-lead">Answers that you pinned. Their recorded tool calls run again, without a model, '
        "when their files change or when you ask.</p>"
    )
    standing_list(standing_groups(questions, st.context.timezone_offset), key="standing-list", on_act=_act)
    st.html(_FOOT)


def _failed() -> None:
    """Show why a check that this tab began was refused."""
    tasks: list[BackgroundTask[str]] = session.remembered(_TASKS, [])
    for task in tasks:
        if task.is_done and (why := task.outcome()):
            failure("A question could not be checked.", why)


def _act(act: str, pin_id: str) -> None:
    """Do the action that was chosen for a question."""
    questions = app().standing_questions()
    one = next((found for found in questions if found.of.pin_id == pin_id), None)
    if act == "all":
        _check([found.of.pin_id for found in questions])
    if one is None:
        return
    chat_id = one.of.chat_id
    if act == "run":
        _check([pin_id])
    elif act == "open":
        _open(one)
    elif act == "compare" and one.of.leaf is not None:
        send(MarkSeen(chat_id, pin_id))
        session.go_to_chat(chat_id)
        session.compare(chat_id, one.of.message_id, one.of.leaf)
    elif act in ("by-hand", "by-file"):
        send(ChooseTrigger(chat_id, pin_id, "by hand" if act == "by-hand" else "when a file changes"))
    elif act in ("up", "down"):
        chosen = None if one.of.good == act else act
        send(ChooseDirection(chat_id, pin_id, chosen))  # type: ignore[arg-type]
    elif act == "unpin":
        send(UnpinAnswer(chat_id, pin_id))
    elif act == "fix":
        _fix(one)


def _check(pin_ids: Sequence[str]) -> None:
    """Begin to check questions, one after the other; the checks continue if the tab is closed."""
    engine = app()
    chats = {one.of.pin_id: one.of.chat_id for one in engine.standing_questions()}
    wanted = [CheckStandingQuestion(chats[pin_id], pin_id) for pin_id in pin_ids if pin_id in chats]

    def run() -> str:
        refused: list[str] = []
        for command in wanted:
            try:
                engine.send(command)
            except AnabranchError as error:
                refused.append(error.message)
        return "\n".join(dict.fromkeys(refused))

    task: BackgroundTask[str] = BackgroundTask()
    session.remember(_TASKS, [*_under_way(), task])
    task.begin(run)


def _stop() -> None:
    for chat_id in {one.of.chat_id for one in app().standing_questions() if one.running}:
        send(StopTurn(chat_id))


def _open(one: StandingQuestion) -> None:
    """Go to the answer, on its branch."""
    chat_id, message_id = one.of.chat_id, one.of.message_id
    view = app().chat(chat_id)
    if message_id not in {message.message_id for message in view.branch()}:
        if send(SelectLeaf(chat_id, view.tip(message_id))) is REFUSED:
            return
        view = app().chat(chat_id)
    send(MarkSeen(chat_id, one.of.pin_id))
    asked = message_id
    for message in view.branch():
        asked = message.message_id if message.role == "user" else asked
        if message.message_id == message_id:
            break
    session.remember(f"reading-{chat_id}", (view.leaf, asked))
    session.go_to_chat(chat_id)
    session.go_to_page("chat")


def _fix(one: StandingQuestion) -> None:
    """Open the dialog that lets the check run: the sheet to match columns, or the choice of a file."""
    chat_id, path = one.of.chat_id, one.of.path
    if one.of.fix == "find the file":
        session.remember("find-file", one.of.pin_id)
        return
    session.remember(f"rerun-sheet-{chat_id}", path)
    session.remember(f"panel-file-{chat_id}", path)
    session.remember("panel", "files")
    session.go_to_chat(chat_id)
    session.go_to_page("chat")


def _find_file(questions: Sequence[StandingQuestion]) -> None:
    wanted = session.remembered("find-file")
    one = next((found for found in questions if found.of.pin_id == wanted), None)
    if one is not None and one.of.path is not None:
        dialog("Find the file", on_dismiss=lambda: session.clear("find-file"))(_choose_file)(one, one.of.path)


def _choose_file(one: StandingQuestion, path: str) -> None:
    if (
        session.remembered("find-file") != one.of.pin_id
    ):  # the file was found, so the whole page is drawn without this dialog
        st.rerun()
    st.html(
        f'<div class="ab-note"><code>{escape(path)}</code> is no longer among the files of “{escape(one.title)}”. '
        "Choose the file to run the question again.</div>"
    )
    given = st.file_uploader("The file", key=f"find-{one.of.pin_id}", label_visibility="collapsed")
    if given is not None:
        upload = Upload(path, given.getvalue())
        st.button(
            "Add it and run again",
            key="found-file",
            type="primary",
            on_click=once("found-file", _found),
            args=(one.of.chat_id, one.of.pin_id, upload),
        )


def _found(chat_id: str, pin_id: str, upload: Upload) -> None:
    session.clear("find-file")
    if send(UploadFiles(chat_id, [upload])) is not REFUSED:
        _check([pin_id])
