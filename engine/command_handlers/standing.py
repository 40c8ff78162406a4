"""Handles commands about standing questions: pin an answer, choose when to check it, and check it."""

from collections.abc import Callable
from typing import Any

from engine.chats.open_chats import Chats
from engine.chats.payloads import value_of
from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.command_handlers.file_triggers import FileTriggers
from engine.command_handlers.standing_checks import StandingChecks
from engine.commands.catalog import (
    CheckStandingQuestion,
    ChooseDirection,
    ChooseTrigger,
    MarkSeen,
    PinAnswer,
    UnpinAnswer,
)
from engine.deciders import chat as decide
from engine.deciders.chat_state import ChatState
from engine.deciders.standing import (
    Pin,
    choose_direction,
    choose_trigger,
    mark_seen,
    pin_answer,
    pinned_answers,
    unpin_answer,
)
from engine.errors import NotFound, Refused
from engine.replay.dry_runs import Stands, stands_on
from engine.replay.pinned_values import headline, table_of
from events.catalog.chat import MessageAdded
from events.catalog.parts import TextPart
from events.catalog.standing import AnswerPinned, PinnedValue
from events.event import Event
from events.identity import NewId

__all__ = ["StandingCommands"]


class StandingCommands:
    """Handles the commands about standing questions."""

    def __init__(
        self,
        *,
        chats: Chats,
        workspaces: Workspaces,
        checks: StandingChecks,
        triggers: FileTriggers,
        signals: Signals,
        new_id: NewId,
    ) -> None:
        self._chats = chats
        self._workspaces = workspaces
        self._signals = signals
        self._new_id = new_id
        self.checks = checks
        self.triggers = triggers

    def handlers(self) -> dict[type, Callable[[Any], Any]]:
        """Return each command's handler, except for the check itself, which takes a long time."""
        return {
            PinAnswer: self.pin,
            UnpinAnswer: self.unpin,
            ChooseTrigger: self.choose_trigger,
            ChooseDirection: self.choose_direction,
            MarkSeen: self.see,
        }

    def pin(self, command: PinAnswer) -> str:
        """See `PinAnswer`."""
        chat_id, pin_id = command.chat_id, self._new_id()
        self._workspaces.record_edits(chat_id)

        def pinning(state: ChatState) -> list[Event]:
            decide.require(state, chat_id)
            answer = _answer(state, command.message_id)
            stands = stands_on(self._chats, state, chat_id, answer.message_id)
            if not stands.own:
                raise Refused(
                    "nothing_to_check",
                    "No tool was called for this answer, so there is nothing to run again. "
                    "Pin an answer that has results.",
                )
            pinned = AnswerPinned(
                pin_id=pin_id,
                message_id=answer.message_id,
                trigger=command.trigger,
                value=self._value(chat_id, answer, stands),
                files={path: entry.sha256 for path, entry in stands.files.items()},
            )
            return [*pin_answer(self._pins(chat_id), pinned)]

        self._chats.transact(chat_id, pinning)
        self._signals.changed(chat_id)
        return pin_id

    def unpin(self, command: UnpinAnswer) -> None:
        """See `UnpinAnswer`."""
        self._decide(command.chat_id, lambda pins: unpin_answer(pins, command.pin_id))

    def choose_trigger(self, command: ChooseTrigger) -> None:
        """See `ChooseTrigger`."""
        self._decide(command.chat_id, lambda pins: choose_trigger(pins, command.pin_id, command.trigger))

    def choose_direction(self, command: ChooseDirection) -> None:
        """See `ChooseDirection`."""
        self._decide(command.chat_id, lambda pins: choose_direction(pins, command.pin_id, command.good))

    def see(self, command: MarkSeen) -> None:
        """See `MarkSeen`."""
        self._decide(command.chat_id, lambda pins: mark_seen(pins, command.pin_id))

    def check(self, command: CheckStandingQuestion) -> str:
        """See `CheckStandingQuestion`."""
        return self.checks.check(command.chat_id, command.pin_id, "by hand")

    def _decide(self, chat_id: str, decision: Callable[[dict[str, Pin]], list[Any]]) -> None:
        def decided(state: ChatState) -> list[Any]:
            decide.require(state, chat_id)
            return decision(self._pins(chat_id))

        self._chats.transact(chat_id, decided)
        self._signals.changed(chat_id)

    def _pins(self, chat_id: str) -> dict[str, Pin]:
        return pinned_answers(recorded.event for recorded in self._chats.recorded(chat_id))

    def _value(self, chat_id: str, answer: MessageAdded, stands: Stands) -> PinnedValue | None:
        """Return the number or word that represents the answer."""
        blobs = self._workspaces.blobs(chat_id)
        by_id = {one.call_id: one.call.finished for one in stands.calls}
        tables = [
            table_of(value_of(finished.result, blobs)) if (finished := by_id[call_id]) is not None else None
            for call_id in stands.own
        ]
        return headline("\n".join(part.text for part in answer.parts if isinstance(part, TextPart)), tables)


def _answer(state: ChatState, message_id: str | None) -> MessageAdded:
    """Return the last message of the finished turn that a message belongs to; raise if the message is not an answer."""
    wanted = message_id or state.leaf
    if wanted is None or wanted not in state.messages:
        raise NotFound("message_not_found", "This chat does not have that message, so nothing was pinned.")
    message = state.messages[wanted]
    if message.role != "assistant" or message.turn_id is None:
        raise Refused("not_an_answer", "This message is a question. Pin the answer to it.")
    turn = state.turns.get(message.turn_id)
    if turn is None or turn.finished is None:
        raise Refused("answer_unfinished", "This answer is still being written. Pin it when it is complete.")
    return state.steps_of(message.turn_id)[-1]
