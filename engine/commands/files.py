"""Commands about the files of a chat."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from engine.commands.base import Command
from engine.commands.carried import Bytes, Local
from engine.commands.values import Upload

__all__ = ["ReceiveFile", "RemoveFile", "RenameFile", "SaveFile", "UploadFiles"]


@dataclass(frozen=True, slots=True)
class UploadFiles(Command[list[str]]):
    """Add files to a chat's current branch. Returns the names that they got."""

    chat_id: str
    files: Sequence[Upload]


@dataclass(frozen=True, slots=True)
class ReceiveFile(Command[str]):
    """Add one file of any size to a chat's current branch while it comes in. Returns the name that it got.

    Who watches the chat gets signals `upload` with the bytes so far.
    """

    chat_id: str
    name: str
    pieces: Annotated[Iterator[bytes], Local]
    """Its bytes, in order; only one piece is in memory at a time."""
    size: int | None = None
    """Bytes, if they are known before."""


@dataclass(frozen=True, slots=True)
class SaveFile(Command[None]):
    """Save a file that the user edited; refused if it is no longer the one that was opened, or a turn runs.

    Earlier states of the files keep the old content.
    """

    chat_id: str
    path: str
    content: Bytes
    opened_sha256: str | None = None
    """Hash of what the user began from; None for a new file."""
    replaces: bool = False
    """Replace the file whatever it contains now."""


@dataclass(frozen=True, slots=True)
class RenameFile(Command[None]):
    """Give a file another path, as an edit of the user's; refused if there is a file of that name, or a turn runs."""

    chat_id: str
    path: str
    new_path: str
    """The new path."""


@dataclass(frozen=True, slots=True)
class RemoveFile(Command[str]):
    """Take a file out of the chat's files, as an edit of the user's; earlier states keep it. Returns its hash."""

    chat_id: str
    path: str
