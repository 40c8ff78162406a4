"""Facts of a chat's files. Stream `chat-<id>`."""

from typing import Annotated, Literal

from events.declarations import (
    Content,
    Copied,
    Dropped,
    History,
    InFork,
    Makes,
    NamesFiles,
    Refers,
    RemovesContents,
)
from events.event import ChatEvent, Value

__all__ = ["LINKED", "ContentsRemoved", "File", "LeftOut", "ManifestRecorded", "ManifestSource"]

ManifestSource = Literal["user_upload", "tool_run", "branch", "edit"]
"""What changed the files."""

LINKED = "linked files"
"""The `source_ref` of a state in which linked files had changed."""

_SOURCES: dict[ManifestSource, str] = {
    "user_upload": "You added files",
    "tool_run": "A tool changed files",
    "branch": "The files came with the branch",
    "edit": "You changed files",
}


class File(Value):
    """A file's content by hash."""

    sha256: Annotated[str, Content()]
    size: int
    executable: bool = False
    """Whether the file may be run as a program."""


class LeftOut(Value):
    """Something in the folder that no state includes."""

    path: str
    reason: str


class ManifestRecorded(ChatEvent):
    """The files changed: the differences from the previous state, never the whole map."""

    type: Literal["ManifestRecorded"] = "ManifestRecorded"
    history = History("files")
    fork = Copied("message_id")
    manifest_id: Annotated[str, Makes("manifest")]
    """The new state of the files."""
    parent_id: Annotated[str | None, Refers("manifest")]
    """The previous state, which it changes; None is the empty one."""
    message_id: Annotated[str | None, Refers("message")]
    """The message to which this state belongs; None is the root."""
    call_id: Annotated[str | None, Refers("call", earlier=False)] = None
    added: Annotated[dict[str, File], NamesFiles()]
    """Path → new file."""
    changed: Annotated[dict[str, File], NamesFiles()]
    """Path → new content of a file."""
    removed: tuple[str, ...]
    source: ManifestSource
    source_ref: Annotated[str | None, Refers("any", earlier=False, not_copied="kept")] = None
    """The call, message or state that it came from."""
    active: Annotated[bool, InFork(same_as="joined")] = True
    """Whether the chat was at this message, so that these are now its files."""
    joined: bool = True
    """Whether the branch continues from it; files of a failed call are kept separately."""
    left_out: tuple[LeftOut, ...] = ()
    """Files of the folder that were not recorded, and why."""

    def sentence(self) -> str:
        """See `Event.sentence`: who changed files, and how many."""
        numbers = {"added": self.added, "changed": self.changed, "removed": self.removed}
        told = ", ".join(f"{len(paths)} {what}" for what, paths in numbers.items() if paths)
        if self.source_ref == LINKED:
            return f"Files that are read in place changed: {told}."
        return f"{_SOURCES[self.source]}: {told or 'none changed'}."


class ContentsRemoved(ChatEvent):
    """Contents of the chat's earlier files were removed on purpose. Later references store them again."""

    type: Literal["ContentsRemoved"] = "ContentsRemoved"
    history = History("files", "Old contents were removed.")
    fork = Dropped("the fork records which contents it lacks")
    contents: Annotated[tuple[str, ...], RemovesContents()]
    """Their SHA-256 hashes."""
    reason: Literal["retention", "fork"]
    """`retention`: by `gc --older-than`. `fork`: they had been removed before this chat was copied from another."""
