"""Facts about a chat's files. Stream `chat-<id>`."""

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
"""The `source_ref` of a state that records changes of linked files."""

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
    """Whether the file may be executed as a program."""


class LeftOut(Value):
    """A file or folder that was left out of the recorded state."""

    path: str
    reason: str


class ManifestRecorded(ChatEvent):
    """The chat's files changed. Records the differences from the previous state, never all files."""

    type: Literal["ManifestRecorded"] = "ManifestRecorded"
    history = History("files")
    fork = Copied("message_id")
    manifest_id: Annotated[str, Makes("manifest")]
    """The new state of the files."""
    parent_id: Annotated[str | None, Refers("manifest")]
    """The previous state, to which the changes apply; None is the empty state."""
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
    """The id of the call, message or state that caused the change."""
    active: Annotated[bool, InFork(same_as="joined")] = True
    """Whether the chat was at this message. If so, the new state became the chat's current files."""
    joined: bool = True
    """Whether the branch continues from this state; files of a failed call are kept separately."""
    left_out: tuple[LeftOut, ...] = ()
    """Files in the folder that were not recorded, with the reasons."""

    def sentence(self) -> str:
        """See `Event.sentence`: says who changed files, and how many."""
        numbers = {"added": self.added, "changed": self.changed, "removed": self.removed}
        told = ", ".join(f"{len(paths)} {what}" for what, paths in numbers.items() if paths)
        if self.source_ref == LINKED:
            return f"Files that are read in place changed: {told}."
        return f"{_SOURCES[self.source]}: {told or 'none changed'}."


class ContentsRemoved(ChatEvent):
    """Contents of the chat's earlier files were removed on purpose. They are stored again if a later event refers to
    them."""

    type: Literal["ContentsRemoved"] = "ContentsRemoved"
    history = History("files", "Old file contents were removed.")
    fork = Dropped("the fork records which contents it lacks")
    contents: Annotated[tuple[str, ...], RemovesContents()]
    """The SHA-256 hashes of the removed contents."""
    reason: Literal["retention", "fork"]
    """`retention`: removed by `gc --older-than`. `fork`: removed before this chat was copied from another."""
