"""Syncs a chat's folder around a command: records the user's edits first, and updates the folder afterwards."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.chats.signals import Signals
from engine.chats.workspaces import Workspaces
from engine.commands.catalog import (
    Ask,
    EditMessage,
    ForkChat,
    NameMoment,
    RemoveFile,
    RenameFile,
    Retry,
    RewindChat,
    SaveFile,
    SelectLeaf,
    UploadFiles,
)

__all__ = ["with_folders"]

_STAND_ON_FILES: tuple[type, ...] = (Ask, EditMessage, ForkChat, NameMoment, Retry)
"""Commands that use the chat's files as they are when the command is sent."""
_MOVE_FILES: tuple[type, ...] = (RemoveFile, RenameFile, RewindChat, SaveFile, SelectLeaf, UploadFiles)
"""Commands that change the chat's current files."""


def with_folders(
    handlers: Mapping[type, Callable[[Any], Any]], workspaces: Workspaces, signals: Signals
) -> dict[type, Callable[[Any], Any]]:
    """Return `handlers`, in which commands on a chat's files also sync the chat's folder, as described above."""

    def around(handle: Callable[[Any], Any], *, moves: bool) -> Callable[[Any], Any]:
        def handled(command: Any) -> Any:
            workspaces.record_edits(command.chat_id)
            result = handle(command)
            if moves:
                workspaces.sync(command.chat_id)
                signals.changed(command.chat_id)
            return result

        return handled

    wrapped = {kind: around(handlers[kind], moves=False) for kind in _STAND_ON_FILES}
    wrapped |= {kind: around(handlers[kind], moves=True) for kind in _MOVE_FILES}
    return {**handlers, **wrapped}
