"""Commands about the files of a chat."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.command_types.base import Command
from engine.command_types.values import Upload

__all__ = ["RemoveFile", "RenameFile", "SaveFile", "UploadFiles"]


@dataclass(frozen=True, slots=True)
class UploadFiles(Command):
    """Add files to a chat's current branch. Returns the names that they got."""

    chat_id: str
    files: Sequence[Upload]


@dataclass(frozen=True, slots=True)
class SaveFile(Command):
    """Save a file that the user edited; refused if it is no longer the one that was opened, or a turn runs."""

    chat_id: str
    path: str
    content: bytes
    opened_sha256: str | None
    """Hash of what the user began from; None for a new file."""


@dataclass(frozen=True, slots=True)
class RenameFile(Command):
    """Give a file another path, as an edit of the user's; refused if there is a file of that name, or a turn runs."""

    chat_id: str
    path: str
    new_path: str


@dataclass(frozen=True, slots=True)
class RemoveFile(Command):
    """Take a file out of the chat's files, as an edit of the user's; earlier states keep it. Returns its hash."""

    chat_id: str
    path: str
