"""Commands that begin work: ask, retry, edit, stop, and run one tool as the user.

What the user said is durable, in one batch with its files and the start of its turn, before anything runs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.chats import Chats
from engine.commands import Ask, BeginChat, EditMessage, Retry, RunTool, StopTurn, Upload
from engine.config import Settings
from engine.deciders import chat as decide
from engine.deciders.chat_state import ChatState
from engine.errors import AnabranchError, Invalid, NotFound, Refused
from engine.folders import Folders
from engine.handling.files import FileCommands
from engine.handling.own_calls import OwnCalls
from engine.keeping import keep
from engine.models.model import Model
from engine.models.registry import Models
from engine.signals import LiveTurn, Signals
from engine.tools.arguments import schema_problem
from engine.tools.planned import Branch, PlannedCall
from engine.tools.run import Calls
from engine.tools.tool import Tool
from engine.tools.toolbox import Toolbox
from engine.turn.running import RunningTurns
from engine.turn.turn import Turn, TurnRules
from events.canonical import JSONObject, canonical_json
from events.catalog.chat import ChatRenamed, MessageAdded
from events.catalog.turn import CallFailure, ToolCallRequested, TurnFinished, TurnStarted
from events.event import Event
from events.identity import Clock, NewId

__all__ = ["QuestionCommands", "TurnStart"]


@dataclass(frozen=True, slots=True)
class TurnStart:
    """A turn that runs now."""

    chat_id: str
    turn_id: str
    message_id: str
    """The question that it answers."""


class BeginEvents(Protocol):
    """The first events of a chat."""

    def __call__(
        self, *, selection: Mapping[str, Sequence[str]] | None, model: str | None, base_url: str | None
    ) -> list[Event]: ...


class QuestionCommands:
    """Handles them."""

    def __init__(
        self,
        *,
        chats: Chats,
        folders: Folders,
        files: FileCommands,
        calls: Calls,
        toolbox: Toolbox,
        turns: RunningTurns,
        signals: Signals,
        models: Models,
        settings: Callable[[], Settings],
        begun: BeginEvents,
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._chats = chats
        self._folders = folders
        self._files = files
        self._calls = calls
        self._toolbox = toolbox
        self._turns = turns
        self._signals = signals
        self._models = models
        self._settings = settings
        self._begun = begun
        self._own = OwnCalls()
        self._clock = clock
        self._new_id = new_id

    def ask(self, command: Ask) -> TurnStart:
        """See `Ask`."""
        self._folders.settle(command.chat_id)
        with self._chats.locked(command.chat_id) as state:
            decide.require(state, command.chat_id)
            model = self._models.resolve(state.model, state.base_url)
            message, before = self._asked(command.chat_id, state, command.text, command.files)
            return self._start(command.chat_id, state, before, message, model, command.allow_confirmations)

    def begin(self, command: BeginChat) -> TurnStart:
        """See `BeginChat`."""
        chat_id = self._new_id()
        begun = self._begun(selection=command.selection, model=command.model, base_url=command.base_url)
        state = ChatState()
        for event in begun:
            state.evolve(event)
        model = self._models.resolve(state.model, state.base_url)
        with self._chats.locked(chat_id):  # or `gc` could take its files for ones that no event names
            try:
                message, before = self._asked(chat_id, state, command.text, command.files)
            except AnabranchError:
                self._folders.forget(chat_id)
                raise
            return self._start(chat_id, state, [*begun, *before], message, model, command.allow_confirmations)

    def _asked(
        self, chat_id: str, state: ChatState, text: str, files: Sequence[Upload]
    ) -> tuple[MessageAdded, list[Event]]:
        """A question below where the chat stands, and all that it brings."""
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
        if not state.title and not state.titled_by_user:
            events.append(ChatRenamed(title=decide.title_from(text), automatic=True))
        return message, events

    def retry(self, command: Retry) -> TurnStart:
        """See `Retry`."""
        self._folders.settle(command.chat_id)
        with self._chats.locked(command.chat_id) as state:
            decide.require(state, command.chat_id)
            question = decide.retried_question(state, command.message_id)
            before = decide.select_leaf(state, question.message_id)
            model = self._models.resolve(state.model, state.base_url)
            return self._start(command.chat_id, state, before, question, model, command.allow_confirmations)

    def edit(self, command: EditMessage) -> TurnStart:
        """See `EditMessage`."""
        self._folders.settle(command.chat_id)
        with self._chats.locked(command.chat_id) as state:
            decide.require(state, command.chat_id)
            before = decide.edit(state, command.message_id, command.text, self._new_id)
            message = next(event for event in before if isinstance(event, MessageAdded))
            model = self._models.resolve(state.model, state.base_url)
            return self._start(command.chat_id, state, before, message, model, command.allow_confirmations)

    def _start(
        self,
        chat_id: str,
        state: ChatState,
        before: Sequence[Event],
        message: MessageAdded,
        model: Model,
        allow_confirmations: bool,
    ) -> TurnStart:
        """Append `before` and the start of the turn in one batch, and run it."""
        settings = self._settings()
        turn_id = self._new_id()
        started = TurnStarted(turn_id=turn_id, message_id=message.message_id, model=state.model)
        self._chats.transact(chat_id, lambda _: [*before, started], correlation_id=turn_id)
        rules = TurnRules(
            max_steps=settings.max_tool_iterations,
            max_steps_on=settings.max_tool_iterations_on,
            instructions=settings.instructions,
            allow_confirmations=allow_confirmations,
        )
        live = LiveTurn(turn_id, message.message_id, self._clock().timestamp())
        self._signals.begin(chat_id, live)
        try:
            self._turns.start(Turn(chat_id, turn_id, message.message_id, started.model, model, rules))
        except (
            Exception
        ) as error:  # no thread for it, or the app is closing: a turn that never runs must not hang open
            ended = TurnFinished(turn_id=turn_id, reason="interrupted", message=str(error))
            self._chats.transact(chat_id, lambda _: [ended], correlation_id=turn_id)
            self._signals.end(chat_id, turn_id, ended.reason)
            raise
        return TurnStart(chat_id, turn_id, message.message_id)

    def stop(self, command: StopTurn) -> int:
        """See `StopTurn`."""
        return self._turns.stop(command.chat_id) + self._own.stop(command.chat_id)

    def close(self) -> None:
        """End the tools that users run themselves."""
        self._own.close()

    def run_tool(self, command: RunTool) -> str:
        """See `RunTool`."""
        tool = self.runnable(command.tool_id)
        try:
            canonical_json(dict(command.arguments))
        except (ValueError, TypeError) as error:
            raise Invalid("arguments_json", f"The arguments are no JSON: {error}.") from None
        call_id = self._new_id()
        planned = _planned(call_id, tool, dict(command.arguments), command.allow_confirmations)
        with self._chats.locked(command.chat_id) as state:
            decide.require(state, command.chat_id)
        with (
            self._own.running(command.chat_id) as cancel,
            self._folders.leased(command.chat_id, call_id) as folder,
        ):
            with self._chats.locked(command.chat_id) as state:
                stands = (state.leaf, state.manifest)
            branch = Branch(command.chat_id, call_id, *stands, folder, self._own.stopped_as)
            requested = ToolCallRequested(
                call_id=call_id,
                message_id=None,
                turn_id=None,
                index=0,
                tool_id=tool.tool_id,
                arguments=keep(dict(command.arguments), self._folders.blobs(command.chat_id)),
            )
            self._chats.transact(command.chat_id, lambda _: [requested], correlation_id=call_id)
            self._calls.run(branch, [planned], cancel)
        self._signals.changed(command.chat_id)
        return call_id

    def runnable(self, tool_id: str) -> Tool:
        """The tool of that id, if it can run now."""
        tool = self._toolbox.find(tool_id)
        if tool is None:
            known = ", ".join(t.tool_id for t in self._toolbox.tools())
            raise NotFound("tool_not_found", f"There is no tool {tool_id}. There are: {known}.")
        if not tool.available:
            raise Refused("tool_unavailable", f"{tool.tool_id} cannot run: {tool.reason}.")
        return tool


def _planned(call_id: str, tool: Tool, arguments: JSONObject, allowed: bool) -> PlannedCall:
    problem = schema_problem(arguments, tool.input_schema)
    if problem is not None:
        return PlannedCall(call_id, tool.name, tool, arguments, failure=problem)
    if tool.requires_confirmation and not allowed:
        message = f"{tool.title} asks for confirmation. Allow it with --yes."
        failure = CallFailure(kind="needs_confirmation", message=message)
        return PlannedCall(call_id, tool.name, tool, arguments, failure=failure, status="denied")
    return PlannedCall(call_id, tool.name, tool, arguments, approved=tool.requires_confirmation)
