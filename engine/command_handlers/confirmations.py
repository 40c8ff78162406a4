"""Handles commands about calls that wait for the user (TRN-7): approve, deny, ask again."""

from collections.abc import Callable, Sequence

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.command_handlers.starting import Starter
from engine.commands.catalog import AnswerCall, ApproveCall, AskAgain, DenyCall, TurnStart
from engine.deciders import chat as decide
from engine.deciders import confirm
from engine.deciders.chat_state import ChatState
from engine.errors import Invalid
from engine.tools.arguments import schema_problem
from engine.tools.toolbox import Toolbox
from events.catalog.chat import ConfirmationRuleSet, SendRuleSet
from events.catalog.turn import TurnResumed
from events.event import Event, StoredValue
from events.json_value import JSONObject

__all__ = ["ConfirmationCommands"]


class ConfirmationCommands:
    """Handles the commands about waiting calls."""

    def __init__(
        self, *, chats: Chats, workspaces: Workspaces, toolbox: Toolbox, signals: Signals, starter: Starter
    ) -> None:
        self._chats = chats
        self._workspaces = workspaces
        self._toolbox = toolbox
        self._signals = signals
        self._starter = starter

    def approve(self, command: ApproveCall) -> TurnStart:
        """See `ApproveCall`."""

        def decided(state: ChatState) -> Sequence[Event]:
            edited = None if command.arguments is None else self._checked(state, command, command.arguments)
            call = state.calls.get(command.call_id)
            tool = self._toolbox.find(call.requested.tool_id) if call and command.always else None
            source = tool.source if tool else ""
            return confirm.approve(state, command.call_id, edited, always=command.always, source=source)

        return self._answer(command.chat_id, command.call_id, decided, command.allow_confirmations)

    def answer(self, command: AnswerCall) -> TurnStart:
        """See `AnswerCall`."""
        text = self._workspaces.payloads(command.chat_id).scrubber.text(command.text)
        return self._answer(
            command.chat_id,
            command.call_id,
            lambda state: confirm.answer(state, command.call_id, text),
            command.allow_confirmations,
        )

    def deny(self, command: DenyCall) -> TurnStart:
        """See `DenyCall`."""
        return self._answer(
            command.chat_id,
            command.call_id,
            lambda state: confirm.deny(state, command.call_id, command.reason),
            command.allow_confirmations,
        )

    def ask_again(self, command: AskAgain) -> None:
        """See `AskAgain`."""

        def decided(state: ChatState) -> Sequence[Event]:
            decide.require(state, command.chat_id)
            named, events = command.tool_id, list[Event]()
            if named in state.unasked:
                events.append(ConfirmationRuleSet(tool_id=named, always=False))
            if named in state.sends:
                events.append(SendRuleSet(destination=named, always=False))
            return events

        if self._chats.transact(command.chat_id, decided):
            self._signals.changed(command.chat_id)

    def _answer(
        self,
        chat_id: str,
        call_id: str,
        decided: Callable[[ChatState], Sequence[Event]],
        allow_confirmations: bool,
    ) -> TurnStart:
        """Append the user's decision, and continue the call's turn if it was waiting."""
        with self._chats.locked(chat_id) as state:
            decide.require(state, chat_id)
            events = decided(state)
            resumed = [event.turn_id for event in events if isinstance(event, TurnResumed)]
            # checked before anything is appended, because a turn whose model is missing would never end
            models = {turn_id: self._starter.model_of(state, turn_id) for turn_id in resumed}
            self._chats.transact(chat_id, lambda _: events)
            turn_id = state.calls[call_id].requested.turn_id
            assert turn_id is not None
            question = state.turns[turn_id].started.message_id
            for going_on, model in models.items():
                self._starter.go_on(chat_id, going_on, state, model, allow_confirmations)
        self._signals.changed(chat_id)
        return TurnStart(chat_id, turn_id, question)

    def _checked(self, state: ChatState, command: ApproveCall, arguments: object) -> StoredValue:
        """Return edited arguments as an event stores them; raise `Invalid` if they are not valid for the tool."""
        call = state.calls.get(command.call_id)
        tool = self._toolbox.find(call.requested.tool_id) if call else None
        edited: JSONObject = dict(arguments) if isinstance(arguments, dict) else {}
        problem = schema_problem(edited, tool.input_schema) if tool else None
        if problem is not None:
            raise Invalid("arguments_invalid", f"These arguments are not valid: {problem.message}")
        return self._workspaces.payloads(command.chat_id).value(edited)
