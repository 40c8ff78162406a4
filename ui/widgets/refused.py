"""A question that was refused: why, and its words, so that nothing typed is lost."""

from functools import partial
from typing import Any

import streamlit as st

from engine.app import App
from engine.commands import Ask, BeginChat, SelectTools
from engine.errors import AnabranchError
from engine.views.offer import Tool
from ui import session
from ui.components.copy_text.component import copy_text
from ui.shared import app, send, told
from ui.widgets.failure import failure
from ui.words import label
from ui.work import Work

__all__ = ["Waiting", "ask_or_keep", "refused_question"]

_KEPT = "refused"


def ask_or_keep(command: Ask | BeginChat) -> Any:
    """Send a question; where it is refused its words are kept for `refused_question`, and None is returned."""
    return _kept(command, _sent(app(), command))


class Waiting:
    """A question that waits for the end of a turn."""

    def __init__(self, command: Ask) -> None:
        self.command = command
        self._asking = Work(partial(_sent, app(), command))

    def ask(self) -> None:
        """Ask it, once; a refusal is kept like any other."""
        _kept(self.command, self._asking.outcome())


def _sent(engine: App, command: Ask | BeginChat) -> Any:
    """What was begun, or why nothing was."""
    try:
        return engine.send(command)
    except AnabranchError as error:
        return error


def _kept(command: Ask | BeginChat, outcome: Any) -> Any:
    if isinstance(outcome, AnabranchError):
        session.remember(_KEPT, (command, outcome.code, told(outcome)))
        return None
    session.clear(_KEPT)
    return outcome


def refused_question(chat_id: str | None) -> None:
    """Show it where it was asked, with what can be done."""
    kept = session.remembered(_KEPT)
    if kept is None:
        return
    command, code, message = kept
    if (command.chat_id if isinstance(command, Ask) else None) != chat_id:
        return
    with st.container(key="refused"):
        failure("This was not sent.", message or "", command.text)
        with st.container(horizontal=True, key="refused-actions"):
            tool = _unticked(command) if code == "tool_not_ticked" else None
            if tool is not None:
                st.button(
                    f"Tick {label(tool.title)} and run", key="tick-and-run", type="primary",
                    on_click=_tick_and_run, args=(command, tool),
                )  # fmt: skip
            else:
                st.button("Send again", key="send-again", on_click=ask_or_keep, args=(command,))
            copy_text(command.text, key="copy-refused")
            st.button("Discard", key="discard", type="tertiary", on_click=session.clear, args=(_KEPT,))


def _unticked(command: Ask | BeginChat) -> Tool | None:
    """The tool that the command's text names."""
    name = command.text.strip().removeprefix("/").split(maxsplit=1)[0].lower()
    fitting = (t for t in app().tools() if name in (t.command, f"{t.home}-{t.command}"))
    return next((tool for tool in fitting if tool.available), None)


def _tick_and_run(command: Ask | BeginChat, tool: Tool) -> None:
    if isinstance(command, Ask):
        ticked = _with(app().chat(command.chat_id).selection, tool)
        send(SelectTools(command.chat_id, ticked))
        ask_or_keep(command)
        return
    ticked = _with(command.selection or app().next_selection(), tool)
    session.remember("new-selection", ticked)
    begun = ask_or_keep(
        BeginChat(command.text, command.files, command.model, command.base_url, selection=ticked)
    )
    if begun is not None:
        session.clear("new-selection")
        session.go_to_chat(begun.chat_id)


def _with(selection: Any, tool: Tool) -> dict[str, list[str]]:
    chosen = {home: list(names) for home, names in selection.items()}
    chosen[tool.home] = [*chosen.get(tool.home, []), tool.name]
    return chosen
