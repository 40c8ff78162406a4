"""The documents of the API as its description names them; the fields that others may rely on (SPEC §16)."""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import Path
from pydantic import BaseModel, Field, field_validator

from events.canonical import JSON

__all__ = [
    "Answer",
    "AnswerText",
    "Approval",
    "ChatRow",
    "Created",
    "Denial",
    "Enabled",
    "EventDocument",
    "EventPage",
    "Executed",
    "Execution",
    "FileList",
    "FileRow",
    "Health",
    "Id",
    "Import",
    "Installed",
    "NewChat",
    "Problem",
    "Question",
    "State",
    "Stopped",
    "ToolDocument",
    "ToolId",
    "ToolsetDocument",
    "Uninstalled",
]

Id: TypeAlias = Annotated[str, Path(pattern=r"^[0-9A-Za-z_-]{1,64}$")]
ToolId: TypeAlias = Annotated[str, Path(pattern=r"^[0-9A-Za-z_.:-]{1,200}$")]
_Object: TypeAlias = dict[str, JSON]


class Problem(BaseModel):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    """What happened, to what, and what to do."""
    code: str
    """Stable: programs may rely on it."""
    problems: list[dict[str, Any]] | None = None


class Health(BaseModel):
    """That the service is there."""

    ok: bool
    """Whether the log takes events."""
    log: Literal["well", "read_only", "disk", "folder_gone", "closed"]
    """What keeps it from that. The page and `anabranch doctor` say more."""
    pid: int
    position: int
    """The last position of its log."""
    version: str


class ToolDocument(BaseModel):
    """A tool."""

    tool_id: str
    toolset_id: str | None
    tool_name: str
    name: str
    description: str
    input_schema: dict[str, Any]
    effects: Literal["read", "create", "write"]
    requires_confirmation: bool
    timeout: float
    command: str | None
    available: bool
    reason: str | None
    """Why it cannot run."""


class ToolsetDocument(BaseModel):
    """An installed toolset."""

    id: str
    name: str
    version: str
    description: str
    enabled: bool
    installed_at: datetime
    source_type: str
    source_ref: str
    tools: list[dict[str, Any]]
    skill: dict[str, Any] | None
    """What its SKILL.md says, where it has one."""
    available: bool
    reason: str | None
    note: str | None
    """Why the folder that it was installed from is not used as it stands."""
    follows: str | None
    """The folder that it follows: code that changes there is used without another install."""
    changed_files: list[str]
    """Stored files that are not as they were installed: none of its tools runs until they are restored."""


class Import(BaseModel):
    """A bundle to install, from an address or a path on this machine."""

    url: str | None = Field(default=None, max_length=4000)
    path: str | None = Field(default=None, max_length=4000)
    agreed_hash: str | None = Field(default=None, max_length=64)
    """The `content_hash` of the sheet that the user agreed to."""
    keep_keys: list[str] = Field(default=[], max_length=100)
    """Of the sheet's `keys_stored`, those that the user agreed to hand over."""
    variables: list[str] = Field(default=[], max_length=100)
    """Of the sheet's `variables`, those that the user agreed to give. In a form both are names with commas."""

    @field_validator("keep_keys", "variables", mode="before")
    @classmethod
    def _names(cls, value: Any) -> Any:
        return (
            [name.strip() for name in value.split(",") if name.strip()] if isinstance(value, str) else value
        )


class Installed(BaseModel):
    """What installing came to."""

    toolset_id: str
    version: str
    content_hash: str
    outcome: Literal["installed", "upgraded", "unchanged"]


class Enabled(BaseModel):
    """Whether a toolset is on."""

    enabled: bool


class Restored(BaseModel):
    """A toolset whose stored files are as they were installed."""

    toolset_id: str
    files: list[str]
    """The files that were put back."""


class Uninstalled(BaseModel):
    """A toolset that was taken away."""

    toolset_id: str
    uninstalled: bool


class Execution(BaseModel):
    """A call of one tool."""

    tool_call_id: str = Field(max_length=200)
    params: dict[str, Any] = Field(default_factory=dict)
    chat_id: str | None = Field(default=None, pattern=r"^[0-9A-Za-z_-]{1,64}$")
    """Whose files it works on; without it, none."""
    allow_confirmations: bool = False


class Executed(BaseModel):
    """What a call came to: a result, or an error."""

    tool_call_id: str
    result: Any = None
    error: dict[str, Any] | None = None


class ChatRow(BaseModel):
    """A chat in the list."""

    chat_id: str
    title: str | None
    created_at: datetime
    updated_at: datetime
    message_count: int


class NewChat(BaseModel):
    """A chat to begin."""

    title: str = Field(default="", max_length=500)


class Created(BaseModel):
    """A chat that was begun."""

    chat_id: str


class Question(BaseModel):
    """A question. Files come as `file` fields of a form instead."""

    text: str = Field(max_length=1_000_000)
    allow_confirmations: bool = False
    """Approve in advance every call that would ask; not one that would send something of the chat's."""
    allow_sends: list[Annotated[str, Field(max_length=300)]] = Field(default_factory=list, max_length=50)
    """Destinations to which tools may send in this chat, from now on, without asking."""
    if_running: Literal["refuse", "queue"] = "refuse"
    """If a question is being answered in the chat: answer 409 `turn_runs`, or wait for its end. One question waits."""


class QueryForm(BaseModel):
    """A query form to be answered by the offline analyst."""

    form: dict[str, Any]
    """What to compute: see the documentation of query forms."""
    text: str | None = Field(default=None, max_length=10_000)
    """The question as it is shown. None: the sentence that means the form."""
    message_id: str | None = None
    """Answer this question again with the form, beside its other answers, instead of asking a new one."""


class Approval(BaseModel):
    """Leave for a call that waits."""

    arguments: dict[str, Any] | None = None
    """Run it with these instead."""
    always: bool = False
    """Ask no more for this tool in this chat."""
    allow_confirmations: bool = False


class Denial(BaseModel):
    """No leave for a call that waits."""

    reason: str = Field(default="", max_length=10_000)
    allow_confirmations: bool = False


class AnswerText(BaseModel):
    """The user's answer to a question of the model."""

    text: str = Field(min_length=1, max_length=4_000)
    allow_confirmations: bool = False


class Answer(BaseModel):
    """What a turn came to; the last event of its stream."""

    chat_id: str
    turn_id: str
    finish: str
    answer: str
    tool_calls: list[dict[str, Any]]
    usage: dict[str, Any]
    definitions: list[dict[str, Any]]
    """The user's definitions that the answer used: `term`, `meaning`, `version`, and `scope` (`chat`, `everywhere`)."""
    error: dict[str, Any] = {}
    """`code` and `message`; only if `finish` is `error`."""


class Stopped(BaseModel):
    """How many turns and tools were stopped."""

    stopped: int


class FileRow(BaseModel):
    """A file of a workspace."""

    path: str
    sha256: str
    size: int
    executable: bool


class Received(BaseModel):
    """A file that was added to a chat."""

    name: str
    """As it is called there: a name that was taken gets a number."""


class FileList(BaseModel):
    """A recorded state of a workspace."""

    manifest_id: str | None
    files: list[FileRow]


class EventDocument(BaseModel):
    """An event as it stands in the log."""

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
    """Ask for what comes after this position next."""
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
