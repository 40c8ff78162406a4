"""Handles commands that begin or stop a turn: ask, retry, edit, stop.

The user's text is stored durably, in one batch with its files and the start of its turn, before anything runs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.command_handlers.files import FileCommands
from engine.command_handlers.queue import QuestionQueue
from engine.command_handlers.slash import SlashCommand, commanded, help_text, read_slash
from engine.command_handlers.starting import Starter
from engine.command_handlers.tool_runs import ToolRuns
from engine.commands.catalog import (
    Ask,
    BeginChat,
    Depth,
    EditMessage,
    Retry,
    StopTurn,
    TurnStart,
    Upload,
    Waiting,
)
from engine.deciders import chat as decide
from engine.deciders import confirm
from engine.deciders import queue as decide_queue
from engine.deciders.chat_state import ChatState
from engine.errors import AnabranchError, Invalid, NotFound, Refused
from engine.models.model import Model
from engine.tools.call_runner import Calls
from engine.tools.tool import Tool
from engine.tools.toolbox import Toolbox
from engine.turn.call_planning import Confirming
from engine.turn.running_turns import RunningTurns
from events.catalog.chat import ChatRenamed, MessageAdded
from events.catalog.parts import text_of
from events.event import Event
from events.identity import NewId
from events.json_value import JSON, JSONObject

__all__ = ["QuestionCommands"]

_WENT_ON = "The user continued without answering."
_STOPPED = "The user stopped the turn."


class BeginEvents(Protocol):
    """Returns the first events of a chat."""

    def __call__(
        self,
        *,
        selection: Mapping[str, Sequence[str]] | None,
        model: str | None,
        base_url: str | None,
        depth: Depth,
    ) -> list[Event]: ...


class QuestionCommands:
    """Handles the commands that begin or stop a turn."""

    def __init__(
        self,
        *,
        chats: Chats,
        workspaces: Workspaces,
        files: FileCommands,
        calls: Calls,
        toolbox: Toolbox,
        turns: RunningTurns,
        signals: Signals,
        starter: Starter,
        begun: BeginEvents,
        tools_on: Callable[[], bool],
        new_id: NewId,
    ) -> None:
        self._chats = chats
        self._workspaces = workspaces
        self._files = files
        self._toolbox = toolbox
        self._turns = turns
        self._signals = signals
        self._starter = starter
        self._begun = begun
        self._tools_on = tools_on
        self._new_id = new_id
        self.tools = ToolRuns(
            chats=chats, workspaces=workspaces, calls=calls, toolbox=toolbox, signals=signals, new_id=new_id
        )
        self.queue = QuestionQueue(
            chats=chats,
            workspaces=workspaces,
            files=files,
            signals=signals,
            ask=self._ask_queued,
            new_id=new_id,
        )

    def ask_or_queue(self, command: Ask) -> TurnStart | Waiting:
        """See `Ask`."""
        try:
            return self.ask(command)
        except Refused as error:
            waits = error.code == "turn_runs" and command.if_running == "queue" and command.form is None
            if not waits:
                raise
        return self.queue.put(command)

    def ask(self, command: Ask, first: Callable[[ChatState], Sequence[Event]] = lambda _: ()) -> TurnStart:
        """Ask a question now. The events that `first` returns are appended before it, in the same batch."""
        with self._chats.locked(command.chat_id) as state:
            before = [*first(state), *decide_queue.ask_after_all(state, command.text)]
            before += confirm.allow_sending(state, self._destinations(command.allow_sends))
            decide.require(state, command.chat_id)
            decide_queue.require_free(state)
            form = checked_form(command.form)
            answers = self._answers(command.text, state, form)
            waiting = confirm.waiting_at(state, state.leaf)
            given_up = confirm.end_waiting(state, waiting, _WENT_ON) if waiting else []
            message, asked = self._asked(command.chat_id, state, command.text, command.files)
            events = [*before, *given_up, *asked]
            return self._answer(
                command.chat_id, state, events, message, answers, command.allow_confirmations, form
            )

    def _ask_queued(self, command: Ask, first: Callable[[ChatState], Sequence[Event]]) -> TurnStart:
        """Record the user's edits to files, as before the command `Ask`, and then ask a queued question."""
        self._workspaces.record_edits(command.chat_id)
        return self.ask(command, first)

    def begin(self, command: BeginChat) -> TurnStart:
        """See `BeginChat`."""
        chat_id = self._new_id()
        begun = self._begun(
            selection=command.selection, model=command.model, base_url=command.base_url, depth=command.depth
        )
        state = ChatState()
        for event in begun:
            state.evolve(event)
        form = checked_form(command.form)
        answers = self._answers(command.text, state, form)
        allowed = self._destinations(command.allow_sends)
        with self._chats.locked(chat_id):  # otherwise `gc` could remove the new files as unreferenced
            try:
                message, before = self._asked(chat_id, state, command.text, command.files)
            except AnabranchError:
                self._workspaces.forget(chat_id)
                raise
            events = [*begun, *confirm.allow_sending(state, allowed), *before]
            return self._answer(chat_id, state, events, message, answers, command.allow_confirmations, form)

    def _destinations(self, named: Sequence[str]) -> dict[str, str]:
        """Return the destinations that the user named, each with the source of the toolset that sends data to it.

        Raises:
            NotFound: no tool sends to one of these destinations.
        """
        known = {tool.destination: tool.publisher for tool in self._toolbox.tools() if tool.network}
        for one in named:
            if one not in known:
                there = ", ".join(known) or "none"
                raise NotFound(
                    "destination_not_found", f"No tool sends data to {one}. Possible destinations: {there}."
                )
        return {one: known[one] for one in named}

    def _answers(self, text: str, state: ChatState, form: JSONObject | None) -> SlashCommand | Model:
        if form is not None:
            return self._starter.resolve(state, form)
        return self._slash(text, state) or self._starter.resolve(state)

    def _slash(self, text: str, state: ChatState) -> SlashCommand | None:
        """Return the command in a text that begins with a slash; None for a question. A text that begins with ` /` is a
        question.
        """
        if not text.startswith("/"):
            return None
        return read_slash(text, self._toolbox.tools(), self._ticked(state))

    def _ticked(self, state: ChatState) -> Sequence[Tool]:
        return self._toolbox.offered(state.selection) if self._tools_on() else ()

    def _answer(
        self,
        chat_id: str,
        state: ChatState,
        before: Sequence[Event],
        message: MessageAdded,
        answers: SlashCommand | Model,
        allow: bool,
        form: JSONObject | None = None,
    ) -> TurnStart:
        """Start the turn that answers `message`: by the chat's model, or by the tool that the user called."""
        if not isinstance(answers, SlashCommand):
            return self._starter.start(chat_id, state, before, message, answers, allow, form=form)
        then = commanded(
            message,
            answers,
            help_text(self._ticked(state)),
            Confirming(allow, state.unasked),
            self._workspaces.payloads(chat_id),
            self._new_id,
        )
        return self._starter.start(chat_id, state, before, message, None, allow, then=then)

    def _asked(
        self, chat_id: str, state: ChatState, text: str, files: Sequence[Upload]
    ) -> tuple[MessageAdded, list[Event]]:
        """Return a question that follows the chat's current message, and all its events, including the events that add
        its files.
        """
        message = decide.question(text, self._new_id, parent_id=state.leaf)
        added = self._files.store(chat_id, state, state.manifest, files)
        events: list[Event] = [message]
        events += decide.record_state(
            state,
            {**state.files(state.manifest), **added},
            self._new_id,
            parent_id=state.manifest,
            message_id=message.message_id,
            source="user_upload",
            source_ref=message.message_id,
            active=True,
        )
        if not state.title:
            events.append(ChatRenamed(title=decide.title_from(text), automatic=True))
        return message, events

    def retry(self, command: Retry) -> TurnStart:
        """See `Retry`."""
        with self._chats.locked(command.chat_id) as state:
            decide.require(state, command.chat_id)
            question = decide.retried_question(state, command.message_id)
            form = checked_form(command.form)
            answers = self._answers(_text(question), state, form)
            before = decide.select_leaf(state, question.message_id)
            return self._answer(
                command.chat_id, state, before, question, answers, command.allow_confirmations, form
            )

    def edit(self, command: EditMessage) -> TurnStart:
        """See `EditMessage`."""
        with self._chats.locked(command.chat_id) as state:
            decide.require(state, command.chat_id)
            answers = self._slash(command.text, state) or self._starter.resolve(state)
            before = decide.edit(state, command.message_id, command.text, self._new_id)
            message = next(event for event in before if isinstance(event, MessageAdded))
            return self._answer(command.chat_id, state, before, message, answers, command.allow_confirmations)

    def stop(self, command: StopTurn) -> int:
        """See `StopTurn`."""
        running = self._turns.stop(command.chat_id) + self.tools.running.stop(command.chat_id)
        waiting = 0

        def decided(state: ChatState) -> Sequence[Event]:
            nonlocal waiting
            turns = state.waiting_turns()
            waiting = len(turns)
            return [event for turn in turns for event in confirm.end_waiting(state, turn, _STOPPED)]

        if self._chats.transact(command.chat_id, decided):
            self._signals.changed(command.chat_id)
            self._turns.ended(command.chat_id)
        return running + waiting

    def close(self) -> None:
        """Stop the tools that users run themselves, and notify callers that wait for a queued question."""
        self.tools.running.close()
        self.queue.close()


def checked_form(form: Mapping[str, JSON] | None) -> JSONObject | None:
    """Return a query form as events record it.

    Raises:
        Invalid: `form` is not a query form.
    """
    if form is None:
        return None
    from engine.models.offline.form import FormError  # noqa: PLC0415 - loads when it is needed
    from engine.models.offline.form_documents import form_from, form_json  # noqa: PLC0415 - loads when it is needed

    try:
        document = form_json(form_from(dict(form)))
    except FormError as error:
        raise Invalid("query_form", str(error)) from None
    assert isinstance(document, dict)
    return document


def _text(question: MessageAdded) -> str:
    return text_of(question.parts)
