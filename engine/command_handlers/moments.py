"""Handles commands about moments (TIM-12): names for states of a chat's files."""

from collections.abc import Callable
from typing import Any

from engine.chats.open_chats import Chats
from engine.chats.signals import Signals
from engine.commands.catalog import ForgetMoment, NameMoment
from engine.deciders.chat_state import ChatState
from engine.deciders.rewind import as_of
from engine.errors import Invalid, NotFound
from engine.tools.moment_names import MomentNames

__all__ = ["MomentCommands", "moment_handlers"]


class MomentCommands:
    """Handles the commands about moments."""

    def __init__(self, chats: Chats, names: MomentNames, signals: Signals) -> None:
        self._chats = chats
        self._names = names
        self._signals = signals

    def name(self, command: NameMoment) -> str:
        """See `NameMoment`."""
        chosen = (command.position, command.message_id, command.renames)
        if sum(one is not None for one in chosen) > 1:
            raise Invalid(
                "moment_of_two",
                "Give one of these: a position, a message, or the named moment to rename.",
            )
        moment, _ = self._names.name(
            command.chat_id,
            command.name,
            lambda state: self._state(state, command),
            description=command.description,
            renames=command.renames,
        )
        self._signals.changed(command.chat_id)
        return moment.moment_id

    def forget(self, command: ForgetMoment) -> None:
        """See `ForgetMoment`."""
        self._names.forget(command.chat_id, command.name)
        self._signals.changed(command.chat_id)

    def _state(self, state: ChatState, command: NameMoment) -> tuple[str | None, str | None]:
        """Return the message and the state of the files that get the name."""
        if command.position is not None:
            then = as_of(self._chats.recorded(command.chat_id), command.position)
            return then.leaf, then.manifest
        if command.message_id is None:
            return state.leaf, state.manifest
        if command.message_id not in state.messages:
            raise NotFound("message_not_found", f"This chat has no message {command.message_id}.")
        return command.message_id, state.manifest_at(command.message_id)


def moment_handlers(moments: MomentCommands) -> dict[type, Callable[[Any], Any]]:
    """Return each command's handler."""
    return {NameMoment: moments.name, ForgetMoment: moments.forget}
