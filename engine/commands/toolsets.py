"""Commands about toolsets, tools and MCP servers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from engine.commands.base import Command
from engine.commands.carried import BundleSource, Local
from engine.commands.values import Installed, Restored
from events.canonical import JSON

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
    """Its ZIP, or its ZIP or folder on the app's machine. A folder is followed from then on."""
    consent: str
    """`sheet` or `yes`: how it was agreed to."""
    source_ref: str | None = None
    agreed_hash: str | None = None
    """Content hash that the sheet showed; other content is refused."""
    servers: Sequence[str] | None = None
    """The declared MCP servers that may start; None: as its manifest says."""
    keep_keys: Sequence[str] = ()
    """Of a ZIP in place of another ZIP: the stored keys that it is to have too. A ZIP has no publisher."""
    variables: Sequence[str] = ()
    """The variables of this machine, among those that the sheet names, that it is given."""
    progress: Annotated[Callable[[str], None], Local] = lambda _: None
    """Told, line by line, what is being done where packages are installed."""


@dataclass(frozen=True, slots=True)
class EnableToolset(Command[None]):
    """Switch a toolset on."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class DisableToolset(Command[None]):
    """Switch a toolset off."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class ConfigureToolset(Command[None]):
    """Set keys that a toolset declares. Secrets go to the user's keys, and of them only the names into the log."""

    toolset_id: str
    values: Mapping[str, str | None] = field(repr=False)
    """Key → value; None takes the value away. Keys that are not named stay as they are."""
    variables: Sequence[str] | None = None
    """The variables of this machine that it is given where they are set, and no others; None: as it is."""


@dataclass(frozen=True, slots=True)
class RestoreToolset(Command[Restored]):
    """Restore a toolset's files that differ from the installed ones. Returns `Restored`."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class UninstallToolset(Command[None]):
    """Uninstall a toolset and delete its secrets; its results in chats stay visible."""

    toolset_id: str


@dataclass(frozen=True, slots=True)
class EnableTool(Command[None]):
    """Switch one tool on again, everywhere."""

    tool_id: str


@dataclass(frozen=True, slots=True)
class DisableTool(Command[None]):
    """Switch one tool off, everywhere."""

    tool_id: str


@dataclass(frozen=True, slots=True)
class SetRenderConfig(Command[None]):
    """Choose how a tool's results are shown from now on, with a manifest's configuration; None takes that back."""

    tool_id: str
    renderer: str | None
    config: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RegisterServer(Command[None]):
    """Make an MCP server known: a command to start, or an address. The same again is nothing."""

    server_id: str
    command: str | None = None
    args: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    """Its environment. A secret is written as `${NAME}`."""
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """NAME → value, for the user's keys; none of it gets into the log."""
    network: bool = False
    """Whether its process may use the network; one that fetches its program, such as `npx`, always may."""
    paths: Sequence[str] = ()
    """Files and folders that its process may read beyond its own program; with `:rw` at the end, write."""
    unconfined: bool = False
    """Do not hold its process: it can then do all that the user can."""


@dataclass(frozen=True, slots=True)
class RemoveServer(Command[None]):
    """Take an MCP server of the user's own away, with the secrets that were set for it."""

    server_id: str


@dataclass(frozen=True, slots=True)
class EnableServer(Command[None]):
    """Let an MCP server start."""

    server_id: str


@dataclass(frozen=True, slots=True)
class DisableServer(Command[None]):
    """End an MCP server, and start it no more."""

    server_id: str


@dataclass(frozen=True, slots=True)
class TrustServer(Command[None]):
    """Let an MCP server's tools run without asking first; or, with False, ask again."""

    server_id: str
    trusted: bool = True
