"""Facts about one MCP server. Stream `mcp-<id>`."""

from typing import Literal

from events.event import Event
from events.json_value import JSON

__all__ = [
    "McpServerDisabled",
    "McpServerEnabled",
    "McpServerRegistered",
    "McpServerRemoved",
    "McpServerTrustSet",
]


class McpServerRegistered(Event):
    """A server was registered by a toolset or in the user's settings."""

    type: Literal["McpServerRegistered"] = "McpServerRegistered"
    config: dict[str, JSON]
    """Command or URL, with `${VAR}` in place of secret values."""
    enabled: bool
    toolset_ids: tuple[str, ...] = ()
    """The toolsets that declare the server; empty if only the user registered it."""
    by_user: bool = False
    """Whether the user registered the server too, so that it stays when its toolsets are uninstalled."""
    trusted: bool = False
    """Whether its tools run without asking first."""
    trusted_tools: dict[str, str] | None = None
    """See `McpServerTrustSet.tools`."""


class McpServerEnabled(Event):
    """The server was enabled."""

    type: Literal["McpServerEnabled"] = "McpServerEnabled"


class McpServerDisabled(Event):
    """The server was disabled."""

    type: Literal["McpServerDisabled"] = "McpServerDisabled"


class McpServerRemoved(Event):
    """The server was removed."""

    type: Literal["McpServerRemoved"] = "McpServerRemoved"


class McpServerTrustSet(Event):
    """The user trusted the server, so that its tools run without asking first, or withdrew that trust."""

    type: Literal["McpServerTrustSet"] = "McpServerTrustSet"
    trusted: bool
    tools: dict[str, str] | None = None
    """Tool name → SHA-256 of the tool's name, texts, schema and hints as the server then offered them; a tool that has
    changed since then asks first. None in events from before hashes were recorded: all tools of a trusted server are
    then trusted.
    """
