"""Commands on answers that were given: edit one, and vouch for one of its numbers."""

from collections.abc import Callable
from typing import Any

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.commands.catalog import EditAnswer, VouchNumber
from engine.deciders import chat as decide
from engine.deciders.answers import edit_answer
from engine.deciders.chat_state import ChatState
from engine.errors import NotFound, Refused
from engine.views.numbers import AnswerNumbers
from events.catalog.answer import NumberVouched
from events.catalog.chat import MessageAdded
from events.event import Event
from events.identity import NewId

__all__ = ["AnswerCommands"]


class AnswerCommands:
    """Handles them."""

    def __init__(self, *, chats: Chats, numbers: AnswerNumbers, signals: Signals, new_id: NewId) -> None:
        self._chats = chats
        self._numbers = numbers
        self._signals = signals
        self._new_id = new_id

    def handlers(self) -> dict[type, Callable[[Any], Any]]:
        """Return command → what does it."""
        return {EditAnswer: self.edit, VouchNumber: self.vouch}

    def edit(self, command: EditAnswer) -> str:
        """See `EditAnswer`."""
        made = ""

        def editing(state: ChatState) -> list[Event]:
            nonlocal made
            decide.require(state, command.chat_id)
            events = edit_answer(state, command.message_id, command.text, self._new_id)
            made = next(one.message_id for one in events if isinstance(one, MessageAdded))
            return events

        self._chats.transact(command.chat_id, editing)
        self._signals.changed(command.chat_id)
        return made

    def vouch(self, command: VouchNumber) -> None:
        """See `VouchNumber`."""
        found = [one for one in self._numbers.answer(command.chat_id, command.message_id) if one.place]
        if not 1 <= command.number <= len(found):
            raise NotFound(
                "number_not_found",
                f"The answer {command.message_id} has {len(found)} numbers that are traced, and no number "
                f"{command.number}.",
            )
        mention = found[command.number - 1].traced.mention
        if command.vouched and found[command.number - 1].traced.status != "unbacked":
            raise Refused("number_traced", f"{mention.text} is traced, so nobody need vouch for it.")
        vouched = NumberVouched(
            message_id=command.message_id, start=mention.start, text=mention.text, vouched=command.vouched
        )

        def vouching(state: ChatState) -> list[Event]:
            decide.require(state, command.chat_id)
            return [vouched]

        self._chats.transact(command.chat_id, vouching)
        self._signals.changed(command.chat_id)
