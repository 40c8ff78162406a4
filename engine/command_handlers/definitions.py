"""Handles commands about the user's definitions (SEAT-9)."""

from engine.chats.definitions import DefinitionBook
from engine.chats.signals import Signals
from engine.commands.catalog import ForgetDefinition, SetDefinition

__all__ = ["DefinitionCommands"]


class DefinitionCommands:
    """Handles the commands about definitions."""

    def __init__(self, book: DefinitionBook, signals: Signals) -> None:
        self._book = book
        self._signals = signals

    def set(self, command: SetDefinition) -> str:
        """See `SetDefinition`."""
        made = self._book.set(
            command.term, command.meaning, command.chat_id, definition_id=command.definition_id
        )
        self._changed(command.chat_id)
        return made.definition_id

    def forget(self, command: ForgetDefinition) -> None:
        """See `ForgetDefinition`."""
        self._book.forget(command.term, command.chat_id)
        self._changed(command.chat_id)

    def _changed(self, chat_id: str | None) -> None:
        if chat_id is not None:
            self._signals.changed(chat_id)
