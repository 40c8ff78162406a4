"""Facts of a chat's files. Stream `chat-<id>`."""

from typing import Literal

from events.event import Event, Value

__all__ = ["ContentsRemoved", "File", "LeftOut", "ManifestRecorded", "ManifestSource"]

ManifestSource = Literal["user_upload", "tool_run", "branch", "edit"]


class File(Value):
    """A file's content by hash."""

    sha256: str
    size: int
    executable: bool = False


class LeftOut(Value):
    """Something in the folder that no state keeps."""

    path: str
    reason: str


class ManifestRecorded(Event):
    """The files changed: what is different from the state before, never the whole map."""

    type: Literal["ManifestRecorded"] = "ManifestRecorded"
    manifest_id: str
    parent_id: str | None
    """The state that it changes; None is the empty one."""
    message_id: str | None
    """The message to which this state belongs; None is the root."""
    call_id: str | None = None
    added: dict[str, File]
    changed: dict[str, File]
    removed: tuple[str, ...]
    source: ManifestSource
    source_ref: str | None = None
    """The call, message or state that it came from."""
    active: bool = True
    """Whether the chat stood there, and so its files are these now."""
    joined: bool = True
    """Whether the branch goes on from it; a failed call's files are kept aside."""
    left_out: tuple[LeftOut, ...] = ()


class ContentsRemoved(Event):
    """Contents of the chat's earlier files were removed on purpose. What names them later stores them again."""

    type: Literal["ContentsRemoved"] = "ContentsRemoved"
    contents: tuple[str, ...]
    """Their SHA-256 hashes."""
    reason: Literal["retention", "fork"]
    """`retention`: by `gc --older-than`. `fork`: they were gone when this chat was copied from another."""
