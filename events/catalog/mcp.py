"""Facts of one MCP server. Stream `mcp-<id>`."""

from typing import Literal

from events.canonical import JSON
from events.event import Event

__all__ = [
    "McpServerDisabled",
    "McpServerEnabled",
    "McpServerRegistered",
    "McpServerRemoved",
    "McpServerTrustSet",
]


class McpServerRegistered(Event):
    """A server is known, by a toolset or by the user's settings."""

    type: Literal["McpServerRegistered"] = "McpServerRegistered"
    config: dict[str, JSON]
    """Command or URL, with `${VAR}` where a value is secret."""
    enabled: bool
    toolset_ids: tuple[str, ...] = ()
    """The toolsets that declare it; none where the user alone did."""
    by_user: bool = False
    """The user registered it too, so that it stays when its toolsets go."""
    trusted: bool = False
    """Its tools do not ask first."""
    trusted_tools: dict[str, str] | None = None
    """See `McpServerTrustSet.tools`."""


class McpServerEnabled(Event):
    """It may be started."""

    type: Literal["McpServerEnabled"] = "McpServerEnabled"


class McpServerDisabled(Event):
    """It may not be started."""

    type: Literal["McpServerDisabled"] = "McpServerDisabled"


class McpServerRemoved(Event):
    """It is known no more."""

    type: Literal["McpServerRemoved"] = "McpServerRemoved"


class McpServerTrustSet(Event):
    """The user trusts it, so that its tools do not ask first; or trusts it no more."""

    type: Literal["McpServerTrustSet"] = "McpServerTrustSet"
    trusted: bool
    tools: dict[str, str] | None = None
    """SHA-256 of each tool's name, texts, schema and hints as they were offered then, by the tool's name: another one
    asks first. None trusts whatever it offers, as before fingerprints were kept."""
