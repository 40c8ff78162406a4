"""Commands about toolsets, tools and MCP servers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Annotated

from engine.commands.base import Command
from engine.commands.carried import BundleSource, Local
from engine.commands.values import Installed, Restored
from events.json_value import JSON
from events.late_dataclass import dataclass

__all__ = [
    "ConfigureToolset",
    "DisableServer",
    "DisableTool",
    "DisableToolset",
    "EnableServer",
    "EnableTool",
    "EnableToolset",
    "InstallToolset",
    "RegisterServer",
    "RemoveServer",
    "RestoreToolset",
    "SetRenderConfig",
    "TrustServer",
    "UninstallToolset",
]


@dataclass(frozen=True, slots=True)
class InstallToolset(Command[Installed]):
    """Install or upgrade a bundle that the user agreed to. Returns `Installed`."""

    source: BundleSource
    """The bundle's ZIP, or the path of a ZIP or folder on the app's machine. Later changes to files in the folder are
    used too.
    """
    consent: str
    """How the user agreed: `sheet` or `yes`."""
    source_ref: str | None = None
    agreed_hash: str | None = None
    """The content hash of the sheet that was shown; a bundle with other content is refused."""
    servers: Sequence[str] | None = None
    """The declared MCP servers that may start; None: the servers that the manifest enables."""
    keep_keys: Sequence[str] = ()
    """The stored keys that a ZIP takes over from the ZIP that it replaces. The user must name these keys, because a ZIP
    does not show who made it.
    """
    variables: Sequence[str] = ()
    """The environment variables that the bundle receives, among those that the sheet names."""
    progress: Annotated[Callable[[str], None], Local] = lambda _: None
    """Receives a line of text for each step while packages are installed."""


@dataclass(frozen=True, slots=True)
class EnableToolset(Command[None]):
    """Enable a toolset."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class DisableToolset(Command[None]):
    """Disable a toolset."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class ConfigureToolset(Command[None]):
    """Set keys that a toolset declares. Secrets are stored with the user's keys; the log contains only their names."""

    toolset_id: str
    values: Mapping[str, str | None] = field(repr=False)
    """Key → value; None removes the value. Other keys do not change."""
    variables: Sequence[str] | None = None
    """The only environment variables that the toolset receives, if they are set; None: unchanged."""


@dataclass(frozen=True, slots=True)
class RestoreToolset(Command[Restored]):
    """Restore a toolset's files that differ from the installed version. Returns `Restored`."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class UninstallToolset(Command[None]):
    """Uninstall a toolset and delete its secrets; its results in chats stay visible."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class EnableTool(Command[None]):
    """Enable one tool in all chats again."""

    tool_id: str


@dataclass(frozen=True, slots=True)
class DisableTool(Command[None]):
    """Disable one tool in all chats."""

    tool_id: str


@dataclass(frozen=True, slots=True)
class SetRenderConfig(Command[None]):
    """Choose how a tool's results are shown from now on, with the same settings as in a manifest. None restores the
    default."""

    tool_id: str
    renderer: str | None
    config: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RegisterServer(Command[None]):
    """Register an MCP server: a command to start, or an address. Registering the same server again changes nothing."""

    server_id: str
    command: str | None = None
    args: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    """The environment of the server's process. A secret is written as `${NAME}`."""
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """NAME → value of each secret, stored with the user's keys; never written to the log."""
    network: bool = False
    """Whether the server's process may use the network. Servers that download their program, for example with `npx`,
    may always use it."""
    paths: Sequence[str] = ()
    """Files and folders that the server's process may read in addition to its own program. If a path ends in `:rw`, the
    process may also write to it.
    """
    unconfined: bool = False
    """Whether the server's process runs without restrictions. It can then do everything that the user can."""


@dataclass(frozen=True, slots=True)
class RemoveServer(Command[None]):
    """Remove an MCP server that the user registered, and its secrets."""

    server_id: str


@dataclass(frozen=True, slots=True)
class EnableServer(Command[None]):
    """Enable an MCP server."""

    server_id: str


@dataclass(frozen=True, slots=True)
class DisableServer(Command[None]):
    """Disable an MCP server and stop it."""

    server_id: str


@dataclass(frozen=True, slots=True)
class TrustServer(Command[None]):
    """Let an MCP server's tools run without asking first. If `trusted` is false, they ask again."""

    server_id: str
    trusted: bool = True
