"""Shows a refused question with the reason and its text, so that nothing typed is lost."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st

from engine.commands.catalog import Ask, BeginChat, SelectTools, UnqueueQuestion
from engine.errors import AnabranchError, NotFound
from engine.views.model_info import Tool
from engine.views.queued import Queued
from ui import session
from ui.acts import once
from ui.components.copy_text.component import copy_text
from ui.current_app import REFUSED, app, send, told
from ui.widgets.failure import failure
from ui.words import label

__all__ = ["carry_to_new_chat", "refused_question", "show_begun", "submit_question", "take_back"]

_OF_A_NEW_CHAT = ("new-selection", "new-model", "new-base-url")
"""The names of the values that the page of a new chat keeps until the chat exists."""


def submit_question(command: Ask | BeginChat) -> None:
    """Send a question, and show the new chat if it begins one; if it is refused, show its text above the composer.

    If a question is being answered in its chat, this one is queued.
    """
    engine = app()
    try:
        if isinstance(command, Ask):
            engine.send(replace(command, if_running="queue"))
        else:
            show_begun(engine.send(command).chat_id)
    except AnabranchError as error:
        _keep(command, told(error), error.code)
        return
    session.clear(_kept(command))


def take_back(question: Ask, queued_id: str) -> None:
    """Remove a queued question; its text is shown above the composer, unless it was asked in the meantime."""
    if send(UnqueueQuestion(question.chat_id, queued_id)) is True:
        _keep(question, "You withdrew it.")


def carry_to_new_chat(chat_id: str, why: str) -> None:
    """Move a question that was refused in a deleted chat to the page of a new chat."""
    kept = session.remembered(f"refused-{chat_id}")
    if kept is not None:
        question = kept[0]
        _keep(BeginChat(question.text, question.files), why)
        session.clear(f"refused-{chat_id}")


def show_begun(chat_id: str) -> None:
    """Show a chat that was begun on the page for new chats."""
    for name in _OF_A_NEW_CHAT:
        session.clear(name)
    session.go_to_chat(chat_id)


def _keep(command: Ask | BeginChat, why: str, code: str = "") -> None:
    session.remember(_kept(command), (command, why, code))


def _kept(command: Ask | BeginChat) -> str:
    return f"refused-{command.chat_id if isinstance(command, Ask) else None}"


def refused_question(chat_id: str | None) -> None:
    """Show a refused question of a chat, or of the page for new chats, with possible actions."""
    queued = _refused_in_its_turn(chat_id)
    refusal = queued.refusal if queued is not None else None
    then = (
        (queued.question, told(refusal), refusal.code) if queued is not None and refusal is not None else None
    )
    kept = session.remembered(f"refused-{chat_id}") or then
    if kept is None:
        return
    command, why, code = kept
    with st.container(key="refused"):
        failure("This was not sent.", why, command.text)
        with st.container(horizontal=True, vertical_alignment="center", key="refused-actions"):
            tool = _unticked(command) if code == "tool_not_ticked" else None
            if tool is not None:
                st.button(
                    f"Tick {label(tool.title)} and run", key="tick-and-run", type="primary",
                    on_click=once("refused", _tick_and_run), args=(command, tool),
                )  # fmt: skip
            else:
                st.button(
                    "Send again", key="send-again", on_click=once("refused", submit_question), args=(command,)
                )
            copy_text(command.text, key="copy-refused")
            st.button(
                "Discard",
                key="discard",
                type="tertiary",
                on_click=once("refused", _discard),
                args=(command, queued),
            )


def _refused_in_its_turn(chat_id: str | None) -> Queued | None:
    """Return the chat's queued question that Anabranch tried to ask and that was refused; None if there is none."""
    queue: tuple[Queued, ...] = ()
    with suppress(NotFound):
        queue = app().queued(chat_id) if chat_id is not None else ()
    return next((one for one in queue if one.refusal is not None), None)


def _discard(command: Ask | BeginChat, queued: Queued | None) -> None:
    session.clear(_kept(command))
    if queued is not None:
        send(UnqueueQuestion(queued.question.chat_id, queued.queued_id))


def _unticked(command: Ask | BeginChat) -> Tool | None:
    """Return the available tool that the command's text names; None if there is none."""
    name = command.text.strip().removeprefix("/").split(maxsplit=1)[0].lower()
    fitting = (t for t in app().tools() if name in (t.command, f"{t.home}-{t.command}"))
    return next((tool for tool in fitting if tool.available), None)


def _tick_and_run(command: Ask | BeginChat, tool: Tool) -> None:
    if isinstance(command, Ask):
        ticked = _with(app().chat(command.chat_id).selection, tool)
        if send(SelectTools(command.chat_id, ticked)) is not REFUSED:
            submit_question(command)
        return
    ticked = _with(command.selection or app().next_selection(), tool)
    session.remember("new-selection", ticked)
    submit_question(replace(command, selection=ticked))


def _with(selection: Any, tool: Tool) -> dict[str, list[str]]:
    chosen = {home: list(names) for home, names in selection.items()}
    chosen[tool.home] = [*chosen.get(tool.home, []), tool.name]
    return chosen
