"""A tool as the engine runs it, whatever its origin."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal, TypeAlias

from engine.models.model import ToolSpec
from engine.rendering.plan import RenderConfig
from engine.runtime.protocol import Runtime
from engine.toolsets.source import SHIPPED_SOURCE
from engine.workspace.manifest import FileEntry
from events.json_value import JSONObject
from events.late_dataclass import dataclass

__all__ = ["BUILTIN", "Effects", "Tool"]

BUILTIN = "builtin"
"""Used in place of a toolset id for built-in tools."""

Effects: TypeAlias = Literal["read", "create", "write"]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its description for models, how it runs, and how its results are shown."""

    tool_id: str
    toolset_id: str | None
    """The toolset's id. None for a built-in tool; `mcp:{server}` for a tool that an MCP server offers."""
    toolset_name: str
    name: str
    """The tool's id within its toolset."""
    title: str
    description: str
    input_schema: JSONObject
    requires_confirmation: bool
    effects: Effects
    timeout: float
    """The time limit in seconds."""
    entrypoint: str
    bundle: Path | None = None
    """The root folder of the stored bundle."""
    packages: tuple[Path, ...] = ()
    """Folders with the packages that the bundle requires."""
    version: str | None = None
    content_hash: str | None = None
    source: str = ""
    """The source of the tool's bundle. Empty for a built-in tool. For a server's tool: how the server is started or
    reached, and after `#` the fingerprint of the server's description of this tool.
    """
    network: bool = False
    """Whether the tool's process or MCP server can reach the network."""
    destination: str = ""
    """The destination that the tool sends data to, as in `SendRuleSet`; empty without network access."""
    runtime: Runtime = "plain"
    render: RenderConfig | None = None
    artifacts: Mapping[str, FileEntry] = field(default_factory=dict)
    """The bundle's files by their path in the bundle."""
    command: str | None = None
    """The tool's slash command name."""
    command_argument: str | None = None
    """The argument that receives the rest of a command's line."""
    server: str | None = None
    """The MCP server that runs the tool, without a tool process and without a workspace."""
    remote_name: str = ""
    """The original name that the server gave the tool."""
    available: bool = True
    reason: str | None = None
    """The reason why the tool is not available (BND-6); None if it is available."""
    note: str | None = None
    """A note for the tool's callers, if the current state of its toolset's folder is not used."""

    @property
    def home(self) -> str:
        """The tool's key in a chat's selection."""
        return self.toolset_id or BUILTIN

    @property
    def publisher(self) -> str:
        """The tool's source, without the part that distinguishes tools of the same server."""
        return self.source.partition("#")[0]

    @property
    def by_others(self) -> bool:
        """Whether the tool comes from other people: from an MCP server, or a bundle that does not ship with
        Anabranch.
        """
        return self.server is not None or self.source not in ("", SHIPPED_SOURCE)

    @property
    def told(self) -> str:
        """The tool's description for models; untrusted text is marked as such."""
        return f"[{self.toolset_name}, by others] {self.description}" if self.by_others else self.description

    def spec(self, wire_name: str) -> ToolSpec:
        """Return the specification that models are sent."""
        return ToolSpec(wire_name, self.told, self.input_schema)
