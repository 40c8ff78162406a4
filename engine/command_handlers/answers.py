"""Handles commands about answers: edit an answer, confirm a number, and choose how an answer's tables look."""

from collections.abc import Callable
from typing import Any

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.commands.catalog import EditAnswer, SetTableView, VouchNumber
from engine.deciders import chat as decide
from engine.deciders.answers import edit_answer
from engine.deciders.cards import set_table_view
from engine.deciders.chat_state import ChatState
from engine.errors import NotFound, Refused
from engine.numbers.traced_number import UNTRACED
from engine.views.answer_number import AnswerNumber
from engine.views.numbers import AnswerNumbers
from events.catalog.answer import NumberVouched
from events.catalog.chat import MessageAdded
from events.event import Event
from events.identity import NewId

__all__ = ["AnswerCommands"]


class AnswerCommands:
    """Handles the commands about answers."""

    def __init__(self, *, chats: Chats, numbers: AnswerNumbers, signals: Signals, new_id: NewId) -> None:
        self._chats = chats
        self._numbers = numbers
        self._signals = signals
        self._new_id = new_id

    def handlers(self) -> dict[type, Callable[[Any], Any]]:
        """Return each command's handler."""
        return {EditAnswer: self.edit, VouchNumber: self.vouch, SetTableView: self.set_table_view}

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
                f"The answer {command.message_id} has no traced number {command.number}; it has {len(found)} in "
                "total.",
            )
        one = found[command.number - 1]
        mention = one.traced.mention
        if command.vouched and one.traced.status not in UNTRACED:
            raise Refused("number_traced", f"{mention.text} is traced, so it needs no confirmation.")
        vouched = NumberVouched(
            message_id=command.message_id,
            start=mention.start,
            text=mention.text,
            vouched=command.vouched,
            **(_candidate(one, command.candidate) if command.candidate is not None else {}),
        )

        def vouching(state: ChatState) -> list[Event]:
            decide.require(state, command.chat_id)
            return [vouched]

        self._chats.transact(command.chat_id, vouching)
        self._signals.changed(command.chat_id)

    def set_table_view(self, command: SetTableView) -> None:
        """See `SetTableView`."""

        def setting(state: ChatState) -> list[Event]:
            decide.require(state, command.chat_id)
            return set_table_view(state, command.call_id, command.path, command.view)

        self._chats.transact(command.chat_id, setting)
        self._signals.changed(command.chat_id)


def _candidate(one: AnswerNumber, which: int) -> dict[str, Any]:
    """Return the fields of `NumberVouched` for the cell that the user chose among the possible origins of a number."""
    if not 1 <= which <= len(one.traced.likely):
        raise NotFound(
            "candidate_not_found",
            f"{one.traced.mention.text} has {len(one.traced.likely)} possible cells, but no cell {which}.",
        )
    cell = one.traced.likely[which - 1].cell
    table = one.results[cell.table]
    return {
        "call_id": table.call_id or None,
        "result": table.name,
        "row": cell.row,
        "column": table.columns[cell.column],
    }
