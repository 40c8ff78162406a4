"""API documents with the names and fields that clients may rely on (docs/api.md).

Documents about chats are in `chat_shapes`, documents about toolsets in `toolset_shapes`.
"""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import Path
from pydantic import BaseModel

from events.json_value import JSON

__all__ = [
    "EventDocument",
    "EventPage",
    "FileList",
    "FileRow",
    "Health",
    "HomeId",
    "Id",
    "Problem",
    "Received",
    "State",
    "ToolId",
]

Id: TypeAlias = Annotated[str, Path(pattern=r"^[0-9A-Za-z_-]{1,64}$")]
HomeId: TypeAlias = Annotated[str, Path(pattern=r"^(mcp:)?[0-9A-Za-z_-]{1,64}$")]
"""The owner of a tool: a toolset, `builtin`, or `mcp:SERVER`."""
ToolId: TypeAlias = Annotated[str, Path(pattern=r"^[0-9A-Za-z_.:-]{1,200}$")]
_Object: TypeAlias = dict[str, JSON]


class Problem(BaseModel):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    """A sentence that says what happened, to what, and what to do."""
    code: str
    """A stable code on which programs may rely."""
    problems: list[dict[str, Any]] | None = None


class Health(BaseModel):
    """The state of the service."""

    ok: bool
    """Whether the log accepts events."""
    log: Literal["well", "read_only", "disk", "folder_gone", "closed"]
    """`well` if the log is writable, otherwise the reason. The page and `anabranch doctor` say more."""
    pid: int
    position: int
    """The last position of the log."""
    version: str


class FileRow(BaseModel):
    """A file of a workspace."""

    path: str
    sha256: str
    size: int
    executable: bool


class Received(BaseModel):
    """A file that was added to a chat."""

    name: str
    """The name of the stored file; a number is added if the name was already used."""


class FileList(BaseModel):
    """A recorded state of a workspace."""

    manifest_id: str | None
    files: list[FileRow]


class EventDocument(BaseModel):
    """An event as recorded in the log."""

    position: int
    stream: str
    version: int
    event_id: str
    type: str
    occurred_at: datetime
    correlation_id: str | None
    causation_id: str | None
    payload: _Object
    hash: str


class EventPage(BaseModel):
    """Events in order."""

    events: list[EventDocument]
    after: int
    """The position to pass as `after` to get the next events."""
    head: int
    """The last position of the log."""


class State(BaseModel):
    """The read models as of a position."""

    position: int
    toolsets: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    chats: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    workspace_manifests: list[dict[str, Any]]
    tool_calls: list[dict[str, Any]]
