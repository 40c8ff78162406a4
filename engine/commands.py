"""Every command: a request that may be refused. `App.send` takes one and returns what its docstring says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from events.canonical import JSON

__all__ = [
    "ApproveCall", "Ask", "AskAgain", "AskQueued", "BeginChat", "ChangeSetting", "Command", "ConfigureToolset",
    "CreateChat", "DeleteChat", "DenyCall", "DisableServer", "DisableTool", "DisableToolset", "EditMessage",
    "EnableServer", "EnableTool", "EnableToolset", "ForkChat", "InstallToolset", "QueueQuestion", "RegisterServer",
    "RemoveFile", "RemoveServer", "RenameChat", "RenameFile", "RestoreChat", "Retry", "RewindChat", "Rewound",
    "RunTool", "SaveFile", "SelectLeaf", "SelectModel", "SelectTools", "SetRenderConfig", "StopTurn", "TrustServer",
    "UninstallToolset", "UnqueueQuestion", "Upload", "UploadFiles",
]  # fmt: skip

Rewound: TypeAlias = Literal["both", "chat", "files"]
"""What a rewind takes back."""


class Command:
    """A request; each is a frozen dataclass that says what it returns."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that the user brings: its name, and its bytes or where they are."""

    name: str
    content: bytes | Path


@dataclass(frozen=True, slots=True)
class CreateChat(Command):
    """Begin a chat without a question. Returns its id."""

    title: str = ""
    model: str | None = None
    """None: the default one."""
    base_url: str | None = None
    selection: Mapping[str, Sequence[str]] | None = None
    """None: what a new chat ticks."""


@dataclass(frozen=True, slots=True)
class RenameChat(Command):
    """Give a chat a title."""

    chat_id: str
    title: str


@dataclass(frozen=True, slots=True)
class DeleteChat(Command):
    """Take a chat off the list; its events stay. A running turn is stopped."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class RestoreChat(Command):
    """Put a deleted chat back."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class ForkChat(Command):
    """Copy the path to a message, with its files, into a new chat. Returns the new chat's id."""

    chat_id: str
    message_id: str | None = None
    """None: where the chat stands, or stood at `position`."""
    position: int | None = None
    """As the chat and its files were at this position of the log; None: as they are."""


@dataclass(frozen=True, slots=True)
class RewindChat(Command):
    """Take a chat, its files, or both back to how they were; what came later stays in its history.

    Returns the position of the log before that: rewinding to it undoes this.
    """

    chat_id: str
    position: int
    what: Rewound = "both"


@dataclass(frozen=True, slots=True)
class SelectTools(Command):
    """Choose which tools a chat offers."""

    chat_id: str
    selection: Mapping[str, Sequence[str]]
    """Toolset id (`builtin` for the built-in ones) → tools."""


@dataclass(frozen=True, slots=True)
class SelectModel(Command):
    """Choose which model answers in a chat."""

    chat_id: str
    model: str
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class SelectLeaf(Command):
    """Stand on another message; files follow. None is before any message."""

    chat_id: str
    message_id: str | None


@dataclass(frozen=True, slots=True)
class UploadFiles(Command):
    """Add files to a chat where it stands. Returns the names that they got."""

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


@dataclass(frozen=True, slots=True)
class Ask(Command):
    """Add a question, with files, below where the chat stands, and answer it. Returns `TurnStart`.

    A text like `/query select 1` runs that tool, and no model is asked; `/help` lists what there is.
    """

    chat_id: str
    text: str
    files: Sequence[Upload] = ()
    allow_confirmations: bool = False
    """Approve in advance every call that would ask (`--yes`)."""


@dataclass(frozen=True, slots=True)
class QueueQuestion(Command):
    """Ask this once no turn runs in the chat any more, nor waits for its user. One question waits at most."""

    chat_id: str
    text: str
    files: Sequence[Upload] = ()


@dataclass(frozen=True, slots=True)
class AskQueued(Command):
    """Ask what waits in a chat where no turn runs: Anabranch ended before that question's time had come."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class UnqueueQuestion(Command):
    """Have what waits in a chat not be asked, or discard what was refused. Returns whether it was still there."""

    chat_id: str
    queued_id: str


@dataclass(frozen=True, slots=True)
class BeginChat(Command):
    """Begin a chat with its first question: both, or, where that is refused, nothing. Returns `TurnStart`."""

    text: str
    files: Sequence[Upload] = ()
    model: str | None = None
    """None: the default one."""
    base_url: str | None = None
    selection: Mapping[str, Sequence[str]] | None = None
    """None: what a new chat ticks."""
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class Retry(Command):
    """Answer a user's message again, beside the answers that it has. Returns `TurnStart`."""

    chat_id: str
    message_id: str
    """The question, or any message of the answer to replace."""
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class EditMessage(Command):
    """Ask a question in other words, beside the one that was asked; it keeps its files. Returns `TurnStart`."""

    chat_id: str
    message_id: str
    text: str
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class ApproveCall(Command):
    """Allow a call that waits, for the arguments that it shows or for others. Returns the `TurnStart` of its turn."""

    chat_id: str
    call_id: str
    arguments: "Mapping[str, JSON] | None" = None
    """None: the very arguments that the model gave."""
    always: bool = False
    """Ask no more for this tool in this chat."""
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class DenyCall(Command):
    """Refuse a call that waits; the model is told so. Returns the `TurnStart` of its turn."""

    chat_id: str
    call_id: str
    reason: str = ""
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class AskAgain(Command):
    """Take back "always in this chat": the tool asks again."""

    chat_id: str
    tool_id: str


@dataclass(frozen=True, slots=True)
class StopTurn(Command):
    """Stop the chat's turns, running or waiting, and the tools that its user runs. Returns how many there were."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class RunTool(Command):
    """Run one tool as the user, without a model. Returns the call's id once it has ended."""

    chat_id: str
    tool_id: str
    arguments: "Mapping[str, JSON]" = field(default_factory=dict)
    allow_confirmations: bool = False
    from_call_id: str | None = None
    """The call whose arguments the user changed to make this one; its card shows what comes of it."""


@dataclass(frozen=True, slots=True)
class InstallToolset(Command):
    """Install or upgrade a bundle that the user agreed to. Returns `Installed`."""

    source: Path | bytes
    consent: str
    """`sheet` or `yes`: how it was agreed to."""
    source_ref: str | None = None
    agreed_hash: str | None = None
    """Content hash that the sheet showed; other content is refused."""
    servers: Sequence[str] | None = None
    """The declared MCP servers that may start; None: as its manifest says."""
    progress: Callable[[str], None] = lambda _: None
    """Told, line by line, what is being done where packages are installed."""


@dataclass(frozen=True, slots=True)
class EnableToolset(Command):
    """Switch a toolset on."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class DisableToolset(Command):
    """Switch a toolset off."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class ConfigureToolset(Command):
    """Set keys that a toolset declares. Secrets go to the user's keys, and of them only the names into the log."""

    toolset_id: str
    values: Mapping[str, str | None] = field(repr=False)
    """Key → value; None takes the value away. Keys that are not named stay as they are."""


@dataclass(frozen=True, slots=True)
class UninstallToolset(Command):
    """Take a toolset away, with the secrets that were set for it; what it showed stays shown."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class EnableTool(Command):
    """Switch one tool on again, everywhere."""

    tool_id: str


@dataclass(frozen=True, slots=True)
class DisableTool(Command):
    """Switch one tool off, everywhere."""

    tool_id: str


@dataclass(frozen=True, slots=True)
class SetRenderConfig(Command):
    """Choose how a tool's results are shown from now on, with a manifest's configuration; None takes that back."""

    tool_id: str
    renderer: str | None
    config: "Mapping[str, JSON]" = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RegisterServer(Command):
    """Make an MCP server known: a command to start, or an address. The same again is nothing."""

    server_id: str
    command: str | None = None
    args: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    """What it is given; a secret stands as `${NAME}`."""
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """NAME → value, for the user's keys; none of it gets into the log."""


@dataclass(frozen=True, slots=True)
class RemoveServer(Command):
    """Take an MCP server of the user's own away, with the secrets that were set for it."""

    server_id: str


@dataclass(frozen=True, slots=True)
class EnableServer(Command):
    """Let an MCP server start."""

    server_id: str


@dataclass(frozen=True, slots=True)
class DisableServer(Command):
    """End an MCP server, and start it no more."""

    server_id: str


@dataclass(frozen=True, slots=True)
class TrustServer(Command):
    """Let an MCP server's tools run without asking first; or, with False, ask again."""

    server_id: str
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class ChangeSetting(Command):
    """Change a setting; None puts it back to its default."""

    name: str
    value: "JSON"
