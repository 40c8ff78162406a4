"""Commands about the files of a chat."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from engine.commands.base import Command
from engine.commands.carried import Bytes, Local
from engine.commands.values import Upload
from events.late_dataclass import dataclass

__all__ = ["ReceiveFile", "RemoveFile", "RenameFile", "SaveFile", "UploadFiles"]


@dataclass(frozen=True, slots=True)
class UploadFiles(Command[list[str]]):
    """Add files to a chat's current branch. Returns the names of the added files."""

    chat_id: str
    files: Sequence[Upload]


@dataclass(frozen=True, slots=True)
class ReceiveFile(Command[str]):
    """Add one file of any size to a chat's current branch, as a stream. Returns the name of the added file.

    Watchers of the chat get `upload` signals with the number of bytes received so far.
    """

    chat_id: str
    name: str
    pieces: Annotated[Iterator[bytes], Local]
    """The file's bytes, in order; only one piece is in memory at a time."""
    size: int | None = None
    """The number of bytes, if it is known in advance."""


@dataclass(frozen=True, slots=True)
class SaveFile(Command[None]):
    """Save a file that the user edited. Refused if the file has changed since it was opened, or if a turn is running.

    Earlier states of the files keep the old content.
    """

    chat_id: str
    path: str
    content: Bytes
    opened_sha256: str | None = None
    """The hash of the version that the user opened; None for a new file."""
    replaces: bool = False
    """Whether to replace the file even if it has changed since it was opened."""


@dataclass(frozen=True, slots=True)
class RenameFile(Command[None]):
    """Rename a file, as an edit by the user. Refused if the new name is taken or if a turn is running."""

    chat_id: str
    path: str
    new_path: str
    """The new path of the file."""


@dataclass(frozen=True, slots=True)
class RemoveFile(Command[str]):
    """Remove a file from the chat, as an edit by the user. Earlier states still contain it. Returns the hash of the
    file."""

    chat_id: str
    path: str
