"""Every command: a request that may be refused. `App.send` takes one and returns what its docstring says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from events.canonical import JSON

__all__ = [
    "ApproveCall",
    "Ask",
    "AskAgain",
    "BeginChat",
    "ChangeSetting",
    "Command",
    "ConfigureToolset",
    "CreateChat",
    "DeleteChat",
    "DenyCall",
    "DisableServer",
    "DisableTool",
    "DisableToolset",
    "EditMessage",
    "EnableServer",
    "EnableTool",
    "EnableToolset",
    "ForkChat",
    "InstallToolset",
    "RegisterServer",
    "RemoveServer",
    "RenameChat",
    "RestoreChat",
    "Retry",
    "RunTool",
    "SaveFile",
    "SelectLeaf",
    "SelectModel",
    "SelectTools",
    "StopTurn",
    "TrustServer",
    "UninstallToolset",
    "Upload",
    "UploadFiles",
]


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that the user brings: its name, and its bytes or where they are."""

    name: str
    content: bytes | Path


@dataclass(frozen=True, slots=True)
class CreateChat:
    """Begin a chat with the last selection of tools and the default model. Returns its id."""

    title: str = ""


@dataclass(frozen=True, slots=True)
class RenameChat:
    """Give a chat a title."""

    chat_id: str
    title: str


@dataclass(frozen=True, slots=True)
class DeleteChat:
    """Take a chat off the list; its events stay. A running turn is stopped."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class RestoreChat:
    """Put a deleted chat back."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class ForkChat:
    """Copy the path to a message, with its files, into a new chat. Returns the new chat's id."""

    chat_id: str
    message_id: str | None = None
    """None: where the chat stands."""


@dataclass(frozen=True, slots=True)
class SelectTools:
    """Choose which tools a chat offers."""

    chat_id: str
    selection: Mapping[str, Sequence[str]]
    """Toolset id (`builtin` for the built-in ones) → tools."""


@dataclass(frozen=True, slots=True)
class SelectModel:
    """Choose which model answers in a chat."""

    chat_id: str
    model: str
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class SelectLeaf:
    """Stand on another message; files follow. None is before any message."""

    chat_id: str
    message_id: str | None


@dataclass(frozen=True, slots=True)
class UploadFiles:
    """Add files to a chat where it stands. Returns the names that they got."""

    chat_id: str
    files: Sequence[Upload]


@dataclass(frozen=True, slots=True)
class SaveFile:
    """Save a file that the user edited; refused if it is no longer the one that was opened."""

    chat_id: str
    path: str
    content: bytes
    opened_sha256: str | None
    """Hash of what the user began from; None for a new file."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Add a question, with files, below where the chat stands, and answer it. Returns `TurnStart`.

    A text like `/query select 1` runs that tool, and no model is asked; `/help` lists what there is.
    """

    chat_id: str
    text: str
    files: Sequence[Upload] = ()
    allow_confirmations: bool = False
    """Approve in advance every call that would ask (`--yes`)."""


@dataclass(frozen=True, slots=True)
class BeginChat:
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
class Retry:
    """Answer a user's message again, beside the answers that it has. Returns `TurnStart`."""

    chat_id: str
    message_id: str
    """The question, or any message of the answer to replace."""
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class EditMessage:
    """Ask a question in other words, beside the one that was asked; it keeps its files. Returns `TurnStart`."""

    chat_id: str
    message_id: str
    text: str
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class ApproveCall:
    """Allow a call that waits, for the arguments that it shows or for others. Returns the `TurnStart` of its turn."""

    chat_id: str
    call_id: str
    arguments: Mapping[str, JSON] | None = None
    """None: the very arguments that the model gave."""
    always: bool = False
    """Ask no more for this tool in this chat."""
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class DenyCall:
    """Refuse a call that waits; the model is told so. Returns the `TurnStart` of its turn."""

    chat_id: str
    call_id: str
    reason: str = ""
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class AskAgain:
    """Take back "always in this chat": the tool asks again."""

    chat_id: str
    tool_id: str


@dataclass(frozen=True, slots=True)
class StopTurn:
    """Stop the chat's turns, running or waiting, and the tools that its user runs. Returns how many there were."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class RunTool:
    """Run one tool as the user, without a model. Returns the call's id once it has ended."""

    chat_id: str
    """A chat that there is."""
    tool_id: str
    arguments: Mapping[str, JSON] = field(default_factory=dict)
    allow_confirmations: bool = False


@dataclass(frozen=True, slots=True)
class InstallToolset:
    """Install or upgrade a bundle that the user agreed to. Returns `Installed`."""

    source: Path | bytes
    consent: str
    """`sheet` or `yes`: how it was agreed to."""
    source_ref: str | None = None
    agreed_hash: str | None = None
    """Content hash that the sheet showed; other content is refused."""
    progress: Callable[[str], None] = lambda _: None
    """Told, line by line, what is being done where packages are installed."""


@dataclass(frozen=True, slots=True)
class EnableToolset:
    """Switch a toolset on."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class DisableToolset:
    """Switch a toolset off."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class ConfigureToolset:
    """Set keys that a toolset declares. Secrets go to the user's keys, and of them only the names into the log."""

    toolset_id: str
    values: Mapping[str, str | None] = field(repr=False)
    """Key → value; None takes the value away. Keys that are not named stay as they are."""


@dataclass(frozen=True, slots=True)
class UninstallToolset:
    """Take a toolset away, with the secrets that were set for it; what it showed stays shown."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class EnableTool:
    """Switch one tool on again, everywhere."""

    tool_id: str


@dataclass(frozen=True, slots=True)
class DisableTool:
    """Switch one tool off, everywhere."""

    tool_id: str


@dataclass(frozen=True, slots=True)
class RegisterServer:
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
class RemoveServer:
    """Take an MCP server of the user's own away, with the secrets that were set for it."""

    server_id: str


@dataclass(frozen=True, slots=True)
class EnableServer:
    """Let an MCP server start."""

    server_id: str


@dataclass(frozen=True, slots=True)
class DisableServer:
    """End an MCP server, and start it no more."""

    server_id: str


@dataclass(frozen=True, slots=True)
class TrustServer:
    """Let an MCP server's tools run without asking first; or, with False, ask again."""

    server_id: str
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class ChangeSetting:
    """Change a setting; None puts it back to its default."""

    name: str
    value: JSON


Command: TypeAlias = (
    CreateChat
    | RenameChat
    | DeleteChat
    | RestoreChat
    | ForkChat
    | SelectTools
    | SelectModel
    | SelectLeaf
    | UploadFiles
    | SaveFile
    | Ask
    | BeginChat
    | Retry
    | EditMessage
    | ApproveCall
    | DenyCall
    | AskAgain
    | StopTurn
    | RunTool
    | InstallToolset
    | EnableToolset
    | DisableToolset
    | ConfigureToolset
    | UninstallToolset
    | EnableTool
    | DisableTool
    | RegisterServer
    | RemoveServer
    | EnableServer
    | DisableServer
    | TrustServer
    | ChangeSetting
)
